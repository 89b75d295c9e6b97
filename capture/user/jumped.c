/* SPDX-License-Identifier: MIT */
#include "capture/user/jumped.h"

#include <stdio.h>

/*
 * The filter that is true if a conditional jump is taken, by the condition in its opcode (0 to 15).
 * Flags: CF 1, PF 4, ZF 64, SF 128, OF 2048. The last row is for a site that is no jump.
 */
static const char *const conditions[PROBE_CONDITIONS + 1] = {
	"jump_flags & 2048",
	"!(jump_flags & 2048)",
	"jump_flags & 1",
	"!(jump_flags & 1)",
	"jump_flags & 64",
	"!(jump_flags & 64)",
	"jump_flags & 65",
	"!(jump_flags & 65)",
	"jump_flags & 128",
	"!(jump_flags & 128)",
	"jump_flags & 4",
	"!(jump_flags & 4)",
	"(jump_flags & 128 && !(jump_flags & 2048)) || (!(jump_flags & 128) && jump_flags & 2048)",
	"(jump_flags & 128 && jump_flags & 2048) || !(jump_flags & 2176)",
	("jump_flags & 64 || (jump_flags & 128 && !(jump_flags & 2048)) || "
	 "(!(jump_flags & 128) && jump_flags & 2048)"),
	"!(jump_flags & 64) && ((jump_flags & 128 && jump_flags & 2048) || !(jump_flags & 2176))",
	"jump_if == 16",
};

const char *jumped_filter(const struct probe *p, char *buf, size_t size)
{
	size_t used = 0;

	*buf = '\0';
	for (int i = 0; i <= PROBE_CONDITIONS; i++) {
		if (p->conditions & UINT32_C(1) << i && used < size)
			used += (size_t)snprintf(buf + used, size - used,
						 "%s(jump_if == %d && (%s))", used ? " || " : "", i,
						 conditions[i]);
	}
	return buf;
}
