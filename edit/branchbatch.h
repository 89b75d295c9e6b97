/* SPDX-License-Identifier: MIT */
/* Replaces the batch of branches in an event by another one. */
#ifndef TRAWL_EDIT_BRANCHBATCH_H
#define TRAWL_EDIT_BRANCHBATCH_H

#include "common/branch.h"
#include "format/trawl.h"

/* Starts zeroed. The encoder and the record are reused for all events. */
struct branch_replacer {
	struct branch_encoder *encoder;
	uint8_t *record;
	size_t room;
};

/*
 * Makes ev->record a record of `fixed` bytes at head and the encoded batch, valid until the next
 * call or branch_replacer_free(). head must not be in ev->record. Returns 0, or -1 with *err.
 */
int branch_replace(struct branch_replacer *r, struct trawl_event *ev, const void *head,
		   size_t fixed, const struct branch_batch *batch, struct trawl_error *err);
void branch_replacer_free(struct branch_replacer *r);

#endif
