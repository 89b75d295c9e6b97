/* SPDX-License-Identifier: MIT */
/*
 * Names of signals and of errors of system calls: text output shows sig=SIGSEGV and
 * ret=-24 (EMFILE), JSON the numbers.
 */
#ifndef TRAWL_DECODE_KERNEL_NUMBERNAMES_H
#define TRAWL_DECODE_KERNEL_NUMBERNAMES_H

#include "decode/base/eventlayout.h"

struct number_names;

/*
 * Sets shown.written of the field "sig" of the kernel's signal events and of system calls with a
 * signal, and of the field "ret" of a system call's end. Returns NULL if the type has no such
 * field, if the recorded machine has other numbers, or if memory runs out; the numbers are then
 * shown.
 */
struct number_names *number_names_new(const struct trawl_reader *r,
				      const struct trawl_event_type *type, struct event_layout *l);
void number_names_free(struct number_names *s);

#endif
