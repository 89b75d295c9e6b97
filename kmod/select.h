/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which branches are wanted: select bits are a set of TRAWL_NO_*; control bits of the BTS form
 * are converted to them.
 */
#ifndef TRAWL_KMOD_SELECT_H
#define TRAWL_KMOD_SELECT_H

#include "kmod/plain.h"

#define SELECT_NOTHING	0xffffffffu	/* suppresses every kind */

/*
 * select_wants() - whether a branch of this kind (enum trawl_branch_kind, below 16) passes the
 * select bits.
 */
bool select_wants(__u32 select, __u8 kind);

/* select_of_bts() - the select bits with the same meaning as these TRAWL_BTS_* control bits. */
__u32 select_of_bts(__u64 control);

#endif
