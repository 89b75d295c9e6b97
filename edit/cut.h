/* SPDX-License-Identifier: MIT */
/*
 * Copies a part of a file to a new file.
 *
 * cut_plan() goes through the file chunk by chunk and decides for each whether all, some or none of
 * its events are wanted, and which metadata the wanted ones refer to. cut_write() then writes the
 * part: whole chunks as they are, others re-encoded, and the metadata that the events need.
 */
#ifndef TRAWL_EDIT_CUT_H
#define TRAWL_EDIT_CUT_H

#include "edit/branchbatch.h"
#include "edit/edit.h"
#include "edit/keep.h"
#include "edit/needs.h"

enum cut_take { CUT_NONE, CUT_PART, CUT_WHOLE };

struct cut_entry {
	struct trawl_piece p;
	struct trawl_sync sync; /* if p.sync */
	enum cut_take take;     /* a clock-sync is taken whole or not at all */
	uint32_t kept;          /* how many of its events are kept */
	bool as_chosen;         /* of a chunk kept in part: the events of cut.chosen */
	/* Times on the timeline, of a chunk (cuttime.c) */
	uint64_t latest;        /* no event begins later */
	uint64_t before;        /* if clamped: no earlier event of the source is later */
	bool clamped;           /* the times of a stream are made monotonic */
	bool in_tails;          /* cut.tails includes its events */
	bool clipped;           /* a batch of branches is kept in part */
	bool damaged;           /* a chunk of which events are wanted, but it cannot be decoded */
};

/* The latest event of a stream so far. */
struct cut_tail {
	uint32_t section;
	uint16_t number;        /* of the source in the section */
	uint32_t cpu;
	uint64_t time;          /* ns on the timeline */
};

/* What is written about a section that is merged into one timeline with others. */
struct cut_joined {
	char machine[104];  /* suffix of its sources' names, NAME@MACHINE; "": none */
	bool joined;        /* its names have such a suffix from an earlier merge */
	char interfaces[16]; /* added to names NAME@INTERFACE that an import gave */
	char timeline[64];  /* text of the metadata "timeline" */
	char how[256];      /* text of the metadata "timeline/how" */
};

struct task_names; /* edit/tasknames.h */

struct cut {
	struct trawl_reader *r;
	const char *name;           /* path of the file */
	struct trawl_memory *memory; /* of all readers of it */
	uint64_t from, to;          /* ns on the timeline: from <= time < to */
	uint64_t sources[4];        /* a bit for each source id that is wanted */
	const struct keep *chosen;  /* only these events; NULL: all */
	/*
	 * What the chosen events refer to, if they are all of the times below; cut_plan() then need
	 * not decode them. NULL: not known.
	 */
	struct needs *chosen_needs;
	const struct task_names *chosen_names; /* of their tasks; NULL: not known */
	uint64_t chosen_from, chosen_to;
	bool unchecked;             /* report damage only in blocks that are read */
	bool all_metadata;          /* keep all metadata, whether or not events refer to it */
	struct cut_joined *joined;  /* an element for each section; NULL: nothing is merged */
	bool again;                 /* re-encode every chunk, as small as possible */
	int level;                  /* zstd level of what is re-encoded; 0: the smallest file */
	bool no_index;              /* leave out the index, which repeats all metadata */
	bool as_they_are;           /* copy whole chunks without decoding them first */

	struct cut_entry *entries;
	size_t n, cap;
	uint64_t *origins;          /* for each section: timeline minus CLOCK_MONOTONIC, ns */
	struct cut_tail *tails;     /* sorted by section, number and cpu */
	size_t ntails, tails_cap;
	struct keep part;           /* kept events of chunks that are kept in part: cut_part() */
	/*
	 * Batches of branches that get a mark (cutbranch.c). begun: no earlier batch of its task is
	 * kept. torn: one between it and the last kept one is left out.
	 */
	struct keep begun, torn;
	struct needs needs;
	uint64_t kept, left_out;    /* events, without those of the hidden task source */
	uint64_t bytes;             /* estimated size of the kept chunks, bytes */
};

/* Decides what is kept. May be called again with other times. Returns 0, or -1 with *err. */
int cut_plan(struct cut *c, struct trawl_error *err);
/*
 * Estimates the same from the chunks' headers alone, without reading payloads: c->kept, c->left_out
 * and c->bytes are approximate. Fast; serves to choose times for cut_plan().
 */
int cut_guess(struct cut *c, struct trawl_error *err);

/*
 * Writes the part to fd (cutwrite.c). out: the output's name for messages. edit: JSON text that
 * describes the operation, written as metadata "edit/N"; NULL: none. Returns 0, or -1 with *err.
 */
int cut_write(struct cut *c, int fd, const char *out, const char *edit, struct trawl_error *err);

/* The kept events of a chunk that is kept in part. */
const struct keep_chunk *cut_part(const struct cut *c, const struct cut_entry *e);

/* Whether events of the source are wanted, unless their time or cut.chosen leaves them out. */
static inline bool cut_wants(const struct cut *c, const struct trawl_source *s)
{
	return c->sources[s->id / 64 & 3] >> s->id % 64 & 1;
}

/* Whether events are chosen by time. */
static inline bool cut_has_times(const struct cut *c)
{
	return c->from || c->to != UINT64_MAX;
}

/*
 * Times of events (cuttime.c). cut_find_latest() sets `latest`, `before` and `clamped` of all
 * entries. Returns 0, or -1 with *err.
 */
int cut_find_latest(struct cut *c, struct trawl_error *err);
/*
 * Calls fn for each event of a chunk, for none of a damaged one. The time is right if
 * events are chosen by time and chunks are passed in file order. Returns false if fn does, or if
 * memory runs out.
 */
typedef bool cut_event_fn(struct cut *c, const struct cut_entry *e, const struct trawl_event *ev,
			  uint64_t time, void *arg);
bool cut_each_event(struct cut *c, struct cut_entry *e, cut_event_fn *fn, void *arg);
/* Prepares for chunks to be passed from the first one again. */
void cut_forget_times(struct cut *c);

/* Whether the entry is a damaged chunk of which events are missing (cutmissing.c). */
bool cut_is_missing(const struct cut_entry *e);
/*
 * Returns the text of metadata "edit/N" about what is missing of a damaged file, after cut_plan();
 * for free(). NULL: out of memory.
 */
char *cut_describe_missing(const struct cut *c, const struct trawl_verdict *v);
/* Reports what is missing of a damaged file. name: the file's, in messages. */
void cut_print_missing(const struct cut *c, const struct trawl_verdict *v, const char *name);

/* Frees what the functions here allocated; not r, chosen and joined. */
void cut_free(struct cut *c);

/*
 * Decides whether a piece of metadata is kept (cutmeta.c); false: not. *text: malloc'd text of *len
 * bytes that replaces its data; NULL: the data is kept as it is.
 */
bool cut_meta(const struct cut *c, const struct trawl_meta *m, char **text, size_t *len);
/*
 * Writes the names that the tasks of the section's kept events have when the part begins. Returns
 * 0, or -1 with *err.
 */
int cut_task_names(const struct cut *c, uint32_t section, struct trawl_writer *w,
		   struct trawl_error *err);
/*
 * Writes the names that only events tell which the part may lack: cut.chosen_names of tasks without
 * metadata. Returns 0, or -1 with *err.
 */
int cut_chosen_names(const struct cut *c, uint32_t section, struct trawl_writer *w,
		     struct trawl_error *err);

/*
 * Batches of branches (cutbranch.c). If a batch of a task is left out, the task's next batch begins
 * with a mark: branches are missing, or the task's history begins here. A reader then does not take
 * an incomplete call for a complete one. Fills c->begun and c->torn; c->entries must have been
 * planned. Returns 0, or -1 with *err.
 */
int cut_plan_branches(struct cut *c, struct trawl_error *err);
/* Adds a mark in front of the event's branches, as branch_replace(). Returns 0, or -1 with *err. */
int cut_mark_branches(struct branch_replacer *r, struct trawl_event *ev, enum branch_mark_kind kind,
		      struct trawl_error *err);
/* Whether the entry's events are batches of branches, which last longer than their time says. */
bool cut_has_batches(const struct cut_entry *e);
/*
 * Sets *take to how much of an event at this time of the timeline is of the times wanted: of a
 * batch, its branches and losses. Returns false if memory ran out.
 */
bool cut_take_batch(const struct cut *c, const struct trawl_event *ev, uint64_t time,
		    enum cut_take *take);
/*
 * Leaves of the event's batch what is of the times wanted; *front: earlier branches are left out,
 * and a mark says so. Returns 0, or -1 with *err.
 */
int cut_clip_batch(const struct cut *c, const struct cut_entry *e, struct branch_replacer *r,
		   struct trawl_event *ev, bool *front, struct trawl_error *err);

#endif
