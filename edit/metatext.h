/* SPDX-License-Identifier: MIT */
/*
 * Which parts of metadata are texts. The numbers beside them (a task's id, a line, a size) are
 * kept, although a removed text, such as the argument of -p, may have the digits of one.
 */
#ifndef TRAWL_EDIT_METATEXT_H
#define TRAWL_EDIT_METATEXT_H

#include <stdbool.h>
#include <stddef.h>

struct metatext {
	const char *data;
	size_t len;
	size_t at, n; /* the current text: data[at .. at + n) */
};

/*
 * Goes to the next text: of JSON the next one in quotes, of anything else all of it. False: there
 * is none. Begin with at and n 0.
 */
bool metatext_next(struct metatext *t);
/* How much of a metadata's name is text: of task/4711 it is task/. */
size_t metatext_of_name(const char *name);

#endif
