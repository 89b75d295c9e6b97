/* SPDX-License-Identifier: MIT */
/*
 * Exports of branches for trawl-export. The streams must be opened with options->raw. All functions
 * return 0, or -1 with *err.
 */
#ifndef TRAWL_DECODE_FLOW_EXPORT_H
#define TRAWL_DECODE_FLOW_EXPORT_H

#include "decode/flow/flow.h"

/*
 * Executed blocks by module in the format drcov, version 2, of DynamoRIO; read by Lighthouse,
 * Cutter and others.
 */
int drcov_write(struct stream *s, struct out *out, struct trawl_error *err);
/* Lines, functions and conditional jumps in the format of lcov's geninfo; read by genhtml. */
int lcov_write(struct stream *s, struct out *out, struct trawl_error *err);
/*
 * A line for each call stack, "main;f;g 123", with the number of branches taken in it; read by
 * flame graph tools.
 */
int folded_write(struct stream *s, struct out *out, struct trawl_error *err);
/*
 * Stacks of 32 branches in the format of perf script -F ip,brstack; read by AutoFDO, llvm-profgen
 * and BOLT.
 */
int brstack_write(struct stream *s, struct out *out, struct trawl_error *err);

#endif
