/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"

enum {
	NAME_MAX_COMPARED = 96,
	LETTERS_A_MISTAKE = 3, /* one mistake is allowed, and one more for so many letters */
	PART_MIN = 3,          /* shorter parts are in too many names */
	PART_DISTANCE = 2,     /* if one contains the other: behind names with one mistake */
};

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Returns the Damerau-Levenshtein distance (insert, delete, replace, swap neighbours). */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	uint16_t rows[3][NAME_MAX_COMPARED + 1];

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (uint16_t)j;
	for (size_t i = 1; i <= na; i++) {
		uint16_t *row = rows[i % 3];
		const uint16_t *prev = rows[(i + 2) % 3], *prev2 = rows[(i + 1) % 3];

		row[0] = (uint16_t)i;
		for (size_t j = 1; j <= nb; j++) {
			uint16_t best = prev[j - 1] + !same_letter(a[i - 1], b[j - 1]);

			if (prev[j] + 1 < best)
				best = prev[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]) && prev2[j - 2] + 1 < best)
				best = prev2[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[na % 3][nb];
}

void nearest_offer_part(struct nearest *n, const char *name, const char *part)
{
	size_t wanted = strlen(n->wanted), len = strlen(part), d, at;
	char *copy;

	if (wanted > NAME_MAX_COMPARED || len > NAME_MAX_COMPARED || !wanted || !len)
		return;
	d = distance(n->wanted, wanted, part, len);
	/* A name that contains the wanted one, or is contained in it, is similar at any length. */
	if (wanted >= PART_MIN && len >= PART_MIN &&
	    (strcasestr(part, n->wanted) || strcasestr(n->wanted, part)))
		d = d < PART_DISTANCE ? d : PART_DISTANCE;
	if (d > wanted / LETTERS_A_MISTAKE + 1)
		return;
	for (at = 0; at < n->count; at++) {
		if (!strcmp(n->names[at].name, name))
			return;
	}
	for (at = 0; at < n->count && n->names[at].distance <= d; at++)
		;
	if (at == NEAREST_MAX)
		return;
	copy = strdup(name);
	if (!copy)
		return;
	if (n->count == NEAREST_MAX)
		free(n->names[--n->count].name);
	memmove(&n->names[at + 1], &n->names[at], (n->count - at) * sizeof(n->names[0]));
	n->names[at] = (struct nearest_name){ copy, d };
	n->count++;
}

void nearest_offer(struct nearest *n, const char *name)
{
	nearest_offer_part(n, name, name);
}

const char *nearest_hint(const struct nearest *n, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n->count && used < size; i++) {
		const char *sep = !i ? "; did you mean " : i + 1 == n->count ? " or " : ", ";

		used += snprintf(buf + used, size - used, "%s%s%s", sep, n->names[i].name,
				 i + 1 == n->count ? "?" : "");
	}
	return buf;
}

void nearest_free(struct nearest *n)
{
	while (n->count)
		free(n->names[--n->count].name);
}
