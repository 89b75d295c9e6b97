/* SPDX-License-Identifier: MIT */
/*
 * Finds the texts in metadata. The numbers beside them (a task's id, a line, a size) are kept, even
 * if a removed text, such as the argument of -p, consists of the same digits.
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
 * Goes to the next text: in JSON the next string in quotes; anything else is a single text. Begin
 * with at and n set to 0. Returns false if there is none.
 */
bool metatext_next(struct metatext *t);
/* Returns how many bytes of a metadata's name are text: for task/4711 those of "task/". */
size_t metatext_of_name(const char *name);

#endif
