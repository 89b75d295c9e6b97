/* SPDX-License-Identifier: MIT */
/* Distinct texts, numbered from 0: what the events of a page have in common is in it once. */
#ifndef TRAWL_DECODE_EXPORT_INTERN_H
#define TRAWL_DECODE_EXPORT_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "decode/base/output.h"

enum { INTERN_NONE = 0xffff };

struct intern {
	char **texts;
	size_t n;
	uint32_t *slots; /* hash table of number + 1 */
	size_t nslots;
};

/*
 * Returns the number of the text p[0 .. n), which is added if new; INTERN_NONE if there are too
 * many or memory runs out.
 */
uint32_t intern(struct intern *t, const char *p, size_t n);
void intern_free(struct intern *t);
/* Appends `,"NAME":[` and all texts. */
void intern_json(const char *name, const struct intern *t, struct out *o);

#endif
