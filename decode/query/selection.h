/* SPDX-License-Identifier: MIT */
/*
 * The selection of items: options that trawl-decode, trawl-export and other readers share.
 */
#ifndef TRAWL_DECODE_QUERY_SELECTION_H
#define TRAWL_DECODE_QUERY_SELECTION_H

#include <getopt.h>

#include "decode/base/decoder.h"
#include "decode/base/time.h"

/* Codes of the long options, above those of letters. */
enum {
	OPTION_FROM = 0x100, OPTION_TO, OPTION_UNTIL, OPTION_SOURCE, OPTION_NAME, OPTION_PID,
	OPTION_WHERE,
	OPTION_OWN, /* first code for other options */
};

#define SELECTION_OPTIONS                                    \
	{"from", required_argument, NULL, OPTION_FROM},      \
	{"until", required_argument, NULL, OPTION_UNTIL},    \
	{"source", required_argument, NULL, OPTION_SOURCE},  \
	{"name", required_argument, NULL, OPTION_NAME},      \
	{"pid", required_argument, NULL, OPTION_PID},        \
	{"where", required_argument, NULL, OPTION_WHERE},    \
	{"count", required_argument, NULL, 'c'}

#define SELECTION_HELP                                                                   \
	"      --from TIME      events at or after TIME: ISO 8601, 13:37:00, epoch, +1.5s\n" \
	"      --until TIME     events before TIME\n"                                     \
	"      --source NAME    events of this source (glob; may be repeated)\n"          \
	"      --name GLOB      events with this name (may be repeated)\n"                \
	"      --pid PID        events of this process or thread (may be repeated)\n"     \
	"      --where EXPR     events that match: 'arg1 > 5 and comm ~ \"ki*\"'\n"       \
	"  -c, --count N        stop after N events\n"

#define SELECTION_MAX 64 /* most repetitions of an option */

struct where;

/* Selects the items of one decoder, instead of --name, --where and --pid. */
struct chooser {
	const struct decoder *decoder;
	bool (*has)(const struct chooser *c, const struct item *it);
};

struct selection {
	const char *from_text, *to_text; /* parsed by selection_done(), because --utc may follow */
	const char *to_option;           /* "--to"; "--until" in trawl-export, whose --to differs */
	struct time_arg from, to;
	bool utc;                        /* times without a zone are UTC */
	const char *sources[SELECTION_MAX], *names[SELECTION_MAX];
	int32_t pids[SELECTION_MAX];
	size_t nsources, nnames, npids;
	bool source_seen[SELECTION_MAX];  /* the file has a source with this name */
	bool name_seen[SELECTION_MAX];
	bool pid_seen[SELECTION_MAX];
	const char *where_option, *where_text;
	struct where *where;
	const struct chooser *chooser; /* NULL: none; not freed here */
	uint64_t count;      /* 0: no limit */

	/* set by selection_times() */
	uint64_t begin, end; /* timeline: begin <= time < end */
	bool all;            /* selects by source and -c only */
	uint64_t taken;
};

/*
 * Takes an option. Returns 0; -1 with *err; 1 if it is not of SELECTION_OPTIONS. arg must stay
 * valid.
 */
int selection_option(struct selection *s, int option, const char *arg, struct trawl_error *err);
/* Call after the last option. Returns 0, or -1 with *err. */
int selection_done(struct selection *s, bool utc, struct trawl_error *err);
void selection_free(struct selection *s);

/* Whether the time range depends on the capture's first event. */
bool selection_relative(const struct selection *s);
/* Sets begin and end. first: the time of the capture's first event. */
void selection_times(struct selection *s, uint64_t first);

/* Whether a source is selected. The hidden task source is only if it is named. */
bool selection_source(struct selection *s, const char *name);
/* Returns the first --source without a source in the file, or NULL. */
const char *selection_missing(const struct selection *s);

/* Whether a name is selected. event: it is the name of an event, and is noted as seen. */
bool selection_name(struct selection *s, const char *name, size_t len, bool event);
/* Returns the first --name that no event had, or NULL. */
const char *selection_unseen(const struct selection *s);
/* Returns the first --pid that no item had, or NULL. */
const int32_t *selection_unseen_pid(const struct selection *s);

/* Whether selection_wants() needs durations. */
bool selection_needs_took(const struct selection *s);
/*
 * Whether an item is selected, apart from its source and -c. Always true if selection.all. took:
 * how long the operation took that the item ends, ns; NULL: it ends none.
 */
bool selection_wants(struct selection *s, const struct decoder *d, void *state,
		     const struct item *it, const uint64_t *took);

#endif
