/* SPDX-License-Identifier: MIT */
/* Which file to replay from, and which of its devices. */
#ifndef TRAWL_REPLAY_TAPEFILE_H
#define TRAWL_REPLAY_TAPEFILE_H

#include <stdint.h>

struct tape_file {
	const char *path;   /* to open */
	const char *name;   /* in messages */
	/* "VID:PID" in hex, "BUS:DEV" in decimal, or NULL for the only one that is no hub */
	const char *device;
	uint64_t memory;    /* limit for reading it; 0: the default of trawl_open() */
};

#endif
