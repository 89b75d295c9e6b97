/* SPDX-License-Identifier: MIT */
/*
 * Names of error numbers, by the generic errno.h of Linux: x86, ARM, RISC-V and others. The numbers
 * of the traced machine may differ from those of this machine.
 */
#ifndef TRAWL_DECODE_BASE_ERRNONAME_H
#define TRAWL_DECODE_BASE_ERRNONAME_H

#include <stdint.h>

/* "EPIPE", ... of 32, ...; NULL if the number has no name. */
const char *errno_name(int64_t number);

#endif
