/* SPDX-License-Identifier: MIT */
/*
 * C types that are narrower than their field. The kernel records each argument of a system call as
 * an 8-byte register, with the type that the call declares (trace_syscalls.c): the upper half of an
 * int is undefined.
 */
#ifndef TRAWL_DECODE_BASE_CTYPE_H
#define TRAWL_DECODE_BASE_CTYPE_H

#include "format/trawl.h"

/*
 * Returns a copy of *f with the size of its declared type: narrowed to the low bytes if it is an
 * 8-byte number of a tracefs event (one with a format) that is declared as a narrower integer.
 * Fields of user probes have the size of their type already, and the type need not be C.
 */
struct trawl_field ctype_field(const struct trawl_event_type *type, const struct trawl_field *f);

#endif
