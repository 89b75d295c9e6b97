/* SPDX-License-Identifier: MIT */
/*
 * Strings that are too long for the kernel.
 *
 * The kernel measures a string of 4,096 bytes or more as an empty one, and drops an event of more
 * than some 4,070 bytes, whatever the size of the sub-buffers. So an event with strings gets a
 * *companion* at the same places. It has the same arguments, but of each string its address, its
 * first bytes, and eight bytes far after these; and a filter: the kernel records it only where an
 * address is 0, or where something is so far after it that the string may be that long.
 *
 * The kernel calls the probe that was switched on last first. So the companion's record stands in
 * front of the event's on the same CPU, and is held until the next one there:
 *
 *	companion, event with all its strings      the event; the string was not that long
 *	companion, event that lacks a string       the event, with its beginning, or marked as null
 *	companion, something else                  the event was dropped: it is made of the companion
 *
 * A task may be moved, or another one run, between the two. Then the event comes later: it was made
 * already, and is dropped.
 *
 * The kernel measures strings before it filters, so a probe cannot keep it from that: since Linux
 * 6.12 prepare_uprobe_buffer() has WARN_ON_ONCE(ucb->dsize > MAX_UCB_BUFFER_SIZE), for a record of
 * more than a page, which it then cuts (kernel/trace/trace_uprobe.c).
 *
 * A string that was cut ends without a NUL; one whose pointer was null is two NULs.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_LONGTEXT_H
#define TRAWL_CAPTURE_TRACEFS_LONGTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/tracefs/ring.h"
#include "format/trawl.h"

enum { LONG_TEXT_ARGS = 128 };

/* An argument in both records. Of a string: the word with its place, and what stands for it. */
struct long_text_arg {
	bool text;
	bool own;            /* a string of the kernel's ($comm), which is short: both have it */
	bool check;          /* a number by now (readcheck.h), as values of a fixed size are */
	uint32_t at, size;   /* in the event: its value; of a string 4 bytes */
	uint32_t from; /* in the companion: the value; of a string its first bytes, of one of the
				kernel's its word */
	uint32_t address_at; /* of a string: where the companion has its address */
};

struct long_text {
	uint32_t id, companion;        /* of the two events */
	uint32_t size, companion_size; /* of their fixed parts */
	uint32_t head;                 /* what both begin with: common fields, addresses of the
				        * hit */
	uint32_t prefix;               /* bytes that the companion has of each string */
	size_t nargs;
	struct long_text_arg args[LONG_TEXT_ARGS];
};

struct long_texts;

/* Hands on one event; 0, 1: no more are wanted, -1 with *err. */
typedef int long_text_give(void *arg, uint32_t cpu, const struct ring_event *ev,
			   struct trawl_error *err);

/* NULL without memory. */
struct long_texts *long_texts_new(void);
void long_texts_free(struct long_texts *l);
/* Copies *pair; 0, or -1 without memory. */
int long_texts_add(struct long_texts *l, const struct long_text *pair);

/* Takes the next event of a CPU, and hands on what it has become: none, one or two events. */
int long_texts_event(struct long_texts *l, uint32_t cpu, const struct ring_event *ev,
		     long_text_give *give, void *arg, struct trawl_error *err);

/* Hands on what is held of a time before `until` (UINT64_MAX: all). */
int long_texts_flush(struct long_texts *l, uint64_t until, long_text_give *give, void *arg,
		     struct trawl_error *err);

/* All that is held is of after this time; UINT64_MAX: nothing is held. */
uint64_t long_texts_held(const struct long_texts *l);

#endif
