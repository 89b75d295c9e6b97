/* SPDX-License-Identifier: MIT */
/*
 * Two recordings of branches side by side. A branch is told by the modules and by the addresses as
 * linked at both ends, so that it does not matter where things were mapped. Tasks are paired in the
 * order in which they came.
 */
#ifndef TRAWL_DECODE_FLOW_PATHS_H
#define TRAWL_DECODE_FLOW_PATHS_H

#include "decode/flow/flow.h"

enum { PATHS_RESYNC = 16 }; /* branches that must be the same again after a difference */

/* A difference: branches at[i] to end[i] (not with it) of capture i are not in the other one. */
struct path_difference {
	uint64_t at[2], end[2];
};

struct paths;

struct paths *paths_new(void);
void paths_free(struct paths *p);

/* Reads capture i (0, 1) from a stream that was opened with options->raw, and lives as long. 0, or
 * -1. */
int paths_read(struct paths *p, unsigned int i, struct stream *s, struct trawl_error *err);

size_t paths_tasks(const struct paths *p, unsigned int i);
/* Compares the n-th tasks from the given places on: true if there is a difference. */
bool paths_next(const struct paths *p, size_t n, uint64_t at[2], struct path_difference *d);
uint64_t paths_length(const struct paths *p, unsigned int i, size_t n);

/* What messages call the task, and one of its branches; both ends with symbol and source line. */
void paths_put_task(const struct paths *p, unsigned int i, size_t n, struct out *o);
void paths_put_branch(const struct paths *p, unsigned int i, size_t n, uint64_t at, bool json,
		      struct out *o);
/* A module that both have in different builds; NULL if there is none. */
const char *paths_other_build(const struct paths *p);

#endif
