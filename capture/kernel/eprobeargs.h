/* SPDX-License-Identifier: MIT */
/*
 * The arguments of an eprobe: passed to the kernel unchanged, with three additions: the field's
 * name and the field's type, if the user gave none (without a type the kernel shows numbers in hex,
 * and the address of a text); and checks that the kernel does not make.
 */
#ifndef TRAWL_CAPTURE_KERNEL_EPROBEARGS_H
#define TRAWL_CAPTURE_KERNEL_EPROBEARGS_H

#include "capture/kernel/eprobedefine.h"

/*
 * Sets e->args and e->checks, and with at_exit the fields of e->hist, from e->spec. Returns 0, or
 * -1 with *err.
 */
int eprobe_add_arguments(struct eprobe *e, struct trawl_error *err);

#endif
