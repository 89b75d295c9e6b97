/* SPDX-License-Identifier: MIT */
/*
 * lcov's tracefile format: for each source file TN, SF, functions (FN, FNDA), conditional jumps
 * (BRDA) and lines (DA). The count of a line in a function is that of its most frequently executed
 * instruction. Several functions can have the same line, such as those of a template: their counts
 * are added, as gcov does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/compare.h"
#include "decode/base/cli.h"
#include "decode/flow/counts.h"
#include "decode/base/escape.h"
#include "decode/flow/export.h"

/* One record about a source file. */
struct fact {
	const struct image_module *module;
	const char *file;
	uint32_t line;
	enum { FACT_FUNCTION, FACT_JUMP, FACT_LINE } what;
	uint64_t count, other;   /* jump: how often it was taken, and how often not */
	const char *name;        /* name of a function */
	uint64_t vaddr;          /* of a function or jump; of the function that a line is in */
};

struct coverage {
	struct fact *list;
	size_t n;
	bool failed;
};

static void add(struct coverage *f, const struct fact *fact)
{
	if (!array_grow(f->list, f->n)) {
		f->failed = true;
		return;
	}
	f->list[f->n++] = *fact;
}

/*
 * Returns the index of the first element after an address. `array` has n elements of `size` bytes,
 * sorted by their first member, vaddr.
 */
static size_t first_after(const void *array, size_t n, size_t size, uint64_t vaddr)
{
	const char *before = image_last_before(array, n, size, vaddr);

	return before ? (size_t)(before - (const char *)array) / size + 1 : 0;
}

/*
 * Returns how often each element of an array was executed; the caller frees the result. closed:
 * does not count blocks whose end is unknown. Adds differences at the ends of blocks, and then sums
 * them up.
 */
static uint64_t *runs(const void *array, size_t n, size_t size, const struct image_module *m,
		      const struct flow_table *blocks, bool closed)
{
	uint64_t *count = calloc(n + 1, sizeof(*count));

	for (size_t i = 0; count && i < blocks->n; i++) {
		const struct flow_count *b = &blocks->slots[i];

		if (b->from_module != m || (closed && b->open))
			continue;
		count[b->from ? first_after(array, n, size, b->from - 1) : 0] += b->count;
		count[first_after(array, n, size, b->to)] -= b->count;
	}
	for (size_t i = 1; count && i < n; i++)
		count[i] += count[i - 1];
	return count;
}

/* From this address on, code ran `by` times more, modulo 2^64. */
struct change {
	uint64_t vaddr, by;
};

static int by_vaddr(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

/* Where blocks of a module begin and end, by address; NULL: out of memory. */
static struct change *changes_of(const struct image_module *m, const struct flow_table *blocks,
				 size_t *n)
{
	struct change *list = calloc(2 * blocks->n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < blocks->n; i++) {
		const struct flow_count *b = &blocks->slots[i];

		if (b->from_module != m)
			continue;
		list[(*n)++] = (struct change){ b->from, b->count };
		if (b->to < UINT64_MAX)
			list[(*n)++] = (struct change){ b->to + 1, -b->count };
	}
	if (list)
		qsort(list, *n, sizeof(*list), by_vaddr);
	return list;
}

/*
 * Returns how often each row ran: the largest count of its bytes. A block may begin within a row,
 * at the target of a jump or the return address of a call.
 */
static uint64_t *row_counts(struct image_module *m, const struct flow_table *blocks)
{
	uint64_t *count = calloc(m->nlines + 1, sizeof(*count)), now = 0;
	size_t n, at = 0;
	struct change *change = count ? changes_of(m, blocks, &n) : NULL;

	if (!change) {
		free(count);
		return NULL;
	}
	for (size_t i = 0; i < m->nlines; i++) {
		uint64_t end = image_line_end(m, i);

		for (; at < n && change[at].vaddr <= m->lines[i].vaddr; at++)
			now += change[at].by;
		count[i] = now;
		while (at < n && change[at].vaddr < end) {
			uint64_t here = change[at].vaddr;

			for (; at < n && change[at].vaddr == here; at++)
				now += change[at].by;
			count[i] = now > count[i] ? now : count[i];
		}
	}
	free(change);
	return count;
}

/* Returns the function that has the row. The cold part of a function counts as the function. */
static const struct image_function *function_of_row(const struct image_module *m,
						    const struct image_line *l)
{
	const struct image_function *f =
		image_last_before(m->functions, m->nfunctions, sizeof(*f), l->vaddr);
	size_t n = f ? image_base_length(f->name) : 0;

	if (!f || !f->name[n])
		return f;
	for (size_t i = 0; i < m->nfunctions; i++) {
		if (strlen(m->functions[i].name) == n && !memcmp(m->functions[i].name, f->name, n))
			return &m->functions[i];
	}
	return f;
}

static void add_lines(struct coverage *f, struct image_module *m, const struct flow_table *blocks)
{
	uint64_t *count = row_counts(m, blocks);
	const struct image_function *in = NULL, *own = NULL, *now;

	if (!count) {
		f->failed = true;
		return;
	}
	for (size_t i = 0; i < m->nlines; i++) {
		const struct image_line *l = &m->lines[i];
		/* a row without bytes: the next row has the same address */
		bool empty = i + 1 < m->nlines && m->lines[i + 1].vaddr == l->vaddr;

		if (!l->line || empty)
			continue;
		now = image_last_before(m->functions, m->nfunctions, sizeof(*now), l->vaddr);
		if (now != in)
			own = function_of_row(m, l);
		in = now;
		add(f, &(struct fact){ .module = m, .file = m->files[l->file], .line = l->line,
				       .what = FACT_LINE, .count = count[i],
				       .vaddr = own ? own->vaddr : 0 });
	}
	free(count);
}

static void add_functions(struct coverage *f, struct image_module *m,
			  const struct flow_table *blocks)
{
	uint64_t *count = runs(m->functions, m->nfunctions, sizeof(*m->functions), m, blocks,
			       false);

	if (!count) {
		f->failed = true;
		return;
	}
	for (size_t i = 0; i < m->nfunctions; i++) {
		struct fact fact = { .module = m, .what = FACT_FUNCTION,
				     .name = m->functions[i].name, .count = count[i],
				     .vaddr = m->functions[i].vaddr };

		if (image_line_at(m, fact.vaddr, &fact.file, &fact.line))
			add(f, &fact);
	}
	free(count);
}

static void add_jumps(struct coverage *f, struct image_module *m, struct counts *c)
{
	/* a jump that is the last known target: whether it was taken is not known */
	uint64_t *count = runs(m->insns, m->ninsns, sizeof(*m->insns), m, &c->blocks, true);
	uint64_t *taken = calloc(m->ninsns + 1, sizeof(*taken));

	for (size_t i = 0; taken && i < c->edges.n; i++) {
		const struct flow_count *e = &c->edges.slots[i];
		const struct image_insn *at = e->from_module == m ?
			image_last_before(m->insns, m->ninsns, sizeof(*at), e->from) : NULL;

		if (at && at->vaddr == e->from)
			taken[at - m->insns] += e->count;
	}
	for (size_t i = 0; count && taken && i < m->ninsns; i++) {
		struct fact fact = {.module = m,
				    .what = FACT_JUMP,
				    .vaddr = m->insns[i].vaddr,
				    .count = taken[i]};

		/* the first branch of a recording has no block before it */
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

	if (!n)
		n = compare_pairs(x->module->section, y->module->section, x->what, y->what);
	if (!n)
		n = compare_pairs(x->line, y->line, x->vaddr, y->vaddr);
	return n ? n : flow_module_order(x->module, y->module);
}

/* Whether both are of one record. Readers add a file's records, one of each recording. */
static bool same_record(const struct fact *a, const struct fact *b)
{
	return !strcmp(a->file, b->file) && a->module->section == b->module->section;
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
	uint64_t found = 0, hit = 0, count = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		bool more = i + 1 < n && f[i + 1].line == f[i].line;

		if (f[i].what != FACT_LINE)
			continue;
		count = f[i].count > count ? f[i].count : count;
		if (more && f[i + 1].vaddr == f[i].vaddr && f[i + 1].module == f[i].module)
			continue;
		sum += count;
		count = 0;
		if (more)
			continue;
		out_printf(o, "DA:%" PRIu32 ",%" PRIu64 "\n", f[i].line, sum);
		found++;
		hit += sum > 0;
		sum = 0;
	}
	out_printf(o, "LF:%" PRIu64 "\nLH:%" PRIu64 "\n", found, hit);
}

static void put_coverage(const struct coverage *f, struct out *o)
{
	size_t end;

	for (size_t i = 0; i < f->n; i = end) {
		for (end = i; end < f->n && same_record(&f->list[i], &f->list[end]);)
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

static bool is_partial(const struct image_module *m)
{
	return !m->whole && m->nlines;
}

static bool lacks_lines(const struct image_module *m)
{
	return image_ran(m) && !m->nlines && strcmp(m->path, "[vdso]") != 0;
}

/*
 * Prints what holds for the modules of which `is` is true. A program is mapped below its libraries,
 * so that it is named before them.
 */
static void note_modules(struct images *images, bool (*is)(const struct image_module *m),
			 const char *what)
{
	struct trawl_error note;
	const struct image_module *first = NULL;
	size_t more = 0;
	char others[40] = "";

	for (const struct image_module *m = images_modules(images); m; m = m->next) {
		if (!is(m))
			continue;
		more += first != NULL;
		if (!first || m->base < first->base)
			first = m;
	}
	if (!first)
		return;
	if (more)
		snprintf(others, sizeof(others), " and %zu more", more);
	trawl_fail(&note, TRAWL_USAGE, "%s%s: %s", first->path, others, what);
	cli_note(NULL, &note);
}

int lcov_write(struct stream *s, struct out *out, struct trawl_error *err)
{
	struct counts c = { 0 };
	struct coverage f = { 0 };
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
		got = trawl_fail(err, TRAWL_USAGE, "--to lcov: the file has no source lines; "
						   "compile the programs with -g, or install their "
						   "debug files, and record again");
	if (!got) {
		qsort(f.list, f.n, sizeof(*f.list), by_file);
		put_coverage(&f, out);
		note_modules(c.images, lacks_lines,
			     "what ran has no source lines, and is not in the coverage; compile "
			     "with -g, or install debug symbols, and record again");
		note_modules(c.images, is_partial,
			     "functions that were not entered are not counted: a recording has "
			     "them only for the program itself, up to 2,000 functions");
		counts_note_gaps(&c, "--to lcov");
	}
	free(f.list);
	counts_free(&c);
	return got;
}
