/* SPDX-License-Identifier: MIT */
/*
 * Reattaches the drivers of a device if the process that detached them is killed. The kernel itself
 * only releases the interfaces.
 */
#ifndef TRAWL_REPLAY_HOSTGUARD_H
#define TRAWL_REPLAY_HOSTGUARD_H

#include <stdint.h>
#include <sys/types.h>

struct hostguard {
	pid_t pid; /* a process that waits for the end of this one; -1: none could be started */
	int pipe;
};

/* Starts the guard of a device, before libusb is used. */
void hostguard_start(struct hostguard *g, uint16_t vendor, uint16_t product);
/* Call before drivers are detached. interfaces: bit i is set if interface i had a driver. */
void hostguard_takes(const struct hostguard *g, uint32_t interfaces);
/* Ends the guard. Call after the drivers were reattached. */
void hostguard_end(struct hostguard *g);

#endif
