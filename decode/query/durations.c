/* SPDX-License-Identifier: MIT */
#include "decode/query/durations.h"
#include "common/array.h"
#include "common/fnv.h"
#include "common/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAMES_MAX = 4096,
	CACHED = 256,
	OPEN_SLOTS = 1 << 14, /* of open pairs; a collision drops the older one */
	DEPTH = 8,            /* most nested open pairs */
};

enum role { ROLE_NONE, ROLE_BEGIN, ROLE_END };

struct named {
	char *name;
	size_t len;
	enum role role;
	uint32_t stem;  /* number of the name without its last word */
	bool request;   /* paired by device and sector, not by task */
	bool bio;       /* such a request, by its last sector */
};

struct open {
	uint64_t key, when[DEPTH];
	uint32_t stem, depth;
	const char *name[DEPTH];
};

struct durations {
	struct named *names;
	size_t nnames;
	struct {
		const char *name; /* item.name, whose address does not change */
		size_t i;         /* index in names */
	} cache[CACHED];
	char **stems;
	size_t nstems;
	struct open *open;
};

struct durations *durations_new(void)
{
	struct durations *s = calloc(1, sizeof(*s));

	if (s)
		s->open = calloc(OPEN_SLOTS, sizeof(*s->open));
	if (s && s->open)
		return s;
	free(s);
	return NULL;
}

void durations_free(struct durations *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nnames; i++)
		free(s->names[i].name);
	for (size_t i = 0; i < s->nstems; i++)
		free(s->stems[i]);
	free(s->names);
	free(s->stems);
	free(s->open);
	free(s);
}

void durations_forget(struct durations *s)
{
	memset(s->open, 0, OPEN_SLOTS * sizeof(*s->open));
}

/* ---- names --------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum role role;
} words[] = {
	{ "start", ROLE_BEGIN }, { "begin", ROLE_BEGIN }, { "enter", ROLE_BEGIN },
	{ "entry", ROLE_BEGIN }, { "issue", ROLE_BEGIN },
	{ "done", ROLE_END }, { "end", ROLE_END }, { "stop", ROLE_END }, { "exit", ROLE_END },
	{ "complete", ROLE_END }, { "return", ROLE_END }, { "commit", ROLE_END },
	{ "abort", ROLE_END },
};

/*
 * Events of requests that end in an interrupt, in an unrelated task, and do not identify the
 * request: block_io_done has the sector after it. They are not paired.
 */
static const char *const unpaired[] = {
	"block:block_io_", "scsi:scsi_dispatch_cmd_", "mmc:mmc_request_", "spi:spi_message_",
};

/*
 * A bio begins with block_bio_queue and ends with block_bio_complete, whose sector may be that
 * after the last one, with no sectors left; then both have the same end.
 */
#define BIO "block:block_bio_"

static bool is_unpaired(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(unpaired); i++)
		if (!strncmp(name, unpaired[i], strlen(unpaired[i])))
			return true;
	return false;
}

/* Returns the number of a stem, which is added if it is new; UINT32_MAX if the table is full. */
static uint32_t stem_of(struct durations *s, const char *text)
{
	for (size_t i = 0; i < s->nstems; i++)
		if (!strcmp(s->stems[i], text))
			return (uint32_t)i;
	if (s->nstems == NAMES_MAX)
		return UINT32_MAX;
	if (array_grow(s->stems, s->nstems) && (s->stems[s->nstems] = strdup(text)))
		return (uint32_t)s->nstems++;
	out_lack_memory();
	return UINT32_MAX;
}

/* Removes the word of a name that says begin or end: "lock__wait__start", "sys_enter_read". */
static enum role cut_word(char *name)
{
	char *sys = strstr(name, ":sys_enter_") ? strstr(name, ":sys_enter_") :
						  strstr(name, ":sys_exit_");
	size_t n = strlen(name);

	if (!strcmp(name, BIO "queue")) {
		name[strlen(BIO)] = '\0';
		return ROLE_BEGIN;
	}
	if (sys) {
		enum role role = sys[6] == 'n' ? ROLE_BEGIN : ROLE_END;
		size_t word = role == ROLE_BEGIN ? 11 : 10;

		memmove(sys + 1, sys + word, strlen(sys + word) + 1);
		return role;
	}
	if (n > 7 && !strcmp(name + n - 7, "%return")) {
		name[n - 7] = '\0';
		return ROLE_END;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t k = strlen(words[i].word);

		if (n <= k + 1 || strcmp(name + n - k, words[i].word) ||
		    !strchr("_-:", name[n - k - 1]))
			continue;
		name[n - k] = '\0';
		return words[i].role;
	}
	return ROLE_BEGIN; /* a function begins what its %return ends */
}

static struct named *named(struct durations *s, const struct item *it)
{
	size_t slot = ((uintptr_t)it->name * UINT64_C(0x9e3779b97f4a7c15)) >> 56;
	struct named *n;
	char stem[512];

	if (s->cache[slot].name == it->name && s->names[s->cache[slot].i].len == it->name_len)
		return &s->names[s->cache[slot].i];
	for (size_t i = 0; i < s->nnames; i++)
		if (s->names[i].len == it->name_len &&
		    !memcmp(s->names[i].name, it->name, it->name_len)) {
			s->cache[slot].name = it->name;
			s->cache[slot].i = i;
			return &s->names[i];
		}
	if (s->nnames == NAMES_MAX || it->name_len >= sizeof(stem))
		return NULL;
	n = array_grow(s->names, s->nnames) ? &s->names[s->nnames] : NULL;
	if (n)
		*n = (struct named){ .name = strndup(it->name, it->name_len), .len = it->name_len };
	if (!n || !n->name) {
		out_lack_memory();
		return NULL;
	}
	snprintf(stem, sizeof(stem), "%s", n->name);
	n->role = cut_word(stem);
	n->bio = !strncmp(n->name, BIO, strlen(BIO));
	n->request = n->bio || !strncmp(n->name, "block:block_rq_", 15);
	n->stem = stem_of(s, stem);
	if (n->stem == UINT32_MAX || is_unpaired(n->name))
		n->role = ROLE_NONE;
	s->cache[slot].name = it->name;
	s->cache[slot].i = s->nnames++;
	return n;
}

/* ---- open pairs ---------------------------------------------------------------------------- */

static bool number(const struct decoder *d, void *state, const struct item *it, const char *field,
		   uint64_t *n)
{
	struct value v = { 0 };

	if (!d->value(state, it, field, &v) || v.type != VALUE_UINT)
		return false;
	*n = v.u;
	return true;
}

/* Gets the key of a pair: task or request, of one machine. Returns false if it has neither. */
static bool key_of(const struct named *n, const struct decoder *d, void *state,
		   const struct item *it, uint64_t *key)
{
	const char *machine = source_machine(it->source->name);
	uint64_t dev, sector, count = 0, other = *machine ? fnv1a(machine, strlen(machine)) : 0;

	if (n->request) {
		if (!number(d, state, it, "dev", &dev) ||
		    !number(d, state, it, "sector", &sector) ||
		    (n->bio && !number(d, state, it, "nr_sector", &count)))
			return false;
		/* the bits of all of dev's 32 reach those that no number of a sector has */
		*key = (dev * UINT64_C(0x9e3779b97f4a7c15) ^ (sector + count)) + other;
		return true;
	}
	*key = (uint32_t)it->tid + other;
	if (it->tid == ITEM_NO_TASK)
		*key += (it->cpu + 1ull) << 32;
	return it->tid > 0 || it->cpu != ITEM_NO_CPU;
}

static struct open *slot_of(struct durations *s, uint32_t stem, uint64_t key)
{
	uint64_t hash = (key + stem * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);

	return &s->open[hash >> 50];
}

static void begin(struct open *o, const struct named *n, uint64_t key, uint64_t when)
{
	if (o->stem != n->stem || o->key != key || !o->depth)
		*o = (struct open){ .key = key, .stem = n->stem };
	if (n->request)
		o->depth = 0; /* the same sectors again: the former request has ended */
	if (o->depth == DEPTH) { /* functions that were left by a jump never return */
		memmove(o->when, o->when + 1, (DEPTH - 1) * sizeof(*o->when));
		memmove(o->name, o->name + 1, (DEPTH - 1) * sizeof(*o->name));
		o->depth--;
	}
	o->when[o->depth] = when;
	o->name[o->depth++] = n->name;
}

bool durations_begins(struct durations *s, const struct item *it)
{
	const struct named *n = named(s, it);

	return n && n->role == ROLE_BEGIN;
}

bool durations_item(struct durations *s, const struct decoder *d, void *state,
		    const struct item *it, uint64_t *ns, const char **begin_name)
{
	struct named *n = named(s, it);
	struct open *o;
	uint64_t key;

	if (!n || n->role == ROLE_NONE || !key_of(n, d, state, it, &key))
		return false;
	o = slot_of(s, n->stem, key);
	if (n->role == ROLE_BEGIN) {
		begin(o, n, key, it->time);
		return false;
	}
	if (o->stem != n->stem || o->key != key || !o->depth)
		return false;
	o->depth--;
	*begin_name = o->name[o->depth];
	*ns = it->time - o->when[o->depth];
	return it->time >= o->when[o->depth];
}
