/* SPDX-License-Identifier: MIT */
/*
 * A recording of trace events: an instance of tracefs, whose ring buffer is drained into one source
 * of the writer. The sources uprobe, usdt, event, eprobe and task are built on it.
 *
 * Each source has its own instance, so that a flood of its events displaces no others, and the
 * losses of a ring buffer are those of one source.
 */
#ifndef TRAWL_CAPTURE_TRACE_TRACE_H
#define TRAWL_CAPTURE_TRACE_TRACE_H

#include "capture/trace/state.h"

struct read_check;

/*
 * Makes the instance, with recording off; mounts tracefs if it is not mounted. buffer_kb: per CPU;
 * 0: -B or the default. Returns NULL with *err on failure; else the caller frees it by
 * trace_disarm().
 */
struct trace *trace_new(struct input *in, uint32_t buffer_kb, struct trawl_error *err);

/*
 * Makes the kernel record only the session's scope. Call before trace_start(). Returns 0, or -1
 * with *err.
 */
int trace_limit(struct trace *t, struct trawl_error *err);

/*
 * Makes the drain drop events of tasks that are not followed. Tasks whose events it drops are then
 * excluded in the kernel, too. For events that other tasks rarely have, since the kernel's filter
 * costs time at each event. Call before trace_start(), after the source "task" has started.
 */
int trace_follow(struct trace *t, struct trawl_error *err);

/* An event to record. All belongs to the caller. */
struct trace_wanted {
	const char *group, *name;
	const char *display;              /* its name in the file */
	const struct eventformat *format; /* as the caller changed it; NULL: the kernel's */
	const char *filter;               /* "": none */
};

/*
 * Adds an event. One that was added before is recorded once, if either filter matches. Returns 0,
 * or -1 with *err.
 */
int trace_add(struct trace *t, const struct trace_wanted *wanted, struct trawl_error *err);

/*
 * Of several probes at one place, makes the event with this ID come after the others. If a
 * function's first instruction is also its last, the exit must come after the entry.
 */
void trace_comes_last(struct trace *t, uint32_t id);

/*
 * Sets the counted texts of the event with this ID (countedtext.h). Takes over `texts`, malloc'd.
 */
void trace_cut_texts(struct trace *t, uint32_t id, struct counted_text *texts, size_t n);

/*
 * Adds an event of our group as the companion of an added one (longtext.h). Returns 0, or -1 with
 * *err.
 */
int trace_add_companion(struct trace *t, const char *name, const char *filter,
			const struct long_text *pair, struct trawl_error *err);

/*
 * Applies a check (readcheck.h) to records of the event with this ID. Takes over `check`; NULL: out
 * of memory, which it reports. Returns 0, or -1 with *err.
 */
int trace_add_check(struct trace *t, uint32_t id, struct read_check *check,
		    struct trawl_error *err);

/* Whether an event with this name in the file was added. */
bool trace_has_name(const struct trace *t, const char *display);

/* Reads and parses events/GROUP/NAME/format. Returns 0, or -1 with *err. */
int trace_format(struct trace *t, const char *group, const char *name, struct eventformat *format,
		 struct trawl_error *err);

/* Functions for a struct source whose in->state is a struct trace; drain() is trace_drain(). */
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

/* Initialises the functions that all sources of trace events share, in their struct source. */
#define TRACE_SOURCE \
	.fds = trace_fds, .tick = trace_tick, .halt = trace_halt, .stop = trace_stop

/* The same, and the functions of a source that needs no others. */
#define TRACE_RECORDING                                                                           \
	TRACE_SOURCE, .start = trace_start, .drain = trace_drain, .reached = trace_reached,       \
		.rotate = trace_rotate, .discard = trace_discard, .close = trace_close

#endif
