/* SPDX-License-Identifier: MIT */
/*
 * A source of events: one struct of functions, one line in the table in sources.c.
 *
 * A session makes one struct input for each source that the user named; it holds all the -i texts
 * of that source, so that the three -i usdt:… of one command line share what they can. The
 * session calls, always from one thread and in this order:
 *
 *	arm()    read the specs, open devices, define probes, describe sources and event types to
 *	         the writer. Nothing may flow yet. May fail: disarm() is called all the same.
 *	start()  from here events flow, some sooner than others: of those that come now none is kept.
 *	discard() all sources have started: what came so far goes. Then comes the moment from which events
 *	         count, for all sources the same: session_span().
 *	fds()    what to poll for between drains; after start().
 *	drain()  append what is there now; never blocks. Returns enum drained, or -1 on failure.
 *	         Called when a polled fd is ready, at least five times a second, and after stop()
 *	         until it returns DRAIN_DONE.
 *	learn()  another source, in its drain(), must know what this one knows of the time until
 *	         now.
 *	tick()   once a second: whatever needs doing now and then.
 *	rotate()   the present file ends and another one begins, which will have all metadata again:
 *	         what events so far need and the file does not have yet. May come during drain().
 *	close()  the end is near: what must be asked of the kernel while events flow. May take its time.
 *	halt()   the moment after which no event counts has passed, for all sources the same: no new
 *	         events, in as little time as can be. What the kernel holds stays readable until disarm().
 *	stop()   all have been halted; fails if this one goes on.
 *	stats()  what was captured and lost; after the last drain().
 *	disarm() undo all of arm() and start(), free in->state. Must cope with a half-armed input
 *	         and may not fail: it does what it can.
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
	DRAIN_MORE = 1, /* it took a good part, so that the other sources get their turn */
	DRAIN_HELD = 2, /* events wait in the source for news that decide on them: no hurry */
};

/* A source at work in a session. */
struct input {
	const struct source *source;
	struct session *session;
	const char **specs; /* the -i texts behind "NAME:" ("" for a bare NAME); the session's */
	size_t nspecs;
	void *state;        /* the source's own */
	bool flows;         /* the session's: an event of it has counted */
};

struct source_stats {
	uint64_t captured; /* events that went to the writer */
	uint64_t lost;     /* events that happened and are not in the file, as told to the writer */
	bool uncounted;    /* more were lost, nobody knows how many: the writer was told */
	uint64_t hits;     /* of probes, as the kernel saw it, by whomever; 0: not known */
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
 * Appends an entry; why == NULL means usable. Copies the strings; aborts when memory runs out. The
 * entry is where it is until the next one is added.
 */
struct source_entry *source_list_add(struct source_list *list, const char *name, const char *what,
				     const char *why);
void source_list_free(struct source_list *list);

struct source {
	const char *name;    /* what -i begins with: "usb", "usdt" */
	const char *instance; /* of its tracefs instance, where another source has the name; or NULL */
	const char *summary; /* what may follow, one line for --help */
	bool hidden;         /* not for -i: the session adds it by itself */
	/* Its texts are those of capture/cli/spec.h: a mistyped one is told before anything else. */
	bool spec_language;
	bool realtime;       /* its time stamps are CLOCK_REALTIME, not CLOCK_MONOTONIC */
	bool programs;       /* its probes are in programs, which COMMAND may turn out not to be */
	bool tasks;          /* its records are tracefs records, whose tasks the file should know */

	/* Which source records this text where -p or COMMAND limits the capture; NULL: always this one. */
	const struct source *(*scoped)(const char *spec);
	/* Looks at this machine and adds to the list; tries things rather than guess. */
	void (*describe)(struct source_list *list);
	/* Adds what `text`, which follows the name on the command line of -D, stands for: the probes of a
	 * program, events by a pattern. 0, or -1 when there is nothing. May be NULL. */
	int (*list)(const char *text, struct source_list *list, struct trawl_error *err);
	/* Can this machine do it at all? 0, or -1 with why not and what to do. */
	int (*probe)(struct trawl_error *err);

	int (*arm)(struct input *in, struct trawl_error *err);
	int (*start)(struct input *in, struct trawl_error *err);
	int (*discard)(struct input *in, struct trawl_error *err);
	/* Fills at most room entries of fds (fd and events); returns how many. */
	size_t (*fds)(struct input *in, struct pollfd *fds, size_t room);
	int (*drain)(struct input *in, struct trawl_error *err);
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

/* The source of a -i text and what follows its name, or ""; NULL with the nearest names. */
const struct source *source_find(const char *text, const char **spec, struct trawl_error *err);

#endif
