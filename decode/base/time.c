/* SPDX-License-Identifier: MIT */
#include "common/caret.h"
#include "common/duration.h"
#include "decode/base/number.h"
#include "decode/base/time.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000ull
#define DAY    (86400 * SECOND)
#define MILLISECOND 1000000ull

/* ---- reading ------------------------------------------------------------------------------ */

struct text {
	const char *p;
	const char *wrong; /* what is wrong at p; NULL: it is not a time */
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Parses exactly n digits. */
static bool digits(struct text *t, int n, int *v)
{
	for (*v = 0; n; n--) {
		if (!digit(*t->p))
			return false;
		*v = *v * 10 + (*t->p++ - '0');
	}
	return true;
}

static bool clock_time(struct text *t, uint64_t *ns)
{
	int h, m, s = 0;

	if (!digits(t, 2, &h) || *t->p++ != ':' || !digits(t, 2, &m) || h > 23 || m > 59)
		return false;
	if (*t->p == ':' && (t->p++, !digits(t, 2, &s) || s > 60))
		return false;
	*ns = (uint64_t)(h * 3600 + m * 60 + s) * SECOND + duration_fraction(&t->p);
	return true;
}

/* Parses a zone: Z, UTC, +01:00, +0100, also after a blank. Returns false if there is none. */
static bool zone(struct text *t, int64_t *east)
{
	struct text z = {t->p + (*t->p == ' '), NULL};
	int sign = *z.p == '-' ? -1 : 1, h = 0, m = 0;

	if (*z.p == 'Z') {
		z.p++;
	} else if (!strncmp(z.p, "UTC", 3)) {
		z.p += 3;
	} else {
		if (*z.p != '+' && *z.p != '-')
			return false;
		z.p++;
		if (!digits(&z, 2, &h) || (*z.p == ':' && !*z.p++) || !digits(&z, 2, &m) ||
		    h > 23 || m > 59)
			return false;
	}
	*east = sign * (h * 3600 + m * 60);
	t->p = z.p;
	return true;
}

static int days(int year, int month)
{
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	if (month == 2)
		return leap ? 29 : 28;
	return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* Returns a date with this time of the day in seconds since the epoch; -1 if it does not exist. */
static int64_t second_of(const struct tm *date, uint64_t ns, bool here, int64_t east)
{
	struct tm tm = *date;

	tm.tm_hour = (int)(ns / SECOND / 3600);
	tm.tm_min = (int)(ns / SECOND / 60 % 60);
	tm.tm_sec = (int)(ns / SECOND % 60);
	tm.tm_isdst = -1;
	return here ? mktime(&tm) : timegm(&tm) - east;
}

static bool date(struct text *t, bool utc, struct time_arg *w)
{
	struct tm tm = {0};
	uint64_t ns = 0;
	int64_t east = 0, s;
	bool here;

	if (!digits(t, 4, &tm.tm_year) || *t->p++ != '-' || !digits(t, 2, &tm.tm_mon) ||
	    *t->p++ != '-' || !digits(t, 2, &tm.tm_mday) || tm.tm_mon < 1 || tm.tm_mon > 12 ||
	    tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_year < 1970 || tm.tm_year > 2500)
		return false;
	if (tm.tm_mday > days(tm.tm_year, tm.tm_mon)) {
		t->p -= 2;
		t->wrong = "this month has no such day";
		return false;
	}
	tm.tm_year -= 1900;
	tm.tm_mon--;
	if ((*t->p == 'T' || *t->p == ' ') && (t->p++, !clock_time(t, &ns)))
		return false;
	here = !zone(t, &east) && !utc;
	s = second_of(&tm, ns, here, east);
	if (s < 0)
		return false;
	w->kind = TIME_ARG_ABSOLUTE;
	w->ns = (uint64_t)s * SECOND + ns % SECOND;
	return true;
}

/* A larger number counts ns since the epoch, a smaller one seconds. */
#define NANOSECONDS 100000000000000000ull

/* Parses seconds or nanoseconds since the epoch. */
static bool epoch(struct text *t, uint64_t *ns)
{
	size_t n = strspn(t->p, "0123456789");
	uint64_t whole;
	char *end;

	errno = 0;
	whole = strtoull(t->p, &end, 10);
	if (!n || errno)
		return false;
	if (whole >= NANOSECONDS && *end != '.') { /* ts_ns of --json */
		t->p = end;
		*ns = whole;
		return true;
	}
	return !isalpha((unsigned char)end[strspn(end, ".0123456789")]) && duration_read(&t->p, ns);
}

/* Parses 00:00:01.5 as -ttttt prints it; any number of hours. */
static bool span(struct text *t, uint64_t *ns)
{
	uint64_t hours = 0;
	int m, s;

	for (; digit(*t->p); t->p++) {
		hours = hours * 10 + (uint64_t)(*t->p - '0');
		if (hours > UINT64_MAX / DAY)
			return false;
	}
	if (*t->p++ != ':' || !digits(t, 2, &m) || *t->p++ != ':' || !digits(t, 2, &s) || m > 59 ||
	    s > 59)
		return false;
	*ns = (hours * 3600 + (uint64_t)(m * 60 + s)) * SECOND + duration_fraction(&t->p);
	return true;
}

/* Whether the text is a duration: 5s, 1.5ms. */
static bool is_span(const char *text)
{
	const char *p = text;
	uint64_t ns;

	return isalpha((unsigned char)text[strspn(text, "0123456789.")]) &&
	       duration_read(&p, &ns) && !*p;
}

int time_arg_parse(const char *option, const char *text, bool utc, struct time_arg *w,
	       struct trawl_error *err)
{
	struct text t = {text, NULL};
	size_t n = strspn(text, "0123456789");
	bool ok;

	if (*text == '+') {
		t.p++;
		w->kind = TIME_ARG_RELATIVE;
		ok = text[1 + strspn(text + 1, "0123456789")] == ':' ? span(&t, &w->ns) :
								      duration_read(&t.p, &w->ns);
	} else if (n == 4 && text[4] == '-') {
		ok = date(&t, utc, w);
	} else if (n == 2 && text[2] == ':') {
		w->kind = TIME_ARG_CLOCK;
		w->east = 0;
		ok = clock_time(&t, &w->ns);
		w->here = !(ok && zone(&t, &w->east)) && !utc;
	} else {
		w->kind = TIME_ARG_ABSOLUTE;
		ok = epoch(&t, &w->ns);
	}
	if (ok && !*t.p)
		return 0;
	if (is_span(text))
		return caret_fail(err, TRAWL_USAGE, text, 0,
				  "%s: a duration counts from the first event; write +%s", option,
				  text);
	return caret_fail(err, TRAWL_USAGE, text, (size_t)(t.p - text), "%s: %s", option,
			  t.wrong ? t.wrong :
			  "not a time: 2026-11-21T03:10:01.5Z, 03:10:01.5, +1.5s from the first "
			  "event, or seconds or nanoseconds since the epoch");
}

/* Returns the time of day on the day of `first` in that zone. */
static uint64_t on_first_day(const struct time_arg *w, uint64_t first)
{
	int64_t begin = (int64_t)(first / SECOND), s;
	time_t there = (time_t)(begin + w->east);
	struct tm tm;

	if (!(w->here ? localtime_r(&there, &tm) : gmtime_r(&there, &tm)))
		return w->ns;
	s = second_of(&tm, w->ns, w->here, w->east);
	if (s + 43200 < begin) {
		/*
		 * the capture spans midnight: a time well before its first event is on the next day
		 */
		tm.tm_mday++;
		s = second_of(&tm, w->ns, w->here, w->east);
	}
	return s < 0 ? 0 : (uint64_t)s * SECOND + w->ns % SECOND;
}

uint64_t time_arg_resolve(const struct time_arg *w, uint64_t first)
{
	switch (w->kind) {
	case TIME_ARG_RELATIVE:
		return first + w->ns < first ? UINT64_MAX : first + w->ns;
	case TIME_ARG_CLOCK:
		return on_first_day(w, first);
	default:
		return w->ns;
	}
}

/* ---- writing ------------------------------------------------------------------------------ */

static char *put_span(char *p, uint64_t seconds)
{
	uint64_t hours = seconds / 3600;

	p = hours < 100 ? put_digits(p, (uint32_t)hours, 2) : put_u64(p, hours);
	*p++ = ':';
	p = put_digits(p, (uint32_t)(seconds / 60 % 60), 2);
	*p++ = ':';
	return put_digits(p, (uint32_t)(seconds % 60), 2);
}

static uint32_t put_second(const struct time_printer *tp, char *p, size_t size)
{
	time_t s = (time_t)tp->second;
	struct tm tm = {0};

	if (tp->style == TIME_DELTA || tp->style == TIME_SINCE)
		return (uint32_t)(put_span(p, tp->second) - p);
	if (tp->style == TIME_EPOCH || tp->style == TIME_MONOTONIC)
		return (uint32_t)(put_u64(p, tp->second) - p);
	if (!(tp->utc ? gmtime_r(&s, &tm) : localtime_r(&s, &tm)))
		memset(&tm, 0, sizeof(tm));
	return (uint32_t)strftime(p, size, tp->style == TIME_DATE ? "%Y-%m-%d %H:%M:%S" :
								    "%H:%M:%S", &tm);
}

/* Updates the cached text. Most lines are in the same millisecond as the previous one. */
static void new_millisecond(struct time_printer *tp, uint64_t ns)
{
	char *p;

	if (!tp->text_len || ns / SECOND != tp->second) {
		tp->second = ns / SECOND;
		tp->second_len = put_second(tp, tp->text, sizeof(tp->text) - 8);
	}
	tp->millisecond = ns - ns % MILLISECOND;
	p = tp->text + tp->second_len;
	*p++ = '.';
	p = put_digits(p, (uint32_t)(ns / MILLISECOND % 1000), 3);
	tp->text_len = (uint32_t)(p - tp->text);
}

char *time_put(struct time_printer *tp, char *p, uint64_t ns, unsigned int digits)
{
	uint64_t since = ns;

	if (tp->style == TIME_NONE)
		return p;
	if (tp->style == TIME_DELTA)
		since = tp->started ? ns - tp->last : 0;
	else if (tp->style == TIME_SINCE)
		since = ns - tp->first;
	tp->last = ns;
	tp->started = true;
	if ((int64_t)since < 0 && since != ns) { /* earlier than the previous line */
		*p++ = '-';
		since = 0 - since;
	}
	if (since - tp->millisecond >= MILLISECOND || !tp->text_len)
		new_millisecond(tp, since);
	memcpy(p, tp->text, sizeof(tp->text));
	p += tp->text_len;
	since -= tp->millisecond;
	if (digits == 9)
		return put_digits(p, (uint32_t)since, 6);
	p = put_digits(p, (uint32_t)(since / 1000), 3);
	memcpy(p, "   ", 3);
	return p + 3;
}

void time_full(struct out *o, uint64_t ns, bool utc)
{
	time_t s = (time_t)(ns / SECOND);
	struct tm tm = {0};
	char text[64];

	if (!(utc ? gmtime_r(&s, &tm) : localtime_r(&s, &tm)))
		memset(&tm, 0, sizeof(tm));
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S.", &tm);
	out_str(o, text);
	out_digits(o, ns % SECOND, 9);
	strftime(text, sizeof(text), utc ? " UTC" : " %z", &tm);
	out_str(o, text);
}

/* What three digits round to 1000 is 1 of the next unit. */
void time_span(struct out *o, uint64_t ns)
{
	if (ns < 1000)
		out_printf(o, "%llu ns", (unsigned long long)ns);
	else if (ns < 999500)
		out_printf(o, "%.3g us", (double)ns / 1e3);
	else if (ns < 999500000)
		out_printf(o, "%.3g ms", (double)ns / 1e6);
	else
		out_printf(o, "%.3f s", (double)ns / 1e9);
}
