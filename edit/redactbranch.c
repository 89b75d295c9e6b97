/* SPDX-License-Identifier: MIT */
/*
 * Redacts the addresses in batches of branches: both addresses of each pair are moved like all of
 * their range, so that distances and the assignment to functions stay.
 */
#include <stddef.h>
#include <string.h>

#include "common/branchrecord.h"
#include "edit/edit.h"
#include "edit/redact.h"

/* Replaces a batch that cannot be decoded by a mark for as many lost branches. */
static int put_lost(struct redact *x, struct trawl_event *ev, struct branch_last_record *head,
		    size_t fixed, struct trawl_error *err)
{
	struct branch_mark lost = { .kind = BRANCH_MARK_LOST, .time = ev->ts,
				    .count = head->branch.count };
	struct branch_batch none = { .marks = &lost, .nmarks = 1 };

	x->damaged++;
	head->branch.count = 0;
	return branch_replace(&x->branches, ev, head, fixed, &none, err);
}

static int put_moved(struct redact *x, struct trawl_event *ev, struct branch_last_record *head,
		     size_t fixed, struct trawl_error *err)
{
	struct branch_batch batch;
	const char *problem =
		branch_batch_decode(&batch, (const uint8_t *)ev->record + fixed, ev->len - fixed,
				    head->branch.count, ev->ts);
	int ret;

	if (!problem) {
		for (uint32_t i = 0; i < batch.npairs; i++) {
			redact_address(x, (uint8_t *)&batch.pairs[i].from);
			redact_address(x, (uint8_t *)&batch.pairs[i].to);
		}
		ret = branch_replace(&x->branches, ev, head, fixed, &batch, err);
	} else {
		ret = problem == branch_no_memory ? edit_no_memory(err) :
						    put_lost(x, ev, head, fixed, err);
	}
	branch_batch_free(&batch);
	return ret;
}

int redact_branch(struct redact *x, struct trawl_event *ev, struct trawl_error *err)
{
	size_t fixed = ev->type->id == BRANCH_TYPE_LAST ? sizeof(struct branch_last_record)
							: sizeof(struct branch_record);
	struct branch_last_record head = { 0 };

	if (ev->len < fixed)
		return trawl_fail(err, TRAWL_BAD_DATA,
				  "%s: a batch of branches is damaged: it is too short", x->name);
	memcpy(&head, ev->record, fixed);
	if (fixed == sizeof(head))
		redact_address(x, (uint8_t *)&head + offsetof(struct branch_last_record, address));
	return put_moved(x, ev, &head, fixed, err);
}
