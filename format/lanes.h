/* SPDX-License-Identifier: MIT */
/*
 * Sections of one timeline (docs/format.md, "One timeline of several sections"). Each is read in a
 * lane of its own; the next event is the earliest of the lanes' next events.
 */
#ifndef TRAWL_FORMAT_LANES_H
#define TRAWL_FORMAT_LANES_H

#include "format/openfile.h"

/* Initialises a lane without a section. */
void lane_init(struct trawl_reader *r, struct lane *l);
/* Begins to read a section in the lane. Returns 0, or -1 with *err. */
int lane_begin(struct trawl_reader *r, struct lane *l, struct section *s, struct trawl_error *err);
/* Fills *ev with the next event of the section. Returns 1; 0 at its end; -1 with *err. */
int lane_next(struct trawl_reader *r, struct lane *l, struct trawl_event *ev,
	      struct trawl_error *err);

/* Whether any sections of the file share a timeline. */
bool lanes_any(const struct trawl_reader *r);
/* Returns how many sections from `first` on share its timeline, at least 1. */
size_t lanes_count(const struct trawl_reader *r, size_t first);
/* Begins to read n sections from `first` on together. Returns 0, or -1 with *err. */
int lanes_begin(struct trawl_reader *r, size_t first, size_t n, struct trawl_error *err);
/* Fills *ev with the next event of all lanes. Returns 1; 0 at the end of all; -1 with *err. */
int lanes_next(struct trawl_reader *r, struct trawl_event *ev, struct trawl_error *err);
/* Sorts the metadata of sections that share a timeline by time. Returns 0, or -1 with *err. */
int lanes_order_metas(struct trawl_reader *r, struct trawl_error *err);
void lanes_free(struct trawl_reader *r);

#endif
