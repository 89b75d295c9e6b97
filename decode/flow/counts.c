/* SPDX-License-Identifier: MIT */
#include "decode/flow/counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/hashtable.h"
#include "decode/base/cli.h"

enum {
	BLOCKS = 1 << 17,
	BLOCK_MOST = 1 << 20, /* bytes; a longer range without a branch is no block of code */
};

/* ---- tables ------------------------------------------------------------------------------ */

static bool table_used(const struct flow_count *s)
{
	return s->count;
}

static bool table_has_key(const struct flow_count *s, const struct flow_count *k)
{
	return s->from == k->from && s->to == k->to && s->kind == k->kind && s->open == k->open &&
	       s->from_module == k->from_module && s->to_module == k->to_module;
}

static const struct flow_count *table_key(const struct flow_count *s)
{
	return s;
}

static uint64_t table_hash(const struct flow_count *k)
{
	return (k->from * 0x9E3779B97F4A7C15u ^ k->to * 0xC2B2AE3D27D4EB4Fu ^ k->kind) +
	       (uintptr_t)k->from_module;
}

HASH_TABLE(table, struct flow_table, struct flow_count, const struct flow_count *)

static bool add(struct flow_table *t, const struct flow_count *k)
{
	struct flow_count *s = table_slot(t, k);

	if (!s)
		return false;
	if (!s->count) {
		*s = *k;
		t->n++;
		return true;
	}
	s->count += k->count;
	s->predictions += k->predictions;
	s->mispredicted += k->mispredicted;
	s->timed += k->timed;
	s->cycles += k->cycles;
	return true;
}

struct flow_count *flow_table_entries(struct flow_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->room; i++) {
		if (t->slots[i].count)
			t->slots[n++] = t->slots[i];
	}
	return t->slots;
}

int flow_module_order(const struct image_module *a, const struct image_module *b)
{
	if (a == b || !a || !b)
		return !a - !b;
	return (a->number > b->number) - (a->number < b->number);
}

/* ---- a batch ----------------------------------------------------------------------------- */

/* Returns the module and stores the address as linked; without a module, the unchanged address. */
static struct image_module *place(const struct flow_stretch *s, uint64_t address, uint64_t *vaddr)
{
	struct image_place p;

	flow_place(s, address, &p);
	*vaddr = p.module ? p.vaddr : address;
	return p.range ? p.range->module : NULL;
}

static void count_pairs(struct counts *c, const struct flow_stretch *s)
{
	const struct branch_batch *b = &s->batch->batch;

	memset(c->pairs, 0, b->npairs * sizeof(*c->pairs));
	for (uint32_t i = s->first; i < s->end; i++) {
		struct flow_count *p = &c->pairs[b->ids[i]];

		p->count++;
		p->predictions += b->flags &&
			b->flags[i] & (BRANCH_MISPREDICTED | BRANCH_PREDICTED);
		p->mispredicted += b->flags && b->flags[i] & BRANCH_MISPREDICTED;
		p->timed += b->cycles && b->cycles[i];
		p->cycles += b->cycles ? b->cycles[i] : 0;
	}
	for (uint32_t i = 0; i < b->npairs; i++) {
		struct flow_count *p = &c->pairs[i];

		if (!p->count)
			continue;
		p->kind = b->pairs[i].kind;
		p->from_module = place(s, b->pairs[i].from, &p->from);
		p->to_module = place(s, b->pairs[i].to, &p->to);
		c->failed |= !add(&c->edges, p);
	}
}

/*
 * Counts a block: the code from `start` to the instruction at `last` ran. Ignored if the two are
 * not in one module.
 */
static void add_block(struct counts *c, const struct flow_stretch *s, uint64_t start, uint64_t last,
		      uint64_t count)
{
	struct flow_count k = { .count = count };

	k.from_module = place(s, start, &k.from);
	k.to_module = place(s, last, &k.to);
	if (k.from_module == k.to_module && k.to >= k.from && k.to - k.from <= BLOCK_MOST)
		c->failed |= !add(&c->blocks, &k);
}

/*
 * The target of a task's last branch. It was executed, but if branches are missing after it, or the
 * task ended, the end of its block is unknown.
 */
struct arrival {
	struct image_module *module;
	uint64_t vaddr;
	bool any;
};

static void count_arrival(struct counts *c, struct arrival *a)
{
	struct flow_count k = { .from_module = a->module, .to_module = a->module, .from = a->vaddr,
				.to = a->vaddr, .count = 1, .open = true };

	if (a->any)
		c->failed |= !add(&c->blocks, &k);
	a->any = false;
}

/*
 * Counts the target of the branches before this stretch, if the stretch does not follow them, and
 * keeps the target of this stretch's last branch.
 */
static void note_arrival(struct counts *c, const struct flow_stretch *s)
{
	const struct branch_batch *b = &s->batch->batch;
	struct arrival *a = s->task->own;

	if (!a)
		a = s->task->own = calloc(1, sizeof(*a));
	if (!a) {
		c->failed = true;
		return;
	}
	if (!s->task->known || b->pairs[b->ids[s->first]].kind == BRANCH_EXEC)
		count_arrival(c, a);
	a->module = place(s, b->pairs[b->ids[s->end - 1]].to, &a->vaddr);
	a->any = true;
}

static void count_last_arrivals(struct counts *c)
{
	const size_t n = sizeof(c->flow.tasks) / sizeof(*c->flow.tasks);

	for (size_t i = 0; i < n; i++) {
		for (struct flow_task *t = c->flow.tasks[i]; t; t = t->next) {
			if (t->own)
				count_arrival(c, t->own);
		}
	}
}

static void flush_blocks(struct counts *c, const struct flow_stretch *s)
{
	const struct branch_batch *b = &s->batch->batch;

	for (size_t i = 0; i < BLOCKS; i++) {
		if (!c->blocks_of[i].count)
			continue;
		add_block(c, s, b->pairs[c->blocks_of[i].before].to,
			  b->pairs[c->blocks_of[i].pair].from, c->blocks_of[i].count);
		c->blocks_of[i].count = 0;
	}
	c->nblocks_of = 0;
}

static void count_blocks(struct counts *c, const struct flow_stretch *s)
{
	const struct branch_batch *b = &s->batch->batch;

	if (s->task->known && b->pairs[b->ids[s->first]].kind != BRANCH_EXEC)
		add_block(c, s, s->task->to, b->pairs[b->ids[s->first]].from, 1);
	for (uint32_t i = s->first + 1; i < s->end; i++) {
		uint32_t before = b->ids[i - 1], pair = b->ids[i];
		size_t at = (before * 0x9E3779B1u ^ pair * 0x85EBCA77u) >> 15;

		if (b->pairs[pair].kind == BRANCH_EXEC)
			continue;
		while (c->blocks_of[at].count && (c->blocks_of[at].before != before ||
						  c->blocks_of[at].pair != pair))
			at = (at + 1) % BLOCKS;
		c->nblocks_of += !c->blocks_of[at].count;
		c->blocks_of[at].before = before;
		c->blocks_of[at].pair = pair;
		c->blocks_of[at].count++;
		if (c->nblocks_of > BLOCKS / 2)
			flush_blocks(c, s);
	}
	flush_blocks(c, s);
}

static int take(struct flow *f, const struct flow_stretch *s)
{
	struct counts *c = (struct counts *)f;
	size_t n = s->batch->batch.npairs;

	c->images = s->batch->images;
	if (n > c->npairs) {
		free(c->pairs);
		c->pairs = malloc(n * sizeof(*c->pairs));
		c->npairs = c->pairs ? n : 0;
	}
	if (!c->blocks_of)
		c->blocks_of = calloc(BLOCKS, sizeof(*c->blocks_of));
	if (!c->pairs || !c->blocks_of) {
		c->failed = true;
		return 1;
	}
	count_pairs(c, s);
	count_blocks(c, s);
	note_arrival(c, s);
	return c->failed;
}

void counts_start(struct counts *c, const struct selection *selection)
{
	flow_start(&c->flow, selection);
	c->flow.stretch = take;
}

int counts_run(struct counts *c, struct stream *s, const char *what, struct trawl_error *err)
{
	if (flow_run(&c->flow, s, what, err))
		return -1;
	count_last_arrivals(c);
	return c->failed ? trawl_fail(err, TRAWL_CANNOT, "out of memory") : 0;
}

void counts_note_gaps(const struct counts *c, const char *what)
{
	flow_note_gaps(&c->flow, what, "code that ran may be counted too low, or as not run");
}

void counts_free(struct counts *c)
{
	flow_end(&c->flow);
	free(c->edges.slots);
	free(c->blocks.slots);
	free(c->pairs);
	free(c->blocks_of);
}
