/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "decode/kernel/constants.h"
#include "common/array.h"

static const struct {
	const char *name;
	uint64_t value;
} constants[] = {
	{ "NULL", 0 },
	{ "false", 0 },
	{ "true", 1 },
	{ "HRTIMER_MODE_ABS", 0 },
	{ "HRTIMER_MODE_REL", 1 },
	{ "HRTIMER_MODE_ABS_PINNED", 2 },
	{ "HRTIMER_MODE_REL_PINNED", 3 },
	{ "HRTIMER_MODE_ABS_SOFT", 4 },
	{ "HRTIMER_MODE_REL_SOFT", 5 },
	{ "HRTIMER_MODE_ABS_PINNED_SOFT", 6 },
	{ "HRTIMER_MODE_REL_PINNED_SOFT", 7 },
	{ "HRTIMER_MODE_ABS_HARD", 8 },
	{ "HRTIMER_MODE_REL_HARD", 9 },
	{ "HRTIMER_MODE_ABS_PINNED_HARD", 10 },
	{ "HRTIMER_MODE_REL_PINNED_HARD", 11 },
	{ "IOPRIO_CLASS_NONE", 0 },
	{ "IOPRIO_CLASS_RT", 1 },
	{ "IOPRIO_CLASS_BE", 2 },
	{ "IOPRIO_CLASS_IDLE", 3 },
	{ "IOPRIO_CLASS_INVALID", 7 },
	{ "TCP_ESTABLISHED", 1 },
	{ "TCP_SYN_SENT", 2 },
	{ "TCP_SYN_RECV", 3 },
	{ "TCP_FIN_WAIT1", 4 },
	{ "TCP_FIN_WAIT2", 5 },
	{ "TCP_TIME_WAIT", 6 },
	{ "TCP_CLOSE", 7 },
	{ "TCP_CLOSE_WAIT", 8 },
	{ "TCP_LAST_ACK", 9 },
	{ "TCP_LISTEN", 10 },
	{ "TCP_CLOSING", 11 },
	{ "TCP_NEW_SYN_RECV", 12 },
	{ "TCP_BOUND_INACTIVE", 13 },
};

bool constant_find(const char *name, size_t len, uint64_t *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		if (strlen(constants[i].name) != len || memcmp(constants[i].name, name, len))
			continue;
		*value = constants[i].value;
		return true;
	}
	return false;
}
