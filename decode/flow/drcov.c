/* SPDX-License-Identifier: MIT */
/*
 * The drcov format: a table of modules as text, followed by a binary entry for each block: u32
 * offset from the module's start, u16 size in bytes, u16 index of the module.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/escape.h"
#include "decode/flow/counts.h"
#include "decode/flow/export.h"

enum { BLOCK_MOST = UINT16_MAX };

/*
 * Returns the difference between the linked address of the code and its file offset. Linkers that
 * put each segment on its own pages without aligning it in the file (lld, which Rust uses) move
 * code by some pages.
 */
static uint64_t linked_distance(const struct image_module *m)
{
	return m->nsegments ? m->segments[0].vaddr - m->segments[0].offset : 0;
}

/* Returns by how much code is moved relative to the begin of the image, a multiple of 64 KiB. */
static uint64_t moved(const struct image_module *m)
{
	return linked_distance(m) & 0xffff;
}

/* The linked address of the image's first byte: offsets of blocks count from there. */
static uint64_t linked_base(const struct image_module *m)
{
	return linked_distance(m) - moved(m);
}

/* The file's parts; modules lists only modules with blocks, in the order of their numbers. */
struct table {
	struct image_module **modules;
	size_t n;
	struct out blocks;
	uint64_t nblocks, elsewhere; /* elsewhere: number of blocks in memory without a file */
};

/* Makes m the last module of the table, unless it is already. */
static int add_module(struct table *t, struct image_module *m, struct trawl_error *err)
{
	if (t->n && t->modules[t->n - 1] == m)
		return 0;
	if (t->n > UINT16_MAX)
		return trawl_fail(err, TRAWL_CANNOT,
				  "--to drcov: more than %d modules, the format's limit; select "
				  "some with --pid, --from, --until",
				  UINT16_MAX + 1);
	if (!array_grow(t->modules, t->n))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	t->modules[t->n++] = m;
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct flow_count *x = a, *y = b;

	int n = flow_module_order(x->from_module, y->from_module);

	if (n)
		return n;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) :
				    (x->to > y->to) - (x->to < y->to);
}

static void put_entry(struct out *blocks, uint64_t start, uint64_t size, size_t module)
{
	out_le32(blocks, (uint32_t)start);
	out_le16(blocks, (uint16_t)size);
	out_le16(blocks, (uint16_t)module);
}

/* Adds a block, split if it exceeds the size field. Blocks come in the order of their modules. */
static int put_block(struct table *t, const struct flow_count *b, struct trawl_error *err)
{
	uint64_t start = b->from - linked_base(b->from_module);
	uint64_t size = b->to - b->from + image_insn_length(b->from_module, b->to);

	if (add_module(t, b->from_module, err))
		return -1;
	if (start > UINT32_MAX || start + size > UINT32_MAX)
		return trawl_fail(err, TRAWL_CANNOT,
				  "--to drcov: %s has code 0x%" PRIx64 " bytes from its start, "
				  "which the format's 32 bits cannot hold", b->from_module->path, start);
	for (; size; t->nblocks++) {
		uint64_t part = size < BLOCK_MOST ? size : BLOCK_MOST;

		put_entry(&t->blocks, start, part, t->n - 1);
		start += part;
		size -= part;
	}
	return 0;
}

static void put_modules(struct out *o, const struct table *t)
{
	out_str(o, "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\n");
	out_printf(o, "Module Table: version 2, count %zu\n", t->n);
	out_str(o, "Columns: id, base, end, entry, checksum, timestamp, path\n");
	for (size_t i = 0; i < t->n; i++) {
		const struct image_module *m = t->modules[i];

		out_printf(o, "%2zu, 0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016x, 0x%08x, 0x%08x, ",
			   i, m->base - moved(m), m->end, 0, 0, 0);
		out_safe(o, m->path, strlen(m->path));
		out_char(o, '\n');
	}
}

int drcov_write(struct stream *s, struct out *out, struct trawl_error *err)
{
	struct counts c = { 0 };
	struct table t = { 0 };
	struct flow_count *b;
	int got;

	counts_start(&c, stream_selection(s));
	got = counts_run(&c, s, "--to drcov", err);
	out_memory(&t.blocks);
	b = flow_table_entries(&c.blocks);
	if (!got && c.blocks.n)
		qsort(b, c.blocks.n, sizeof(*b), by_place);
	for (size_t i = 0; !got && i < c.blocks.n; i++) {
		if (b[i].from_module)
			got = put_block(&t, &b[i], err);
		else
			t.elsewhere++;
	}
	if (!got) {
		put_modules(out, &t);
		out_printf(out, "BB Table: %" PRIu64 " bbs\n", t.nblocks);
		out_bytes(out, t.blocks.data, t.blocks.len);
		counts_note_gaps(&c, "--to drcov");
	}
	if (!got && t.blocks.error)
		got = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!got && t.elsewhere)
		fprintf(stderr,
			"trawl-export: --to drcov: %" PRIu64 " blocks are left out: their code is in "
			"no known file, and the format has only files\n",
			t.elsewhere);
	out_free(&t.blocks);
	free(t.modules);
	counts_free(&c);
	return got;
}
