/* SPDX-License-Identifier: MIT */
/* A function probe while it is made: uprobe.c finds its place, userarg.c adds its arguments. */
#ifndef TRAWL_CAPTURE_PROBE_MAKING_H
#define TRAWL_CAPTURE_PROBE_MAKING_H

#include <string.h>

#include "capture/probe/build.h"

struct making {
	struct resolve *r;
	struct target *t;
	const struct elf_symbol *fn; /* the function that contains it; or NULL */
	char *called;                /* that function's demangled name; "" */
	uint64_t vaddr, offset;
	struct dwarf_point at;       /* the probed address, for debug information */
	bool entry;                  /* at the function's first instruction */
	bool returning;              /* the probe is where the function is left */
	/* the sites, if the probe is on instructions that leave the function; else NULL */
	const struct flow_exit *exits;
	size_t nexits;
	bool described;              /* fnd is valid */
	bool register_shown;         /* $retval is %rax, as the type of the result is unknown */
	struct dwarf_function fnd;
	/* the values that $params or $retval records: fnd.params, or the members of the result */
	const struct dwarf_value *list;
	size_t nlist;
	/*
	 * for each value in list: 1 + its field's number, if the value is a tag that was added;
	 * else 0
	 */
	size_t *tags;
	struct probe *p;
};

/*
 * Adds the fields for all of the user's ARGs to m->p. Returns 0, or -1 with an error that shows the
 * position with a caret.
 */
int userarg_add_all(struct making *m);

static inline bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

#endif
