/* SPDX-License-Identifier: MIT */
/*
 * Sections of one timeline (docs/format.md, "One timeline of several sections"): each is read as if
 * it were alone, and the earliest of what comes next in each is given.
 */
#ifndef TRAWL_FORMAT_LANES_H
#define TRAWL_FORMAT_LANES_H

#include "format/openfile.h"

/* The lane's merge gives nothing yet. */
void lane_init(struct trawl_reader *r, struct lane *l);
/* Begins to read this section in the lane. 0, or -1 with *err. */
int lane_begin(struct trawl_reader *r, struct lane *l, struct section *s, struct trawl_error *err);
/* The next event of the lane's section: 1, 0 at its end, -1 with *err. */
int lane_next(struct trawl_reader *r, struct lane *l, struct trawl_event *ev,
	      struct trawl_error *err);

/* Are there sections of one timeline? */
bool lanes_any(const struct trawl_reader *r);
/* How many sections, from this one on, are of its timeline: 1 if it is alone. */
size_t lanes_count(const struct trawl_reader *r, size_t first);
/* So many sections from this one on are read together. 0, or -1 with *err. */
int lanes_begin(struct trawl_reader *r, size_t first, size_t n, struct trawl_error *err);
/* The next event of all lanes: 1, 0 at the end of all, -1 with *err. */
int lanes_next(struct trawl_reader *r, struct trawl_event *ev, struct trawl_error *err);
/* Orders the metadata of sections of one timeline by time. */
/* 0, or -1: out of memory. */
int lanes_order_metas(struct trawl_reader *r, struct trawl_error *err);
void lanes_free(struct trawl_reader *r);

#endif
