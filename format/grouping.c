/* SPDX-License-Identifier: MIT */
#include "format/grouping.h"
#include "format/loops.h"

enum {
	SPARE_KEY_CLASSES = 64,  /* most distinct values of a key that the source does not name */
	SPARE_KEY_EVENTS = 256,  /* fewest events for which such a key is used */
	KEY_CLASSES = 4096,
	KEYED_FINDS = 1 << 15,   /* most finds with keys, in all tables */
	FIND_TABLE = 2 * KEYED_FINDS,
	CPU_TABLE = 1024,
	AHEAD = 16, /* records are prefetched this many events ahead */
};

enum room_name {
	ROOM_EVENTS, ROOM_FINDS, ROOM_SLOTS, ROOM_KINDS, ROOM_TABLES, ROOM_CLASSES, ROOM_STREAMS,
	ROOM_CPUS,
};

/* A future class: the events of one type with the same values of its keys. */
struct find {
	uint64_t key[GROUPING_KEYS];
	uint64_t word;   /* with kind.mask: the key values as their bytes are in a record */
	uint32_t kind, count, slot;
	uint32_t next;   /* of the same kind: its number + 1 */
};

/* The records of a type that are stored whole, or those that are not. Each kind is a table. */
struct kind {
	uint32_t n, nfinds;
	uint32_t head, tail; /* finds: number + 1 */
	uint32_t rest;       /* the find of events without a find of their own: number + 1 */
	uint32_t nkeys, max;
	uint32_t at;         /* offset in a record of 8 bytes that contain all keys */
	uint64_t mask;       /* the bits of the keys in these; 0: they do not fit into 8 bytes */
	const uint32_t *keys;
	const struct layout_column *column[GROUPING_KEYS];
	const struct layout *dynamic; /* set if a record may be irregular; see is_regular() */
};

#define FIND_FACTOR 0x9e3779b97f4a7c15ull

/* ---- types ----------------------------------------------------------------------------- */

/* Whether column 0 may serve as key: a system call's number, an opcode. */
static bool may_be_key(const struct layout_column *c)
{
	return c->offset <= 16 && c->stride == c->size &&
	       (c->kind == TRAWL_UINT || c->kind == TRAWL_INT || c->kind == TRAWL_ENUM ||
		c->kind == TRAWL_CHAR);
}

bool grouping_type_init(struct grouping_type *a, const struct trawl_event_type *t)
{
	memset(a, 0, sizeof(*a));
	if (!layout_init(&a->layout, t->fields, t->nfields, t->size))
		return false;
	for (uint32_t i = 0; i < a->layout.nnumbers && a->nkeys < GROUPING_KEYS; i++)
		if (a->layout.columns[i].key)
			a->keys[a->nkeys++] = i;
	a->has_spare_key = !a->nkeys && a->layout.ncolumns > 1 && a->layout.nnumbers &&
			   may_be_key(&a->layout.columns[0]);
	return true;
}

/* ---- streams --------------------------------------------------------------------------- */

static inline uint32_t cpu_slot(const struct grouping_stream *streams, const uint32_t *table,
				uint32_t cpu, uint32_t size)
{
	uint32_t at = cpu & (size - 1);

	while (table[at] && streams[table[at] - 1].cpu != cpu)
		at = (at + 1) & (size - 1);
	return at;
}

static int by_cpu(const void *a, const void *b)
{
	const struct grouping_stream *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/*
 * Counts the events of each CPU. Returns a hash table from a CPU to the number of its stream + 1.
 */
static uint32_t *find_streams(struct grouping *a, const struct batch *b, uint32_t *size)
{
	uint32_t *table, at, next = 0;

	*size = CPU_TABLE;
	while (*size < 2 * b->count && *size < 1u << 30)
		*size *= 2;
	table = room_for(&a->memory[ROOM_CPUS], *size * sizeof(*table));
	a->streams = room_for(&a->memory[ROOM_STREAMS], (b->count + 1) * sizeof(*a->streams));
	if (!table || !a->streams)
		return NULL;
	memset(table, 0, *size * sizeof(*table));
	a->nstreams = 0;
	for (uint32_t i = 0, end; i < b->count; i = end) {
		uint32_t cpu = b->events[i].cpu;

		at = cpu_slot(a->streams, table, cpu, *size);
		if (!table[at]) {
			a->streams[a->nstreams] = (struct grouping_stream){ .cpu = cpu };
			table[at] = ++a->nstreams;
		}
		for (end = i + 1; end < b->count && b->events[end].cpu == cpu; end++)
			;
		a->streams[table[at] - 1].count += end - i;
	}
	qsort(a->streams, a->nstreams, sizeof(*a->streams), by_cpu);
	memset(table, 0, *size * sizeof(*table));
	for (uint32_t i = 0; i < a->nstreams; i++) {
		table[cpu_slot(a->streams, table, a->streams[i].cpu, *size)] = i + 1;
		a->streams[i].next = next;
		next += a->streams[i].count;
	}
	return table;
}

/*
 * Whether the dynamic parts directly follow the fixed part, in field order: cursors rebuild only
 * such records from columns.
 */
static bool is_regular(const struct layout *l, const uint8_t *record, uint32_t len)
{
	uint64_t at = l->size;

	for (uint32_t i = l->nnumbers; i < l->ncolumns; i++) {
		const struct layout_column *c = &l->columns[i];
		uint32_t from, n;

		if (c->place == TRAWL_FIXED)
			continue;
		n = layout_dynamic(c, record, len, &from);
		if (n == UINT32_MAX || (c->place != TRAWL_TAIL && at > UINT16_MAX))
			return false;
		at += n;
	}
	return at <= len;
}

/* Records that have only a TAIL after their fixed part are always regular. */
static bool may_be_irregular(const struct layout *l)
{
	return l->dynamic > 1 ||
	       (l->dynamic && l->columns[l->ncolumns - 1].place != TRAWL_TAIL);
}

/* ---- classes --------------------------------------------------------------------------- */

/* If all keys lie within 8 bytes, they are compared as one number. */
static void join_keys(struct kind *k, const struct layout *l)
{
	uint32_t from = UINT32_MAX, end = 0;
	uint8_t mask[8] = { 0 };

	for (uint32_t q = 0; q < k->nkeys; q++) {
		const struct layout_column *c = k->column[q];

		from = c->offset < from ? c->offset : from;
		end = c->offset + c->size > end ? c->offset + c->size : end;
	}
	if (!k->nkeys || end - from > 8 || l->size < 8)
		return;
	k->at = from + 8 <= l->size ? from : l->size - 8;
	for (uint32_t q = 0; q < k->nkeys; q++)
		memset(mask + (k->column[q]->offset - k->at), 0xff, k->column[q]->size);
	k->mask = get64(mask);
}

static bool init_kinds(struct grouping *a, struct grouping_type *const *types, uint32_t ntypes)
{
	a->kinds = room_for(&a->memory[ROOM_KINDS], (2 * (size_t)ntypes + 1) * sizeof(*a->kinds));
	if (!a->kinds)
		return false;
	memset(a->kinds, 0, 2 * ntypes * sizeof(*a->kinds));
	for (uint32_t i = 0; i < ntypes; i++) {
		struct kind *k = &a->kinds[2 * i];

		k->keys = types[i]->keys;
		k->dynamic = may_be_irregular(&types[i]->layout) ? &types[i]->layout : NULL;
		k->nkeys = types[i]->nkeys;
		k->max = KEY_CLASSES;
		if (types[i]->has_spare_key) {
			k->nkeys = 1;
			k->max = SPARE_KEY_CLASSES;
		}
		for (uint32_t q = 0; q < k->nkeys; q++)
			k->column[q] = &types[i]->layout.columns[k->keys[q]];
		join_keys(k, &types[i]->layout);
	}
	return true;
}

static bool init_finds(struct grouping *a, size_t most)
{
	bool first = !a->slots;

	for (uint32_t i = 0; i < a->nfinds; i++)
		a->slots[a->finds[i].slot] = 0;
	a->nfinds = 0;
	/* One more slot for kinds without keys. */
	a->slots = room_for(&a->memory[ROOM_SLOTS], (FIND_TABLE + 1) * sizeof(*a->slots));
	a->finds = room_for(&a->memory[ROOM_FINDS], (most + 1) * sizeof(*a->finds));
	if (a->slots && first)
		memset(a->slots, 0, (FIND_TABLE + 1) * sizeof(*a->slots));
	return a->slots && a->finds;
}

static uint32_t new_find(struct grouping *a, uint32_t kind, const uint64_t *key, uint64_t word,
			 uint32_t slot)
{
	struct kind *k = &a->kinds[kind];
	struct find *f = &a->finds[a->nfinds++];

	*f = (struct find){ .kind = kind, .slot = slot, .word = word };
	for (uint32_t i = 0; i < k->nkeys; i++)
		f->key[i] = key[i];
	if (k->tail)
		a->finds[k->tail - 1].next = a->nfinds;
	else
		k->head = a->nfinds;
	k->tail = a->nfinds;
	k->nfinds++;
	return a->nfinds - 1;
}

/* Returns the find of all events of a kind that has no keys, or too many values of them. */
static uint32_t find_rest(struct grouping *a, uint32_t kind)
{
	struct kind *k = &a->kinds[kind];

	if (!k->rest) {
		k->nkeys = 0;
		k->mask = 0;
		k->rest = new_find(a, kind, NULL, 0, FIND_TABLE) + 1;
	}
	return k->rest - 1;
}

static inline bool same_key(const struct find *f, uint32_t kind, const uint64_t *key,
			    uint32_t nkeys)
{
	bool same = f->kind == kind && f->key[0] == key[0];

	for (uint32_t i = 1; i < nkeys; i++)
		same &= f->key[i] == key[i];
	return same;
}

/* Adds a find of a kind with keys, at a free slot of the hash table. */
static uint32_t add_find(struct grouping *a, uint32_t kind, const uint64_t *key, uint64_t word,
			 uint32_t at)
{
	struct kind *k = &a->kinds[kind];

	if (k->nfinds == k->max || a->nfinds >= KEYED_FINDS)
		return find_rest(a, kind);
	a->slots[at] = a->nfinds + 1;
	return new_find(a, kind, key, word, at);
}

static void get_key(const struct kind *k, const uint8_t *record, uint64_t *key)
{
	for (uint32_t i = 0; i < k->nkeys; i++)
		key[i] = grouping_number(k->column[i], record);
}

static uint32_t find_any(struct grouping *a, uint32_t kind, const uint8_t *record)
{
	struct kind *k = &a->kinds[kind];
	uint64_t key[GROUPING_KEYS], sum = kind;
	uint32_t at;

	if (!k->nkeys)
		return find_rest(a, kind);
	get_key(k, record, key);
	for (uint32_t i = 0; i < k->nkeys; i++)
		sum = (sum + key[i]) * FIND_FACTOR;
	for (at = sum >> 32 & (FIND_TABLE - 1); a->slots[at]; at = (at + 1) & (FIND_TABLE - 1))
		if (same_key(&a->finds[a->slots[at] - 1], kind, key, k->nkeys))
			return a->slots[at] - 1;
	return add_find(a, kind, key, 0, at);
}

static inline uint32_t find(struct grouping *a, uint32_t kind, const uint8_t *record)
{
	const struct kind *k = &a->kinds[kind];
	uint64_t key[GROUPING_KEYS], word;
	uint32_t at;

	if (!k->mask)
		return find_any(a, kind, record);
	word = get64(record + k->at) & k->mask;
	at = (kind + word) * FIND_FACTOR >> 32 & (FIND_TABLE - 1);
	for (; a->slots[at]; at = (at + 1) & (FIND_TABLE - 1)) {
		const struct find *f = &a->finds[a->slots[at] - 1];

		if (f->word == word && f->kind == kind)
			return a->slots[at] - 1;
	}
	get_key(k, record, key);
	return add_find(a, kind, key, word, at);
}

/* Puts events in chunk order; found[k] is the number of event k's find. */
LOOPS static void find_all(struct grouping *a, const struct batch *b, const uint32_t *table,
		     uint32_t size, uint32_t *found)
{
	struct grouping_stream *s = NULL;
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		const struct batch_event *e = &b->events[i];
		const uint8_t *record = b->bytes + e->offset;
		uint32_t kind = 2 * e->type, k;
		const struct layout *dynamic = a->kinds[kind].dynamic;

		if (i + AHEAD < b->count)
			__builtin_prefetch(b->bytes + b->events[i + AHEAD].offset + 8);
		if (!s || s->cpu != e->cpu)
			s = &a->streams[table[cpu_slot(a->streams, table, e->cpu, size)] - 1];
		k = s->next++;
		a->events.ts[k] = e->ts;
		a->record[k] = record;
		a->length[k] = e->len;
		if (a->back)
			a->back[k] = e->back;
		kind += dynamic && !is_regular(dynamic, record, e->len);
		found[k] = find(a, kind, record);
		a->finds[found[k]].count++;
		first = e->ts < first ? e->ts : first;
		last = e->ts > last ? e->ts : last;
	}
	a->first = first;
	a->last = last;
}

/* ---- tables ---------------------------------------------------------------------------- */

/* Whether the values of a kind's keys make classes; if not, the kind is one class. */
static bool is_keyed(const struct grouping *a, const struct kind *k, uint32_t tables_left)
{
	uint32_t most = k->max == SPARE_KEY_CLASSES ? SPARE_KEY_CLASSES : k->n / 4 + 1;

	if (k->rest || (k->max == SPARE_KEY_CLASSES && k->n < SPARE_KEY_EVENTS))
		return false;
	return k->nfinds <= most &&
	       k->nfinds <= GROUPING_CLASSES - a->events.nclasses - tables_left;
}

static void number_classes(struct grouping *a, struct grouping_table *t, struct kind *k,
			   uint32_t *number)
{
	for (uint32_t i = k->head; i; i = a->finds[i - 1].next) {
		struct find *f = &a->finds[i - 1];
		uint32_t c = t->nkeys ? t->first_class + t->nclasses : t->first_class;

		if (t->nkeys || !t->nclasses) {
			a->class_count[c] = 0;
			memcpy(a->class_key + (size_t)c * GROUPING_KEYS, f->key, sizeof(f->key));
			t->nclasses++;
		}
		a->class_count[c] += f->count;
		number[i - 1] = c;
	}
}

/*
 * Makes the tables: by type, then those of records that are stored whole; classes in the order of
 * their first events. Returns the class of each find.
 */
static uint32_t *make_tables(struct grouping *a, uint32_t ntypes)
{
	uint32_t first = 0, left = 0, *number;
	size_t classes = a->nfinds + 1;

	for (uint32_t i = 0; i < a->nfinds; i++) {
		struct kind *k = &a->kinds[a->finds[i].kind];

		left += !k->n;
		k->n += a->finds[i].count;
	}
	a->tables = room_for(&a->memory[ROOM_TABLES], (left + 1) * sizeof(*a->tables));
	a->class_key = room_for(&a->memory[ROOM_CLASSES],
				classes * (GROUPING_KEYS * sizeof(*a->class_key) +
					   3 * sizeof(*a->class_count)));
	if (!a->tables || !a->class_key || left > GROUPING_CLASSES)
		return NULL;
	a->class_count = (uint32_t *)(void *)(a->class_key + classes * GROUPING_KEYS);
	number = a->class_count + classes;
	a->ntables = a->events.nclasses = 0;
	for (uint32_t i = 0; i < 2 * ntypes; i++) {
		struct grouping_table *t = &a->tables[a->ntables];
		struct kind *k = &a->kinds[i];

		if (!k->n)
			continue;
		*t = (struct grouping_table){
			.type = i / 2, .rows = i % 2, .n = k->n, .first = first,
			.first_class = a->events.nclasses, .keys = k->keys,
		};
		left--;
		if (k->nkeys && is_keyed(a, k, left))
			t->nkeys = k->nkeys;
		number_classes(a, t, k, number);
		a->events.nclasses += t->nclasses;
		first += k->n;
		a->ntables++;
	}
	a->events.class_count = a->class_count;
	return number;
}

/* ---- class order ----------------------------------------------------------------------- */

/* Sets each event's place in class order, once the classes are numbered. */
LOOPS static void place_events(struct grouping *a, const uint32_t *found, const uint32_t *number,
			 uint32_t *next)
{
	struct events *o = &a->events;
	uint32_t at = 0;

	for (uint32_t c = 0; c < o->nclasses; at += a->class_count[c++])
		next[c] = at;
	for (uint32_t k = 0; k < o->count; k++) {
		uint32_t c = number[found[k]];

		at = next[c]++;
		o->class_of[k] = (uint16_t)c;
		o->number[at] = k;
	}
}

/* Reorders from chunk order to class order. Gathering is much faster than scattering. */
LOOPS static void sort_events(struct grouping *a, uint64_t *delta)
{
	struct events *o = &a->events;

	for (uint32_t s = 0, k = 0; s < a->nstreams; s++) {
		uint64_t last = a->first;

		for (uint32_t end = k + a->streams[s].count; k < end; k++) {
			delta[k] = o->ts[k] - last;
			last = o->ts[k];
		}
	}
	for (uint32_t i = 0; i < o->count; i++) {
		a->row[i] = a->record[o->number[i]];
		a->delta[i] = delta[o->number[i]];
	}
}

/* Allocates the arrays for n events; returns an additional array of n uint32_t. */
static uint32_t *get_memory(struct grouping *a, size_t n, bool shared)
{
	uint8_t *p = room_for(&a->memory[ROOM_EVENTS], n * (5 * 8 + 5 * 4 + 2));

	if (!p)
		return NULL;
	a->events.ts = (uint64_t *)(void *)p;
	a->delta = a->events.ts + n;
	a->record = (const uint8_t **)(void *)(a->delta + 2 * n);
	a->row = a->record + n;
	a->length = (uint32_t *)(void *)(a->row + n);
	a->events.number = a->length + n;
	a->events.before = a->events.number + n;
	a->back = shared ? a->events.before + 2 * n : NULL;
	a->events.class_of = (uint16_t *)(void *)(a->events.before + 3 * n);
	return a->events.before + n;
}

bool grouping_make(struct grouping *a, const struct batch *b, struct grouping_type *const *types,
		   uint32_t ntypes)
{
	size_t n = ((size_t)b->count + 8) & ~(size_t)7;
	uint32_t *found = get_memory(a, n, b->shared), *number, *cpus, size;

	a->events.count = b->count;
	a->events.pid = NULL;
	a->events.class_table = NULL;
	if (!found || !init_kinds(a, types, ntypes) ||
	    !init_finds(a, KEYED_FINDS + 2 * (size_t)ntypes))
		return false;
	cpus = find_streams(a, b, &size);
	if (!cpus)
		return false;
	find_all(a, b, cpus, size, found);
	number = make_tables(a, ntypes);
	if (!number)
		return false;
	place_events(a, found, number, number + a->nfinds + 1);
	events_before(&a->events);
	sort_events(a, a->delta + n);
	return true;
}

void grouping_free(struct grouping *a)
{
	for (size_t i = 0; i < GROUPING_ROOMS; i++)
		free(a->memory[i].p);
	memset(a, 0, sizeof(*a));
}
