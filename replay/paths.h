/* SPDX-License-Identifier: MIT */
/* A list of distinct paths, in the order in which they were added. */
#ifndef TRAWL_REPLAY_PATHS_H
#define TRAWL_REPLAY_PATHS_H

#include "format/trawl.h"

struct paths {
	char **path;
	size_t n;
};

/* Adds a copy. Returns 0; 1 if the list has the path already; -1 with *err. */
int paths_add(struct paths *l, const char *path, struct trawl_error *err);
void paths_free(struct paths *l);

#endif
