/* SPDX-License-Identifier: MIT */
/* File systems that lack something, for a test that is linked with no_tmpfile.c. */
#ifndef TESTS_NO_TMPFILE_H
#define TESTS_NO_TMPFILE_H

#include <stdbool.h>

/* From now on; at first it has them. */
extern bool no_tmpfile;    /* files without a name */
extern bool no_noreplace;  /* RENAME_NOREPLACE, as 9p, NFS and FUSE */
extern bool no_link;       /* second names */
extern bool no_rename;     /* all of renaming: an I/O error */

#endif
