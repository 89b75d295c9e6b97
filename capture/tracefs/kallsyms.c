/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/kallsyms.h"
#include "common/array.h"
#include "common/compare.h"

/* Limit: with more addresses the file would have most of /proc/kallsyms. */
enum { ADDRESSES_MAX = 16384, BEYOND_LAST = 1 << 20 /* bytes: a symbol is not longer */ };

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

static bool is_outside(const struct kallsyms *k, uint64_t addr)
{
	return k->to && (addr < k->from || addr >= k->to);
}

/* Moves the addresses to a table of `room` slots, without those where no symbols are. */
static bool resize(struct kallsyms *k, size_t room)
{
	struct kallsyms to = {.room = room, .from = k->from, .to = k->to};

	to.slots = calloc(room, sizeof(*to.slots));
	if (!to.slots)
		return false;
	for (size_t i = 0; i < k->room; i++) {
		uint64_t addr = k->slots[i];

		if (!addr || is_outside(k, addr))
			continue;
		to.slots[slot(&to, addr)] = addr;
		to.n++;
	}
	free(k->slots);
	*k = to;
	return true;
}

/*
 * Sets k->from and k->to to the range of all symbols; to an empty one if the kernel hides them.
 * Returns false without memory.
 */
static bool look_up_range(struct kallsyms *k)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t size = 0;
	char *text = NULL;
	bool ok = f || errno != ENOMEM;

	k->from = UINT64_MAX;
	k->to = 1;
	errno = 0;
	while (f && getline(&text, &size, f) > 0) {
		uint64_t addr = strtoull(text, NULL, 16);

		if (addr < KERNEL_FROM)
			continue;
		if (addr < k->from)
			k->from = addr;
		if (addr >= k->to)
			k->to = addr < UINT64_MAX - BEYOND_LAST ? addr + BEYOND_LAST : UINT64_MAX;
	}
	ok &= errno != ENOMEM;
	free(text);
	if (f)
		fclose(f);
	return ok;
}

/* Makes room for another address. Returns false if the set is given up. */
static bool make_room(struct kallsyms *k)
{
	if (k->n == ADDRESSES_MAX && !k->to)
		k->all = !look_up_range(k) || !resize(k, k->room);
	if (k->n == ADDRESSES_MAX)
		k->all = true;
	else if (!k->all && 2 * k->n >= k->room)
		k->all = !resize(k, k->room ? 2 * k->room : 256);
	return !k->all;
}

static void add(struct kallsyms *k, uint64_t addr)
{
	if (addr < KERNEL_FROM || addr == UINT64_MAX || k->all || is_outside(k, addr))
		return;
	if (k->room && k->slots[slot(k, addr)] == addr)
		return;
	if (!make_room(k) || is_outside(k, addr)) /* making room may have looked the range up */
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

/* A line of /proc/kallsyms, which is sorted only up to the first module. */
struct line {
	uint64_t addr;
	char *text;
};

struct lines {
	struct line *p;
	size_t n;
};

static void free_lines(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->p[i].text);
	free(l->p);
}

/* Without any line all would be wrong that follow the symbol before it: all lines or none. */
static bool read_all(struct lines *l)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t size = 0;
	char *text = NULL;
	bool ok = f || errno != ENOMEM;

	errno = 0;
	while (ok && f && getline(&text, &size, f) > 0) {
		uint64_t addr = strtoull(text, NULL, 16);

		if (!addr)
			continue;
		ok = array_grow(l->p, l->n);
		if (!ok)
			break;
		l->p[l->n].addr = addr;
		l->p[l->n].text = strdup(text);
		ok = l->p[l->n].text != NULL;
		l->n += ok;
	}
	ok &= errno != ENOMEM;
	free(text);
	if (f)
		fclose(f);
	if (l->n)
		qsort(l->p, l->n, sizeof(*l->p), by_number);
	return ok;
}

/* Writes for each address the last symbol at or before it, and the next one, where that ends. */
static void write_wanted(const struct lines *l, const uint64_t *sorted, size_t n, FILE *out)
{
	size_t line = 0, last = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		while (line < l->n && l->p[line].addr <= sorted[i])
			line++;
		for (size_t k = line ? line - 1 : 0; k <= line && k < l->n; k++) {
			if (last != SIZE_MAX && k <= last)
				continue;
			fputs(l->p[k].text, out);
			last = k;
		}
	}
}

/* Returns the addresses in order, malloc'd; NULL without memory. */
static uint64_t *sorted_addresses(const struct kallsyms *k)
{
	uint64_t *sorted = calloc(k->n + 1, sizeof(*sorted));
	size_t n = 0;

	for (size_t i = 0; sorted && i < k->room; i++)
		if (k->slots[i])
			sorted[n++] = k->slots[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_number);
	return sorted;
}

int kallsyms_text(const struct kallsyms *k, char **text, size_t *len, struct trawl_error *err)
{
	struct lines lines = {0};
	uint64_t *sorted;
	FILE *out = NULL;
	bool failed;

	*text = NULL;
	*len = 0;
	if (!k->n && !k->all)
		return 0;
	sorted = sorted_addresses(k);
	failed = !sorted || !read_all(&lines);
	if (!failed && lines.n)
		failed = !(out = open_memstream(text, len));
	if (out && !k->all)
		write_wanted(&lines, sorted, k->n, out);
	for (size_t i = 0; out && k->all && i < lines.n; i++)
		fputs(lines.p[i].text, out);
	if (out) {
		failed = ferror(out) != 0;
		failed |= fclose(out) != 0;
	}
	free_lines(&lines);
	free(sorted);
	if (failed || !*len) {
		free(*text);
		*text = NULL;
	}
	return failed ? trawl_fail(err, TRAWL_CANNOT,
				   "kernel/kallsyms: out of memory; addresses "
				   "of the kernel are shown without symbols")
		      : 0;
}

void kallsyms_free(struct kallsyms *k)
{
	free(k->slots);
	*k = (struct kallsyms){0};
}
