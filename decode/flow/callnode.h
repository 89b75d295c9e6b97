/* SPDX-License-Identifier: MIT */
/* The tree of calls of each task, and the last calls: calltree.c makes them, callshow.c prints. */
#ifndef TRAWL_DECODE_FLOW_CALLNODE_H
#define TRAWL_DECODE_FLOW_CALLNODE_H

#include "decode/base/time.h"
#include "decode/flow/flow.h"

#define CALL_UNKNOWN UINT64_MAX

/*
 * A call or, if name is NULL, a loop: a sequence of calls that is repeated. Equal neighbours are
 * merged into one node with a count.
 */
struct call_node {
	const char *name, *file; /* file, line: where the call is made from */
	uint32_t line;
	bool part; /* it began before what is known: it is not the same as whole calls */
	uint64_t count, time, until, hash;
	uint64_t end; /* the latest time at which the last repetition ended */
	/* bounds of the duration of all repetitions together, ns; most may be CALL_UNKNOWN */
	uint64_t least, most;
	struct call_node **children;
	size_t n;
};

/* The state of one task. */
struct call_tree {
	struct call_node root; /* calls since branches were lost, or since another stack, or all */
	struct call_node before; /* calls before that, and marks of it */
	struct call_node **open; /* the calls that have not returned, outermost first */
	size_t nopen;
	uint64_t beyond; /* the number of open calls that are too deep to be shown */
	unsigned int wraps;
	bool stepped; /* the task was single-stepped, at least for a time */
	bool warned;  /* callshow_last() has printed a note on that */
	struct call_tree *next;
	struct flow_task *task;
};

struct last_call {
	uint64_t time;
	const char *name, *file;
	uint32_t line;
	unsigned int depth;
	struct call_tree *tree;
	char comm[16];
};

struct calls {
	struct flow flow;
	struct callstack_sink sink;
	uint64_t last_most; /* how many last calls are listed; 0: all as a tree */
	bool json;
	struct out *out;
	char **names; /* hash table, open addressing */
	size_t nslots, nnames;
	struct call_tree *trees, **end;
	size_t nodes;
	bool full, failed;
	struct last_call *last; /* ring buffer with the last last_most calls */
	uint64_t nlast;
	struct time_printer time;
};

#endif
