// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/select.h"
#include "kmod/trawl_uapi.h"

/* For each kind of branch the bits that suppress it: any one of them does. */
static const __u32 suppressors[16] = {
	[TRAWL_KIND_UNKNOWN] = TRAWL_NO_USER,
	[TRAWL_KIND_JCC] = TRAWL_NO_USER | TRAWL_NO_JCC,
	[TRAWL_KIND_REL_CALL] = TRAWL_NO_USER | TRAWL_NO_REL_CALL,
	[TRAWL_KIND_IND_CALL] = TRAWL_NO_USER | TRAWL_NO_IND_CALL,
	[TRAWL_KIND_RET] = TRAWL_NO_USER | TRAWL_NO_RET,
	[TRAWL_KIND_IND_JMP] = TRAWL_NO_USER | TRAWL_NO_IND_JMP,
	[TRAWL_KIND_REL_JMP] = TRAWL_NO_USER | TRAWL_NO_REL_JMP,
	[TRAWL_KIND_FAR] = TRAWL_NO_USER | TRAWL_NO_FAR,
	[TRAWL_KIND_SYSCALL] = TRAWL_NO_RING0 | TRAWL_NO_FAR,
	[TRAWL_KIND_SYSRET] = TRAWL_NO_RING0 | TRAWL_NO_USER | TRAWL_NO_FAR,
};

bool select_wants(__u32 select, __u8 kind)
{
	return select != SELECT_NOTHING && !(select & suppressors[kind & 15]);
}

__u32 select_of_bts(__u64 control)
{
	const __u64 on = TRAWL_BTS_TR | TRAWL_BTS_BTS, off = TRAWL_BTS_OFF_OS | TRAWL_BTS_OFF_USR;

	if ((control & on) != on || (control & off) == off)
		return SELECT_NOTHING;
	return (control & TRAWL_BTS_OFF_OS ? TRAWL_NO_RING0 : 0) |
	       (control & TRAWL_BTS_OFF_USR ? TRAWL_NO_USER : 0);
}
