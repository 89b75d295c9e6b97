/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_TESTS_FOLDER_H
#define TRAWL_TESTS_FOLDER_H

#include <dirent.h>

/* The number of names in a folder. */
static inline int folder_names(const char *path)
{
	DIR *d = opendir(path);
	int n = -2; /* . and .. */

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

#endif
