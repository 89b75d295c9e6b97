/* SPDX-License-Identifier: MIT */
/* A probe on a function while it is made: uprobe.c has its place, userarg.c its arguments. */
#ifndef TRAWL_CAPTURE_PROBE_MAKING_H
#define TRAWL_CAPTURE_PROBE_MAKING_H

#include <string.h>

#include "capture/probe/build.h"

struct making {
	struct resolve *r;
	struct target *t;
	const struct elf_symbol *fn; /* the function that it is in; or NULL */
	char *called;                /* that as people know it, not mangled */
	uint64_t vaddr, offset;
	bool entry;                  /* at the function's first instruction */
	bool returning;              /* where the function is left */
	const struct flow_exit *exits; /* the sites of a probe on instructions that leave it */
	size_t nexits;
	bool described;              /* fnd is filled */
	struct dwarf_function fnd;
	/* of each parameter: 1 + its field, if that tells an alternative; 0: none yet */
	size_t *tags;
	struct probe *p;
};

/* Adds the fields of all the user's ARGs to m->p. Complains with a caret. */
int userarg_add_all(struct making *m);

static inline bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

#endif
