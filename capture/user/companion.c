/* SPDX-License-Identifier: MIT */
#include "capture/user/companion.h"
#include "capture/user/checked.h"
#include "capture/user/jumped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/tracefs.h"

#define NAME "_trawl_long_" /* the name of no user's event begins with this */

enum {
	TEXTS_MAX = 32,     /* most strings of one probe */
	PREFIX = 512,       /* most bytes of a prefix: 64 words, the kernel's longest array */
	PREFIXES = 2048,    /* most bytes of all prefixes together: a record has at most 3,072 */
	WORD_MAX = 64,      /* characters in the filter for one string */
	TOGETHER = 4000,    /* bytes of all strings in a record; the kernel's limit is slightly
			     * higher */
};

bool companion_is(const char *event)
{
	return !strncmp(event, NAME, sizeof(NAME) - 1);
}

static bool is_text(const struct probe_arg *a)
{
	return !a->check && (!strcmp(a->type, "string") || !strcmp(a->type, "ustring"));
}

/* Whether an argument is $comm, a string of the kernel. */
static bool is_own(const struct probe *p, size_t arg)
{
	for (size_t i = 0; i < p->nsites; i++) {
		const char *fetch = p->sites[i].args[arg].fetch;

		if (strncmp(fetch, "$comm", 5) || (fetch[5] && fetch[5] != ':'))
			return false;
	}
	return p->nsites;
}

/* The parts of "+OFF(INNER):string". */
struct fetch {
	long long offset;
	const char *inner;
	int len;
};

static bool take_apart(const char *fetch, struct fetch *f)
{
	const char *colon = strrchr(fetch, ':');
	char *after;

	if ((*fetch != '+' && *fetch != '-') || !colon || colon == fetch || colon[-1] != ')')
		return false;
	f->offset = strtoll(fetch, &after, 0);
	if (*after != '(')
		return false;
	f->inner = after + 1;
	f->len = (int)(colon - 1 - f->inner);
	/* INNER must be a fetch argument that is an address */
	return f->len > 0 && strchr("%+-$", *f->inner);
}

void companion_places(const struct probe *p, struct eventformat *f, struct long_text *pair)
{
	size_t texts = 0;

	if (p->nargs > LONG_TEXT_ARGS)
		return;
	for (size_t k = 0; k < p->nargs; k++) {
		const struct trawl_field *field = eventformat_field(f, p->args[k].name);
		struct long_text_arg *a = &pair->args[k];
		struct fetch fetch;

		if (!field)
			return;
		a->check = p->args[k].check;
		a->own = is_text(&p->args[k]) && is_own(p, k);
		a->text = is_text(&p->args[k]) && !a->own;
		a->at = field->offset;
		a->size = a->text || a->own || a->check ? 4 : (uint32_t)field->size * field->count;
		texts += a->text;
		for (size_t i = 0; a->text && i < p->nsites; i++)
			if (!take_apart(p->sites[i].args[k].fetch, &fetch))
				return;
		if (!a->text && !a->own && !a->check && field->place != TRAWL_FIXED)
			return;
		if (!pair->head || a->at < pair->head)
			pair->head = a->at;
	}
	if (!texts || texts > TEXTS_MAX)
		return;
	pair->id = f->id;
	pair->size = f->size;
	pair->prefix = texts * PREFIX <= PREFIXES ? PREFIX : PREFIXES / (uint32_t)texts & ~7u;
	pair->nargs = p->nargs;
}

/* Returns the length of a string from which on all strings together may be too long. */
static int far_after(const struct long_text *pair)
{
	int texts = 0;

	for (size_t k = 0; k < pair->nargs; k++)
		texts += pair->args[k].text;
	return TOGETHER / texts;
}

/*
 * Writes the fetch arguments of one site: aK is a value; for a string, pK is its address, sK eight
 * bytes far after the prefix, wK the prefix. Returns false if one is too long for the kernel.
 */
static bool write_args(const struct probe_site *site, const struct long_text *pair, char *buf,
		       size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t k = 0; k < pair->nargs; k++) {
		const char *fetch = site->args[k].fetch;
		char text[4][128] = { "" };
		int n = 1;
		struct fetch f;

		if (!pair->args[k].text) {
			snprintf(text[0], sizeof(text[0]), "a%zu=%s", k, fetch);
		} else {
			take_apart(fetch, &f);
			n = 3;
			snprintf(text[0], sizeof(text[0]), "p%zu=%.*s:x64", k, f.len, f.inner);
			snprintf(text[1], sizeof(text[1]), "s%zu=%+lld(%.*s):x64", k,
				 f.offset + far_after(pair), f.len, f.inner);
			snprintf(text[2], sizeof(text[2]), "w%zu=%+lld(%.*s):x64[%d]", k, f.offset,
				 f.len, f.inner, pair->prefix / 8);
		}
		for (int i = 0; i < n; i++) {
			size_t len = strlen(text[i]);

			if (len > PROBE_ARG_MAX || used + len + 2 > size)
				return false;
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? " " : "",
						 text[i]);
		}
	}
	return true;
}

static int define(struct trace *t, const struct probe *p, const char *event,
		  const struct long_text *pair, struct trawl_error *err)
{
	char *line = malloc(2 * (PROBE_DEFINITION_MAX + 1)), *args;
	struct probe copy = *p;
	int r = 0;

	if (!line)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	args = line + PROBE_DEFINITION_MAX + 1;
	snprintf(copy.event, sizeof(copy.event), "%s", event);
	for (size_t i = 0; !r && i < p->nsites; i++) {
		struct probe_site site = p->sites[i];

		if (!write_args(&p->sites[i], pair, args, PROBE_DEFINITION_MAX + 1)) {
			r = 1;
			break;
		}
		site.fetchargs = args;
		copy.sites = &site;
		r = probe_definition(&copy, 0, t->name, line, PROBE_DEFINITION_MAX + 1, err) ||
		    tracefs_write(t->top, "uprobe_events", line, err);
	}
	free(line);
	return r;
}

/* Fills in the offsets of the companion's arguments. Returns false if its format lacks one. */
static bool find_places(struct eventformat *f, struct long_text *pair)
{
	char name[32];

	for (size_t k = 0; k < pair->nargs; k++) {
		struct long_text_arg *a = &pair->args[k];
		const struct trawl_field *field;

		snprintf(name, sizeof(name), "%c%zu", a->text ? 'w' : 'a', k);
		field = eventformat_field(f, name);
		if (!field || (field->place != TRAWL_FIXED) != (a->own || a->check))
			return false;
		if (!a->own && !a->check &&
		    (uint32_t)field->size * field->count != (a->text ? pair->prefix : a->size))
			return false;
		a->from = field->offset;
		snprintf(name, sizeof(name), "p%zu", k);
		field = a->text ? eventformat_field(f, name) : field;
		if (!field)
			return false;
		a->address_at = field->offset;
	}
	pair->companion = f->id;
	pair->companion_size = f->size;
	return true;
}

/* Returns the helper argument at the begin of a filter's text; p->nargs if there is none. */
static size_t helper_at(const struct probe *p, const char *text)
{
	for (size_t k = 0; k < p->nargs; k++) {
		if (p->args[k].helper &&
		    !strncmp(text, p->args[k].name, strlen(p->args[k].name)))
			return k;
	}
	return p->nargs;
}

/* Writes the filter for conditional jumps (jumped.h) with the companion's names. */
static size_t write_jump(const struct probe *p, char *buf, size_t size)
{
	char filter[JUMPED_FILTER_MAX];
	const char *at = jumped_filter(p, filter, sizeof(filter));
	size_t used;

	if (!*at)
		return 0;
	used = (size_t)snprintf(buf, size, "(");
	while (*at && used < size) {
		size_t k = helper_at(p, at);

		if (k < p->nargs) {
			used += (size_t)snprintf(buf + used, size - used, "a%zu", k);
			at += strlen(p->args[k].name);
		} else {
			buf[used++] = *at++;
		}
	}
	return used < size ? used + (size_t)snprintf(buf + used, size - used, ") && (") : used;
}

/* Writes the companion's filter, which is true if an address is 0 or a string may be too long. */
static void write_filter(const struct probe *p, const struct long_text *pair, char *buf,
			 size_t size)
{
	size_t used = write_jump(p, buf, size), first = used;

	for (size_t k = 0; k < pair->nargs; k++)
		if (pair->args[k].text)
			used += (size_t)snprintf(buf + used, size - used,
						 "%sp%zu == 0 || s%zu != 0",
						 used > first ? " || " : "", k, k);
	if (first)
		snprintf(buf + used, size - used, ")");
}

int companion_arm(struct trace *t, const struct probe *p, struct long_text *pair,
		  struct trawl_error *err)
{
	struct trawl_error ignored;
	struct eventformat f;
	char event[PROBE_NAME_MAX], filter[TEXTS_MAX * WORD_MAX + JUMPED_FILTER_MAX];
	bool found;
	int r;

	if (!pair->nargs)
		return 0;
	/*
	 * Numbered by events, not by companions: a companion that failed may have left a site with
	 * its name.
	 */
	snprintf(event, sizeof(event), NAME "%zu", t->nevents);
	/* A companion that is too large for the kernel is not used. */
	if (define(t, p, event, pair, &ignored) || trace_format(t, t->name, event, &f, &ignored))
		return 0;
	found = find_places(&f, pair);
	r = found ? checked_companion(t, p, &f, err) : 0;
	eventformat_free(&f);
	if (!found || r)
		return r;
	write_filter(p, pair, filter, sizeof(filter));
	return trace_add_companion(t, event, filter, pair, err);
}
