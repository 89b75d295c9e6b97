/* SPDX-License-Identifier: MIT */
/*
 * An expression (where.h) that is held against the records of a capture while it runs: what
 * `trawl-decode --where` would show, known at once. Records go through the same decoders. Types
 * of which no item can match are known beforehand, so that their records cost a look at a table.
 *
 * Memory does not grow with time: of metadata only what describes probes and USB devices is kept,
 * and of tasks what they are called now.
 */
#ifndef TRAWL_DECODE_QUERY_WATCH_H
#define TRAWL_DECODE_QUERY_WATCH_H

#include "decode/base/decoder.h"

struct watch;

/* Reads the expression; `option` begins the messages about it. */
struct watch *watch_new(const char *option, const char *text, struct trawl_error *err);
void watch_free(struct watch *w);

/* Sets who is told of comparisons that turn out to make no sense: where_when_odd(). */
void watch_when_odd(struct watch *w, void (*tell)(void *arg, const struct trawl_error *note),
		    void *arg);

/* What is captured: before the first record of it. */
int watch_source(struct watch *w, const struct trawl_source *s, struct trawl_error *err);
int watch_type(struct watch *w, const struct trawl_event_type *t, struct trawl_error *err);
int watch_meta(struct watch *w, const struct trawl_meta *m, struct trawl_error *err);
int watch_sync(struct watch *w, const struct trawl_sync *s, struct trawl_error *err);

/* Are all fields and event names of the expression there? 0, or -1 with *err and a caret. */
int watch_check(struct watch *w, struct trawl_error *err);

/* Does it ask whose an event is? Then watch_meta() is to tell of a task before its records. */
bool watch_asks_task(const struct watch *w);
/* Has watch_type() been told of this type? */
bool watch_knows(const struct watch *w, uint16_t source, uint32_t type);
/* Is watch_record() worth calling for such records? */
bool watch_wants(const struct watch *w, uint16_t source, uint32_t type);

/* What matched last; strings live until the next record. */
struct watch_match {
	const char *name;   /* of the item */
	const char *source;
	const char *comm;   /* "" if not known */
	int32_t tid;        /* ITEM_NO_TASK: not known, or none */
	uint32_t cpu;
	uint64_t ts;        /* the source's clock */
};

/* A record, in order for each source. 1: it matched, and *m is filled; 0; -1 with *err. */
int watch_record(struct watch *w, const struct trawl_record *r, struct watch_match *m,
		 struct trawl_error *err);

#endif
