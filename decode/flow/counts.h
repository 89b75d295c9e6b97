/* SPDX-License-Identifier: MIT */
/* Execution counts of basic blocks (the code between two branches) and of edges, by module. */
#ifndef TRAWL_DECODE_FLOW_COUNTS_H
#define TRAWL_DECODE_FLOW_COUNTS_H

#include "decode/flow/flow.h"

/*
 * The count of one edge or one block. Addresses are as linked if a module is known, otherwise
 * run-time addresses.
 */
struct flow_count {
	struct image_module *from_module, *to_module; /* NULL: memory that belongs to no file */
	uint64_t from, to;  /* edge: source and target; block: its first and its last instruction */
	uint64_t count;
	/* how many branches have a known prediction, and how many of these were mispredicted */
	uint64_t predictions, mispredicted;
	uint64_t timed, cycles; /* how many branches have known cycles, and the sum of these */
	uint8_t kind;       /* edges: enum branch_kind */
	bool open;          /* block: its end is unknown, `to` is its first instruction */
};

struct flow_table {
	struct flow_count *slots; /* hash table; count 0: unused */
	size_t n, room;
};

struct counts {
	struct flow flow;
	struct flow_table edges, blocks;
	struct images *images; /* the images that the modules belong to; NULL: there was no batch */
	bool failed; /* memory ran out */
	/*
	 * Scratch for the current batch: its branch pairs as edges, and its blocks as the two pairs
	 * that enclose them.
	 */
	struct flow_count *pairs;
	struct { uint32_t before, pair, count; } *blocks_of;
	size_t npairs, nblocks_of;
};

/* Begins counts of the selected tasks. *c was zero-initialised; keeps the selection. */
void counts_start(struct counts *c, const struct selection *selection);
int counts_run(struct counts *c, struct stream *s, const char *what, struct trawl_error *err);
/* Prints a line if branches are missing, after counts_run(). */
void counts_note_gaps(const struct counts *c, const char *what);
void counts_free(struct counts *c);

/*
 * Moves all entries to the front of the table and returns them; their number is t->n. No entries
 * may be added afterwards.
 */
struct flow_count *flow_table_entries(struct flow_table *t);

/* Orders modules for printing: as they appear in the file; NULL is the last. */
int flow_module_order(const struct image_module *a, const struct image_module *b);

#endif
