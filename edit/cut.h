/* SPDX-License-Identifier: MIT */
/*
 * A part of a file as a file of its own.
 *
 * The file is gone through chunk by chunk (cut_plan()): of each is known whether all, some or none
 * of its events are wanted, and what the wanted ones refer to. Then it is written (cut_write()):
 * whole chunks as they are, the others coded anew, and of the metadata what the events need.
 */
#ifndef TRAWL_EDIT_CUT_H
#define TRAWL_EDIT_CUT_H

#include "common/branch.h"
#include "edit/edit.h"
#include "edit/keep.h"
#include "edit/needs.h"

enum cut_take { CUT_NONE, CUT_PART, CUT_WHOLE };

struct cut_entry {
	struct trawl_piece p;
	struct trawl_sync sync; /* if p.sync */
	enum cut_take take;     /* of a clock-sync: none or whole */
	uint32_t kept;          /* events */
};

/* What becomes of a section that is to be one timeline with others. */
struct cut_joined {
	char machine[80];   /* its sources are called NAME@MACHINE; "": as they are */
	char timeline[64];  /* metadata "timeline" */
	char how[256];      /* metadata "timeline/how" */
};

struct cut {
	struct trawl_reader *r;
	const char *name;           /* of the file, for messages */
	uint64_t from, to;          /* on the timeline: from <= time < to */
	uint64_t sources[4];        /* bit per source id */
	const struct keep *chosen;  /* only these events; NULL: all */
	bool all_metadata;          /* whatever events refer to */
	struct cut_joined *joined;  /* by section; NULL: nothing becomes of them */
	bool again;                 /* every chunk is coded anew, as small as it gets */

	struct cut_entry *entries;
	size_t n, cap;
	uint64_t *origins;          /* of each section: timeline less CLOCK_MONOTONIC */
	struct keep part;           /* of chunks that are kept in part */
	/* Batches of branches that get a mark (cutbranch.c): of their task nothing is kept that
	 * was before; or something was left out between. */
	struct keep begun, torn;
	struct needs needs;
	uint64_t kept, left_out;    /* events, but the hidden task source's */
	uint64_t bytes;             /* of the chunks that are kept */
};

/* Finds out what is kept; may be called again with other times. 0, or -1 with *err. */
int cut_plan(struct cut *c, struct trawl_error *err);

/*
 * Appends the file to fd. `edit` is the JSON of what was done, to be told in metadata "edit/N";
 * NULL: nothing. 0, or -1 with *err.
 */
int cut_write(struct cut *c, int fd, const char *out, const char *edit, struct trawl_error *err);

void cut_free(struct cut *c);

/* What of a piece of metadata is needed (cut_meta.c): false: nothing. *text is malloc'd and takes
 * the place of the data, or NULL. */
bool cut_meta(const struct cut *c, const struct trawl_meta *m, char **text, size_t *len);
/* Tells the writer what the tasks of the section's events were called when the part begins. */
int cut_task_names(const struct cut *c, uint32_t section, struct trawl_writer *w,
		   struct trawl_error *err);

/*
 * Batches of branches (cutbranch.c). Where one of a task is left out, the task's next begins with a
 * mark: branches are missing, or what it did before is not known. So nobody takes a call for whole
 * that is not. Finds the batches that need one, c->begun and c->torn; to be called when c->entries
 * are planned. 0, or -1 with *err.
 */
int cut_plan_branches(struct cut *c, struct trawl_error *err);
struct branch_marker; /* what adds the marks */
/*
 * Adds a mark in front of the event's branches: ev->record lives until the next call, or the
 * marker's end. *m is made when it is first needed. 0, or -1 with *err.
 */
int branch_marker_add(struct branch_marker **m, struct trawl_event *ev, enum branch_mark_kind kind,
		      struct trawl_error *err);
void branch_marker_free(struct branch_marker *m);

#endif
