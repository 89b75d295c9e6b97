/* SPDX-License-Identifier: MIT */
/*
 * Matches an expression (where.h) against the records of a running capture, through the same
 * decoders as `trawl-decode --where`. Types of which no item can match are found beforehand, so
 * that their records cost only a table lookup.
 *
 * Memory does not grow with time: only metadata of probes and USB devices is kept, and the current
 * names of tasks.
 */
#ifndef TRAWL_DECODE_QUERY_WATCH_H
#define TRAWL_DECODE_QUERY_WATCH_H

#include "decode/base/decoder.h"

struct watch;

/* Parses an expression; option: begins its error messages. Returns NULL with *err. */
struct watch *watch_new(const char *option, const char *text, struct trawl_error *err);
void watch_free(struct watch *w);

/* Sets the callback for comparisons of a number with a text: where_set_on_mismatch(). */
void watch_set_on_mismatch(struct watch *w, void (*fn)(void *arg, const struct trawl_error *note),
			   void *arg);

/* Add a source, type or piece of metadata, before the first record that needs it. */
int watch_source(struct watch *w, const struct trawl_source *s, struct trawl_error *err);
int watch_type(struct watch *w, const struct trawl_event_type *t, struct trawl_error *err);
int watch_meta(struct watch *w, const struct trawl_meta *m, struct trawl_error *err);
int watch_sync(struct watch *w, const struct trawl_sync *s, struct trawl_error *err);

/* Checks that all fields and event names of the expression exist. Returns 0, or -1 with *err. */
int watch_check(struct watch *w, struct trawl_error *err);

/*
 * Whether the expression uses the task of an event: then watch_meta() must add a task before its
 * records.
 */
bool watch_uses_task(const struct watch *w);
/* Whether watch_type() has added this type. */
bool watch_has_type(const struct watch *w, uint16_t source, uint32_t type);
/* Whether records of this type can match: else watch_record() need not be called. */
bool watch_wants(const struct watch *w, uint16_t source, uint32_t type);

/* A matching item; its strings are valid until the next record. */
struct watch_match {
	const char *name;   /* of the item */
	const char *source;
	const char *comm;   /* "" if not known */
	int32_t tid;        /* ITEM_NO_TASK: not known, or none */
	uint32_t cpu;
	uint64_t ts;        /* the source's clock */
};

/*
 * Takes a record, in time order for each source. Returns 1 and fills *m if it matches; 0; -1 with
 * *err.
 */
int watch_record(struct watch *w, const struct trawl_record *r, struct watch_match *m,
		 struct trawl_error *err);

#endif
