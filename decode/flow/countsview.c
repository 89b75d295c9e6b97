/* SPDX-License-Identifier: MIT */
#include "decode/flow/countsview.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "decode/flow/counts.h"
#include "decode/base/escape.h"

struct function {
	/* its first address; or any address of it if the function is unknown */
	struct image_place place;
	char name[IMAGE_TEXT];
	uint64_t entries;   /* calls and jumps from other functions to its first instruction */
	uint64_t branches;  /* branches taken inside it */
	uint64_t predictions, mispredicted; /* as in struct flow_count */
};

/* Builds a place from a module and an address as linked. */
static struct image_place place(struct image_module *m, uint64_t at)
{
	struct image_place p = { .address = at, .module = m, .vaddr = at };

	if (!m)
		return p;
	p.function = image_function_at(m, at);
	image_line_at(m, at, &p.file, &p.line);
	return p;
}

static void name_of(const struct image_place *p, char *buf)
{
	if (p->module)
		image_describe_function(p, buf);
	else
		snprintf(buf, IMAGE_TEXT, "[no file]");
}

static int by_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int n = strcmp(x->name, y->name);

	return n ? n : flow_module_order(x->place.module, y->place.module);
}

static int by_branches(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->branches != y->branches)
		return x->branches < y->branches ? 1 : -1;
	return by_name(a, b);
}

static int by_count(const void *a, const void *b)
{
	const struct flow_count *x = a, *y = b;
	int n = compare_numbers(y->count, x->count);

	if (!n)
		n = flow_module_order(x->from_module, y->from_module);
	if (!n)
		n = compare_numbers(x->from, y->from);
	if (!n)
		n = flow_module_order(x->to_module, y->to_module);
	return n ? n : compare_pairs(x->to, y->to, x->kind, y->kind);
}

static struct function half(struct image_module *m, uint64_t at)
{
	struct function f = { .place = place(m, at) };

	name_of(&f.place, f.name);
	return f;
}

/*
 * Collects both ends of all edges and merges those of one function. Returns an array of *count
 * elements.
 */
static struct function *functions(const struct flow_count *edges, size_t n, size_t *count)
{
	struct function *all = calloc(2 * n + 1, sizeof(*all));
	size_t used = 0;

	for (size_t i = 0; all && i < n; i++) {
		const struct flow_count *e = &edges[i];
		struct function from = half(e->from_module, e->from),
				to = half(e->to_module, e->to);

		from.branches = e->count;
		from.predictions = e->predictions;
		from.mispredicted = e->mispredicted;
		if (to.place.function && to.place.vaddr == to.place.function->vaddr &&
		    (from.place.function != to.place.function || e->kind == BRANCH_CALL))
			to.entries = e->count;
		all[2 * i] = from;
		all[2 * i + 1] = to;
	}
	if (all)
		qsort(all, 2 * n, sizeof(*all), by_name);
	for (size_t i = 0; all && i < 2 * n; i++) {
		if (used && !by_name(&all[used - 1], &all[i])) {
			all[used - 1].branches += all[i].branches;
			all[used - 1].entries += all[i].entries;
			all[used - 1].predictions += all[i].predictions;
			all[used - 1].mispredicted += all[i].mispredicted;
		} else {
			all[used++] = all[i];
		}
	}
	if (all)
		qsort(all, used, sizeof(*all), by_branches);
	*count = used;
	return all;
}

/* Prints nothing if the processor recorded no predictions. */
static void put_mispredicted(struct out *o, bool json, uint64_t known, uint64_t bad, uint64_t all)
{
	if (json && known)
		out_printf(o, ",\"predictions\":%" PRIu64 ",\"mispredicted\":%" PRIu64, known, bad);
	if (json || !bad)
		return;
	out_printf(o, "  mispredicted %" PRIu64, bad);
	if (known < all)
		out_printf(o, " of %" PRIu64, known);
}

static void print_function(const struct function *f, bool json, struct out *o)
{
	const char *module = f->place.module ? f->place.module->name : "";

	if (json) {
		out_str(o, "{\"function\":");
		out_json(o, f->name, strlen(f->name));
		out_str(o, ",\"module\":");
		out_json(o, module, strlen(module));
		out_printf(o, ",\"entries\":%" PRIu64 ",\"branches\":%" PRIu64, f->entries,
			   f->branches);
		put_mispredicted(o, true, f->predictions, f->mispredicted, f->branches);
		out_str(o, "}\n");
		return;
	}
	out_printf(o, "%12" PRIu64 " %12" PRIu64 "  ", f->entries, f->branches);
	out_safe(o, f->name, strlen(f->name));
	out_str(o, *module ? " (" : "");
	out_safe(o, module, strlen(module));
	out_str(o, *module ? ")\n" : "\n");
}

static void print_place(const struct image_place *p, bool json, const char *end, struct out *o)
{
	char text[IMAGE_TEXT], line[IMAGE_TEXT];

	if (p->module)
		image_describe(p, text);
	else
		snprintf(text, sizeof(text), "0x%" PRIx64, p->address);
	image_describe_line(p, json, line);
	if (!json) {
		out_safe(o, text, strlen(text));
		out_str(o, *line ? " " : "");
		out_safe(o, line, strlen(line));
		return;
	}
	out_printf(o, ",\"%s\":", end);
	out_json(o, text, strlen(text));
	if (*line) {
		out_printf(o, ",\"%s_line\":", end);
		out_json(o, line, strlen(line));
	}
}

static void print_edge(const struct flow_count *e, bool json, struct out *o)
{
	struct image_place from = place(e->from_module, e->from), to = place(e->to_module, e->to);

	if (json)
		out_printf(o, "{\"count\":%" PRIu64 ",\"kind\":\"%s\"", e->count,
			   branch_kind_name(e->kind));
	else
		out_printf(o, "%12" PRIu64 "  %-9s ", e->count, branch_kind_name(e->kind));
	print_place(&from, json, "from", o);
	if (!json)
		out_str(o, " -> ");
	print_place(&to, json, "to", o);
	put_mispredicted(o, json, e->predictions, e->mispredicted, e->count);
	if (e->timed)
		out_printf(o, json ? ",\"cycles\":%.1f" : "  %.1f cycles",
			   (double)e->cycles / (double)e->timed);
	out_str(o, json ? "}\n" : "\n");
}

int counts_print(const struct selection *sel, struct stream *s, bool json, struct out *out,
		 struct trawl_error *err)
{
	struct counts c = { 0 };
	struct flow_count *edges;
	struct function *f;
	size_t n = 0;
	int got;

	counts_start(&c, sel);
	got = counts_run(&c, s, "--counts", err);
	edges = got ? NULL : flow_table_entries(&c.edges);
	f = got ? NULL : functions(edges, c.edges.n, &n);
	if (!got && !f)
		got = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!got && !json)
		out_str(out, "     entered     branches  function\n");
	for (size_t i = 0; i < n; i++)
		print_function(&f[i], json, out);
	if (!got && !json)
		out_str(out, "\n       taken  edge\n");
	if (!got && c.edges.n)
		qsort(edges, c.edges.n, sizeof(*edges), by_count);
	for (size_t i = 0; !got && i < c.edges.n; i++)
		print_edge(&edges[i], json, out);
	if (!got)
		counts_note_gaps(&c, "--counts");
	free(f);
	counts_free(&c);
	return got;
}
