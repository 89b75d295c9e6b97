/* SPDX-License-Identifier: MIT */
/* The user's options for a played device. */
#ifndef TRAWL_REPLAY_PLAYEROPTIONS_H
#define TRAWL_REPLAY_PLAYEROPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct player_options {
	double speed;      /* 2: twice as fast as recorded; 0: without waiting */
	/*
	 * ns between the host's first read of an endpoint and the first answer that no request
	 * caused, in addition to the recorded time
	 */
	uint64_t delay;
	uint64_t linger;   /* ns that the device stays plugged in after the tape's end */
	/* ns without progress on the tape after which the replay ends; 0: never */
	uint64_t timeout;
	bool partial;      /* entries that the host does not ask for are no difference */
	bool as_is;        /* the descriptors are not made to fit each other */
	bool hold;         /* stay until a signal arrives or the host unplugs the device */
};

#endif
