/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/metacache.h"

enum { META_CACHE_SLOTS = 256 };

struct meta_family {
	struct meta_family *next;
	size_t bytes;
	size_t len;
	char name[];
};

void meta_cache_init(struct meta_cache *f, size_t most)
{
	*f = (struct meta_cache){ .most = most };
}

static void unref(struct cached_meta *k)
{
	if (!--k->refs)
		free(k);
}

/* ---- families ---------------------------------------------------------------------------- */

static struct meta_family *family_of(struct meta_cache *f, const char *name)
{
	size_t len = strcspn(name, "/");
	struct meta_family *g;

	len = name[len] ? len : 0; /* names without '/' are one family */
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

static struct cached_meta **slot(const struct meta_cache *f, const char *name)
{
	struct cached_meta **at = &f->slots[XXH64(name, strlen(name), 0) & (f->nslots - 1)];

	while (*at && strcmp((*at)->meta.name, name))
		at = &(*at)->next;
	return at;
}

/* Enlarges the hash table. If memory runs out the old one is kept, which is only slower. */
static bool grow(struct meta_cache *f)
{
	size_t n = f->nslots ? f->nslots * 2 : META_CACHE_SLOTS;
	struct cached_meta **slots;

	if (f->count < f->nslots)
		return true;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return f->nslots;
	free(f->slots);
	f->slots = slots;
	f->nslots = n;
	for (struct cached_meta *k = f->oldest; k; k = k->newer)
		k->next = NULL;
	for (struct cached_meta *k = f->oldest; k; k = k->newer)
		*slot(f, k->meta.name) = k;
	return true;
}

/* ---- putting ----------------------------------------------------------------------------- */

static void remove_meta(struct meta_cache *f, struct cached_meta *k)
{
	struct cached_meta **at = slot(f, k->meta.name);

	*at = k->next;
	*(k->older ? &k->older->newer : &f->oldest) = k->newer;
	*(k->newer ? &k->newer->older : &f->newest) = k->older;
	k->family->bytes -= k->size;
	f->used -= k->size;
	f->count--;
	unref(k);
}

static void make_room(struct meta_cache *f, size_t size)
{
	struct meta_family *most;
	struct cached_meta *k;

	while (f->oldest && f->used + size > f->most) {
		most = f->families;
		for (struct meta_family *g = most; g; g = g->next)
			most = g->bytes > most->bytes ? g : most;
		for (k = f->oldest; k->family != most; k = k->newer)
			;
		remove_meta(f, k);
	}
}

static struct cached_meta *cached_meta_new(const struct trawl_meta *m)
{
	const char *type = m->type ? m->type : "";
	size_t name = strlen(m->name) + 1, media = strlen(type) + 1;
	size_t size = sizeof(struct cached_meta) + name + media + m->len;
	struct cached_meta *k = malloc(size);
	char *p;

	if (!k)
		return NULL;
	*k = (struct cached_meta){ .meta = *m, .refs = 1, .size = size };
	p = (char *)(k + 1);
	k->meta.name = memcpy(p, m->name, name);
	k->meta.type = memcpy(p + name, type, media);
	k->meta.data = p + name + media;
	if (m->len)
		memcpy(p + name + media, m->data, m->len);
	return k;
}

bool meta_cache_put(struct meta_cache *f, const struct trawl_meta *m)
{
	struct meta_family *family = family_of(f, m->name);
	struct cached_meta *k = family && grow(f) ? cached_meta_new(m) : NULL, *old;

	if (!k || k->size > f->most) {
		free(k);
		return false;
	}
	old = *slot(f, m->name);
	if (old)
		remove_meta(f, old);
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

struct cached_meta **meta_cache_hold(struct meta_cache *f, size_t *n)
{
	struct cached_meta **held = malloc((f->count + 1) * sizeof(struct cached_meta *));

	*n = 0;
	for (struct cached_meta *k = f->oldest; held && k; k = k->newer) {
		k->refs++;
		held[(*n)++] = k;
	}
	return held;
}

void meta_cache_release(struct cached_meta **held, size_t n)
{
	for (size_t i = 0; i < n; i++)
		unref(held[i]);
	free(held);
}

void meta_cache_free(struct meta_cache *f)
{
	struct meta_family *g;

	while (f->oldest)
		remove_meta(f, f->oldest);
	while ((g = f->families)) {
		f->families = g->next;
		free(g);
	}
	free(f->slots);
	meta_cache_init(f, f->most);
}
