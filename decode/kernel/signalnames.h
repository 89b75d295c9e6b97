/* SPDX-License-Identifier: MIT */
/* Names of signals: text output shows sig=SIGSEGV, JSON the number. */
#ifndef TRAWL_DECODE_KERNEL_SIGNALNAMES_H
#define TRAWL_DECODE_KERNEL_SIGNALNAMES_H

#include "decode/base/eventlayout.h"

struct signal_names;

/*
 * Sets shown.written of the field "sig" of the kernel's signal events and of system calls with a
 * signal. Returns NULL if the type has no such field, if signals of the recorded machine have other
 * numbers, or if memory runs out; the numbers are then shown.
 */
struct signal_names *signal_names_new(const struct trawl_reader *r,
				      const struct trawl_event_type *type, struct event_layout *l);
void signal_names_free(struct signal_names *s);

#endif
