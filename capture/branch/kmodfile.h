/* SPDX-License-Identifier: MIT */
/* The file of trawl.ko as it is installed for a kernel. */
#ifndef TRAWL_CAPTURE_BRANCH_KMODFILE_H
#define TRAWL_CAPTURE_BRANCH_KMODFILE_H

#include <stddef.h>

#define KMODFILE_FOLDER "/lib/modules"

/*
 * Writes to `text` what to do where the module is not loaded: load it, build it for the kernel
 * `running` instead of the one that it was built for, or build it. folder: KMODFILE_FOLDER or a
 * test's, which has a folder for each kernel.
 */
void kmodfile_remedy(const char *folder, const char *running, char *text, size_t size);

#endif
