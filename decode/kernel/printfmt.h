/* SPDX-License-Identifier: MIT */
/*
 * Print formats: the kernel's own text of a trace event, from the format file saved with it.
 *
 * The last line of a format file is `print fmt: "..." , ARG, ARG ...`: a format of the kernel's
 * printf and C expressions over the record's fields (REC->prev_pid) and the helpers of
 * include/trace/stages (__print_flags, __get_str, ...). printfmt.c parses it into a tree,
 * printeval.c evaluates the tree for a record.
 *
 * Format and record are foreign: the tree's depth and size are bounded, an expression has no
 * memory to read but the record's fields, and every index and length is checked against them.
 * (libtraceevent trusts the lengths and offsets in records, and takes 18 formats of 2323 of a
 * 6.18 kernel for broken; here all are understood but those whose text is made by code of the
 * kernel: printfmt_code() tells.)
 *
 * What only the traced kernel could know is shown as what is known: a function of the kernel as
 * "jiffies_to_msecs(12)", an address without a saved symbol in hex.
 */
#ifndef TRAWL_DECODE_KERNEL_PRINTFMT_H
#define TRAWL_DECODE_KERNEL_PRINTFMT_H

#include "decode/base/output.h"
#include "decode/kernel/symbols.h"
#include "format/trawl.h"

struct printfmt;

/*
 * The print format in an event type's saved format text. Keeps pointers to the type and its
 * source. NULL if there is none or it cannot be understood: the caller then shows the fields, and
 * *why (if not NULL) says what is odd, as a constant text.
 */
struct printfmt *printfmt_new(const struct trawl_event_type *type,
			      const struct trawl_source *source, const char **why);
void printfmt_free(struct printfmt *p);

/* The first function of the kernel that it calls and that cannot be known here, or NULL. */
const char *printfmt_unknown(const struct printfmt *p);

/* Does it show addresses as symbols (%pS, a stack trace)? Then symbols make it better. */
bool printfmt_symbols(const struct printfmt *p);

/* Appends the text of a record; control characters come out escaped, as out_safe() does. */
void printfmt_text(struct printfmt *p, const struct symbols *symbols, const void *record,
		   size_t len, struct out *o);

#endif
