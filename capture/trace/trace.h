/* SPDX-License-Identifier: MIT */
/*
 * A recording of trace events: an own instance of tracefs, whose ring buffer is drained into one
 * source of the writer. What the sources uprobe, usdt, event, eprobe and task have in common.
 *
 * Each source has its own instance, so that a flood of one cannot cost another its events, and
 * what a ring buffer lost is what this source lost.
 */
#ifndef TRAWL_CAPTURE_TRACE_TRACE_H
#define TRAWL_CAPTURE_TRACE_TRACE_H

#include "capture/trace/state.h"

struct read_check;

/*
 * Makes the instance (mounting tracefs if need be), not yet recording. buffer_kb: per CPU; 0 for
 * -B or the default. NULL on failure.
 */
struct trace *trace_new(struct input *in, uint32_t buffer_kb, struct trawl_error *err);

/* The kernel is to record the session's scope only. Before trace_start(). */
int trace_limit(struct trace *t, struct trawl_error *err);

/*
 * Events of tasks outside the session's scope are left out here; whose are seen, the kernel is to
 * leave out from then on. For events which others rarely have: the kernel's check takes time at
 * each. Before trace_start(), and when the source "task" has started.
 */
int trace_follow(struct trace *t, struct trawl_error *err);

/*
 * Records the event GROUP/NAME under the given display name. `format`, if not NULL, is the parsed
 * format of that event, tuned by the caller; filter may be "". An event that has been added before
 * is recorded once, with what either filter lets through.
 */
int trace_add(struct trace *t, const char *group, const char *name, const char *display,
	      const struct eventformat *format, const char *filter, struct trawl_error *err);

/* Records of the event with this id have texts to be cut (countedtext.h): malloc'd, and t's from
 * then on. */
void trace_cut_texts(struct trace *t, uint32_t id, struct counted_text *texts, size_t n);

/* An event of our group is the companion of one that was added (longtext.h): it is not in the
 * file. */
int trace_add_companion(struct trace *t, const char *name, const char *filter,
			const struct long_text *pair, struct trawl_error *err);

/* Reads of the event of this id are checked; takes the check, which may be NULL: without memory. */
int trace_add_check(struct trace *t, uint32_t id, struct read_check *check,
		    struct trawl_error *err);

/* Is there an event of this display name already? */
bool trace_has_name(const struct trace *t, const char *display);

/* Reads and parses events/GROUP/NAME/format. */
int trace_format(struct trace *t, const char *group, const char *name, struct eventformat *format,
		 struct trawl_error *err);

/* The functions of a struct source, for in->state == a struct trace; drain() is trace_drain(). */
int trace_start(struct input *in, struct trawl_error *err);
int trace_discard(struct input *in, struct trawl_error *err);
size_t trace_fds(struct input *in, struct pollfd *fds, size_t room);
int trace_tick(struct input *in, struct trawl_error *err);
void trace_rotate(struct input *in);
void trace_close(struct input *in);
void trace_halt(struct input *in);
int trace_stop(struct input *in, struct trawl_error *err);
void trace_stats(struct input *in, struct source_stats *stats);
void trace_disarm(struct input *in);

/* Those of them that every source of trace events has, in its struct source. */
#define TRACE_SOURCE \
	.fds = trace_fds, .tick = trace_tick, .halt = trace_halt, .stop = trace_stop

/* And those of them that record everything by trace_...() alone. */
#define TRACE_RECORDING                                                                           \
	TRACE_SOURCE, .start = trace_start, .drain = trace_drain, .reached = trace_reached,       \
		.rotate = trace_rotate, .discard = trace_discard, .close = trace_close

#endif
