/* SPDX-License-Identifier: MIT */
/*
 * Whether a signal that ends the program is pending, for work that takes long while these signals
 * are blocked.
 */
#ifndef TRAWL_COMMON_INTERRUPTED_H
#define TRAWL_COMMON_INTERRUPTED_H

#include <signal.h>
#include <stdbool.h>

static inline bool is_interrupted(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) > 0 ||
					     sigismember(&pending, SIGTERM) > 0 ||
					     sigismember(&pending, SIGHUP) > 0);
}

#endif
