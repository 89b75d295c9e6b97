/* SPDX-License-Identifier: MIT */
/* Plays the host's part of a session with a real device, by libusb. */
#ifndef TRAWL_REPLAY_HOSTUSB_H
#define TRAWL_REPLAY_HOSTUSB_H

#include "replay/tape.h"

struct host_options {
	double speed;   /* 2: twice as fast as recorded; 0: without waiting */
	bool any_data;  /* compare only lengths and statuses of answers */
	bool verbose;
};

/* Plays the whole tape and prints the verdict. Returns the exit status, or -1 with *err. */
int hostusb_play(struct tape *t, const struct host_options *o, struct trawl_error *err);

#endif
