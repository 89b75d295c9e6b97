/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/output/first.h"

enum { WAITING_LEAST = 4096 }; /* events that may wait, however few are wanted */

/*
 * Events after the COUNT-th waiting one can never be wanted: they are dropped once twice as many
 * wait as are wanted, and more than WAITING_LEAST.
 */
int first_add(struct first *f, const struct trawl_record *r, uint64_t mono,
	      struct trawl_error *err)
{
	if (!f->left)
		return 1;
	if (pending_add(&f->pending, r, mono, err))
		return -1;
	if (f->pending.n > WAITING_LEAST && f->pending.n / 2 > f->left)
		pending_keep(&f->pending, f->left);
	return 0;
}

struct emission {
	struct first *first;
	int (*emit)(const struct pending_event *e, void *arg, struct trawl_error *err);
	void *arg;
};

/* Emits an event. Returns 1 if it was the last that is wanted. */
static int emit_counted(const struct pending_event *e, void *arg, struct trawl_error *err)
{
	struct emission *to = arg;

	to->first->left--;
	return to->emit(e, to->arg, err) ? -1 : !to->first->left;
}

int first_settle(struct first *f, uint64_t until,
		 int (*emit)(const struct pending_event *e, void *arg, struct trawl_error *err),
		 void *arg, struct trawl_error *err)
{
	struct emission to = { .first = f, .emit = emit, .arg = arg };
	int r = pending_release(&f->pending, until, emit_counted, &to, err);

	if (r > 0)
		pending_keep(&f->pending, 0);
	return r;
}
