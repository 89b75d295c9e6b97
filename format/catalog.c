/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <xxhash.h>

#include "format/catalog.h"
#include "format/varint.h"

enum {
	META_MAX = 256 << 20,
	FILE_SOURCES_MAX = 4096,
	TYPE_BLOCK_LEAST = 64, /* bytes of the smallest event type block */
	PAGE = 16, /* types in each of a source's pages */
	LOSS_COST = sizeof(struct trawl_loss) + 24,
	META_COST = sizeof(struct catalog_meta) + 96,
	THIN_LEAST = 64, /* smallest number of clock-syncs that are thinned */
};

/* ---- memory ------------------------------------------------------------------------------ */

/* Returns the bytes that malloc(n) takes, for a small n. */
static uint64_t cost(uint64_t n)
{
	return n + 8 < 32 ? 32 : (n + 8 + 15) & ~15ull;
}

static uint64_t text_cost(const char *s)
{
	return s ? cost(strlen(s) + 1) : 0;
}

static uint64_t fields_cost(const struct trawl_field *f, uint32_t n)
{
	uint64_t sum = cost(n * sizeof(*f));

	for (uint32_t i = 0; i < n; i++)
		sum += text_cost(f[i].name) + text_cost(f[i].ctype) + text_cost(f[i].note);
	return sum;
}

static uint64_t type_cost(const struct trawl_event_type *t)
{
	return cost(sizeof(*t)) + text_cost(t->name) + text_cost(t->format) +
	       fields_cost(t->fields, t->nfields) + 2 * sizeof(void *);
}

static uint64_t source_cost(const struct trawl_source *s)
{
	return text_cost(s->name) + text_cost(s->spec) + text_cost(s->kind) +
	       fields_cost(s->common, s->ncommon);
}

static bool vec_add(struct vec *v, void *p)
{
	if (!array_reserve(v->p, v->cap, v->n + 1))
		return false;
	v->p[v->n++] = p;
	return true;
}

/* ---- sections ---------------------------------------------------------------------------- */

struct section *catalog_section(struct catalog *c, uint64_t start)
{
	struct section *s = budget_take(&c->budget, sizeof(*s), "sections") ?
			    calloc(1, sizeof(*s)) : NULL;

	if (!s || !vec_add(&c->sections, s)) {
		free(s);
		return NULL;
	}
	s->number = (uint32_t)c->sections.n - 1;
	s->start = s->end = start;
	s->sync0 = c->nsyncs;
	return s;
}

static void section_free(struct section *s)
{
	for (int i = 0; i < SOURCES_MAX; i++)
		if (s->sources[i]) {
			free((void *)s->sources[i]->types);
			free(s->sources[i]->tails);
			free(s->sources[i]);
		}
	free(s->segments);
	known_free(&s->known);
	known_free(&s->copies);
	body_meta_free(&s->part);
	buf_free(&s->part_data);
	free(s);
}

bool catalog_segment(struct section *s, uint64_t at, uint32_t chunks)
{
	if (!array_reserve(s->segments, s->segments_cap, s->nsegments + 1))
		return false;
	s->segments[s->nsegments++] = (struct segment){ .at = at, .chunks = chunks };
	s->items = 0;
	return true;
}

/* ---- clock-syncs ------------------------------------------------------------------------- */

/* NULL if the catalog has no clock-syncs: pointer arithmetic on NULL is undefined. */
static struct clock_sync *section_syncs(const struct catalog *c, const struct section *s)
{
	return c->syncs ? c->syncs + s->sync0 : NULL;
}

struct clock_map catalog_clocks(const struct catalog *c, const struct section *s)
{
	struct clock_map m = clock_map(section_syncs(c, s), s->nsyncs);

	m.origin += s->moved;
	return m;
}

static int sync_order(const void *a, const void *b)
{
	const struct clock_sync *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->s.mono < y->s.mono ? -1 : x->s.mono > y->s.mono;
}

size_t clock_syncs_order(struct clock_sync *syncs, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(syncs, n, sizeof(*syncs), sync_order);
	for (size_t i = 0; i < n; i++)
		if (!kept || sync_order(&syncs[i], &syncs[kept - 1]))
			syncs[kept++] = syncs[i];
	return kept;
}

/* Whether catalog_thin() keeps the i-th of n clock-syncs. */
static bool is_kept(const struct clock_sync *syncs, size_t n, size_t i)
{
	return i < CLOCK_NEAR || i + CLOCK_NEAR >= n ||
	       clock_was_set(&syncs[i - 1].s, &syncs[i].s) ||
	       clock_was_set(&syncs[i].s, &syncs[i + 1].s);
}

void catalog_thin(struct catalog *c, struct section *s, size_t last)
{
	struct clock_sync *syncs;
	size_t fresh = s->nsyncs - s->settled, n, kept = 0;

	if (fresh <= last)
		return;
	syncs = c->syncs + s->sync0 + s->settled;
	n = clock_syncs_order(syncs, fresh - last);
	for (size_t i = 0; i < n; i++)
		if (n <= THIN_LEAST || is_kept(syncs, n, i))
			syncs[kept++] = syncs[i];
	memmove(syncs + kept, syncs + fresh - last, last * sizeof(*syncs));
	s->settled += kept;
	s->nsyncs -= fresh - last - kept;
	s->thinned |= n > kept;
	c->nsyncs -= fresh - last - kept;
	c->thinned += n - kept;
	budget_return(&c->budget, (fresh - last - kept) * sizeof(*syncs));
}

void catalog_settle(struct catalog *c, struct section *s)
{
	struct clock_sync *syncs = section_syncs(c, s);
	size_t n = clock_syncs_order(syncs, s->nsyncs), twice = s->nsyncs - n;

	/* The clock-syncs of later sections move up. */
	if (twice)
		memmove(syncs + n, syncs + s->nsyncs,
			(c->nsyncs - s->sync0 - s->nsyncs) * sizeof(*syncs));
	for (size_t i = s->number + 1; twice && i < c->sections.n; i++)
		((struct section *)c->sections.p[i])->sync0 -= twice;
	c->nsyncs -= twice;
	s->settled = s->nsyncs = n;
	known_free(&s->known);
	known_free(&s->copies);
}

/* ---- sources and types ------------------------------------------------------------------- */

static bool mapped_in(const struct section *s, const struct trawl_source *source)
{
	for (int i = 0; i < SOURCES_MAX; i++)
		if (s->sources[i] && s->sources[i]->source == source)
			return true;
	return false;
}

static struct catalog_source *find_source(struct catalog *c, const struct section *s,
					  const struct trawl_source *source)
{
	for (size_t i = 0; i < c->sources.n; i++) {
		struct catalog_source *known = c->sources.p[i];

		if (body_source_same(&known->source, source) && !mapped_in(s, &known->source))
			return known;
	}
	return NULL;
}

static bool add_source(struct catalog *c, struct section *s, struct view *body)
{
	struct section_source *here = NULL;
	struct catalog_source *known;
	struct trawl_source source;
	uint64_t idb_check;
	uint16_t id;

	if (!body_source_get(body, &source, &idb_check))
		return false;
	id = source.id;
	if (s->sources[id])
		goto fail;
	here = budget_take(&c->budget, sizeof(*here), "sources") ? calloc(1, sizeof(*here)) : NULL;
	known = c->sections.n > 1 ? find_source(c, s, &source) : NULL;
	if (known) {
		body_source_free(&source);
	} else {
		known = c->sources.n < FILE_SOURCES_MAX &&
			budget_take(&c->budget, sizeof(*known) + source_cost(&source), "sources") ?
			calloc(1, sizeof(*known)) : NULL;
		if (!here || !known || !vec_add(&c->sources, known)) {
			free(known);
			goto fail;
		}
		source.id = (uint16_t)(c->sources.n - 1);
		known->source = source;
	}
	if (!here)
		return false;
	here->source = &known->source;
	s->sources[id] = here;
	return true;
fail:
	free(here);
	body_source_free(&source);
	return false;
}

static bool types_room(struct catalog *c, struct section_source *here, uint32_t index)
{
	if (!budget_reserve(&c->budget, here->types, here->cap, (size_t)index + 1, "event types"))
		return false;
	while (here->ntypes <= index)
		here->types[here->ntypes++] = NULL;
	return true;
}

/* Returns the slot of a source's newest type with this id; NULL if memory runs out. */
static struct trawl_event_type **type_slot(struct catalog *c, struct catalog_source *known,
					   uint32_t id)
{
	const size_t at = id / PAGE;
	struct trawl_event_type ***page;

	if (!budget_reserve(&c->budget, known->pages, known->pages_cap, at + 1, "event types"))
		return NULL;
	while (known->npages <= at)
		known->pages[known->npages++] = NULL;
	page = &known->pages[at];
	if (!*page && budget_take(&c->budget, PAGE * sizeof(**page), "event types"))
		*page = calloc(PAGE, sizeof(**page));
	return *page ? *page + id % PAGE : NULL;
}

static bool common_fits(const struct trawl_source *s, uint32_t size)
{
	for (uint32_t i = 0; i < s->ncommon; i++)
		if (s->common[i].offset + (uint32_t)s->common[i].size * s->common[i].count > size)
			return false;
	return true;
}

/* Returns the catalog's copy of a type, the same pointer for equal descriptions. Consumes *t. */
static const struct trawl_event_type *keep_type(struct catalog *c, struct catalog_source *known,
						struct trawl_event_type *t)
{
	struct trawl_event_type **slot = type_slot(c, known, t->id), *kept;

	if (slot && *slot && body_type_same(*slot, t)) {
		body_type_free(t);
		return *slot;
	}
	kept = slot && budget_take(&c->budget, type_cost(t), "event types") ?
	       malloc(sizeof(*kept)) : NULL;
	if (!kept || !vec_add(&c->types, kept)) {
		free(kept);
		body_type_free(t);
		return NULL;
	}
	t->source = known->source.id;
	*kept = *t;
	*slot = kept;
	return kept;
}

static bool add_type(struct catalog *c, struct section *s, uint64_t at, struct view *body)
{
	const struct trawl_event_type *kept;
	struct section_source *here;
	struct trawl_event_type t;
	uint32_t index;

	if (!body_type_get(body, &t, &index))
		return false;
	here = t.source < SOURCES_MAX ? s->sources[t.source] : NULL;
	/* `index` types precede it, so the file's size bounds the table. */
	if (!here || index > at / TYPE_BLOCK_LEAST || !types_room(c, here, index) ||
	    here->types[index] || !common_fits(here->source, t.size)) {
		body_type_free(&t);
		return false;
	}
	kept = keep_type(c, (struct catalog_source *)here->source, &t);
	here->types[index] = kept;
	return kept;
}

/* ---- metadata, syncs, losses ------------------------------------------------------------- */

static void part_drop(struct catalog *c, struct section *s)
{
	if (s->part.meta.name)
		budget_return(&c->budget, s->part.meta.len);
	body_meta_free(&s->part);
	buf_free(&s->part_data);
}

static struct catalog_meta **name_slot(struct catalog_meta **names, size_t cap, const char *name)
{
	size_t i = XXH64(name, strlen(name), 0) & (cap - 1);

	while (names[i] && strcmp(names[i]->meta.name, name))
		i = (i + 1) & (cap - 1);
	return &names[i];
}

static bool names_room(struct catalog *c)
{
	size_t cap = c->names_cap ? c->names_cap * 2 : 64;
	struct catalog_meta **names;

	if (c->nnames * 2 < c->names_cap)
		return true;
	names = calloc(cap, sizeof(*names));
	if (!names)
		return false;
	for (size_t i = 0; i < c->names_cap; i++)
		if (c->names[i])
			*name_slot(names, cap, c->names[i]->meta.name) = c->names[i];
	free(c->names);
	c->names = names;
	c->names_cap = cap;
	return true;
}

static bool same_words(const struct trawl_meta *a, const struct trawl_meta *b)
{
	return a->len == b->len && !memcmp(a->data, b->data, a->len) && !strcmp(a->type, b->type);
}

/* Metadata "timeline" has the number of the timeline, the shift of its times and their error. */
static void take_timeline(struct section *s, const struct trawl_meta *m)
{
	char text[64], *end;
	uint64_t number;
	long long moved;

	if (strcmp(m->name, "timeline") || m->len >= sizeof(text))
		return;
	memcpy(text, m->data, m->len);
	text[m->len] = '\0';
	number = strtoull(text, &end, 16);
	if (*end != ' ' || !number)
		return;
	moved = strtoll(end + 1, &end, 10);
	if (*end != ' ')
		return;
	s->timeline = number;
	s->moved = (uint64_t)moved;
	s->doubt = end[1] == '-' ? UINT64_MAX : strtoull(end + 1, NULL, 10);
}

static bool keep_meta(struct catalog *c, struct section *s)
{
	struct catalog_meta *m = names_room(c) && budget_take(&c->budget, META_COST, "metadata") ?
				 malloc(sizeof(*m)) : NULL, **newest;

	if (!m || !vec_add(&c->metas, m)) {
		free(m);
		part_drop(c, s);
		return false;
	}
	s->part.meta.data = s->part_data.data;
	*m = (struct catalog_meta){ s->part.meta, false };
	take_timeline(s, &m->meta);
	newest = name_slot(c->names, c->names_cap, m->meta.name);
	c->nnames += !*newest;
	if (*newest && same_words(&(*newest)->meta, &m->meta)) {
		m->shared = true;
		m->meta.name = (*newest)->meta.name;
		m->meta.type = (*newest)->meta.type;
		m->meta.data = (*newest)->meta.data;
		part_drop(c, s);
	}
	m->meta.section = s->number;
	*newest = m;
	memset(&s->part, 0, sizeof(s->part));
	memset(&s->part_data, 0, sizeof(s->part_data));
	return true;
}

static bool add_meta(struct catalog *c, struct section *s, struct view *body)
{
	struct meta_part p;

	if (!body_meta_get(body, &p))
		return false;
	if (!p.from) {
		part_drop(c, s);
		if (!budget_take(&c->budget, p.meta.len, "metadata")) {
			body_meta_free(&p);
			return false;
		}
		s->part = p;
	} else if (!s->part.meta.name || strcmp(s->part.meta.name, p.meta.name) ||
		   s->part.meta.len != p.meta.len || s->part_data.len != p.from) {
		body_meta_free(&p);
		return false;
	}
	if (p.len > META_PART || p.meta.len > META_MAX)
		goto fail;
	buf_put(&s->part_data, p.meta.data, p.len);
	if (!buf_reserve(&s->part_data, 1))
		goto fail;
	s->part_data.data[s->part_data.len] = 0; /* so that text is a C string */
	if (p.from)
		body_meta_free(&p);
	return s->part_data.len < s->part.meta.len || keep_meta(c, s);
fail:
	if (p.from)
		body_meta_free(&p);
	part_drop(c, s);
	return false;
}

/* Clock-syncs are added to the last section only, so its array part is the end of the array. */
static bool add_sync(struct catalog *c, struct section *s, uint64_t at, struct view *body)
{
	struct clock_sync sync = { .at = at };

	if (!body_sync_get(body, &sync.s) ||
	    !budget_take(&c->budget, sizeof(sync), "clock-syncs") ||
	    !array_reserve(c->syncs, c->syncs_cap, c->nsyncs + 1))
		return false;
	sync.s.section = s->number;
	c->syncs[c->nsyncs++] = sync;
	s->nsyncs++;
	if (sync.s.bound > c->bound)
		c->bound = sync.s.bound;
	return true;
}

static bool add_loss(struct catalog *c, struct section *s, struct view *body)
{
	struct trawl_loss *l = budget_take(&c->budget, LOSS_COST, "losses") ?
			       malloc(sizeof(*l)) : NULL;

	if (!l || !body_loss_get(body, l) || !vec_add(&c->losses, l)) {
		free(l);
		return false;
	}
	l->source = l->source < SOURCES_MAX && s->sources[l->source] ?
		    s->sources[l->source]->source->id : UINT16_MAX;
	l->section = s->number;
	return true;
}

void catalog_lose_chunk(struct catalog *c, const struct section *s, const struct chunk_ref *ref)
{
	struct trawl_loss *l = budget_take(&c->budget, LOSS_COST, "losses") ?
			       malloc(sizeof(*l)) : NULL;

	if (!l || !s->sources[ref->source] || !vec_add(&c->losses, l)) {
		free(l);
		return;
	}
	*l = (struct trawl_loss){ .source = s->sources[ref->source]->source->id,
				  .cpu = UINT32_MAX, .from = ref->first, .to = ref->last,
				  .count = ref->count, .reason = TRAWL_LOSS_DAMAGED,
				  .section = s->number };
	c->lost_chunks++;
}

static bool add(struct catalog *c, struct section *s, enum block_kind kind, uint64_t at,
		struct view *body)
{
	switch (kind) {
	case BLOCK_SOURCE:
		return add_source(c, s, body);
	case BLOCK_EVENT_TYPE:
		return add_type(c, s, at, body);
	case BLOCK_META:
		return add_meta(c, s, body);
	case BLOCK_SYNC:
		return add_sync(c, s, at, body);
	case BLOCK_LOSS:
		return add_loss(c, s, body);
	default:
		return true; /* a kind of a later version: ignored */
	}
}

static uint64_t body_key(enum block_kind kind, const struct view *body)
{
	return XXH64(body->p, view_left(body), kind);
}

/*
 * Marks the budget as exhausted if a parser failed because of malloc(), which sets errno; parsers
 * of bodies return the same for damage and for memory. `before`: errno to restore.
 */
static bool checked(struct catalog *c, int before, bool good)
{
	c->budget.exhausted |= !good && errno == ENOMEM;
	if (good && !errno)
		errno = before;
	return good;
}

/* Adds each piece of metadata in a group block as if it had a block of its own at this offset. */
static bool add_group(struct catalog *c, struct section *s, uint64_t at, struct view *items)
{
	while (view_left(items)) {
		enum block_kind kind = view_u8(items);
		size_t len = (size_t)view_varint_max(items, view_left(items));
		struct view body = { .p = view_bytes(items, len) };

		body.end = body.p ? body.p + len : NULL;
		if (items->bad || (kind == BLOCK_META && !catalog_add(c, s, kind, at, &body)))
			return false;
	}
	return !items->bad;
}

bool catalog_add(struct catalog *c, struct section *s, enum block_kind kind, uint64_t at,
		 struct view *body)
{
	uint64_t key = s->remember ? body_key(kind, body) : 0;
	int before = errno;

	if (kind == BLOCK_GROUP)
		return add_group(c, s, at, body);

	errno = 0;
	return checked(c, before,
		    add(c, s, kind, at, body) && (!s->remember || known_add(&s->known, key, at)));
}

static uint64_t chunk_key(const struct chunk_ref *ref)
{
	uint64_t says[] = { ref->first, ref->last, ref->len, ref->count, ref->source };

	return XXH64(says, sizeof(says), BLOCK_CHUNK);
}

bool catalog_know_chunk(struct section *s, const struct chunk_ref *ref)
{
	return known_add(&s->known, chunk_key(ref), ref->at);
}

void catalog_pass_chunk(struct section *s, const struct chunk_ref *ref, bool in_place)
{
	uint64_t here = in_place ? ref->at : ref->at + s->shift;

	if (!in_place && !known_take(&s->known, chunk_key(ref), &here))
		return;
	s->shift = here - ref->at;
	s->behind = here;
}

bool catalog_add_copy(struct catalog *c, struct section *s, enum block_kind kind, uint64_t at,
		      struct view *body)
{
	uint64_t key = body_key(kind, body), here = at + s->shift;
	int before = errno;

	if (known_take(&s->known, key, &here)) {
		s->shift = here - at;
		s->behind = here;
		return true;
	}
	/*
	 * The order of sync blocks matters: each copy goes one byte further behind the block of the
	 * index entry before it.
	 */
	s->behind++;
	here = kind == BLOCK_SYNC ? s->behind : at;
	key = XXH64(&at, sizeof(at), key);
	errno = 0;
	if (known_take(&s->copies, key, NULL))
		/* the index block has a duplicate */
		return checked(c, before, known_add(&s->copies, key, at));
	return checked(c, before, known_add(&s->copies, key, at) && add(c, s, kind, here, body));
}

void catalog_free(struct catalog *c)
{
	for (size_t i = 0; i < c->sections.n; i++)
		section_free(c->sections.p[i]);
	for (size_t i = 0; i < c->sources.n; i++) {
		struct catalog_source *s = c->sources.p[i];

		for (size_t k = 0; k < s->npages; k++)
			free(s->pages[k]);
		free(s->pages);
		body_source_free(&s->source);
		free(s);
	}
	for (size_t i = 0; i < c->types.n; i++) {
		body_type_free(c->types.p[i]);
		free(c->types.p[i]);
	}
	for (size_t i = 0; i < c->metas.n; i++) {
		struct catalog_meta *m = c->metas.p[i];

		if (!m->shared) {
			free((char *)m->meta.name);
			free((char *)m->meta.type);
			free((void *)m->meta.data);
		}
		free(m);
	}
	for (size_t i = 0; i < c->losses.n; i++)
		free(c->losses.p[i]);
	free(c->sections.p);
	free(c->sources.p);
	free(c->types.p);
	free(c->metas.p);
	free(c->names);
	free(c->losses.p);
	free(c->syncs);
	memset(c, 0, sizeof(*c));
}
