/* SPDX-License-Identifier: MIT */
/* A session as a program of its own, which does it again with a real device: one call a
 * transfer. */
#ifndef TRAWL_REPLAY_HOSTPROGRAM_H
#define TRAWL_REPLAY_HOSTPROGRAM_H

#include "replay/tape.h"

/* C with libusb; Python with pyusb; or, for a person, the list of what would be done. */
void hostprogram_c(const struct tape *t, const char *capture, struct out *o);
void hostprogram_python(const struct tape *t, const char *capture, struct out *o);
void hostprogram_list(const struct tape *t, struct out *o);

/* Transfers that a host cannot or need not do again: isochronous ones, and what it cancelled. */
bool hostprogram_leaves_out(const struct tape_entry *e);

/* The interfaces that the session talks to, as bits by number. */
uint32_t hostprogram_interfaces(const struct tape *t);

#endif
