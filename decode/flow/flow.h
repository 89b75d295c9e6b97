/* SPDX-License-Identifier: MIT */
/*
 * Branches as the flow of control: a consumer that gives each task's branches, one after the
 * other, to a view or an exporter. Whole batches come to it (decode_options.raw), of which only
 * what the time range and --pid choose is given.
 *
 * Where branches are missing, or others begin, cut() is called: the code between the branch before
 * and the next one is then not known to have run.
 */
#ifndef TRAWL_DECODE_FLOW_FLOW_H
#define TRAWL_DECODE_FLOW_FLOW_H

#include "decode/branch/branch.h"
#include "decode/branch/callstack.h"
#include "decode/query/stream.h"

/* A task, as far as a view wants to remember something of it. */
struct flow_task {
	struct flow_task *next;
	uint32_t section;
	int32_t tid, pid;
	char comm[16];
	bool known;         /* the branch before went to `to` */
	uint64_t to;
	uint64_t lost;      /* branches so far */
	void *own;          /* the view's; freed with free() */
};

/* A stretch of branches of one task, without a gap: those of `batch` from first on, before end. */
struct flow_stretch {
	struct flow_task *task;
	const struct branch_batch_detail *batch;
	uint32_t first, end;
	uint32_t mark;      /* the first mark at or after `first` */
	uint64_t time;      /* of `first`, timeline */
	uint64_t offset;    /* timeline minus the times of marks */
};

struct flow {
	struct consumer consumer;
	const struct selection *selection;
	struct flow_task *tasks[256];
	uint64_t branches, gaps, damaged;
	bool any;           /* there was a batch at all */
	/* task->known and task->to tell what was before the stretch. 0, or 1: no more. */
	int (*stretch)(struct flow *f, const struct flow_stretch *s);
	void (*cut)(struct flow *f, struct flow_task *t, uint64_t time,
		    const struct branch_mark *m);
};

void flow_start(struct flow *f, const struct selection *selection);
void flow_end(struct flow *f);

/* Runs the stream; fails if the file has no branches at all. */
int flow_run(struct flow *f, struct stream *s, const char *what, struct trawl_error *err);

/* Where an address of a stretch's process is. */
void flow_place(const struct flow_stretch *s, uint64_t address, struct image_place *p);

/* The branches in front of the mark happened by then: its time, or that of the batch's last
 * branch. */
uint64_t flow_until(const struct flow_stretch *s, uint32_t mark);

/* Its calls; *stack is made where it is NULL. False: out of memory. */
bool flow_calls(const struct flow_stretch *s, struct callstack **stack,
		struct callstack_sink *sink);

/* The time of the branches from *mark on, which is moved on to those marks that are after branch
 * i. */
uint64_t flow_time(const struct flow_stretch *s, uint32_t i, uint32_t *mark, uint64_t before);

#endif
