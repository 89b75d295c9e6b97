/* SPDX-License-Identifier: MIT */
/*
 * Could the memory that a fetch argument reads be read?
 *
 * The kernel does not say so of a value of a fixed size. Where the last address leads nowhere, a
 * uprobe's value is 0; where a pointer on the way does, the kernel stores nothing: the field has
 * what an earlier event left there, and a string behind two pointers has the place of the next one.
 *
 * It says so without meaning to. Before it fetches a string, it fills in the string's word: all
 * bytes that are left for strings. If a pointer on the way to the string cannot be read, that word
 * stays, and takes no bytes. So a *check* takes for a pointer what lies in the value's place, and
 * fetches a string there. It takes eight bytes from the middle between two multiples of eight on,
 * for these are halves of two things, and no address: +0(+4(+0(%di))):string for +8(+0(%di)):u32.
 * There are two outcomes:
 *
 *	there is memory		the string cannot be read: a word of no bytes
 *	there is none		a word of some bytes, at the place of the next string's
 *
 * A *control*, whose pointer can never be read, shows that this kernel is one that does so. The
 * *end*, $comm after all arguments, makes sure that there are bytes left.
 */
#ifndef TRAWL_CAPTURE_CLI_READABLE_H
#define TRAWL_CAPTURE_CLI_READABLE_H

#include <stdbool.h>
#include <stddef.h>

#define READABLE_CONTROL "+0(+0(\\1)):string"
#define READABLE_END "$comm:string"

/* What must be checked for a value. */
struct readable {
	unsigned int depth; /* of dereferences */
	bool text;          /* a string, or several */
	char first[128];    /* a check, as a fetch argument; "": none is needed */
	char last[128];     /* of an array or several strings: another one, for its end; or "" */
};

/* Takes apart EXPR[:TYPE]. What is on the stack or in the program's image (%sp, %ip) can be
 * read. */
void readable_checks(const char *fetch, struct readable *r);

/* A check that is never to fail, for a site that has no such value. */
#define READABLE_ALWAYS "+0(\\1):string"

#endif
