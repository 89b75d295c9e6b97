/* SPDX-License-Identifier: MIT */
/* Parses the times of options, and formats times. */
#ifndef TRAWL_DECODE_BASE_TIME_H
#define TRAWL_DECODE_BASE_TIME_H

#include "decode/base/output.h"
#include "format/trawl.h"

/* The value of --from or --to. It may be relative to the first event of the capture. */
struct time_arg {
	enum { TIME_ARG_NONE, TIME_ARG_ABSOLUTE, TIME_ARG_RELATIVE, TIME_ARG_CLOCK } kind;
	uint64_t ns;  /* since the epoch, since the first event, or since midnight */
	bool here;    /* CLOCK: in local time, else in the zone of `east` */
	int64_t east; /* offset from UTC, s */
};

/*
 * Parses the value of an option. Returns 0, or -1 with *err. Forms:
 *
 *	2026-11-21T03:10:01.5Z	or +01:00, or without zone: local time; also a blank instead of T
 *				and before the zone, UTC instead of Z, the date alone
 *	03:10:01.5		with or without zone, on the day of the first event
 *	1795000000.5		seconds since the epoch
 *	+1.5s, +00:00:01.5	from the first event (units ns us ms s m h; default s)
 *
 * utc: times without a zone are UTC.
 */
int time_arg_parse(const char *option, const char *text, bool utc, struct time_arg *w,
	       struct trawl_error *err);

/* Returns the time on the timeline; `first` is that of the capture's first event. */
uint64_t time_arg_resolve(const struct time_arg *w, uint64_t first);

/*
 * How the times of lines are printed. Up to TIME_COUNTED the values are the number of -t options,
 * as for tcpdump.
 */
enum time_style {
	TIME_OF_DAY, /* 13:37:00.123456789 */
	TIME_NONE,
	TIME_EPOCH,
	TIME_DELTA,  /* since the previous line */
	TIME_DATE,
	TIME_SINCE,  /* since `first` */
	TIME_MONOTONIC, /* CLOCK_MONOTONIC, as in the kernel's log; time_put() gets that time */
	TIME_COUNTED = TIME_SINCE, /* most -t options */
};

struct time_printer {
	enum time_style style;
	bool utc;
	bool started;
	uint64_t first;      /* set by the caller, for TIME_SINCE */
	uint64_t last;
	/* Cache: the text of the last line's time up to the millisecond, and these times. */
	uint64_t second, millisecond;
	uint32_t second_len, text_len;
	char text[32];
};

/*
 * Writes a time with 6 or 9 digits after the point (6: and three blanks) to p, which has room for
 * TIME_ROOM bytes. Returns the end.
 */
char *time_put(struct time_printer *tp, char *p, uint64_t ns, unsigned int digits);
#define TIME_ROOM 48

/* Appends "2026-11-21 03:10:01.123456789 +0100", or in UTC. */
void time_full(struct out *o, uint64_t ns, bool utc);

/* Appends a duration with three digits: "12.3 s", "450 us". */
void time_span(struct out *o, uint64_t ns);

#endif
