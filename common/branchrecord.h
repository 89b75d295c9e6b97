/* SPDX-License-Identifier: MIT */
/* The records of a source of kind "branch": docs/format.md, "Branches". */
#ifndef TRAWL_COMMON_BRANCHRECORD_H
#define TRAWL_COMMON_BRANCHRECORD_H

#include "format/trawl.h"

#define BRANCH_SOURCE_KIND "branch"
#define BRANCH_MAPS_NAME "branch/maps/"     /* followed by the process id */
#define BRANCH_MODULE_NAME "branch/module/" /* followed by its name in the record's maps */

/* Event types. */
enum {
	BRANCH_TYPE_STREAM = 1, /* consecutive branches of a task */
	BRANCH_TYPE_LAST = 2,   /* the last branches before something */
};

/* The fixed part of a record; the encoded batch follows it. */
struct branch_record {
	uint32_t tid, pid;
	uint64_t until;   /* time of the last branch; the time stamp is that of the first */
	uint32_t count;
	uint32_t backend; /* enum branch_how */
} __attribute__((packed));

/* A record of BRANCH_TYPE_LAST. All branches precede its time stamp, which equals `until`. */
struct branch_last_record {
	struct branch_record branch;
	uint64_t address; /* of the probed instruction */
} __attribute__((packed));

/* The back end that recorded it. */
enum branch_how {
	BRANCH_HOW_UNKNOWN,
	BRANCH_HOW_PTRACE,
	BRANCH_HOW_PERF_LBR,
	BRANCH_HOW_PERF_BTS,
	BRANCH_HOW_INTEL_BTS,
	BRANCH_HOW_KMOD_STEP,
	BRANCH_HOW_KMOD_LBR,
	BRANCH_HOW_PERF_JOINED,
	BRANCH_HOWS
};

/*
 * Adds the source and its event type to a writer; last: BRANCH_TYPE_LAST. Returns the source's id,
 * or -1 with *err.
 */
int branchrecord_describe(struct trawl_writer *w, const char *spec, bool last,
			  struct trawl_error *err);

/* Whether the tasks were single-stepped: then they ran many times slower than without recording. */
static inline bool branch_stepped(uint32_t how)
{
	return how == BRANCH_HOW_PTRACE || how == BRANCH_HOW_KMOD_STEP;
}

#endif
