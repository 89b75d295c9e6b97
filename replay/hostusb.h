/* SPDX-License-Identifier: MIT */
/* The host's part of a session, with a real device, by libusb. */
#ifndef TRAWL_REPLAY_HOSTUSB_H
#define TRAWL_REPLAY_HOSTUSB_H

#include "replay/tape.h"

struct host_options {
	double speed;   /* 0: nothing waits */
	bool any_data;  /* answers need to have the same lengths and statuses only */
	bool verbose;
};

/* Plays all of the tape and prints the verdict. The exit status, or -1 with *err. */
int hostusb_play(struct tape *t, const struct host_options *o, struct trawl_error *err);

#endif
