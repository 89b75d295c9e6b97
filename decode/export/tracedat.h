/* SPDX-License-Identifier: MIT */
/*
 * Kernel events as a trace.dat file (version 6, trace-cmd.dat.v6(5)), for trace-cmd report and
 * KernelShark.
 *
 * The format wants the kernel's ring buffer sub-buffers, one CPU after the other. They are built
 * anew from the records: 64 KiB each, with the sub-buffer format described in the file's own
 * header_page. Until the end they lie in a temporary file without a name, because the number of
 * each CPU's sub-buffers stands before the first one. Losses become the missed-events flag and
 * count of the sub-buffer that follows them. Events that are no records of the kernel's ring
 * buffer (USB, branches) have no place in a trace.dat: a line on stderr counts them.
 */
#ifndef TRAWL_DECODE_EXPORT_TRACEDAT_H
#define TRAWL_DECODE_EXPORT_TRACEDAT_H

#include "decode/export/export.h"

/* The format of trawl-export: see export.h. */
int tracedat_export(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err);

#endif
