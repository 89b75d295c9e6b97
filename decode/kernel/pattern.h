/* SPDX-License-Identifier: MIT */
/*
 * What is needed to decode the events of one type: prepared at the first of them, kept for the rest
 * of its section.
 */
#ifndef TRAWL_DECODE_KERNEL_PATTERN_H
#define TRAWL_DECODE_KERNEL_PATTERN_H

#include "decode/base/boot.h"
#include "decode/base/decoder.h"
#include "decode/base/eventlayout.h"
#include "decode/kernel/site.h"

/* The field of an event type that belongs to a column of a table. */
struct pattern_cell {
	size_t column;
	const struct shown *shown; /* NULL: the decoder's value() finds the value by name */
};

struct pattern {
	const struct trawl_event_type *type;
	struct event_layout *layout;
	struct probe_sites *sites;  /* NULL: not a probe, or nothing is known of it */
	struct shown *ip;           /* the field with the address of the site */
	struct shown *caller;       /* return probes: the field with the return address */
	/* section of the file; descriptions of probes differ between sections */
	uint32_t section;
	int tid_at;                 /* offset of the thread id in the record; -1: none */
	int flags_at;               /* of common_flags; -1: none, or always in its task */
	bool names;                 /* records of this type are passed to tasks_event() */
	bool plain;                 /* the fields of the layout are all that is shown */
	struct printfmt *print;     /* the kernel's print format; NULL: none, or unusable */
	struct print_fields *written; /* texts of single fields, from the print format */
	struct number_names *numbers; /* NULL: none in it */
	struct pattern_cell *cells;
	/* the first ncolumns columns have been searched; ncells fields were found */
	size_t ncells, ncolumns;
};

/* All patterns that are in use. */
struct patterns {
	const struct decode_context *ctx;
	struct pattern **slots; /* hash table by address of the event type, open addressing */
	size_t nslots, used;
	uint32_t section;        /* the section that events are read from */
	struct symbols *symbols; /* for print formats; NULL: none needed yet */
	struct boots boots;
};

/* Returns false if memory runs out. */
bool patterns_init(struct patterns *t, const struct decode_context *ctx);
void patterns_free(struct patterns *t);

/*
 * Switches to another section. Patterns are discarded unless both sections have the same timeline,
 * as in merged files, whose sections are read alternately.
 */
void patterns_select(struct patterns *t, uint32_t section);

/*
 * Returns the pattern of an event type in the current section; NULL if memory runs out. It is
 * valid until patterns_select().
 */
struct pattern *pattern_for(struct patterns *t, const struct trawl_event_type *type);

/* Returns the probe site of an item whose detail is a pattern; NULL if it is none or unknown. */
struct site *pattern_site(const struct item *it);

/*
 * Returns the kind of interrupt in which an event happened, or NULL: then its task is the one that
 * was interrupted.
 */
const char *pattern_interrupt(const struct pattern *p, const struct item *it);

#endif
