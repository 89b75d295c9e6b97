/* SPDX-License-Identifier: MIT */
/*
 * trawl-decode --calls: prints the calls of each task as a tree with loops folded, or a list of the
 * last calls.
 */
#ifndef TRAWL_DECODE_FLOW_CALLTREE_H
#define TRAWL_DECODE_FLOW_CALLTREE_H

#include "decode/flow/flow.h"

struct calls_options {
	uint64_t last; /* number of calls before the end to list; 0: print all calls as a tree */
	bool json, utc;
};

int calls_print(const struct calls_options *o, const struct selection *sel, struct stream *s,
		struct out *out, struct trawl_error *err);

#endif
