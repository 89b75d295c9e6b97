/* SPDX-License-Identifier: MIT */
/*
 * A recording of trace events: an own instance of tracefs, whose ring buffer is drained into one
 * source of the writer. What the sources uprobe, usdt, event, eprobe and task have in common.
 *
 * Each source has an instance of its own: a flood of one source's events displaces no others, and
 * the losses of a ring buffer are those of one source.
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

/* Makes the kernel record the session's scope only. Called before trace_start(). */
int trace_limit(struct trace *t, struct trawl_error *err);

/*
 * Makes the drain leave out tasks that are not followed; once it has seen one, the kernel leaves
 * that out, too. For events that other tasks rarely have: the kernel's filter takes time at each.
 * Called before trace_start(), after the source "task" has started.
 */
int trace_follow(struct trace *t, struct trawl_error *err);

/*
 * Records the event GROUP/NAME under the given display name. `format`, if not NULL, is the parsed
 * format of that event, tuned by the caller; filter may be "". An event that has been added before
 * is recorded once, with what either filter lets through.
 */
int trace_add(struct trace *t, const char *group, const char *name, const char *display,
	      const struct eventformat *format, const char *filter, struct trawl_error *err);

/*
 * At a place with several probes, the event with this id comes after the others: where a function's
 * first instruction is also its last, the entry comes before the exit.
 */
void trace_comes_last(struct trace *t, uint32_t id);

/* Sets the texts in records of the event with this id (countedtext.h). Takes `texts`, malloc'd. */
void trace_cut_texts(struct trace *t, uint32_t id, struct counted_text *texts, size_t n);

/* Adds an event of our group as the companion of one that was added (longtext.h). */
int trace_add_companion(struct trace *t, const char *name, const char *filter,
			const struct long_text *pair, struct trawl_error *err);

/* Applies a check (readcheck.h) to records of the event with this id. Takes it; NULL is an error:
 * out of memory. */
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
