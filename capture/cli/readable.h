/* SPDX-License-Identifier: MIT */
/*
 * Checks whether the memory that a fetch argument reads could be read.
 *
 * The kernel does not report that of a value of a fixed size. If the last address is not mapped, a
 * uprobe's value is 0. If a pointer on the way is not, the kernel stores nothing: the field keeps
 * what an earlier event left there, and a string behind two pointers has the next one's place.
 *
 * A side effect shows it. Before the kernel fetches a string, it sets the string's word to all
 * bytes that are left for strings. If a pointer on the way to the string cannot be read, the word
 * keeps that and no bytes are used. So a *check* treats the value's memory as a pointer and fetches
 * a string from there. It reads eight bytes that begin four before or behind a multiple of eight:
 * the halves of two values, and hence no address. +0(+4(+0(%di))):string checks +8(+0(%di)):u32.
 * There are two outcomes:
 *
 *	the memory can be read	the string cannot: a word of no bytes
 *	it cannot		a word of some bytes, at the place of the next string
 *
 * A *control*, whose pointer can never be read, shows whether this kernel behaves so. The *end*,
 * $comm after all arguments, makes sure that there are bytes left.
 */
#ifndef TRAWL_CAPTURE_CLI_READABLE_H
#define TRAWL_CAPTURE_CLI_READABLE_H

#include <stdbool.h>
#include <stddef.h>

#define READABLE_CONTROL "+0(+0(\\1)):string"
#define READABLE_END "$comm:string"

/* The checks of a value. */
struct readable {
	unsigned int depth; /* of dereferences */
	bool text;          /* a string, or several */
	char first[128];    /* a check, as a fetch argument; "": none is needed */
	char last[128];     /* another one for the end of an array or of several strings; or "" */
};

/* Finds the checks of EXPR[:TYPE]. The stack and the program's image (%sp, %ip) need none. */
void readable_checks(const char *fetch, struct readable *r);

/* A check that never fails, for a site that has no such value. */
#define READABLE_ALWAYS "+0(\\1):string"

#endif
