/* SPDX-License-Identifier: MIT */
/*
 * Two events of the kernel with the same key. Values of the first one wait in the map of a hist
 * trigger; the second one writes them to the ring buffer, as a synthetic event.
 *
 *	START ── hist:keys=KEY:v=FIELD ──► map ──► END ── hist:keys=KEY:w=$v:onmatch(START)
 *	                                                    .trace(SYNTHETIC,$w,...) ──► SYNTHETIC
 *
 * (Documentation/trace/histogram.rst.) The triggers are in the recording's own instance: its scope
 * holds for them, and other instances do not see them. The synthetic event's definition is global
 * and has the owner's name. Events that the map has no room for are lost, and counted. gc.c removes
 * the pairs of killed owners.
 */
#ifndef TRAWL_CAPTURE_KERNEL_HISTPAIR_H
#define TRAWL_CAPTURE_KERNEL_HISTPAIR_H

#include "capture/trace/trace.h"

enum { HIST_PAIR_FIELDS_MAX = 12, HIST_PAIR_NAME_MAX = 64 };

/* A value that goes from START, or from END itself, into the synthetic event. */
struct hist_pair_field {
	char name[HIST_PAIR_NAME_MAX];  /* in the synthetic event */
	char value[HIST_PAIR_NAME_MAX]; /* the field of START or END; "" with `latency` */
	char type[32];              /* "u64", "s32", "char[16]" */
	bool of_end;
	bool latency;               /* ns from START to END */
};

struct hist_pair {
	char start_group[HIST_PAIR_NAME_MAX], start_event[HIST_PAIR_NAME_MAX];
	char end_group[HIST_PAIR_NAME_MAX], end_event[HIST_PAIR_NAME_MAX];
	char start_key[HIST_PAIR_NAME_MAX], end_key[HIST_PAIR_NAME_MAX];
	const char *start_filter, *end_filter; /* "" for none */
	size_t nfields;
	struct hist_pair_field fields[HIST_PAIR_FIELDS_MAX];
	char synthetic[HIST_PAIR_NAME_MAX]; /* set by hist_pair_make(): the event, of group
					       synthetic */
	char *start_trigger, *end_trigger; /* as they were set; NULL if not */
};

/*
 * Adds a field of the type of f, a field of START or, with of_end, of END. Does nothing if the pair
 * has a field of this name. Returns 0, or -1 with *err.
 */
int hist_pair_field(struct hist_pair *c, const char *name, const struct trawl_field *f, bool of_end,
		struct trawl_error *err);

/*
 * Adds the field `latency`. Every pair needs it as its first field: it reads START's time, and the
 * kernel removes that from the map when it is read. Without it, an END whose START was filtered out
 * would be paired with an older START, again and again.
 */
int hist_pair_latency(struct hist_pair *c, struct trawl_error *err);

/*
 * Defines the synthetic event and sets both triggers. number: of the pair within t. t then owns the
 * pair, even on failure; hist_pair_disarm() removes it. Returns 0, or -1 with *err.
 */
int hist_pair_make(struct trace *t, struct hist_pair *c, unsigned int number,
		   struct trawl_error *err);

/* stats() of a source whose struct trace has hist pairs: what their maps dropped is lost. */
void hist_pair_stats(struct input *in, struct source_stats *stats);

/*
 * disarm() of such a source, in the order that the kernel accepts: probes on the synthetic events,
 * triggers from the end to the start, synthetic events, probes.
 */
void hist_pair_disarm(struct input *in);

#endif
