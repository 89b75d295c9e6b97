/* SPDX-License-Identifier: MIT */
/* Which file a PATH without '/' means. */
#ifndef TRAWL_CAPTURE_SYS_PATH_H
#define TRAWL_CAPTURE_SYS_PATH_H

/*
 * The file that name stands for: with a '/' itself; else the first regular file in $PATH, or, if
 * the name looks like a library (holds ".so"), in $LD_LIBRARY_PATH, the folders of
 * /etc/ld.so.conf and the usual ones. malloc'd; NULL if there is none.
 */
char *path_find(const char *name);

#endif
