/* SPDX-License-Identifier: MIT */
/*
 * Redacts the addresses in batches of branches: both addresses of each pair are moved like all of
 * their range, so that distances and the assignment to functions stay.
 */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/branch.h"
#include "common/branchrecord.h"
#include "edit/edit.h"
#include "edit/redact.h"

struct redact_branches {
	struct branch_encoder *encoder;
	uint8_t *record;
	size_t room;
};

void redact_branches_free(struct redact_branches *b)
{
	if (!b)
		return;
	branch_encoder_free(b->encoder);
	free(b->record);
	free(b);
}

static bool start(struct redact *x)
{
	struct redact_branches *b = x->branches;

	if (b)
		return true;
	b = x->branches = calloc(1, sizeof(*b));
	if (b)
		b->encoder = branch_encoder_new();
	return b && b->encoder;
}

/* Replaces a batch that cannot be decoded by a mark for as many lost branches. */
static const void *all_lost(struct redact *x, struct branch_record *head, uint64_t ts, size_t *len)
{
	struct branch_mark lost = { .kind = BRANCH_MARK_LOST, .time = ts, .count = head->count };
	struct branch_batch none = { .marks = &lost, .nmarks = 1 };

	x->damaged++;
	head->count = 0;
	return branch_encoder_again(x->branches->encoder, &none, ts, len);
}

static const void *moved(struct redact *x, const uint8_t *p, size_t n, struct branch_record *head,
			 uint64_t ts, size_t *len)
{
	struct branch_batch batch;
	const char *problem = branch_batch_decode(&batch, p, n, head->count, ts);
	const void *data;

	if (!problem) {
		for (uint32_t i = 0; i < batch.npairs; i++) {
			redact_address(x, (uint8_t *)&batch.pairs[i].from);
			redact_address(x, (uint8_t *)&batch.pairs[i].to);
		}
		data = branch_encoder_again(x->branches->encoder, &batch, ts, len);
	} else {
		data = problem == branch_no_memory ? NULL : all_lost(x, head, ts, len);
	}
	branch_batch_free(&batch);
	return data;
}

int redact_branch(struct redact *x, struct trawl_event *ev, struct trawl_error *err)
{
	size_t fixed = ev->type->id == BRANCH_TYPE_LAST ? sizeof(struct branch_last_record)
							: sizeof(struct branch_record), n;
	struct branch_last_record r = { 0 };
	const void *batch;

	if (ev->len < fixed)
		return trawl_fail(err, TRAWL_BAD_DATA,
				  "%s: a batch of branches is damaged: it is too short", x->name);
	if (!start(x))
		return edit_no_memory(err);
	memcpy(&r, ev->record, fixed);
	if (fixed == sizeof(r))
		redact_address(x, (uint8_t *)&r + offsetof(struct branch_last_record, address));
	batch = moved(x, (const uint8_t *)ev->record + fixed, ev->len - fixed, &r.branch, ev->ts,
		      &n);
	if (!batch || !array_reserve(x->branches->record, x->branches->room, fixed + n))
		return edit_no_memory(err);
	memcpy(x->branches->record, &r, fixed);
	memcpy(x->branches->record + fixed, batch, n);
	ev->record = x->branches->record;
	ev->len = (uint32_t)(fixed + n);
	return 0;
}
