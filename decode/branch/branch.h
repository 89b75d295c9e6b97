/* SPDX-License-Identifier: MIT */
/*
 * The decoder of branch records. Each branch is an item; with --raw, each batch is. Views and
 * exports that process millions of branches take whole batches.
 */
#ifndef TRAWL_DECODE_BRANCH_BRANCH_H
#define TRAWL_DECODE_BRANCH_BRANCH_H

#include "decode/base/decoder.h"
#include "decode/branch/batch.h"
#include "decode/branch/image.h"

extern const struct decoder branch_decoder;

/* What item.detail points to if the item is a branch. */
struct branch_detail {
	struct branch_pair pair;
	uint32_t cycles;
	uint8_t flags;
	/*
	 * The branch happened at most this many ns after the item's time. 0 if batch->last, whose
	 * branches happened before it.
	 */
	uint64_t late;
	uint64_t lost;      /* branch:lost: number of lost branches; 0: unknown */
	struct image_place from, to;
	struct image_place at; /* batch->last: the probe's site */
	const struct branch_batch_detail *batch;
	const char *problem;
};

/* The detail of an item that is a branch; NULL for other items. */
const struct branch_detail *branch_of(const struct decoder *d, const struct item *it);

/*
 * Whether branches of the item's task are missing before it. False for branches before a probe,
 * which always follow a gap.
 */
bool branch_cuts(const struct decoder *d, const struct item *it);

/* The detail of an item that is a batch; NULL for other items. */
const struct branch_batch_detail *branch_batch_of(const struct decoder *d, const struct item *it);

#endif
