/* SPDX-License-Identifier: MIT */
/*
 * Branches as the flow of control: a consumer that passes the branches of each task, in order, to a
 * view or an exporter. It receives whole batches (decode_options.raw) and passes on the branches
 * that the time range and --pid select.
 *
 * Where branches are missing, or a recording begins, cut() is called: it is then unknown which code
 * ran between the previous branch and the next one.
 */
#ifndef TRAWL_DECODE_FLOW_FLOW_H
#define TRAWL_DECODE_FLOW_FLOW_H

#include "decode/branch/branch.h"
#include "decode/branch/callstack.h"
#include "decode/query/stream.h"

/* A task, with the data that a view keeps for it. */
struct flow_task {
	struct flow_task *next;
	uint32_t section;
	int32_t tid, pid;
	char comm[16];
	bool known;         /* the previous branch is known; its target is `to` */
	uint64_t to;
	uint64_t lost;      /* number of lost branches so far */
	uint64_t last;      /* the newest branch happened at or after this time of the timeline */
	uint64_t nlosses;   /* struct flow's nlosses at the newest batch */
	struct callstack *stack; /* by flow_calls() */
	void *own;          /* data of the view; flow_end() releases it with free() */
};

/* Consecutive branches of one task without a gap: branches first to end - 1 of `batch`. */
struct flow_stretch {
	struct flow_task *task;
	const struct branch_batch_detail *batch;
	uint32_t first, end;
	uint32_t mark;      /* index of the first mark at or after `first` */
	uint64_t time;      /* time of `first` on the timeline, ns */
	/* what must be added to the time of a mark to get a time on the timeline, ns */
	uint64_t offset;
};

struct flow {
	struct consumer consumer;
	const struct selection *selection;
	struct flow_task *tasks[256];
	uint64_t branches, gaps, damaged;
	bool any;           /* there was at least one batch */
	uint64_t nlosses;   /* losses of branch sources so far: batches may be missing */
	bool failed;        /* memory ran out: flow_run() fails */
	struct callstack_sink *calls; /* of a view that uses flow_calls() */
	/*
	 * Called for each stretch; task->known and task->to describe the branch before it. Returns
	 * 0, or 1 to end the run.
	 */
	int (*stretch)(struct flow *f, const struct flow_stretch *s);
	/* Called where branches are missing, after CALL_LOST for all calls of the task. */
	void (*cut)(struct flow *f, struct flow_task *t, uint64_t time,
		    const struct branch_mark *m);
};

/* Begins a view: *f was zero-initialised; the caller sets its callbacks. Keeps the selection. */
void flow_start(struct flow *f, const struct selection *selection);
/* Frees what *f owns. */
void flow_end(struct flow *f);

/*
 * Whether the selection is of consecutive branches: without --where, --name and -c. Returns 0, or
 * -1 with *err, in which `what` names the view or export.
 */
int flow_selectable(const struct selection *selection, const char *what, struct trawl_error *err);

/*
 * Runs the stream. Returns 0, or -1 with *err, in which `what` names the view or export: also if
 * the file has no branches, or memory ran out.
 */
int flow_run(struct flow *f, struct stream *s, const char *what, struct trawl_error *err);

/* After flow_run(): a line if branches are missing. `what` names the view, `so` what follows. */
void flow_note_gaps(const struct flow *f, const char *what, const char *so);

/* Finds module, function and line of an address in the process of a stretch. */
void flow_place(const struct flow_stretch *s, uint64_t address, struct image_place *p);

/* Passes the calls of a stretch to f->calls. Sets f->failed if memory runs out. */
void flow_calls(struct flow *f, const struct flow_stretch *s);

/*
 * Returns the time on the timeline of branch i: that of the last mark at or before it, or `before`
 * if there is none from *mark on. Advances *mark past these marks.
 */
uint64_t flow_time(const struct flow_stretch *s, uint32_t i, uint32_t *mark, uint64_t before);

#endif
