/* SPDX-License-Identifier: MIT */
/*
 * What .eh_frame says of a file's code: where each stretch begins and ends, where an exception may
 * continue in it (its landing pads), and whether the stack is as at the function's entry.
 */
#ifndef TRAWL_CAPTURE_PROBE_FRAMES_H
#define TRAWL_CAPTURE_PROBE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"

/* One stretch of code: a function, or the part of it that the compiler moved away. */
struct frame {
	uint64_t start, end;
	uint64_t lsda; /* address of its table of landing pads; 0 if it has none */
};

struct frames;

/* Never NULL; knows nothing if the file has no .eh_frame. f must outlive it. */
struct frames *frames_open(struct elf_file *f);
void frames_close(struct frames *frames);

/* The stretch that holds vaddr; NULL if none does. */
const struct frame *frames_at(const struct frames *frames, uint64_t vaddr);

/* Where the stack is just before the instruction at vaddr. */
enum frames_stack {
	FRAMES_UNKNOWN,
	FRAMES_AT_RETURN, /* %rsp points to the return address, as at the entry */
	FRAMES_BELOW,     /* something lies above it */
};
enum frames_stack frames_stack(const struct frames *frames, uint64_t vaddr);

/*
 * The frame's base just before the instruction at vaddr: so much after a register of DWARF (-1: it
 * is computed in another way). False if it is not known.
 */
bool frames_cfa(const struct frames *frames, uint64_t vaddr, int *reg, int64_t *offset);

/* One line of a table of landing pads. */
struct frame_call {
	uint64_t start, end; /* calls in this stretch ... */
	uint64_t pad;        /* ... continue here after an exception; 0: it leaves the function */
};

/*
 * The calls of a stretch; *calls is malloc'd. False if its table could not be read; a stretch
 * without a table has none.
 */
bool frames_calls(const struct frames *frames, const struct frame *frame,
		  struct frame_call **calls, size_t *n);

#endif
