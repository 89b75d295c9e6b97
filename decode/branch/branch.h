/* SPDX-License-Identifier: MIT */
/*
 * The decoder of branches: an item for each branch, or (--raw) for each batch. Views and exports
 * that go over millions of branches take whole batches.
 */
#ifndef TRAWL_DECODE_BRANCH_BRANCH_H
#define TRAWL_DECODE_BRANCH_BRANCH_H

#include "common/branch.h"
#include "common/branchrecord.h"
#include "decode/base/decoder.h"
#include "decode/branch/image.h"

extern const struct decoder branch_decoder;

/* item.detail of a batch. */
struct branch_batch_detail {
	struct branch_record fixed;
	struct branch_batch batch;
	bool last;                     /* the branches before a probe's hit, which was at the
				        * record's time */
	uint64_t address;              /* of the probe's place */
	const char *problem;           /* of a damaged one: what is wrong; its batch is empty */
	const struct image_maps *maps; /* of the process; NULL: not known */
	struct images *images;
};

/* item.detail of a branch. */
struct branch_detail {
	struct branch_pair pair;
	uint32_t cycles;
	uint8_t flags;
	uint64_t late;      /* it happened up to so many ns after the item's time; 0 of
			     * batch->last: before it */
	uint64_t lost;      /* of branch:lost: how many; 0: not known */
	struct image_place from, to;
	struct image_place at; /* of batch->last: the probe's place */
	const struct branch_batch_detail *batch;
	const char *problem;
};

/* The detail of an item that is a branch; NULL if it is none. */
const struct branch_detail *branch_of(const struct decoder *d, const struct item *it);

/* The detail of an item of the branch decoder that is a batch; NULL if it is none. */
const struct branch_batch_detail *branch_batch_of(const struct decoder *d, const struct item *it);

#endif
