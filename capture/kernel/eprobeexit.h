/* SPDX-License-Identifier: MIT */
/*
 * at-exit: when a system call begins, its strings are often not in memory yet, and a probe there
 * reads "(fault)". So the probe is at the end of the call, and gets the arguments by a hist pair
 * (histpair.h). It also has the return value, as `ret`.
 */
#ifndef TRAWL_CAPTURE_KERNEL_EPROBEEXIT_H
#define TRAWL_CAPTURE_KERNEL_EPROBEEXIT_H

#include "capture/kernel/eprobedefine.h"

/* Removes the word at-exit from the arguments, and sets e->at_exit if it was there. */
void eprobe_take_at_exit(struct eprobe *e);

/*
 * Of an eprobe at-exit: fills in e->hist for the end of the system call, and adds its field `ret`
 * to e->format. number: of the -i text. Returns 0, or -1 with *err.
 */
int eprobe_find_exit(struct eprobe *e, unsigned int number, struct trawl_error *err);

/* Makes the hist pair and defines the probe on its event. Returns 0, or -1 with *err. */
int eprobe_define_at_exit(struct eprobe *e, unsigned int number, struct trawl_error *err);

#endif
