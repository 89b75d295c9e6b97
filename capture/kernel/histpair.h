/* SPDX-License-Identifier: MIT */
/*
 * Two events of the kernel with the same key. Values of the first one wait in the map of a hist
 * trigger; the second one writes them to the ring buffer, as a synthetic event.
 *
 *	START ── hist:keys=KEY:v=FIELD ──► map ──► END ── hist:keys=KEY:w=$v:onmatch(START)
 *	                                                    .trace(SYNTHETIC,$w,...) ──► SYNTHETIC
 *
 * Source: Documentation/trace/histogram.rst. The triggers are in the recording's own instance: its
 * scope applies to them, and other instances do not see them. The synthetic event's definition is
 * global, and its name has the owner's. Events for which the map has no room are lost, and counted.
 * gc.c removes the pairs of killed owners.
 */
#ifndef TRAWL_CAPTURE_KERNEL_HISTPAIR_H
#define TRAWL_CAPTURE_KERNEL_HISTPAIR_H

#include "capture/trace/trace.h"

enum { HIST_PAIR_FIELDS_MAX = 12, HIST_PAIR_NAME_MAX = 64 };

/* A field of the synthetic event, whose value comes from START or END. */
struct hist_pair_field {
	char name[HIST_PAIR_NAME_MAX];  /* name in the synthetic event */
	char value[HIST_PAIR_NAME_MAX]; /* the field of START or END; "" with `latency` */
	char type[32];              /* "u64", "s32", "char[16]" */
	bool of_end;
	bool latency;               /* the value is the time from START to END, ns */
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
	char *start_trigger, *end_trigger; /* the triggers as they were set; NULL: not set */
};

/*
 * Adds a field with the value and type of f, a field of START (of_end: of END). Does nothing if the
 * pair has a field of this name. Returns 0, or -1 with *err.
 */
int hist_pair_field(struct hist_pair *c, const char *name, const struct trawl_field *f, bool of_end,
		struct trawl_error *err);

/*
 * Adds the field `latency`, which every pair needs as its first: when the kernel reads START's time
 * from the map, it removes it. Otherwise each END whose START was filtered out would be paired with
 * an older START again.
 */
int hist_pair_latency(struct hist_pair *c, struct trawl_error *err);

/*
 * Defines the synthetic event and sets both triggers. number: the pair's number in t. Copies the
 * pair to t, even on failure; hist_pair_disarm() removes it. Returns 0, or -1 with *err.
 */
int hist_pair_make(struct trace *t, struct hist_pair *c, unsigned int number,
		   struct trawl_error *err);

/* stats() of a source with hist pairs: also counts what their maps dropped as lost. */
void hist_pair_stats(struct input *in, struct source_stats *stats);

/*
 * disarm() of such a source. Removes in the order that the kernel requires: probes on the synthetic
 * events, the triggers of END, those of START, synthetic events, other probes.
 */
void hist_pair_disarm(struct input *in);

#endif
