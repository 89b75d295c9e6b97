/* SPDX-License-Identifier: MIT */
/* Simulates file systems that lack a feature, for a test that is linked with no_tmpfile.c. */
#ifndef TRAWL_TESTS_NO_TMPFILE_H
#define TRAWL_TESTS_NO_TMPFILE_H

#include <stdbool.h>

/* May be changed at any time; initially nothing is missing. */
extern bool no_tmpfile;    /* files without a name */
extern bool no_noreplace;  /* RENAME_NOREPLACE, as 9p, NFS and FUSE */
extern bool no_link;       /* second names */
extern bool no_rename;     /* any renaming: fails with an I/O error */

#endif
