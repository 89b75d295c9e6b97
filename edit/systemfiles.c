/* SPDX-License-Identifier: MIT */
#include "edit/systemfiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/jdoc.h"
#include "edit/standin.h"

enum { TASK_NAME = 15 };

bool system_files_has(const struct system_files *f, const char *name, size_t len)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t n = strlen(f->names[i]);

		/* the kernel cuts names of tasks */
		if ((n == len || (n > len && len == TASK_NAME)) &&
		    !memcmp(f->names[i], name, len))
			return true;
	}
	return false;
}

/* Adds the name of a file, if its folder is one of those that distributions install. */
static bool add(struct system_files *f, const char *path)
{
	const char *name = strrchr(path, '/');

	if (!name || !standin_system_path(path, strlen(path)) ||
	    system_files_has(f, name + 1, strlen(name + 1)))
		return true;
	if (!array_grow(f->names, f->n))
		return false;
	f->names[f->n] = strdup(name + 1);
	return f->names[f->n++] != NULL;
}

bool system_files_read(struct system_files *f, const struct trawl_reader *r)
{
	bool good = true;

	for (size_t i = 0; good && i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);
		struct json_object *j;

		if (strncmp(m->name, "probe/", strlen("probe/")))
			continue;
		errno = 0;
		j = jdoc_parse(m->data, m->len);
		good = j ? add(f, jdoc_string(j, "path")) : errno != ENOMEM;
		json_object_put(j);
	}
	return good;
}

void system_files_free(struct system_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->names[i]);
	free(f->names);
}
