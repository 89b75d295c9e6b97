/* SPDX-License-Identifier: MIT */
/* A file system that has no files without a name, for a test that is linked with no_tmpfile.c. */
#ifndef TESTS_NO_TMPFILE_H
#define TESTS_NO_TMPFILE_H

#include <stdbool.h>

extern bool no_tmpfile; /* from now on; at first it has them */

#endif
