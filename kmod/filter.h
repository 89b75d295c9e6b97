/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which branches are wanted: a selection is a set of TRAWL_NO_* bits; control bits of the BTS form
 * are converted to one.
 */
#ifndef TRAWL_KMOD_FILTER_H
#define TRAWL_KMOD_FILTER_H

#include "kmod/plain.h"

#define FILTER_NOTHING	0xffffffffu	/* a selection that suppresses every kind */

/*
 * filter_wants() - whether a branch of this kind (enum trawl_branch_kind, below 16) passes the
 * selection.
 */
bool filter_wants(__u32 select, __u8 kind);

/* filter_of_bts() - the selection with the same meaning as these TRAWL_BTS_* control bits. */
__u32 filter_of_bts(__u64 control);

#endif
