/* SPDX-License-Identifier: MIT */
#include "capture/probe/names.h"

#include "capture/sys/alloc.h"

void value_names_add(struct value_names *names, const char *name, uint64_t value)
{
	xgrow(names->names, names->n);
	names->names[names->n].name = xstrdup(name);
	names->names[names->n++].value = value;
}

struct value_names *value_names_copy(const struct value_names *names)
{
	struct value_names *copy;

	if (!names)
		return NULL;
	copy = xcalloc(1, sizeof(*copy));
	copy->is_signed = names->is_signed;
	copy->otherwise = names->otherwise ? xstrdup(names->otherwise) : NULL;
	for (size_t i = 0; i < names->n; i++)
		value_names_add(copy, names->names[i].name, names->names[i].value);
	return copy;
}

void value_names_free(struct value_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->n; i++)
		free(names->names[i].name);
	free(names->names);
	free(names->otherwise);
	free(names);
}
