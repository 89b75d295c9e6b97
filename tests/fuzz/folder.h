/* SPDX-License-Identifier: MIT */
/* A place for the one file that a harness needs by name. */
#ifndef TRAWL_TESTS_FUZZ_FOLDER_H
#define TRAWL_TESTS_FUZZ_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char fuzz_folder[] = "/tmp/trawl-fuzz-XXXXXX", fuzz_path[64];

static void fuzz_remove_folder(void)
{
	unlink(fuzz_path);
	rmdir(fuzz_folder);
}

/* Sets fuzz_path to NAME in a folder of its own, which is removed at exit. To be called once. */
static void fuzz_make_folder(const char *name)
{
	if (!mkdtemp(fuzz_folder))
		abort();
	snprintf(fuzz_path, sizeof(fuzz_path), "%s/%s", fuzz_folder, name);
	atexit(fuzz_remove_folder);
}

#endif
