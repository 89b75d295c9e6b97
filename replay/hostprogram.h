/* SPDX-License-Identifier: MIT */
/*
 * Writes a recorded session as a program that repeats it with a real device, by one call per
 * transfer.
 */
#ifndef TRAWL_REPLAY_HOSTPROGRAM_H
#define TRAWL_REPLAY_HOSTPROGRAM_H

#include "replay/tape.h"

/*
 * Write a C program for libusb; a Python program for pyusb; or, for a person, the list of what
 * would be done. capture: the file's name, for a comment.
 */
void hostprogram_c(const struct tape *t, const char *capture, struct out *o);
void hostprogram_python(const struct tape *t, const char *capture, struct out *o);
void hostprogram_list(const struct tape *t, struct out *o);

/* Whether a host need not repeat the transfer, because it was cancelled or had no answer. */
bool hostprogram_leaves_out(const struct tape_entry *e);

/* The interfaces of the session's configuration; bit N for interface number N. */
uint32_t hostprogram_interfaces(const struct tape *t);

#endif
