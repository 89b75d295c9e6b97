/* SPDX-License-Identifier: MIT */
/*
 * What the debug information says about a function: parameters and where they are at its entry,
 * its return value, and source lines. Without libdw, or without debug information, dwarf_open()
 * says so and everything else is unknown.
 */
#ifndef TRAWL_CAPTURE_PROBE_DWARF_H
#define TRAWL_CAPTURE_PROBE_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"
#include "capture/probe/argloc.h"
#include "capture/probe/probe.h"

/* What ":string" makes of a value. */
enum dwarf_text {
	DWARF_TEXT,         /* what it points to */
	DWARF_TEXT_POINTED, /* what the pointer there points to: libstdc++'s std::string */
	DWARF_TEXT_COUNTED, /* nothing: the text there does not end with a NUL */
};

struct dwarf_value {
	char *name;          /* of the parameter; "" for a return value */
	char *ctype;         /* "const char *", "struct point": as in C */
	char type[16];       /* the kernel's type for it: "s32", "x64"; "" if it has none */
	char own[16];        /* the value's, if that is another: low bits of the former; or "" */
	enum probe_arg_show show;
	enum dwarf_text text;
	struct argloc place;  /* ARGLOC_NONE with why if the kernel cannot get it */
};

struct dwarf_function {
	bool convention; /* it is certain that C's calling convention holds */
	size_t nparams;
	struct dwarf_value *params;
	struct dwarf_value ret; /* ctype "void" if there is none */
	size_t nparts;          /* 2: it is returned in two registers, each a part */
	struct dwarf_value parts[2]; /* name: of the register, "rax" */
	bool ret_doubtful;      /* the compiler may have taken the value away: code_result_used() */
};

struct dwarf;

/* Never NULL. *why tells why nothing will be known, or is NULL. f must outlive it. */
struct dwarf *dwarf_open(struct elf_file *f, const char **why);
void dwarf_close(struct dwarf *d);

/*
 * The function that starts at vaddr. Places are those of the System V ABI at its first
 * instruction, not those that DWARF gives for its body. False if the function is not described.
 */
bool dwarf_function_at(struct dwarf *d, uint64_t vaddr, struct dwarf_function *fn);
void dwarf_function_free(struct dwarf_function *fn);

/* The language of the code at vaddr if its exceptions unwind the stack; else NULL. */
const char *dwarf_unwinding_language(struct dwarf *d, uint64_t vaddr);

/* The source line of vaddr; *file is malloc'd. False if it is not known. */
bool dwarf_line_at(struct dwarf *d, uint64_t vaddr, char **file, unsigned int *line);

#endif
