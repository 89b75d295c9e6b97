/* SPDX-License-Identifier: MIT */
/* Branches for other tools: the formats of trawl-export. Streams are opened with options->raw. */
#ifndef TRAWL_DECODE_FLOW_EXPORT_H
#define TRAWL_DECODE_FLOW_EXPORT_H

#include "decode/flow/flow.h"

/* Blocks that ran, by module: drcov, version 2, as DynamoRIO writes it; for Lighthouse, Cutter … */
int drcov_write(struct stream *s, struct out *out, struct trawl_error *err);
/* Lines, functions and conditional jumps, as geninfo of lcov writes them: for genhtml. */
int lcov_write(struct stream *s, struct out *out, struct trawl_error *err);
/* A line for each stack of calls: "main;f;g 123", branches taken in it: for flame graphs. */
int folded_write(struct stream *s, struct out *out, struct trawl_error *err);
/* Stacks of 32 branches, as perf script -F ip,brstack prints them: for AutoFDO, llvm-profgen,
 * BOLT. */
int brstack_write(struct stream *s, struct out *out, struct trawl_error *err);

#endif
