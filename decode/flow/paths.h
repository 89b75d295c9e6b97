/* SPDX-License-Identifier: MIT */
/*
 * Compares two recordings of branches. A branch is identified by the module and the address as
 * linked at both ends, so differences in mapping do not matter. Tasks are paired in order of
 * appearance.
 */
#ifndef TRAWL_DECODE_FLOW_PATHS_H
#define TRAWL_DECODE_FLOW_PATHS_H

#include "decode/flow/flow.h"

enum { PATHS_RESYNC = 16 }; /* number of equal branches that must follow before a difference ends */

/*
 * A difference: the branches from at[i] up to, but not including, end[i] of recording i are not in
 * the other one.
 */
struct path_difference {
	uint64_t at[2], end[2];
};

struct paths;

/* NULL: out of memory. */
struct paths *paths_new(void);
void paths_free(struct paths *p);

/*
 * Reads recording i (0 or 1). The stream must be opened with options->raw and outlive p. Returns 0,
 * or -1 with *err.
 */
int paths_read(struct paths *p, unsigned int i, struct stream *s, struct trawl_error *err);

/* How many tasks recording i has. */
size_t paths_tasks(const struct paths *p, unsigned int i);
/*
 * Compares the nth tasks of both recordings from branch at[0] and at[1] on. Returns true and the
 * first difference in *d, or false if there is none.
 */
bool paths_next(const struct paths *p, size_t n, uint64_t at[2], struct path_difference *d);
uint64_t paths_length(const struct paths *p, unsigned int i, size_t n);

/*
 * Append the name of a task for messages, and one of its branches: both ends with symbol and source
 * line.
 */
void paths_put_task(const struct paths *p, unsigned int i, size_t n, struct out *o);
void paths_put_branch(const struct paths *p, unsigned int i, size_t n, uint64_t at, bool json,
		      struct out *o);
/* The name of a module that both recordings contain in different builds, or NULL. */
const char *paths_other_build(const struct paths *p);

#endif
