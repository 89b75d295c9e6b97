/* SPDX-License-Identifier: MIT */
/*
 * A recording of trace events: an own instance of tracefs, whose ring buffer is drained into one
 * source of the writer. What the sources uprobe, usdt, event, eprobe and task have in common.
 *
 * Each source has its own instance, so that a flood of one cannot cost another its events, and
 * what a ring buffer lost is what this source lost.
 */
#ifndef TRAWL_CAPTURE_TRACE_H
#define TRAWL_CAPTURE_TRACE_H

#include "eventformat.h"
#include "kallsyms.h"
#include "owner.h"
#include "session.h"

struct chain;
struct trace_cpu;

/* An event of the kernel that is recorded. */
struct trace_event {
	char *group, *name;  /* the kernel's */
	uint32_t id;
	uint64_t count;      /* records so far */
	uint32_t size;       /* of the fixed part */
	bool symbols;        /* its print format shows addresses as symbols */
	uint32_t nfields;
	struct trawl_field *fields; /* places of dynamic data, for -s; names are not kept */
};

struct trace {
	struct input *in;
	int top, dir;              /* tracefs, and our instance; -1 if not open */
	char name[OWNER_NAME_MAX]; /* of the instance, and of the group of probes that we define */
	int source;                /* the writer's id; -1 before the first event */
	char *spec;                /* all -i texts, for people */
	bool filtered;             /* some hits are not recorded on request: scope or filter */
	bool started;
	bool switched_off;         /* by somebody else, and told */

	struct trace_event *events;
	size_t nevents;
	uint32_t *by_id;           /* kernel event id -> index into events + 1 */

	struct trace_cpu *cpus;
	size_t ncpus;
	uint8_t *page;             /* one sub-buffer */
	struct ring_layout *layout;

	struct kallsyms kallsyms;  /* addresses of the kernel that events show as symbols */
	bool strings_told;         /* the file has the kernel's constant strings */
	char *symbols;             /* what the kernel calls the first nsymbols of them */
	size_t nsymbols, symbols_len;
	struct chain *chains;      /* of eprobe and synth: chain.h */
	size_t nchains;
	uint64_t since;            /* MONO of the start */

	uint64_t captured, lost;
	uint32_t largest;          /* bytes of the longest record */
	uint64_t unknown;          /* records that fit no event of ours: left out, and told */
	bool hits_known;           /* probes: how often the kernel saw them hit, until the stop */
	uint64_t hits;
	/* Called for each record that is captured, if set: the task source looks into its own. */
	void (*look)(struct trace *t, const struct trace_event *ev, const void *record, size_t len);
};

/*
 * Makes the instance (mounting tracefs if need be), not yet recording, limited to the session's
 * scope. buffer_kb: per CPU; 0 for -B or the default. NULL on failure.
 */
struct trace *trace_new(struct input *in, uint32_t buffer_kb, struct trawl_error *err);

/*
 * Records the event GROUP/NAME under the given display name. `format`, if not NULL, is the parsed
 * format of that event, tuned by the caller; filter may be "".
 */
int trace_add(struct trace *t, const char *group, const char *name, const char *display,
	      const struct eventformat *format, const char *filter, struct trawl_error *err);

/* Reads and parses events/GROUP/NAME/format. */
int trace_format(struct trace *t, const char *group, const char *name, struct eventformat *format,
		 struct trawl_error *err);

/* The functions of a struct source, for in->state == a struct trace. */
int trace_start(struct input *in, struct trawl_error *err);
size_t trace_fds(struct input *in, struct pollfd *fds, size_t room);
int trace_drain(struct input *in, struct trawl_error *err);
int trace_tick(struct input *in, struct trawl_error *err);
void trace_turn(struct input *in);
int trace_stop(struct input *in, struct trawl_error *err);
void trace_stats(struct input *in, struct source_stats *stats);
void trace_disarm(struct input *in);

#endif
