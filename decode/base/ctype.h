/* SPDX-License-Identifier: MIT */
/*
 * Types of C that are narrower than their place in a record. The kernel keeps an argument of a
 * system call as its register is, in 8 bytes, under the type that the call declares for it
 * (trace_syscalls.c): of an int the upper half means nothing.
 */
#ifndef TRAWL_DECODE_BASE_CTYPE_H
#define TRAWL_DECODE_BASE_CTYPE_H

#include "format/trawl.h"

/*
 * The field as its declared type has it: a copy of *f, narrowed to the low bytes if it is a number
 * of 8 bytes of a tracefs event (one with a format) that is declared as a narrower integer. A
 * field of a user probe is as long as its type in the program, which need not be C.
 */
struct trawl_field ctype_field(const struct trawl_event_type *type, const struct trawl_field *f);

#endif
