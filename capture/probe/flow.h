/* SPDX-License-Identifier: MIT */
/*
 * Finds the instructions by which control leaves a function, by following every path of its machine
 * code from the entry.
 *
 * A breakpoint may only be put where an instruction begins, and no return may be missed. So a
 * function is analysed completely or not at all: flow_read() fails if a jump's targets are unknown,
 * if paths disagree on where instructions begin, or if some return is not reached by any path.
 */
#ifndef TRAWL_CAPTURE_PROBE_FLOW_H
#define TRAWL_CAPTURE_PROBE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/callers.h"
#include "capture/probe/elf.h"
#include "capture/probe/frames.h"
#include "capture/probe/relocs.h"
#include "capture/probe/value.h"

/* Analysis of all code of a file. */
struct code {
	struct elf_file *elf;
	struct frames *frames;
	struct relocs *relocs;
	struct callers *callers; /* read when first needed */
	bool go;                 /* compiled by Go */
	bool unwinder_known;     /* cache of code_unwinder() */
	const char *unwinder;
};

/* Never NULL; to be freed with code_close(). elf must outlive it. */
struct code *code_open(struct elf_file *elf);
void code_close(struct code *code);

/*
 * True if the function at vaddr certainly returns the value that its type says. Optimisers drop
 * unused return values, so a caller in the file must use it, or a pointer to the function must
 * exist, which prevents the optimisation. LLVM may also drop half of a pair in two registers and
 * return the other half in %rax: then callers must be seen to use both.
 */
bool code_result_used(struct code *code, uint64_t vaddr, enum ret_proof proof);

/* True if the file has a direct call of the function at vaddr or a pointer to it. */
bool code_called(struct code *code, uint64_t vaddr);

/*
 * The name of an unwinder function that the file imports or defines; NULL if it has none and
 * therefore throws no exceptions.
 */
const char *code_unwinder(struct code *code);

/*
 * True if exceptions may pass through the file's functions: it imports the unwinder or exports it,
 * or has the personality routine of a language that throws.
 */
bool code_throws(struct code *code);

/*
 * The name of the function that a call or jump to vaddr reaches: one of the file or, through the
 * PLT, an imported one. NULL if unknown. Valid until elf_free().
 */
const char *code_name(const struct code *code, uint64_t vaddr);

/* The ways in which control leaves a function. */
enum flow_kind {
	FLOW_RETURN,  /* ret */
	FLOW_TAIL,    /* a tail call: a jump to a function that returns to this one's caller */
	FLOW_UNWIND,  /* a call that throws or resumes an exception past this function */
	FLOW_LONGJMP, /* a call of longjmp(), or of a function that ends the thread */
	FLOW_KINDS,
};

enum { FLOW_ALWAYS = -1 };

/*
 * True if a call of the function `name` (may be NULL) never returns and leaves its caller; *kind
 * is how.
 */
bool code_leaves(const char *name, enum flow_kind *kind);

struct flow_exit {
	uint64_t vaddr;      /* of the instruction */
	enum flow_kind kind;
	int condition; /* of a conditional jump: its x86 condition code; else FLOW_ALWAYS */
	uint64_t to;         /* target of a direct tail call; else 0 */
	const char *name;    /* the function jumped to or called; "" if unknown */
};

struct flow {
	size_t n;
	struct flow_exit *exits; /* sorted by kind, then by address */
	/* an exception thrown by a callee may pass through without reaching any of these */
	bool passed;
	bool reenters;           /* a jump inside the function leads to its first instruction */
};

/*
 * Analyses the function at vaddr, of `size` bytes; size 0: as long as .eh_frame says. True: *flow
 * is to be freed with flow_free(). False: the reason is in why, worded to follow "cannot be
 * disassembled whole: ", and *flow is empty.
 */
bool flow_read(struct code *code, uint64_t vaddr, uint64_t size, struct flow *flow,
	       char *why, size_t room);
void flow_free(struct flow *flow);

#endif
