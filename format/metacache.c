/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/metacache.h"

enum { FACTS_SLOTS = 256 };

struct fact_family {
	struct fact_family *next;
	size_t bytes;
	size_t len;
	char name[];
};

void facts_init(struct facts *f, size_t most)
{
	*f = (struct facts){ .most = most };
}

static void unref(struct fact *k)
{
	if (!--k->refs)
		free(k);
}

/* ---- families ---------------------------------------------------------------------------- */

static struct fact_family *family_of(struct facts *f, const char *name)
{
	size_t len = strcspn(name, "/");
	struct fact_family *g;

	len = name[len] ? len : 0; /* names without any belong together */
	for (g = f->families; g; g = g->next)
		if (g->len == len && !memcmp(g->name, name, len))
			return g;
	g = calloc(1, sizeof(*g) + len);
	if (!g)
		return NULL;
	g->len = len;
	memcpy(g->name, name, len);
	g->next = f->families;
	f->families = g;
	return g;
}

/* ---- finding ----------------------------------------------------------------------------- */

static struct fact **slot(const struct facts *f, const char *name)
{
	struct fact **at = &f->slots[XXH64(name, strlen(name), 0) & (f->nslots - 1)];

	while (*at && strcmp((*at)->meta.name, name))
		at = &(*at)->next;
	return at;
}

/* Room for one more; it is only slower when memory runs out, unless it is the first. */
static bool grow(struct facts *f)
{
	size_t n = f->nslots ? f->nslots * 2 : FACTS_SLOTS;
	struct fact **slots;

	if (f->count < f->nslots)
		return true;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return f->nslots;
	free(f->slots);
	f->slots = slots;
	f->nslots = n;
	for (struct fact *k = f->oldest; k; k = k->newer)
		k->next = NULL;
	for (struct fact *k = f->oldest; k; k = k->newer)
		*slot(f, k->meta.name) = k;
	return true;
}

/* ---- putting ----------------------------------------------------------------------------- */

static void remove_fact(struct facts *f, struct fact *k)
{
	struct fact **at = slot(f, k->meta.name);

	*at = k->next;
	*(k->older ? &k->older->newer : &f->oldest) = k->newer;
	*(k->newer ? &k->newer->older : &f->newest) = k->older;
	k->family->bytes -= k->size;
	f->used -= k->size;
	f->count--;
	unref(k);
}

static void make_room(struct facts *f, size_t size)
{
	struct fact_family *most;
	struct fact *k;

	while (f->oldest && f->used + size > f->most) {
		most = f->families;
		for (struct fact_family *g = most; g; g = g->next)
			most = g->bytes > most->bytes ? g : most;
		for (k = f->oldest; k->family != most; k = k->newer)
			;
		remove_fact(f, k);
	}
}

static struct fact *fact_new(const struct trawl_meta *m)
{
	const char *type = m->type ? m->type : "";
	size_t name = strlen(m->name) + 1, media = strlen(type) + 1;
	size_t size = sizeof(struct fact) + name + media + m->len;
	struct fact *k = malloc(size);
	char *p;

	if (!k)
		return NULL;
	*k = (struct fact){ .meta = *m, .refs = 1, .size = size };
	p = (char *)(k + 1);
	k->meta.name = memcpy(p, m->name, name);
	k->meta.type = memcpy(p + name, type, media);
	k->meta.data = p + name + media;
	if (m->len)
		memcpy(p + name + media, m->data, m->len);
	return k;
}

bool facts_put(struct facts *f, const struct trawl_meta *m)
{
	struct fact_family *family = family_of(f, m->name);
	struct fact *k = family && grow(f) ? fact_new(m) : NULL, *old;

	if (!k || k->size > f->most) {
		free(k);
		return false;
	}
	old = *slot(f, m->name);
	if (old)
		remove_fact(f, old);
	make_room(f, k->size);
	k->family = family;
	k->older = f->newest;
	*(f->newest ? &f->newest->newer : &f->oldest) = k;
	f->newest = k;
	*slot(f, k->meta.name) = k;
	family->bytes += k->size;
	f->used += k->size;
	f->count++;
	return true;
}

/* ---- all of them ------------------------------------------------------------------------- */

struct fact **facts_hold(struct facts *f, size_t *n)
{
	struct fact **held = malloc((f->count + 1) * sizeof(struct fact *));

	*n = 0;
	for (struct fact *k = f->oldest; held && k; k = k->newer) {
		k->refs++;
		held[(*n)++] = k;
	}
	return held;
}

void facts_release(struct fact **held, size_t n)
{
	for (size_t i = 0; i < n; i++)
		unref(held[i]);
	free(held);
}

void facts_free(struct facts *f)
{
	struct fact_family *g;

	while (f->oldest)
		remove_fact(f, f->oldest);
	while ((g = f->families)) {
		f->families = g->next;
		free(g);
	}
	free(f->slots);
	facts_init(f, f->most);
}
