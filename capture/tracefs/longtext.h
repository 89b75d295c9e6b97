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
 * The kernel calls the probe that was switched on last first. So the companion's record precedes
 * the event's on the same CPU. It is held until the next record of that CPU:
 *
 *	companion, event with all its strings      the event; the string was not that long
 *	companion, event that lacks a string       the event, with the string's beginning, or null
 *	companion, something else                  the event, made of the companion: it was dropped
 *
 * Between the two, the task may be moved or another one may run. Then the event comes after it was
 * made of its companion, and is left out.
 *
 * The kernel measures strings before it filters, so no filter prevents its warning: since Linux
 * 6.12 prepare_uprobe_buffer() has WARN_ON_ONCE(ucb->dsize > MAX_UCB_BUFFER_SIZE), for a record of
 * more than a page, which it then cuts (kernel/trace/trace_uprobe.c).
 *
 * A cut string ends without a NUL. One with a null pointer is two NULs.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_LONGTEXT_H
#define TRAWL_CAPTURE_TRACEFS_LONGTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/tracefs/ring.h"
#include "format/trawl.h"

enum { LONG_TEXT_ARGS = 128 };

/* Where an argument is in both records. */
struct long_text_arg {
	bool text;
	bool own;            /* the kernel's own string ($comm): short, and in both records */
	bool check;          /* a check, which readcheck.h has made a number of */
	uint32_t at, size;   /* in the event: the value, or a string's __data_loc word */
	uint32_t from;       /* in the companion: the value, a string's first bytes, or the word
			      * of an own string */
	uint32_t address_at; /* in the companion: a string's address */
};

struct long_text {
	uint32_t id, companion;        /* of the two events */
	uint32_t size, companion_size; /* of their fixed parts */
	uint32_t head;                 /* bytes that both begin with: common fields, addresses of
				        * the hit */
	uint32_t prefix;               /* bytes that the companion has of each string */
	size_t nargs;
	struct long_text_arg args[LONG_TEXT_ARGS];
};

struct long_texts;

/* Takes one event. Returns 0; 1: no more are wanted; -1 with *err. */
typedef int long_text_emit(void *arg, uint32_t cpu, const struct ring_event *ev,
			   struct trawl_error *err);

/* NULL without memory. */
struct long_texts *long_texts_new(void);
void long_texts_free(struct long_texts *l);
/* Copies *pair; 0, or -1 without memory. */
int long_texts_add(struct long_texts *l, const struct long_text *pair);

/* Takes the next event of a CPU, and emits what it has become: none, one or two events. */
int long_texts_event(struct long_texts *l, uint32_t cpu, const struct ring_event *ev,
		     long_text_emit *emit, void *arg, struct trawl_error *err);

/* Emits what is held of a time before `until` (UINT64_MAX: all). */
int long_texts_flush(struct long_texts *l, uint64_t until, long_text_emit *emit, void *arg,
		     struct trawl_error *err);

/* Returns a time that all held events are after; UINT64_MAX: nothing is held. */
uint64_t long_texts_held(const struct long_texts *l);

#endif
