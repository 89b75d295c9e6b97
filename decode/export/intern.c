/* SPDX-License-Identifier: MIT */
#include "decode/export/intern.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/fnv.h"
#include "decode/base/escape.h"

static bool grow(struct intern *t)
{
	size_t n = t->nslots ? 2 * t->nslots : 256;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		size_t at = (uint32_t)fnv1a(t->texts[i], strlen(t->texts[i])) & (n - 1);

		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = i + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = n;
	return true;
}

uint32_t intern(struct intern *t, const char *p, size_t n)
{
	size_t at;

	if (2 * t->n >= t->nslots && !grow(t))
		return INTERN_NONE;
	at = (uint32_t)fnv1a(p, n) & (t->nslots - 1);
	for (; t->slots[at]; at = (at + 1) & (t->nslots - 1)) {
		const char *have = t->texts[t->slots[at] - 1];

		if (!strncmp(have, p, n) && !have[n])
			return t->slots[at] - 1;
	}
	if (t->n >= INTERN_NONE || !array_grow(t->texts, t->n))
		return INTERN_NONE;
	t->texts[t->n] = strndup(p, n);
	if (!t->texts[t->n])
		return INTERN_NONE;
	t->slots[at] = (uint32_t)++t->n;
	return (uint32_t)t->n - 1;
}

void intern_free(struct intern *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->texts[i]);
	free(t->texts);
	free(t->slots);
}

void intern_json(const char *name, const struct intern *t, struct out *o)
{
	out_printf(o, ",\"%s\":[", name);
	for (size_t i = 0; i < t->n; i++) {
		if (i)
			out_char(o, ',');
		out_json(o, t->texts[i], strlen(t->texts[i]));
	}
	out_char(o, ']');
}
