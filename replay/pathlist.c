/* SPDX-License-Identifier: MIT */
#include "replay/pathlist.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

int pathlist_add(struct pathlist *l, const char *path, struct trawl_error *err)
{
	char *copy;

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->path[i], path))
			return 1;
	copy = strdup(path);
	if (!copy || !array_grow(l->path, l->n)) {
		free(copy);
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	l->path[l->n++] = copy;
	return 0;
}

void pathlist_free(struct pathlist *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->path[i]);
	free(l->path);
	*l = (struct pathlist){0};
}
