/* SPDX-License-Identifier: MIT */
/* The records of a source of kind "branch": docs/format.md, "Branches". */
#ifndef TRAWL_COMMON_BRANCHRECORD_H
#define TRAWL_COMMON_BRANCHRECORD_H

#include "format/trawl.h"

#define BRANCH_SOURCE_KIND "branch"
#define BRANCH_MAPS_NAME "branch/maps/"     /* and the process id */
#define BRANCH_MODULE_NAME "branch/module/" /* and what the record's maps call it */

/* Event types. */
enum {
	BRANCH_TYPE_STREAM = 1, /* what a task did, one branch after another */
	BRANCH_TYPE_LAST = 2,   /* the last branches before something */
};

/* The fixed part; the encoded batch stands after it. */
struct branch_record {
	uint32_t tid, pid;
	uint64_t until;   /* time of the last branch; the time stamp is that of the first */
	uint32_t count;
	uint32_t backend; /* enum branch_how */
} __attribute__((packed));

/* Of BRANCH_TYPE_LAST: all branches were before the time stamp, which is `until`, too. */
struct branch_last_record {
	struct branch_record branch;
	uint64_t address; /* of the instruction that was hit */
} __attribute__((packed));

/* Who recorded it. */
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
 * Describes the source and its event type to a writer. last: BRANCH_TYPE_LAST. Returns the source's
 * id, or -1 with *err.
 */
int branchrecord_describe(struct trawl_writer *w, const char *spec, bool last,
			  struct trawl_error *err);

/* True if the tasks ran in single steps: what they did took many times as long as otherwise. */
static inline bool branch_stepped(uint32_t how)
{
	return how == BRANCH_HOW_PTRACE || how == BRANCH_HOW_KMOD_STEP;
}

#endif
