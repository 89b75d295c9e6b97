/* SPDX-License-Identifier: MIT */
/* Points in time as people write and read them. */
#ifndef TRAWL_DECODE_BASE_TIME_H
#define TRAWL_DECODE_BASE_TIME_H

#include "decode/base/output.h"
#include "format/trawl.h"

/* What --from or --to says; becomes a time when the start of the capture is known. */
struct time_arg {
	enum { TIME_ARG_NONE, TIME_ARG_ABSOLUTE, TIME_ARG_RELATIVE, TIME_ARG_CLOCK } kind;
	uint64_t ns;  /* since the epoch, since the first event, or since midnight */
	bool here;    /* CLOCK: of local time, not of the zone that is this far east */
	int64_t east; /* seconds */
};

/*
 * 2026-11-21T03:10:01.5Z, with +01:00, or without a zone for local time; a blank in place of T
 * and before the zone, UTC in place of Z; the date alone; 03:10:01.5, with a zone or without, on
 * the day that it was there at the first event; seconds since the epoch; +1.5s or +00:00:01.5 from
 * the first event (ns us ms s m h; s if there is none). `utc`: times without a zone are UTC.
 */
int time_arg_parse(const char *option, const char *text, bool utc, struct time_arg *w,
	       struct trawl_error *err);

/* On the timeline, for a capture whose first event is at `first`. */
uint64_t time_arg_resolve(const struct time_arg *w, uint64_t first);

/* How the times of lines are written: the counts of -t, as tcpdump has them. */
enum time_style {
	TIME_OF_DAY, /* 13:37:00.123456789 */
	TIME_NONE,
	TIME_EPOCH,
	TIME_DELTA,  /* since the line before */
	TIME_DATE,
	TIME_SINCE,  /* since `first` */
	TIME_MONOTONIC, /* of CLOCK_MONOTONIC, as the kernel's log has it: what time_put() gets */
	TIME_COUNTED = TIME_SINCE, /* -t may be given so often */
};

struct time_printer {
	enum time_style style;
	bool utc;
	bool started;
	uint64_t first;      /* set by the caller, for TIME_SINCE */
	uint64_t last;
	/* The text up to the millisecond that the last line was in, and when that began. */
	uint64_t second, millisecond;
	uint32_t second_len, text_len;
	char text[32];
};

/* Appends the time with `digits` (6 or 9) digits after the point; 6 are followed by three
 * blanks. */
char *time_put(struct time_printer *tp, char *p, uint64_t ns, unsigned int digits);
#define TIME_ROOM 48

/* "2026-11-21 03:10:01.123456789 +0100" (or UTC). */
void time_full(struct out *o, uint64_t ns, bool utc);

/* A span for people: "12.3 s", "450 us". */
void time_span(struct out *o, uint64_t ns);

#endif
