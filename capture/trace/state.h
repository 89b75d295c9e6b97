/* SPDX-License-Identifier: MIT */
/*
 * The state of a recording of trace events (trace.h), private to the files of this folder and to
 * sources that extend it.
 */
#ifndef TRAWL_CAPTURE_TRACE_STATE_H
#define TRAWL_CAPTURE_TRACE_STATE_H

#include "capture/tracefs/eventformat.h"
#include "capture/tracefs/kallsyms.h"
#include "capture/tracefs/owner.h"
#include "capture/tracefs/ring.h"
#include "capture/session.h"

struct counted_text;
struct hist_pair;
struct long_text;
struct long_texts;
struct loss_stats;
struct read_checks;

enum { TRACE_UNFOLLOWED = 64 };

struct trace_cpu {
	uint32_t cpu;
	int fd;            /* open trace_pipe_raw */
	uint64_t last;     /* time of the last event, or of the start */
	uint64_t reached;  /* all events up to this time have been read */
	struct ring_clock clock; /* state at the end of the last sub-buffer that was read */
	uint64_t taken;    /* events read, as the kernel counts them */
	uint64_t flagged;  /* losses counted by flags of sub-buffers; these are in the file */
	uint64_t lost;     /* all losses that are in the file */
	bool inexact;      /* a flag had no number: from then on losses are taken from the kernel's
			    * counters */
	bool absent;       /* offline since before the instance was made: the CPU has no buffer
			    * yet */
};

/* An event of the kernel that is recorded. */
struct trace_event {
	char *group, *name;  /* the kernel's names */
	char *display;       /* its name in the file */
	char *request;       /* of an eprobe: the event of a disk request that it is attached to; or
			      * NULL */
	char *filter;        /* as the user gave it; "" for none */
	uint32_t id;
	uint64_t count;      /* records so far */
	uint64_t hits;       /* the kernel's count of a probe's hits, if hits_known */
	uint32_t size;       /* bytes of the fixed part of a record */
	uint32_t latency_at; /* of a synthetic event: offset of the latency, an s64; or 0 */
	bool symbols;        /* its print format shows addresses as symbols */
	bool comes_last;     /* enabled so that it comes after other events of the same place */
	bool changed;        /* removed or switched off by others, and reported: tamper.h */
	size_t ntexts;
	struct counted_text *texts; /* windows that become texts (countedtext.h) */
	uint32_t nfields;
	struct trawl_field *fields; /* fields with dynamic data, for -s; without names */
};

struct trace {
	struct input *in;
	int top, dir;              /* tracefs, and our instance; -1 if not open */
	char name[OWNER_NAME_MAX]; /* name of the instance, and of the group of probes that we
				    * define */
	int source;                /* the writer's id; -1 before the first event */
	char *spec;                /* all -i texts, for the file */
	bool follows;              /* the drain leaves out tasks that are not followed */
	bool filtered;             /* the kernel drops some hits, by a scope or filter that we
				    * set */
	bool started;
	int power;                 /* descriptor of tracing_on; -1 if not open */
	int unstoppable;           /* errno of switching it off; 0: it is off */
	const struct session_span *span;
	bool switched_off;         /* recording was switched off by others, and that is reported */
	bool uncounted;            /* an unknown number of events were lost */
	uint64_t looked;           /* MONO time of the last tamper check */
	size_t next_look;          /* index of the first event of the next tamper check */

	struct trace_event *events;
	size_t nevents;
	char **companions;         /* names of companion events in our group (longtext.h) */
	size_t ncompanions;
	struct long_texts *long_texts; /* NULL: no event has companions */
	struct read_checks *read_checks; /* NULL: no event has checks */
	uint32_t *by_id;           /* kernel event id -> index into events + 1 */

	struct trace_cpu *cpus;
	size_t ncpus;
	uint8_t *page;             /* buffer for one sub-buffer */
	struct ring_layout *layout;

	struct kallsyms kallsyms;  /* addresses of the kernel that events show as symbols */
	bool strings_written;         /* the file has the kernel's constant strings */
	char *symbols;             /* lines of /proc/kallsyms for the first nsymbols addresses */
	size_t nsymbols, symbols_len;
	struct hist_pair *hist_pairs;  /* list of the hist pairs of eprobe and synth (histpair.h) */
	size_t nhist_pairs;
	uint64_t paired_since;     /* MONO when the hist pairs were set */
	uint64_t unpaired;         /* synthetic events of an impossible latency: dropped, and
				    * counted as a loss */
	uint64_t since;            /* MONO of the start */

	uint64_t captured, lost;
	uint64_t outside;          /* records before the start and after the end: dropped */
	uint64_t others;           /* events of tasks out of the scope, dropped by the drain */
	pid_t unfollowed[TRACE_UNFOLLOWED]; /* some of these tasks, since the last drain: to be
					     * excluded in the kernel */
	size_t nunfollowed;
	uint64_t left_out;         /* MONO when the kernel began to leave out the last of them */
	uint64_t unsure, unsure_from; /* events of undetermined tasks in this drain, and the time of
				       * the first */
	uint32_t largest;          /* bytes of the longest record */
	uint8_t *snapped;          /* buffer for a record that -s shortens */
	uint32_t snapped_room;
	uint64_t unknown;          /* records that match no event of ours: dropped, and reported */
	bool hits_known;           /* `hits` is the kernel's count of the probes' hits */
	uint64_t hits;
	bool keeps_unfollowed;     /* tasks out of the scope are not excluded in the kernel */
	void *more;                /* state of the source */
	/*
	 * Returns true if it has kept the record, to pass it to trace_put() or trace_take() later.
	 * May be NULL.
	 */
	bool (*divert)(struct trace *t, uint32_t cpu, const struct ring_event *ev);
	/*
	 * Called for each captured record, and for those before the start. Only the source "task"
	 * has it.
	 */
	void (*look)(struct trace *t, const struct trace_event *e, const struct ring_event *ev);
};

#endif
