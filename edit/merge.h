/* SPDX-License-Identifier: MIT */
/* Relates the timelines of several files to each other. */
#ifndef TRAWL_EDIT_MERGE_H
#define TRAWL_EDIT_MERGE_H

#include "edit/cut.h"

/* A section of a file that is merged. Times in ns. */
struct merge_section {
	char boot[64];       /* boot id; "": unknown */
	char host[80];       /* host name; "": unknown */
	/* MACHINE of its sources, NAME@MACHINE, which the reader owns; "": they have none */
	const char *called;
	bool joined;         /* an earlier merge gave this name */
	/* the first section of the boot: its MACHINE in the output, once it is chosen */
	char machine[104];
	uint64_t origin;     /* timeline minus CLOCK_MONOTONIC */
	uint64_t before;     /* the part of origin that an earlier merge added */
	uint64_t error;      /* maximum error of its wall clock; UINT64_MAX: unknown */
	bool synced;         /* has clock-syncs */
	bool wall;           /* its time stamps are from a wall clock that was set */
};

struct merge_file {
	const char *name;    /* as the user gave it */
	struct cut cut;
	struct trawl_memory memory; /* of its readers */
	struct merge_section *sections;
	size_t n;
	bool by_hand;        /* --shift was given */
	int64_t shift;
	char relation[200];  /* description of how it was related, for the user */
};

/*
 * Reads the machine and the clocks of a file; f->cut must have been planned. Returns 0, or -1 with
 * *err.
 */
int merge_read_clocks(struct merge_file *f, struct trawl_error *err);
/*
 * Relates all n files to the timeline of the first one: fills their cut.joined. Returns 0, or -1
 * with *err if some clocks cannot be related.
 */
int merge_relate(struct merge_file *f, size_t n, struct trawl_error *err);

#endif
