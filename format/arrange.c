/* SPDX-License-Identifier: MIT */
#include "arrange.h"

enum {
	SPARE_KEY_CLASSES = 64,  /* more distinct values are no key unless the source says so */
	SPARE_KEY_EVENTS = 256,  /* fewer events are not worth it */
	KEY_CLASSES = 4096,
	CLASS_TABLE = 2 * KEY_CLASSES, /* a power of two */
	CPU_TABLE = 1024,
	AHEAD = 16, /* records are fetched into the cache so many events early */
};

enum room_name {
	ROOM_CLASS, ROOM_POSITION, ROOM_TS, ROOM_RECORD, ROOM_LENGTH, ROOM_MEMBER, ROOM_TABLES,
	ROOM_STREAMS, ROOM_COUNTS, ROOM_KEYS, ROOM_EVENT, ROOM_HASH,
};

/* ---- types ----------------------------------------------------------------------------- */

/* A first argument that says what the rest means: a system call's number, an opcode. */
static bool may_be_key(const struct layout_column *c)
{
	return c->offset <= 16 && c->stride == c->size &&
	       (c->kind == TRAWL_UINT || c->kind == TRAWL_INT || c->kind == TRAWL_ENUM ||
		c->kind == TRAWL_CHAR);
}

int arrange_type_init(struct arrange_type *a, const struct trawl_event_type *t)
{
	memset(a, 0, sizeof(*a));
	a->spare_key = -1;
	if (layout_init(&a->layout, t->fields, t->nfields, t->size))
		return -1;
	for (uint32_t i = 0; i < a->layout.nnumbers && a->nkeys < ARRANGE_KEYS; i++)
		if (a->layout.columns[i].key)
			a->keys[a->nkeys++] = i;
	if (!a->nkeys && a->layout.ncolumns > 1 && a->layout.nnumbers &&
	    may_be_key(&a->layout.columns[0]))
		a->spare_key = 0;
	return 0;
}

/* ---- streams --------------------------------------------------------------------------- */

static inline uint32_t cpu_slot(const struct arrange_stream *streams, const uint32_t *table, uint32_t cpu,
			 uint32_t size)
{
	uint32_t at = cpu & (size - 1);

	while (table[at] && streams[table[at] - 1].cpu != cpu)
		at = (at + 1) & (size - 1);
	return at;
}

static int by_cpu(const void *a, const void *b)
{
	const struct arrange_stream *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Finds the CPUs of a batch and counts their events; the table maps a CPU to its stream + 1. */
static uint32_t *find_streams(struct arrange *a, const struct batch *b, uint32_t *size)
{
	uint32_t *table;

	*size = CPU_TABLE;
	while (*size < 2 * b->count && *size < 1u << 30)
		*size *= 2;
	table = room_for(&a->memory[ROOM_HASH], *size * sizeof(*table));
	a->streams = room_for(&a->memory[ROOM_STREAMS], (b->count + 1) * sizeof(*a->streams));
	if (!table || !a->streams)
		return NULL;
	memset(table, 0, *size * sizeof(*table));
	a->nstreams = 0;
	for (uint32_t i = 0; i < b->count; i++) {
		uint32_t cpu = b->events[i].cpu, at = cpu_slot(a->streams, table, cpu, *size);

		if (!table[at]) {
			a->streams[a->nstreams] = (struct arrange_stream){ cpu, 0 };
			table[at] = ++a->nstreams;
		}
		a->streams[table[at] - 1].count++;
	}
	qsort(a->streams, a->nstreams, sizeof(*a->streams), by_cpu);
	memset(table, 0, *size * sizeof(*table));
	for (uint32_t i = 0; i < a->nstreams; i++)
		table[cpu_slot(a->streams, table, a->streams[i].cpu, *size)] = i + 1;
	return table;
}

/* Copies events to chunk order: stream after stream. event[i]: its number in the batch. */
static bool order_events(struct arrange *a, const struct batch *b, uint32_t *event)
{
	uint32_t size, at = 0, *next, *table = find_streams(a, b, &size);

	next = table ? malloc((a->nstreams + 1) * sizeof(*next)) : NULL;
	if (!next)
		return false;
	for (uint32_t i = 0; i < a->nstreams; i++) {
		next[i] = at;
		at += a->streams[i].count;
	}
	a->first = UINT64_MAX;
	a->last = 0;
	for (uint32_t i = 0; i < b->count; i++) {
		const struct batch_event *e = &b->events[i];
		uint32_t k = next[table[cpu_slot(a->streams, table, e->cpu, size)] - 1]++;

		event[k] = i;
		a->events.ts[k] = e->ts;
		a->record[k] = b->bytes + e->offset;
		a->length[k] = e->len;
		a->first = e->ts < a->first ? e->ts : a->first;
		a->last = e->ts > a->last ? e->ts : a->last;
	}
	free(next);
	return true;
}

/* ---- tables ---------------------------------------------------------------------------- */

/* Whether the dynamic parts of a record can be taken out and put back behind its fixed part. */
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

/* table_of[i]: which table an event is in; tables are numbered by type, whole rows after. */
static bool make_tables(struct arrange *a, const struct batch *b, const uint32_t *event,
			struct arrange_type *const *types, uint32_t ntypes, uint32_t *table_of)
{
	uint32_t *count = calloc(2 * (size_t)ntypes + 1, sizeof(*count)), first = 0;

	a->tables = room_for(&a->memory[ROOM_TABLES], (b->count + 1) * sizeof(*a->tables));
	if (!count || !a->tables) {
		free(count);
		return false;
	}
	for (uint32_t i = 0; i < b->count; i++) {
		uint32_t type = b->events[event[i]].type;
		const struct layout *l = &types[type]->layout;
		bool rows = l->dynamic && !is_regular(l, a->record[i], a->length[i]);

		table_of[i] = type * 2 + rows;
		count[table_of[i]]++;
	}
	a->ntables = 0;
	for (uint32_t k = 0; k < 2 * ntypes; k++) {
		if (!count[k])
			continue;
		a->tables[a->ntables] = (struct arrange_table){
			.type = k / 2, .rows = k % 2, .n = count[k], .first = first,
		};
		first += count[k];
		count[k] = a->ntables++;
	}
	for (uint32_t i = 0; i < b->count; i++)
		table_of[i] = count[table_of[i]];
	free(count);
	return true;
}

static void list_members(struct arrange *a, const uint32_t *table_of, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct arrange_table *t = &a->tables[table_of[i]];

		a->member[t->first++] = i;
	}
	for (uint32_t k = 0; k < a->ntables; k++)
		a->tables[k].first -= a->tables[k].n;
}

/* ---- classes --------------------------------------------------------------------------- */

struct key {
	uint64_t v[ARRANGE_KEYS];
};

static inline bool same_key(const struct key *a, const struct key *b, uint32_t nkeys)
{
	for (uint32_t i = 0; i < nkeys; i++)
		if (a->v[i] != b->v[i])
			return false;
	return true;
}

static inline uint32_t key_slot(const struct key *k, uint32_t nkeys)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nkeys; i++)
		sum = (sum + k->v[i] + 1) * 0x9e3779b97f4a7c15ull;
	return (sum >> 32) & (CLASS_TABLE - 1);
}

/* Gives each event of a table a class by its key; false when there are more than max. */
static bool classify(struct arrange *a, struct arrange_table *t, const struct layout *l,
		     uint32_t max, uint32_t *slots)
{
	struct key *keys = (struct key *)(void *)a->class_key + t->first_class;
	uint32_t *count = a->class_count + t->first_class, nkeys = t->nkeys;

	memset(slots, 0, CLASS_TABLE * sizeof(*slots));
	t->nclasses = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t e = a->member[t->first + i], at;
		struct key k;

		if (i + AHEAD < t->n)
			__builtin_prefetch(a->record[a->member[t->first + i + AHEAD]] + 8);

		for (uint32_t q = 0; q < nkeys; q++)
			k.v[q] = arrange_number(&l->columns[t->keys[q]], a->record[e]);
		at = key_slot(&k, nkeys);
		while (slots[at] && !same_key(&keys[slots[at] - 1], &k, nkeys))
			at = (at + 1) & (CLASS_TABLE - 1);
		if (!slots[at]) {
			if (t->nclasses == max)
				return false;
			keys[t->nclasses] = k;
			count[t->nclasses] = 0;
			slots[at] = ++t->nclasses;
		}
		a->events.class_of[e] = (uint16_t)(t->first_class + slots[at] - 1);
		count[slots[at] - 1]++;
	}
	return true;
}

static void one_class(struct arrange *a, struct arrange_table *t)
{
	t->nkeys = 0;
	t->nclasses = 1;
	a->class_count[t->first_class] = t->n;
	for (uint32_t i = 0; i < t->n; i++)
		a->events.class_of[a->member[t->first + i]] = (uint16_t)t->first_class;
}

static bool make_classes(struct arrange *a, struct arrange_type *const *types)
{
	uint32_t slots[CLASS_TABLE];

	a->nclasses = 0;
	for (uint32_t k = 0; k < a->ntables; k++) {
		struct arrange_table *t = &a->tables[k];
		struct arrange_type *type = types[t->type];
		/* One class is kept for each table to come. */
		uint32_t max = ARRANGE_CLASSES - a->nclasses - (a->ntables - k);

		t->first_class = a->nclasses;
		t->keys = type->keys;
		t->nkeys = t->rows ? 0 : type->nkeys;
		if (t->nkeys) {
			max = max < t->n / 4 + 1 ? max : t->n / 4 + 1;
			max = max < KEY_CLASSES ? max : KEY_CLASSES;
		} else if (!t->rows && type->spare_key >= 0 && t->n >= SPARE_KEY_EVENTS) {
			type->keys[0] = type->spare_key;
			t->nkeys = 1;
			max = max < SPARE_KEY_CLASSES ? max : SPARE_KEY_CLASSES;
		}
		if (!t->nkeys || !classify(a, t, &type->layout, max, slots))
			one_class(a, t);
		a->nclasses += t->nclasses;
	}
	return true;
}

static bool make_positions(struct arrange *a, uint32_t count)
{
	uint32_t *next = malloc((a->nclasses + 1) * sizeof(*next)), at = 0;

	if (!next)
		return false;
	for (uint32_t k = 0; k < a->nclasses; k++) {
		next[k] = at;
		at += a->class_count[k];
	}
	for (uint32_t i = 0; i < count; i++)
		a->events.position[i] = next[a->events.class_of[i]]++;
	free(next);
	return true;
}

int arrange(struct arrange *a, const struct batch *b, struct arrange_type *const *types,
	    uint32_t ntypes)
{
	size_t n = b->count + 1, classes = n + KEY_CLASSES + 2;
	struct room *m = a->memory;
	uint32_t *event, *table_of;

	a->events.count = b->count;
	a->events.pid = NULL;
	a->events.class_of = room_for(&m[ROOM_CLASS], n * 2);
	a->events.position = room_for(&m[ROOM_POSITION], n * 4);
	a->events.ts = room_for(&m[ROOM_TS], n * 8);
	a->record = room_for(&m[ROOM_RECORD], n * sizeof(*a->record));
	a->length = room_for(&m[ROOM_LENGTH], n * 4);
	a->member = room_for(&m[ROOM_MEMBER], n * 4);
	a->class_count = room_for(&m[ROOM_COUNTS], classes * 4);
	a->class_key = room_for(&m[ROOM_KEYS], classes * sizeof(struct key));
	event = room_for(&m[ROOM_EVENT], n * 8);
	if (!a->events.class_of || !a->events.position || !a->events.ts || !a->record ||
	    !a->length || !a->member || !a->class_count || !a->class_key || !event)
		return -1;
	table_of = event + n;
	if (!order_events(a, b, event) || !make_tables(a, b, event, types, ntypes, table_of))
		return -1;
	list_members(a, table_of, b->count);
	if (!make_classes(a, types) || !make_positions(a, b->count))
		return -1;
	return 0;
}

void arrange_free(struct arrange *a)
{
	for (size_t i = 0; i < sizeof(a->memory) / sizeof(a->memory[0]); i++)
		free(a->memory[i].p);
	memset(a, 0, sizeof(*a));
}
