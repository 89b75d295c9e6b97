/* SPDX-License-Identifier: MIT */
/*
 * Kernel events as a trace.dat file (version 6, trace-cmd.dat.v6(5)), for trace-cmd report and
 * KernelShark.
 *
 * The format wants the kernel's ring buffer sub-buffers, one CPU behind the other. They are built
 * anew from the records: 64 KiB each, with the sub-buffer format described in the file's own
 * header_page. Until the end they lie in a temporary file without a name, because the number of
 * each CPU's sub-buffers stands before the first one. Losses become the missed-events flag and
 * count of the sub-buffer that follows them. Events that are no records of the kernel's ring
 * buffer (USB, branches) have no place in a trace.dat: tracedat_left_out() counts them.
 */
#ifndef TRAWL_DECODE_TRACEDAT_H
#define TRAWL_DECODE_TRACEDAT_H

#include "decode/stream.h"

struct tracedat;

/* NULL without memory or temporary file. */
struct tracedat *tracedat_new(struct stream *s, struct out *out, struct trawl_error *err);
struct consumer *tracedat_consumer(struct tracedat *t); /* hand this to stream_run() */
/* Writes the whole file to out. 0, or -1 with *err. */
int tracedat_end(struct tracedat *t, struct trawl_error *err);
uint64_t tracedat_left_out(const struct tracedat *t);
void tracedat_free(struct tracedat *t);

#endif
