/* SPDX-License-Identifier: MIT */
/* What the user wants of a played device. */
#ifndef TRAWL_REPLAY_PLAYEROPTIONS_H
#define TRAWL_REPLAY_PLAYEROPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct player_options {
	double speed;      /* 0: nothing waits */
	uint64_t delay;    /* ns from the host's first read of an endpoint to the first unasked
			    * answer, more */
	uint64_t linger;   /* ns that the device stays after the tape's end */
	uint64_t timeout;  /* ns without anything of the tape happening, after which it ends; 0:
			    * never */
	bool partial;      /* what nobody asks for is no difference */
	bool hold;         /* it stays until a signal comes, or the host unplugs it */
};

#endif
