/* SPDX-License-Identifier: MIT */
#include "edit/branchbatch.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "edit/edit.h"

int branch_replace(struct branch_replacer *r, struct trawl_event *ev, const void *head,
		   size_t fixed, const struct branch_batch *batch, struct trawl_error *err)
{
	const void *data = NULL;
	size_t n = 0;

	if (!r->encoder)
		r->encoder = branch_encoder_new();
	if (r->encoder) {
		branch_encoder_start(r->encoder, ev->ts);
		if (branch_encoder_append(r->encoder, batch, ev->ts, ev->ts))
			data = branch_encoder_finish(r->encoder, &n);
	}
	if (!data || !array_reserve(r->record, r->room, fixed + n))
		return edit_no_memory(err);
	memcpy(r->record, head, fixed);
	memcpy(r->record + fixed, data, n);
	ev->record = r->record;
	ev->len = (uint32_t)(fixed + n);
	return 0;
}

void branch_replacer_free(struct branch_replacer *r)
{
	branch_encoder_free(r->encoder);
	free(r->record);
	*r = (struct branch_replacer){ 0 };
}
