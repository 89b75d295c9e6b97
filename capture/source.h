/* SPDX-License-Identifier: MIT */
/*
 * A source of events: one struct of functions, one line in the table in sources.c.
 *
 * A session makes one struct input for each source that the user named. It holds all -i texts of
 * that source, so that several -i usdt:… share an instance. The session calls these functions,
 * always from one thread and in this order, but for learn() and rotate():
 *
 *	arm()    Reads the specs, opens devices, defines probes, describes sources and event types
 *	         to the writer. No event flows yet. disarm() follows even where arm() fails.
 *	start()  Lets events flow. Those that come before session_span() begins are not kept.
 *	discard() Called when all sources have started: drops the events that came so far. Then
 *	         session_span() begins, at one moment for all sources.
 *	fds()    Returns what to poll for between drains. Called after start().
 *	drain()  Appends what is there; never blocks. Returns enum drained, or -1 on failure. Called
 *	         when a polled fd is ready, at least five times a second, and after stop() until it
 *	         returns DRAIN_DONE.
 *	learn()  Updates the followed-task table to now. Called from another source's drain().
 *	reached() Returns the time until which all events have been appended, CLOCK_MONOTONIC.
 *	         Called after drain(). NULL stands for the begin of the last drain() that returned
 *	         DRAIN_DONE.
 *	tick()   Called once a second, for periodic work.
 *	rotate() Called whenever a file ends before the capture does: writes the metadata that its
 *	         events need. The next file gets all metadata again.
 *	close()  Called before the end, while events still flow: reads what the kernel has only then.
 *	         May take seconds.
 *	halt()   Called right after session_span() has ended, for all sources in turn. Stops new
 *	         events as fast as possible. Those in the kernel stay readable until disarm().
 *	stop()   Called when all sources have been halted. Fails if this one still records.
 *	stats()  Returns what was captured and lost. Called after the last drain().
 *	disarm() Undoes arm() and start() and frees in->state. Copes with a half-armed input; cannot
 *	         fail.
 *
 * Functions that a source has no use for may be NULL: all but arm, drain, disarm.
 */
#ifndef TRAWL_CAPTURE_SOURCE_H
#define TRAWL_CAPTURE_SOURCE_H

#include <poll.h>
#include "common/json.h"
#include "format/trawl.h"

struct task_filter;
struct session; /* session.h: the writer, the options, the scope */
struct source;

enum drained {
	DRAIN_DONE = 0, /* nothing is left */
	DRAIN_MORE = 1, /* more is left; the other sources are drained first */
	DRAIN_HELD = 2, /* nothing is left, but the source holds events that it decides on later */
};

/* A source at work in a session. */
struct input {
	const struct source *source;
	struct session *session;
	const char **specs; /* the -i texts after "NAME:" ("" for a bare NAME); the session's */
	size_t nspecs;
	void *state;        /* the source's own */
	bool opens_events;  /* the source's: it opens events of perf while it records */
	bool flows;         /* the session's: an event of this input is in the file */
	uint64_t reached;   /* the session's: what reached() returned, or what stands for NULL */
};

struct source_stats {
	uint64_t captured; /* events that went to the writer */
	uint64_t lost;     /* events that the losses in the file count */
	bool uncounted;    /* an unknown number more were lost; the file says so */
	uint64_t hits;     /* of probes, by all processes, as the kernel counts; 0: not known */
};

/* What -D shows: the source appends one entry for each thing that can follow -i. */
struct source_entry {
	char *name;   /* as -i takes it: "usb:2", "event:GROUP:NAME" */
	char *what;   /* what it is, for people */
	bool usable;
	char *why;    /* when not usable: why, and what would make it so */
	struct json more; /* members that its JSON has besides; source_list_free() frees it */
};

struct source_list {
	struct source_entry *entries;
	size_t count;
};

/*
 * Appends an entry; why == NULL means usable. Copies the strings. Without memory, ends the program
 * with status 3. Returns the entry, valid until the next one is added.
 */
struct source_entry *source_list_add(struct source_list *list, const char *name, const char *what,
				     const char *why);
void source_list_free(struct source_list *list);

struct source {
	const char *name;    /* what -i begins with: "usb", "usdt" */
	const char *instance; /* the name in its tracefs instance, if not the one above; or NULL */
	const char *summary; /* what may follow, one line for --help */
	bool hidden;         /* not for -i: the session adds it by itself */
	/*
	 * Its -i texts have the syntax of capture/cli/spec.h, which the session checks before it
	 * arms anything.
	 */
	bool spec_language;
	bool realtime;       /* its time stamps are CLOCK_REALTIME, not CLOCK_MONOTONIC */
	bool unscoped;       /* -p and COMMAND do not limit it */
	bool programs;       /* its probes are in programs; COMMAND may run another program */
	bool small_files;    /* much of a short capture's file is metadata: a small section */
	bool traces;         /* it calls ptrace() or perf_event_open() while it runs */
	/* It records by tracefs; each record has a common_pid: the file gets these tasks' names. */
	bool trace_events;

	/*
	 * Returns which source records this text if -p or COMMAND limits the capture. NULL: always
	 * this one.
	 */
	const struct source *(*scoped)(const char *spec);
	/*
	 * Returns another -i text that this one implies, valid as long as `spec`, or NULL. The
	 * source of that text comes first. NULL: no text implies one.
	 */
	const char *(*besides)(const char *spec);
	/* Adds what this machine can record to the list. Tries each feature instead of guessing. */
	void (*describe)(struct source_list *list);
	/*
	 * Adds what -D NAME:text lists: the probes of a program, events by a pattern. Returns 0, or
	 * -1 with *err if there is nothing.
	 */
	int (*list)(const char *text, struct source_list *list, struct trawl_error *err);
	/* Returns 0 if this machine can record it; -1 with the reason and the remedy. */
	int (*probe)(struct trawl_error *err);

	int (*arm)(struct input *in, struct trawl_error *err);
	int (*start)(struct input *in, struct trawl_error *err);
	int (*discard)(struct input *in, struct trawl_error *err);
	/* Fills at most room entries of fds (fd and events); returns how many. */
	size_t (*fds)(struct input *in, struct pollfd *fds, size_t room);
	int (*drain)(struct input *in, struct trawl_error *err);
	uint64_t (*reached)(const struct input *in);
	int (*learn)(struct input *in, struct task_filter *followed, struct trawl_error *err);
	int (*tick)(struct input *in, struct trawl_error *err);
	void (*rotate)(struct input *in);
	void (*close)(struct input *in);
	void (*halt)(struct input *in);
	int (*stop)(struct input *in, struct trawl_error *err);
	void (*stats)(struct input *in, struct source_stats *stats);
	void (*disarm)(struct input *in);
};

extern const struct source *const sources[]; /* ends with NULL */

/*
 * Returns the source of a -i text, and in *spec what follows its name, or "". NULL with *err: there
 * is no such source.
 */
const struct source *source_find(const char *option, const char *text, const char **spec,
				 struct trawl_error *err);

#endif
