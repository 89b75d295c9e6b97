/* SPDX-License-Identifier: MIT */
/* A list of distinct paths, in the order in which they were added. */
#ifndef TRAWL_REPLAY_PATHLIST_H
#define TRAWL_REPLAY_PATHLIST_H

#include "format/trawl.h"

struct pathlist {
	char **path;
	size_t n;
};

/* Adds a copy. Returns 0; 1 if the list has the path already; -1 with *err. */
int pathlist_add(struct pathlist *l, const char *path, struct trawl_error *err);
void pathlist_free(struct pathlist *l);

#endif
