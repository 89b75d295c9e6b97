/* SPDX-License-Identifier: MIT */
/* Which file a PATH without '/' means. */
#ifndef TRAWL_CAPTURE_SYS_PATH_H
#define TRAWL_CAPTURE_SYS_PATH_H

/*
 * Returns the regular file that `name` means, malloc'd, or NULL if there is none. A name with a '/'
 * is a path. One that holds ".so" is looked for in $LD_LIBRARY_PATH, the folders of
 * /etc/ld.so.conf, the usual library folders and $PATH, any other in $PATH.
 */
char *path_find(const char *name);

#endif
