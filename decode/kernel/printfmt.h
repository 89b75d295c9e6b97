/* SPDX-License-Identifier: MIT */
/*
 * Print formats: the text that the kernel itself prints for a trace event, from the format file
 * that is saved in the capture.
 *
 * The last line of a format file is `print fmt: "..." , ARG, ARG ...`: a printf format of the
 * kernel, and C expressions over the fields of the record (REC->prev_pid) and the helpers of
 * include/trace/stages (__print_flags, __get_str, ...). printfmt.c parses it into a tree, and
 * printeval.c evaluates the tree for a record.
 *
 * Format and record are untrusted: depth and size of the tree are bounded, an expression can read
 * no memory except the fields of the record, and every index and length is checked. (libtraceevent
 * trusts the lengths and offsets in records, and rejects 18 of the 2323 formats of a 6.18 kernel.
 * This parser accepts all formats except those whose text is produced by kernel code,
 * see printfmt_unknown().)
 *
 * Parts that only the traced kernel can compute are printed as far as they are known: a call of a
 * kernel function as "jiffies_to_msecs(12)", an address without a saved symbol in hex.
 */
#ifndef TRAWL_DECODE_KERNEL_PRINTFMT_H
#define TRAWL_DECODE_KERNEL_PRINTFMT_H

#include "decode/base/output.h"
#include "decode/kernel/symbols.h"
#include "format/trawl.h"

struct printfmt;

/*
 * Parses the print format in an event type's saved format text. Keeps pointers to the type and its
 * source. Returns NULL if there is none or it cannot be parsed; the caller then prints the fields,
 * and *why (if why is not NULL) is the reason, a string literal.
 */
struct printfmt *printfmt_new(const struct trawl_event_type *type,
			      const struct trawl_source *source, const char **why);
void printfmt_free(struct printfmt *p);

/*
 * The name of the first kernel function that the format calls and whose result is unknown, or NULL.
 */
const char *printfmt_unknown(const struct printfmt *p);

/*
 * Whether the format prints addresses as symbols (%pS, stack traces), so that it needs `symbols`.
 */
bool printfmt_symbols(const struct printfmt *p);

/* Appends the text of a record. Control characters are escaped as by out_safe(). */
void printfmt_text(struct printfmt *p, const struct symbols *symbols, const void *record,
		   size_t len, struct out *o);

#endif
