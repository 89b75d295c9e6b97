/* SPDX-License-Identifier: MIT */
/* A decoded record of branches: a batch of branches of one task. */
#ifndef TRAWL_DECODE_BRANCH_BATCH_H
#define TRAWL_DECODE_BRANCH_BATCH_H

#include "common/branch.h"
#include "common/branchrecord.h"
#include "decode/branch/image.h"

/* What item.detail points to if the item is a batch. */
struct branch_batch_detail {
	struct branch_record fixed;
	struct branch_batch batch;
	/* the branches before a probe was hit; the record's time is that of the hit */
	bool last;
	uint64_t address;              /* address of the probe's site */
	/* NULL; for a damaged record, whose batch is empty: what is wrong with it */
	const char *problem;
	const struct image_maps *maps; /* maps of the process; NULL: unknown */
	struct images *images;
};

#endif
