/* SPDX-License-Identifier: MIT */
/*
 * What .eh_frame says about a file's code: where each function or part of one begins and ends,
 * where an exception may continue in it (its landing pads), and whether the stack is as at the
 * function's entry.
 */
#ifndef TRAWL_CAPTURE_PROBE_FRAMES_H
#define TRAWL_CAPTURE_PROBE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"

/* One range of code: a function, or a part of it that the compiler placed elsewhere. */
struct frame {
	uint64_t start, end; /* virtual addresses, [start, end) */
	uint64_t lsda; /* virtual address of its table of landing pads (LSDA); 0: none */
};

struct frames;

/*
 * Reads .eh_frame of f. Never NULL; empty if there is no .eh_frame. To be freed with
 * frames_close(). f must outlive it.
 */
struct frames *frames_open(struct elf_file *f);
void frames_close(struct frames *frames);

/* The range that contains vaddr; NULL if none does. Valid until frames_close(). */
const struct frame *frames_at(const struct frames *frames, uint64_t vaddr);

/* Where the stack is just before the instruction at vaddr. */
enum frames_stack {
	FRAMES_UNKNOWN,
	FRAMES_AT_RETURN, /* %rsp points to the return address, as at the entry */
	FRAMES_BELOW,     /* %rsp is below the return address: something is still on the stack */
};
enum frames_stack frames_stack(const struct frames *frames, uint64_t vaddr);

/*
 * Where the canonical frame address (CFA) is just before the instruction at vaddr: *offset bytes
 * after DWARF register *reg. *reg is -1 if the CFA is computed in another way; then *offset is not
 * set. False if nothing is known.
 */
bool frames_cfa(const struct frames *frames, uint64_t vaddr, int *reg, int64_t *offset);

/* One entry of a table of landing pads. */
struct frame_call {
	uint64_t start, end; /* of calls at addresses in [start, end) */
	uint64_t pad;        /* where an exception of such a call is handled; 0: it leaves the
			      * function */
};

/*
 * Reads the table of landing pads of a range; *calls is malloc'd. False if the table could not be
 * read; *calls is to be freed then, too. A range without a table has no calls.
 */
bool frames_calls(const struct frames *frames, const struct frame *frame,
		  struct frame_call **calls, size_t *n);

#endif
