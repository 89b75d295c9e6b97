/* SPDX-License-Identifier: MIT */
/* The state of a recording of trace events (trace.h), which its files share. */
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

enum { TRACE_STRANGERS = 64 };

struct trace_cpu {
	uint32_t cpu;
	int fd;            /* of trace_pipe_raw */
	uint64_t last;     /* time of the last event, or of the start */
	uint64_t reached;  /* all events up to this time have been read */
	struct ring_clock clock; /* at the end of the last sub-buffer read */
	uint64_t taken;    /* events read, as the kernel counts them */
	uint64_t flagged;  /* losses that flags counted and that are in the file */
	uint64_t lost;     /* all losses reported */
	bool inexact;      /* a flag came without a number: the stats count from then on */
	bool absent;       /* offline since before the instance was made: no buffer yet */
};

/* An event of the kernel that is recorded. */
struct trace_event {
	char *group, *name;  /* the kernel's */
	char *display;       /* what the file calls it */
	char *request;       /* an eprobe: the event of a disk's request that it is on; or NULL */
	char *filter;        /* as the user gave it; "" for none */
	uint32_t id;
	uint64_t count;      /* records so far */
	uint64_t hits;       /* of a probe, as the kernel counts them; with hits_known */
	uint32_t size;       /* of the fixed part */
	uint32_t latency_at; /* synthetic: offset of the s64 time from one event to the other; or
			      * 0 */
	bool symbols;        /* its print format shows addresses as symbols */
	bool comes_last;     /* after other events of the same place */
	bool changed;        /* gone or switched off, and reported: tamper.h */
	size_t ntexts;
	struct counted_text *texts; /* windows that become texts (countedtext.h) */
	uint32_t nfields;
	struct trawl_field *fields; /* places of dynamic data, for -s; names are not kept */
};

struct trace {
	struct input *in;
	int top, dir;              /* tracefs, and our instance; -1 if not open */
	char name[OWNER_NAME_MAX]; /* of the instance, and of the group of probes that we define */
	int source;                /* the writer's id; -1 before the first event */
	char *spec;                /* all -i texts, for people */
	bool follows;              /* the drain leaves out tasks that are not followed */
	bool filtered;             /* the kernel leaves out some hits on request: scope or filter */
	bool started;
	int power;                 /* descriptor of tracing_on; -1 if not open */
	int unstoppable;           /* errno of switching it off; 0: it is off */
	const struct session_span *span;
	bool switched_off;         /* by somebody else, and reported */
	bool uncounted;            /* an unknown number of events were lost */
	uint64_t looked;           /* MONO of the last tamper check */
	size_t next_look;          /* the next one's first event */

	struct trace_event *events;
	size_t nevents;
	char **companions;         /* names in our group (longtext.h) */
	size_t ncompanions;
	struct long_texts *long_texts; /* NULL: there is none */
	struct read_checks *read_checks; /* likewise */
	uint32_t *by_id;           /* kernel event id -> index into events + 1 */

	struct trace_cpu *cpus;
	size_t ncpus;
	uint8_t *page;             /* one sub-buffer */
	struct ring_layout *layout;

	struct kallsyms kallsyms;  /* addresses of the kernel that events show as symbols */
	bool strings_written;         /* the file has the kernel's constant strings */
	char *symbols;             /* the kernel's text for the first nsymbols of them */
	size_t nsymbols, symbols_len;
	struct hist_pair *hist_pairs;  /* of eprobe and synth: histpair.h */
	size_t nhist_pairs;
	uint64_t paired_since;     /* MONO when the hist pairs were set */
	uint64_t unpaired;         /* synthetic events of an impossible latency: left out, a loss */
	uint64_t since;            /* MONO of the start */

	uint64_t captured, lost;
	uint64_t outside;          /* records before the start and after the end, left out */
	uint64_t others;           /* events of tasks outside the scope, left out by the drain */
	pid_t strangers[TRACE_STRANGERS]; /* some of these tasks, since the last drain */
	size_t nstrangers;
	uint64_t left_out;         /* MONO when the kernel began to leave out the last of them */
	uint64_t unsure, unsure_from; /* events of undetermined tasks in this drain, and the first's
				       * time */
	uint32_t largest;          /* bytes of the longest record */
	uint8_t *snapped;          /* a record that -s has shortened */
	uint32_t snapped_room;
	uint64_t unknown;          /* records that fit no event of ours: left out, and reported */
	bool hits_known;           /* `hits` is the kernel's count of the probes' hits */
	uint64_t hits;
	bool keeps_strangers;      /* the kernel must not leave tasks out */
	void *more;                /* the source's own */
	/* May keep a record, which trace_put() captures later: returns true. NULL: keeps none. */
	bool (*divert)(struct trace *t, uint32_t cpu, const struct ring_event *ev);
	/* Called for each captured record and those before the start; NULL but in source task. */
	void (*look)(struct trace *t, const struct trace_event *e, const struct ring_event *ev);
};

#endif
