/* SPDX-License-Identifier: MIT */
/*
 * What was removed from a file: the values themselves, as long as the program runs, to put
 * stand-ins where else they are, and to look for them at the end.
 *
 * A text of up to seven bytes counts where no letter or digit is beside it; of fewer than four,
 * nowhere. Of bytes (data of sectors) a stretch of 16 is known that is not of few values.
 */
#ifndef TRAWL_EDIT_REMOVED_H
#define TRAWL_EDIT_REMOVED_H

#include "edit/classes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REMOVED_LEAST = 4, REMOVED_WHOLE = 8, REMOVED_BYTES = 16, REMOVED_MOST = 1 << 20 };

struct removed_value {
	uint32_t at, len;     /* in text */
	uint32_t next;        /* with the same first four bytes; number + 1 */
	uint8_t class;
	bool is_public;       /* also a word of what is kept: not looked for */
	bool is_text;
};

struct removed {
	char *text;
	size_t len, room;
	struct removed_value *values;
	size_t n, values_room;
	uint32_t *heads;      /* by hash of the first four bytes */
	bool failed;          /* memory ran out */
	bool full;            /* there were more than are kept */
};

/* Twice does no harm. */
void removed_text(struct removed *r, enum secret_class class, const char *p, size_t n);
void removed_bytes(struct removed *r, enum secret_class class, const uint8_t *p, size_t n);
/* Texts that are kept: values that are words of them are public. */
void removed_public(struct removed *r, const char *p, size_t n);
/* The first value of `least` bytes or more that is in p[*from .. n): NULL or it, and *from its
 * place. */
const struct removed_value *removed_find(const struct removed *r, const void *p, size_t n,
					 size_t *from, size_t least);
static inline const char *removed_text_of(const struct removed *r, const struct removed_value *v)
{
	return r->text + v->at;
}
void removed_free(struct removed *r);

#endif
