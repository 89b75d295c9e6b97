/* SPDX-License-Identifier: MIT */
/*
 * Where control leaves a function: every path of its machine code is followed from the entry on.
 *
 * A breakpoint may only be put where an instruction begins, and a return must not be missed.
 * So a function is described whole or not at all: flow_read() fails if some jump's targets
 * are not known, if paths disagree on where instructions begin, or if a return is reached by none.
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

/* What is known of the code of a file as a whole. */
struct code {
	struct elf_file *elf;
	struct frames *frames;
	struct relocs *relocs;
	struct callers *callers; /* read when first needed */
	bool go;                 /* made by Go's compiler */
	bool unwinder_known;     /* ask code_unwinder() */
	const char *unwinder;
};

/* elf must outlive it. */
struct code *code_open(struct elf_file *elf);
void code_close(struct code *code);

/*
 * Is the value that the function at vaddr returns certainly there: does a caller in the file use
 * it, or a pointer to the function exist, so that the compiler could not take it away?
 */
bool code_result_used(struct code *code, uint64_t vaddr);

/* Is the function at vaddr called in the file, or is a pointer to it kept there? */
bool code_called(struct code *code, uint64_t vaddr);

/* The part of the unwinder that the file uses or has in it; NULL if it throws no exceptions. */
const char *code_unwinder(struct code *code);

/*
 * The name of what a call or jump to vaddr reaches: a function of the file or, through its PLT, an
 * imported one. NULL if none is known. Lives as long as the file is open.
 */
const char *code_name(const struct code *code, uint64_t vaddr);

/* How control leaves the function. */
enum flow_kind {
	FLOW_RETURN,  /* ret */
	FLOW_TAIL,    /* a jump to another function, which returns to this one's caller */
	FLOW_UNWIND,  /* a call that throws an exception or goes on with one, past this function */
	FLOW_LONGJMP, /* a call of longjmp() or of what ends the thread */
	FLOW_KINDS,
};

enum { FLOW_ALWAYS = -1 };

/* Does a call of the function of this name (NULL: none) never come back, and leave the caller? */
bool code_leaves(const char *name, enum flow_kind *kind);

struct flow_exit {
	uint64_t vaddr;      /* of the instruction */
	enum flow_kind kind;
	int condition; /* of a conditional jump: its number in x86's encoding; else FLOW_ALWAYS */
	uint64_t to;         /* of a direct tail jump; else 0 */
	const char *name;    /* what is jumped to or called; "" if not known */
};

struct flow {
	size_t n;
	struct flow_exit *exits; /* by kind, then by address */
	bool passed;             /* an exception of what it calls may leave it with none of these */
	bool reenters;           /* its first instruction is also the target of a jump in it */
};

/*
 * Describes the function at vaddr, of `size` bytes (0: as .eh_frame says). False with the reason
 * in why, in words that follow "cannot be disassembled whole: "; then *flow is empty and holds
 * nothing to be freed.
 */
bool flow_read(struct code *code, uint64_t vaddr, uint64_t size, struct flow *flow,
	       char *why, size_t room);
void flow_free(struct flow *flow);

#endif
