/* SPDX-License-Identifier: MIT */
/*
 * Which items the user wants: the options that trawl-decode, trawl-export and other readers of
 * files have in common.
 */
#ifndef TRAWL_DECODE_QUERY_SELECTION_H
#define TRAWL_DECODE_QUERY_SELECTION_H

#include <getopt.h>

#include "decode/base/decoder.h"
#include "decode/base/time.h"

/* Codes of the long options, out of the way of letters. */
enum {
	OPTION_FROM = 0x100, OPTION_TO, OPTION_UNTIL, OPTION_SOURCE, OPTION_NAME, OPTION_PID,
	OPTION_WHERE,
	OPTION_OWN, /* the first that a program may use itself */
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
	"      --from TIME      from this time on: ISO 8601, 13:37:00, epoch, or +1.5s\n" \
	"      --until TIME     before this time\n"                                      \
	"      --source NAME    only this source (may come again; globs)\n"              \
	"      --name GLOB      only events of this name (may come again)\n"             \
	"      --pid PID        only of this process or thread (may come again)\n"       \
	"      --where EXPR     only where this holds: 'arg1 > 5 and comm ~ \"ki*\"'\n"   \
	"  -c, --count N        stop after N\n"

#define SELECTION_MAX 64 /* of each option that may come again */

struct where;

/* Decides about the items of one decoder in place of --name, --where and --pid. */
struct chooser {
	const struct decoder *decoder;
	bool (*has)(const struct chooser *c, const struct item *it);
};

struct selection {
	const char *from_text, *to_text; /* parsed at the end: --utc may follow them */
	const char *to_option;           /* "--to" or "--until": trawl-export has another --to */
	struct time_arg from, to;
	bool utc;                        /* times are told so */
	const char *sources[SELECTION_MAX], *names[SELECTION_MAX];
	int32_t pids[SELECTION_MAX];
	size_t nsources, nnames, npids;
	bool source_seen[SELECTION_MAX];  /* something in the file had this name */
	bool name_seen[SELECTION_MAX];
	bool pid_seen[SELECTION_MAX];
	const char *where_option, *where_text;
	struct where *where;
	const struct chooser *chooser; /* NULL: none; not freed here */
	uint64_t count;      /* 0: no limit */

	/* by selection_times() */
	uint64_t begin, end; /* timeline: begin <= time < end */
	bool all;            /* nothing is chosen but sources, -c */
	uint64_t taken;
};

/* An option of SELECTION_OPTIONS: 0, -1 with *err; 1: not one of ours. Keeps the pointer. */
int selection_option(struct selection *s, int option, const char *arg, struct trawl_error *err);
/* After the last option. */
int selection_done(struct selection *s, bool utc, struct trawl_error *err);
void selection_free(struct selection *s);

/* Does the range go by the capture's first event? */
bool selection_relative(const struct selection *s);
/* Sets begin and end once the time of the first event is known. */
void selection_times(struct selection *s, uint64_t first);

/* Is this source wanted? The hidden task source only if it is named. */
bool selection_source(struct selection *s, const char *name);
/* The first --source that no source had; NULL if there is none. */
const char *selection_missing(const struct selection *s);

/* Is this name wanted? If `event`, it is an event's and counts as seen. */
bool selection_name(struct selection *s, const char *name, size_t len, bool event);
/* The first --name that no event had; NULL if there is none. */
const char *selection_unseen(const struct selection *s);
/* The first --pid that no item had; NULL if there is none. */
const int32_t *selection_unseen_pid(const struct selection *s);

/* Is this item wanted (all but its source and -c)? Need not be asked if selection.all. */
bool selection_wants(struct selection *s, const struct decoder *d, void *state,
		     const struct item *it);

#endif
