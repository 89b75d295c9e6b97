/* SPDX-License-Identifier: MIT */
/* How the timelines of several files are related. */
#ifndef TRAWL_EDIT_MERGE_H
#define TRAWL_EDIT_MERGE_H

#include "edit/cut.h"

/* A section of a file that is merged. */
struct merge_section {
	char boot[64];       /* "": not known */
	char host[64];       /* "": not known */
	uint64_t origin;     /* the timeline less CLOCK_MONOTONIC */
	uint64_t before;     /* of that: what it was moved by already */
	uint64_t error;      /* how far its wall clock may be off; UINT64_MAX: not known */
	bool synced;         /* has clock-syncs */
	bool wall;           /* its time stamps are those of a wall clock */
};

struct merge_file {
	const char *name;    /* as the user gave it */
	struct cut cut;
	struct merge_section *sections;
	size_t n;
	bool by_hand;        /* --shift */
	int64_t shift;
	char told[200];      /* for people: how it was related */
};

/* What a file says of its machine and clocks: sections of f->cut.r. 0, or -1 with *err. */
int merge_look(struct merge_file *f, struct trawl_error *err);
/*
 * Fills cut.joined of all files: all are of one timeline, that of the first. 0, or -1 with *err:
 * clocks that cannot be related.
 */
int merge_relate(struct merge_file *f, size_t n, struct trawl_error *err);

#endif
