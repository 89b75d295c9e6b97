/* SPDX-License-Identifier: MIT */
/* What ran, and how often: blocks of code between two branches, and edges, by module. */
#ifndef TRAWL_DECODE_FLOW_COUNTS_H
#define TRAWL_DECODE_FLOW_COUNTS_H

#include "decode/flow/flow.h"

/* One edge of the program, or one block: from and to are as linked, in modules. */
struct flow_count {
	struct image_module *from_module, *to_module; /* NULL: memory of no file */
	uint64_t from, to;  /* an edge's ends; a block's first instruction and its last */
	uint64_t count, mispredicted, cycles;
	uint8_t kind;       /* of an edge */
};

struct flow_table {
	struct flow_count *slots; /* count 0: free */
	size_t used, room;
};

struct counts {
	struct flow flow;
	struct flow_table edges, blocks;
	struct images *images; /* of the modules; NULL: there was no batch */
	bool failed; /* out of memory */
	/* The pairs of the batch at hand, as edges, and blocks by the pairs at both their ends. */
	struct flow_count *pairs;
	struct { uint32_t before, pair, count; } *blocks_of;
	size_t npairs, nblocks_of;
};

void counts_start(struct counts *c, const struct selection *selection);
int counts_run(struct counts *c, struct stream *s, const char *what, struct trawl_error *err);
void counts_free(struct counts *c);

/* The entries of a table, closed up: used of them. The table takes no more then. */
struct flow_count *flow_table_entries(struct flow_table *t);

#endif
