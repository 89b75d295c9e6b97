/* SPDX-License-Identifier: MIT */
/*
 * Gives a device back to its drivers when the process that took it is killed. The kernel itself
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
/* Bit i of interfaces: interface i had a driver, which is about to be taken away. */
void hostguard_takes(const struct hostguard *g, uint32_t interfaces);
/* The drivers have the device back: ends the guard. */
void hostguard_end(struct hostguard *g);

#endif
