/* SPDX-License-Identifier: MIT */
/*
 * Records strings that are too long for the kernel.
 *
 * The kernel measures a string of 4,096 bytes or more as empty, and drops an event of more than
 * about 4,070 bytes, whatever the size of the sub-buffers. So an event with strings gets a
 * *companion*: a second event at the same sites. It has the same arguments, but for each string its
 * address, a prefix, and eight bytes far after the prefix. By its filter it is recorded only if an
 * address is 0, or if those eight bytes are not 0, so that the string may be that long.
 *
 * The kernel calls the probe that was enabled last first. So the companion's record precedes the
 * event's, and no other record of the task is between them. But the task may move to another CPU
 * meanwhile, or another task may run. So the records of all CPUs wait until they can be handled in
 * time order, from the first that has a companion or may have one. What follows in the same task
 * decides:
 *
 *	companion, event with all its strings      emits the event; no string was too long
 *	companion, event that lacks a string       emits the event with the string's prefix, or null
 *	companion, another record, or none for     emits an event made from the companion: the
 *	100 ms                                     kernel has dropped it
 *
 * An event that comes after one was made from its companion is dropped.
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

/* Offsets of an argument in both records. */
struct long_text_arg {
	bool text;
	bool own;            /* a string of the kernel ($comm): short, and in both records */
	bool check;          /* a check (readcheck.h), which has become a number */
	uint32_t at, size;   /* in the event: offset and size of the value, or of a string's
			      * __data_loc word */
	uint32_t from;       /* in the companion: offset of the value, a string's prefix, or the
			      * word of an own string */
	uint32_t address_at; /* in the companion: offset of a string's address */
};

struct long_text {
	uint32_t id, companion;        /* IDs of the two events */
	uint32_t size, companion_size; /* bytes of their fixed parts */
	uint32_t head;                 /* bytes at the begin of both that are equal for one hit:
				        * common fields, addresses */
	uint32_t prefix;               /* bytes of each string's prefix in the companion */
	size_t nargs;
	struct long_text_arg args[LONG_TEXT_ARGS];
};

struct long_texts;

/* Takes one event. Returns 0; 1: no more are wanted; -1 with *err. */
typedef int long_text_emit(void *arg, uint32_t cpu, const struct ring_event *ev,
			   struct trawl_error *err);

/* Returns NULL without memory. */
struct long_texts *long_texts_new(void);
void long_texts_free(struct long_texts *l);
/* Adds a copy of *pair. Returns 0, or -1 without memory. */
int long_texts_add(struct long_texts *l, const struct long_text *pair);

/*
 * Takes the next record of a CPU: emits it, or lets it wait. Returns 0, emit()'s result, or -1
 * without memory.
 */
int long_texts_event(struct long_texts *l, uint32_t cpu, const struct ring_event *ev,
		     long_text_emit *emit, void *arg, struct trawl_error *err);

/*
 * Emits the waiting events in time order, up to `until`, up to which all CPUs have been read
 * (UINT64_MAX: these are all records). Stops at a companion whose event may still come. Returns 0,
 * or emit()'s first non-zero result.
 */
int long_texts_release(struct long_texts *l, uint64_t until, long_text_emit *emit, void *arg,
		       struct trawl_error *err);

/* Returns a time before that of all waiting records; UINT64_MAX if none waits. */
uint64_t long_texts_held(const struct long_texts *l);

#endif
