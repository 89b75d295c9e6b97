/* SPDX-License-Identifier: GPL-2.0-only */
/* Which branches somebody wants: LBR_SELECT, and the control bits of BTS as such bits. */
#ifndef KMOD_FILTER_H
#define KMOD_FILTER_H

#include "kmod/plain.h"

#define FILTER_NOTHING	0xffffffffu	/* a selection that suppresses every kind */

/* filter_wants() - whether a branch of this enum trawl_kind (below 16) passes a TRAWL_NO_*
 * selection. */
bool filter_wants(__u32 select, __u8 kind);

/* filter_of_bts() - the selection that TRAWL_BTS_* control bits mean. */
__u32 filter_of_bts(__u64 control);

#endif
