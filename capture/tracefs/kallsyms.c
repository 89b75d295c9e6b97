/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/kallsyms.h"
#include "common/array.h"

/* Limit: with more addresses the file would have most of /proc/kallsyms. */
enum { ADDRESSES_MAX = 16384 };

/* On all 64-bit machines kernel addresses are at or above this, and user space is below. */
#define KERNEL_FROM 0xffff000000000000

bool kallsyms_wanted(const char *format)
{
	const char *at = strstr(format, "print fmt:");

	for (at = at ? strstr(at, "%p") : NULL; at; at = strstr(at + 1, "%p"))
		if (at[2] && strchr("sSfFB", at[2]))
			return true;
	return strstr(format, "__get_stacktrace") != NULL;
}

static size_t slot(const struct kallsyms *k, uint64_t addr)
{
	size_t i = addr * 0x9e3779b97f4a7c15u >> 40 & (k->room - 1);

	while (k->slots[i] && k->slots[i] != addr)
		i = (i + 1) & (k->room - 1);
	return i;
}

static void add(struct kallsyms *k, uint64_t addr)
{
	if (addr < KERNEL_FROM || addr == UINT64_MAX || k->n == ADDRESSES_MAX)
		return;
	if (2 * k->n >= k->room) {
		struct kallsyms grown = { .room = k->room ? 2 * k->room : 256 };

		grown.slots = calloc(grown.room, sizeof(*grown.slots));
		if (!grown.slots)
			return;
		for (size_t i = 0; i < k->room; i++)
			if (k->slots[i])
				grown.slots[slot(&grown, k->slots[i])] = k->slots[i];
		free(k->slots);
		k->slots = grown.slots;
		k->room = grown.room;
	}
	if (k->slots[slot(k, addr)] == addr)
		return;
	k->slots[slot(k, addr)] = addr;
	k->n++;
}

/* Returns how many bytes of a field, from *at on, may be addresses; 0 if none. */
static size_t addresses(const struct trawl_field *f, const uint8_t *record, size_t len, size_t *at)
{
	uint32_t word;
	size_t n = (size_t)f->size * f->count;

	*at = f->offset;
	if (f->size != 8 || f->kind == TRAWL_INT)
		return 0;
	if (f->place == TRAWL_DATA_LOC || f->place == TRAWL_REL_LOC) {
		if (len < 4 || f->offset > len - 4)
			return 0;
		memcpy(&word, record + f->offset, 4);
		*at = (word & 0xffff) + (f->place == TRAWL_REL_LOC ? f->offset + 4u : 0);
		n = word >> 16;
	} else if (f->place == TRAWL_TAIL) {
		n = len > f->offset ? len - f->offset : 0;
	}
	return *at <= len && n <= len - *at ? n : 0;
}

void kallsyms_saw(struct kallsyms *k, const struct trawl_field *fields, size_t nfields,
		  const void *record, size_t len)
{
	for (size_t i = 0; i < nfields; i++) {
		size_t at, n = addresses(&fields[i], record, len, &at);
		uint64_t addr;

		for (; n >= 8; n -= 8, at += 8) {
			memcpy(&addr, (const uint8_t *)record + at, 8);
			add(k, addr);
		}
	}
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A line of /proc/kallsyms, which is sorted only up to the first module. */
struct line {
	uint64_t addr;
	char *text;
};

static struct line *read_all(size_t *n)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	struct line *lines = NULL;
	size_t size = 0;
	char *text = NULL;

	*n = 0;
	while (f && getline(&text, &size, f) > 0) {
		uint64_t addr = strtoull(text, NULL, 16);

		if (!addr)
			continue;
		if (!array_grow(lines, *n))
			break;
		lines[*n] = (struct line){ addr, strdup(text) };
		*n += lines[*n].text != NULL;
	}
	free(text);
	if (f)
		fclose(f);
	if (*n)
		qsort(lines, *n, sizeof(*lines), by_number);
	return lines;
}

char *kallsyms_text(const struct kallsyms *k, size_t *len)
{
	uint64_t *sorted = calloc(k->n + 1, sizeof(*sorted));
	size_t nlines, n = 0, line = 0, last = SIZE_MAX;
	struct line *lines = k->n && sorted ? read_all(&nlines) : NULL;
	char *text = NULL;
	FILE *out = lines ? open_memstream(&text, len) : NULL;

	for (size_t i = 0; out && i < k->room; i++)
		if (k->slots[i])
			sorted[n++] = k->slots[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_number);
	/* For each address: the last symbol at or before it, and the next symbol, as the end of the
	 * first. */
	for (size_t i = 0; out && i < n; i++) {
		while (line < nlines && lines[line].addr <= sorted[i])
			line++;
		for (size_t l = line ? line - 1 : 0; l <= line && l < nlines; l++) {
			if (last != SIZE_MAX && l <= last)
				continue;
			fputs(lines[l].text, out);
			last = l;
		}
	}
	if (out)
		fclose(out);
	for (size_t i = 0; lines && i < nlines; i++)
		free(lines[i].text);
	free(lines);
	free(sorted);
	if (text && !*len) {
		free(text);
		text = NULL;
	}
	return text;
}

void kallsyms_free(struct kallsyms *k)
{
	free(k->slots);
	*k = (struct kallsyms){ 0 };
}
