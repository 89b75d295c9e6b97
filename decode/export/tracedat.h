/* SPDX-License-Identifier: MIT */
/*
 * Kernel events as a trace.dat file (version 6, trace-cmd.dat.v6(5)), for trace-cmd report and
 * KernelShark.
 *
 * The format contains sub-buffers of the kernel's ring buffer, one CPU after the other. They are
 * rebuilt from the records, with 64 KiB each; the file's header_page describes this size. They are
 * first collected in an unnamed temporary file, because the number of each CPU's sub-buffers
 * precedes the first one. Losses become the missed-events flag and count of the next sub-buffer.
 * Events that are not records of the kernel's ring buffer (USB, branches) cannot be represented; a
 * line on stderr states their number.
 */
#ifndef TRAWL_DECODE_EXPORT_TRACEDAT_H
#define TRAWL_DECODE_EXPORT_TRACEDAT_H

#include "decode/export/export.h"

/* The format's run(); see export.h. */
int tracedat_export(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err);

#endif
