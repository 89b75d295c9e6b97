/* SPDX-License-Identifier: MIT */
/*
 * drcov: a table of modules as text, then a binary entry for each block: u32 offset from the
 * module's start, u16 size, u16 number of the module.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/flow/counts.h"
#include "decode/base/escape.h"
#include "decode/flow/export.h"

enum { BLOCK_MOST = UINT16_MAX };

/* Offset 0 of the file, as linked. */
static uint64_t linked_base(const struct image_module *m)
{
	return m->nsegments ? m->segments[0].vaddr - m->segments[0].offset : 0;
}

/* Its number in the table: those with blocks only, in the order of their own numbers. */
struct numbers {
	struct image_module **modules;
	size_t n;
};

static size_t number_of(struct numbers *t, struct image_module *m)
{
	struct image_module **more;

	for (size_t i = 0; i < t->n; i++) {
		if (t->modules[i] == m)
			return i;
	}
	more = realloc(t->modules, (t->n + 1) * sizeof(*more));
	if (!more)
		return SIZE_MAX;
	t->modules = more;
	more[t->n] = m;
	return t->n++;
}

static int by_place(const void *a, const void *b)
{
	const struct flow_count *x = a, *y = b;

	if (x->from_module != y->from_module)
		return x->from_module < y->from_module ? -1 : 1;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) :
				    (x->to > y->to) - (x->to < y->to);
}

static void put_entry(struct out *blocks, uint64_t start, uint64_t size, size_t module)
{
	out_le32(blocks, (uint32_t)start);
	out_le16(blocks, (uint16_t)size);
	out_le16(blocks, (uint16_t)module);
}

/* Returns how many entries. */
static uint64_t put_block(struct out *blocks, const struct flow_count *b, struct numbers *t)
{
	size_t module = number_of(t, b->from_module);
	uint64_t start = b->from - linked_base(b->from_module), n = 0;
	uint64_t size = b->to - b->from + image_insn_length(b->from_module, b->to);

	if (module > UINT16_MAX || start + size > UINT32_MAX)
		return 0;
	for (; size; n++) {
		uint64_t part = size < BLOCK_MOST ? size : BLOCK_MOST;

		put_entry(blocks, start, part, module);
		start += part;
		size -= part;
	}
	return n;
}

static void put_modules(struct out *o, const struct numbers *t)
{
	out_str(o, "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\n");
	out_printf(o, "Module Table: version 2, count %zu\n", t->n);
	out_str(o, "Columns: id, base, end, entry, checksum, timestamp, path\n");
	for (size_t i = 0; i < t->n; i++) {
		const struct image_module *m = t->modules[i];

		out_printf(o, "%2zu, 0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016x, 0x%08x, 0x%08x, ",
			   i, m->base, m->end, 0, 0, 0);
		out_safe(o, m->path, strlen(m->path));
		out_char(o, '\n');
	}
}

int drcov_write(struct stream *s, struct out *out, struct trawl_error *err)
{
	struct counts c = { 0 };
	struct numbers t = { 0 };
	struct flow_count *b;
	struct out blocks;
	uint64_t n = 0;
	int got;

	counts_start(&c, stream_selection(s));
	got = counts_run(&c, s, "--to drcov", err);
	out_memory(&blocks);
	b = flow_table_entries(&c.blocks);
	if (!got && c.blocks.used)
		qsort(b, c.blocks.used, sizeof(*b), by_place);
	for (size_t i = 0; !got && i < c.blocks.used; i++) {
		if (b[i].from_module)
			n += put_block(&blocks, &b[i], &t);
	}
	if (!got) {
		put_modules(out, &t);
		out_printf(out, "BB Table: %" PRIu64 " bbs\n", n);
		out_bytes(out, blocks.data, blocks.len);
	}
	if (!got && blocks.error)
		got = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	out_free(&blocks);
	free(t.modules);
	counts_free(&c);
	return got;
}
