/* SPDX-License-Identifier: MIT */
/*
 * lcov's tracefile: for each source file TN, SF, functions (FN, FNDA), conditional jumps (BRDA) and
 * lines (DA), of all functions of which something ran. A line ran as often as that of its
 * instructions that ran most often.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/flow/counts.h"
#include "decode/base/escape.h"
#include "decode/flow/export.h"

/* A piece of what is told of a file. */
struct fact {
	const char *file;
	uint32_t line;
	enum { FACT_FUNCTION, FACT_JUMP, FACT_LINE } what;
	uint64_t count, other;   /* a jump: taken, and not */
	const char *name;        /* a function's */
	uint64_t vaddr;
};

struct facts {
	struct fact *list;
	size_t n;
	bool failed;
};

static void add(struct facts *f, const struct fact *fact)
{
	if (!array_grow(f->list, f->n)) {
		f->failed = true;
		return;
	}
	f->list[f->n++] = *fact;
}

/* The number of the first of n elements, each beginning with its vaddr, at or after an address. */
static size_t first_at(const void *array, size_t n, size_t size, uint64_t vaddr)
{
	const char *before = vaddr ? image_last_before(array, n, size, vaddr - 1) : NULL;

	return before ? (size_t)(before - (const char *)array) / size + 1 : 0;
}

/* How often each element of an array ran: differences first, then sums. */
static uint64_t *runs(const void *array, size_t n, size_t size, const struct image_module *m,
		      const struct flow_table *blocks)
{
	uint64_t *count = calloc(n + 1, sizeof(*count));

	for (size_t i = 0; count && i < blocks->used; i++) {
		const struct flow_count *b = &blocks->slots[i];

		if (b->from_module != m)
			continue;
		count[first_at(array, n, size, b->from)] += b->count;
		count[first_at(array, n, size, b->to + 1)] -= b->count;
	}
	for (size_t i = 1; count && i < n; i++)
		count[i] += count[i - 1];
	return count;
}

/* A block that begins within a row has run a part of it. */
static void add_parts(const struct image_module *m, const struct flow_table *blocks,
		      uint64_t *count)
{
	for (size_t i = 0; i < blocks->used; i++) {
		const struct flow_count *b = &blocks->slots[i];
		const struct image_line *l = b->from_module == m ?
			image_last_before(m->lines, m->nlines, sizeof(*l), b->from) : NULL;

		if (l && !count[l - m->lines])
			count[l - m->lines] = b->count;
	}
}

static void add_lines(struct facts *f, struct image_module *m, const struct flow_table *blocks)
{
	uint64_t *count = runs(m->lines, m->nlines, sizeof(*m->lines), m, blocks);

	if (!count) {
		f->failed = true;
		return;
	}
	add_parts(m, blocks, count);
	for (size_t i = 0; i < m->nlines; i++) {
		const struct image_line *l = &m->lines[i];
		/* a row of no bytes, as the next one is at its place */
		bool empty = i + 1 < m->nlines && m->lines[i + 1].vaddr == l->vaddr;

		if (l->line && !empty)
			add(f, &(struct fact){ .file = m->files[l->file], .line = l->line,
					       .what = FACT_LINE, .count = count[i] });
	}
	free(count);
}

static void add_functions(struct facts *f, struct image_module *m, const struct flow_table *blocks)
{
	uint64_t *count = runs(m->functions, m->nfunctions, sizeof(*m->functions), m, blocks);

	if (!count) {
		f->failed = true;
		return;
	}
	for (size_t i = 0; i < m->nfunctions; i++) {
		struct fact fact = { .what = FACT_FUNCTION, .name = m->functions[i].name,
				     .count = count[i], .vaddr = m->functions[i].vaddr };

		if (image_line_at(m, fact.vaddr, &fact.file, &fact.line))
			add(f, &fact);
	}
	free(count);
}

static void add_jumps(struct facts *f, struct image_module *m, struct counts *c)
{
	uint64_t *count = runs(m->insns, m->ninsns, sizeof(*m->insns), m, &c->blocks);
	uint64_t *taken = calloc(m->ninsns + 1, sizeof(*taken));

	for (size_t i = 0; taken && i < c->edges.used; i++) {
		const struct flow_count *e = &c->edges.slots[i];
		const struct image_insn *at = e->from_module == m ?
			image_last_before(m->insns, m->ninsns, sizeof(*at), e->from) : NULL;

		if (at && at->vaddr == e->from)
			taken[at - m->insns] += e->count;
	}
	for (size_t i = 0; count && taken && i < m->ninsns; i++) {
		struct fact fact = {.what = FACT_JUMP,
				    .vaddr = m->insns[i].vaddr,
				    .count = taken[i]};

		/* the first branch of a recording has no block in front */
		fact.other = count[i] > taken[i] ? count[i] - taken[i] : 0;
		if (m->insns[i].kind == BRANCH_JCC &&
		    image_line_at(m, fact.vaddr, &fact.file, &fact.line))
			add(f, &fact);
	}
	f->failed |= !count || !taken;
	free(count);
	free(taken);
}

static int by_file(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	int n = strcmp(x->file, y->file);

	if (n || x->what != y->what)
		return n ? n : (int)x->what - (int)y->what;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

static void put_functions(const struct fact *f, size_t n, struct out *o)
{
	uint64_t found = 0, hit = 0;

	for (size_t i = 0; i < n; i++) {
		if (f[i].what != FACT_FUNCTION)
			continue;
		found++;
		hit += f[i].count > 0;
		out_printf(o, "FN:%" PRIu32 ",", f[i].line);
		out_safe(o, f[i].name, strlen(f[i].name));
		out_printf(o, "\nFNDA:%" PRIu64 ",", f[i].count);
		out_safe(o, f[i].name, strlen(f[i].name));
		out_char(o, '\n');
	}
	out_printf(o, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", found, hit);
}

static void put_way(struct out *o, const struct fact *f, unsigned int block, unsigned int way)
{
	uint64_t count = way ? f->other : f->count;

	out_printf(o, "BRDA:%" PRIu32 ",%u,%u,", f->line, block, way);
	if (f->count || f->other)
		out_printf(o, "%" PRIu64 "\n", count);
	else
		out_str(o, "-\n");
}

static void put_jumps(const struct fact *f, size_t n, struct out *o)
{
	uint64_t found = 0, hit = 0;
	unsigned int block = 0;

	for (size_t i = 0; i < n; i++) {
		if (f[i].what != FACT_JUMP)
			continue;
		block = i && f[i - 1].what == FACT_JUMP && f[i - 1].line == f[i].line ? block + 1
										      : 0;
		put_way(o, &f[i], block, 0);
		put_way(o, &f[i], block, 1);
		found += 2;
		hit += (f[i].count > 0) + (f[i].other > 0);
	}
	if (found)
		out_printf(o, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", found, hit);
}

static void put_lines(const struct fact *f, size_t n, struct out *o)
{
	uint64_t found = 0, hit = 0, count = 0;

	for (size_t i = 0; i < n; i++) {
		if (f[i].what != FACT_LINE)
			continue;
		count = f[i].count > count ? f[i].count : count;
		if (i + 1 < n && f[i + 1].line == f[i].line)
			continue;
		out_printf(o, "DA:%" PRIu32 ",%" PRIu64 "\n", f[i].line, count);
		found++;
		hit += count > 0;
		count = 0;
	}
	out_printf(o, "LF:%" PRIu64 "\nLH:%" PRIu64 "\n", found, hit);
}

static void put_facts(const struct facts *f, struct out *o)
{
	size_t end;

	for (size_t i = 0; i < f->n; i = end) {
		for (end = i; end < f->n && !strcmp(f->list[end].file, f->list[i].file);)
			end++;
		out_str(o, "TN:\nSF:");
		out_safe(o, f->list[i].file, strlen(f->list[i].file));
		out_char(o, '\n');
		put_functions(f->list + i, end - i, o);
		put_jumps(f->list + i, end - i, o);
		put_lines(f->list + i, end - i, o);
		out_str(o, "end_of_record\n");
	}
}

int lcov_write(struct stream *s, struct out *out, struct trawl_error *err)
{
	struct counts c = { 0 };
	struct facts f = { 0 };
	int got;

	counts_start(&c, stream_selection(s));
	got = counts_run(&c, s, "--to lcov", err);
	flow_table_entries(&c.blocks);
	flow_table_entries(&c.edges);
	for (struct image_module *m = got || !c.images ? NULL : images_modules(c.images); m;
	     m = m->next) {
		image_sort(m);
		add_lines(&f, m, &c.blocks);
		add_functions(&f, m, &c.blocks);
		add_jumps(&f, m, &c);
	}
	if (!got && f.failed)
		got = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!got && !f.n)
		got = trawl_fail(err, TRAWL_USAGE, "--to lcov: the file knows no source lines: the "
				 "programs were compiled without -g, or have no debug files here");
	if (!got) {
		qsort(f.list, f.n, sizeof(*f.list), by_file);
		put_facts(&f, out);
	}
	free(f.list);
	counts_free(&c);
	return got;
}
