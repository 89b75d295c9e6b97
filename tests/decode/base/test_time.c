/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#include "common/array.h"
#include "decode/base/time.h"

#define S 1000000000ull
#define START (1795225477 * S + 298000000) /* 2026-11-21 01:44:37.298 UTC */

static uint64_t resolved(const char *text, bool utc)
{
	struct trawl_error err = {0};
	struct time_arg w = {0};

	cr_assert_eq(time_arg_parse("--from", text, utc, &w, &err), 0, "%s: %s", text, err.text);
	return time_arg_resolve(&w, START);
}

static void setup(void)
{
	setenv("TZ", "CET-1", 1);
	tzset();
}

TestSuite(when, .init = setup);

Test(when, absolute)
{
	cr_expect_eq(resolved("2026-11-21T01:44:37Z", false), 1795225477 * S);
	cr_expect_eq(resolved("2026-11-21T01:44:37.25Z", false), 1795225477 * S + 250000000);
	cr_expect_eq(resolved("2026-11-21 02:44:37", false), 1795225477 * S);
	cr_expect_eq(resolved("2026-11-21 01:44:37", true), 1795225477 * S);
	cr_expect_eq(resolved("2026-11-21T03:44:37+02:00", false), 1795225477 * S);
	cr_expect_eq(resolved("2026-11-20T20:14:37-0530", false), 1795225477 * S);
	cr_expect_eq(resolved("2026-11-21", true), 1795219200 * S);
	cr_expect_eq(resolved("2024-02-29", true), 1709164800 * S);
	cr_expect_eq(resolved("1795225477.000000001", false), 1795225477 * S + 1);
}

Test(when, relative_and_time_of_day)
{
	cr_expect_eq(resolved("+1.5s", false), START + 1500000000);
	cr_expect_eq(resolved("+1.5", false), START + 1500000000);
	cr_expect_eq(resolved("+20ms", false), START + 20000000);
	cr_expect_eq(resolved("+7ns", false), START + 7);
	cr_expect_eq(resolved("+2min", false), START + 120 * S);
	cr_expect_eq(resolved("+00:00:01.5", false), START + 1500000000);
	cr_expect_eq(resolved("+123:04:05", false), START + (123 * 3600 + 4 * 60 + 5) * S);
	cr_expect_eq(resolved("02:44:38", false), 1795225478 * S);
	cr_expect_eq(resolved("01:44:38.5", true), 1795225478 * S + 500000000);
}

Test(when, a_time_of_day_has_the_zone_that_it_is_given_with)
{
	/* 01:44:37 UTC is 06:44:37 in +05:00, and 14:14:37 of the previous day in -11:30 */
	cr_expect_eq(resolved("06:44:37.1+05:00", false), 1795225477 * S + 100000000);
	cr_expect_eq(resolved("06:44:37.1+0500", true), 1795225477 * S + 100000000);
	cr_expect_eq(resolved("14:14:37-11:30", false), 1795225477 * S);
	cr_expect_eq(resolved("14:14:37-11:30", true), 1795225477 * S);
	cr_expect_eq(resolved("01:44:37Z", false), 1795225477 * S);
	cr_expect_eq(resolved("01:44:37+00:00", false), 1795225477 * S);
	cr_expect_eq(resolved("01:45Z", false), 1795225500 * S);
	/* across midnight in that zone, which is 12:30 here */
	cr_expect_eq(resolved("00:30-11:30", false), 1795219200 * S + 12 * 3600 * S);
}

Test(when, a_time_of_day_on_a_day_of_25_hours)
{
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	struct time_arg w = {.kind = TIME_ARG_CLOCK, .ns = 12 * 3600 * S, .here = true};

	/* 2026-10-25, from 00:30 CEST: noon is CET */
	cr_expect_eq(time_arg_resolve(&w, 1792881000 * S), 1792926000 * S);
}

Test(when, what_a_summary_prints_is_taken)
{
	static const bool utc[] = {false, true};
	struct out o;

	for (size_t i = 0; i < 2; i++) {
		out_memory(&o);
		time_full(&o, START + 7, utc[i]);
		out_char(&o, '\0');
		cr_expect_str_eq(o.data, utc[i] ? "2026-11-21 01:44:37.298000007 UTC" :
						  "2026-11-21 02:44:37.298000007 +0100");
		cr_expect_eq(resolved(o.data, !utc[i]), START + 7, "%s", o.data);
		out_free(&o);
	}
	cr_expect_eq(resolved("01:44:37.5 +0000", false), 1795225477 * S + 500000000);
	cr_expect_eq(resolved("1795225477298000007", false), START + 7, "what --json prints");
	cr_expect_eq(resolved("1795225477.298000007", false), START + 7);
}

Test(when, days_that_are_not_in_the_calendar_are_refused)
{
	static const char *const bad[] = {"2026-02-30", "2026-02-29", "2026-11-31T00:00:00Z",
					  "2100-02-29 12:00"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct trawl_error err = {0};
		struct time_arg w = {0};

		cr_expect_eq(time_arg_parse("--to", bad[i], false, &w, &err), -1, "%s", bad[i]);
		cr_expect(strstr(err.text, "--to: this month has no such day\n"), "%s", err.text);
		cr_expect_eq(strlen(strrchr(err.text, '\n') + 1), 4 + 8 + 1, "%s", err.text);
	}
}

Test(when, a_time_of_day_after_midnight_is_on_the_next_day)
{
	struct trawl_error err;
	struct time_arg w = {0};
	uint64_t late = 1795219200 * S - 60 * S; /* 23:59 UTC */

	cr_assert_eq(time_arg_parse("--from", "00:01", true, &w, &err), 0);
	cr_expect_eq(time_arg_resolve(&w, late), 1795219200 * S + 60 * S);
}

Test(when, wrong_texts_have_a_caret)
{
	static const char *const bad[] = {"", "yesterday", "2026-13-01", "2026-11-21T25:00:00",
					  "25:00", "+", "+5parsecs", "+1:2", "+1:00:60",
					  "+99999999:00:00", "12:3", "1e5", "-5",
					  "99999999999999999999999", "2026-11-21T01:44:37Zx",
					  "2026-11-21T01:44:37+24:00", "01:44:37+01:60",
					  "01:44:37 ", "01:44:37+5", "01:44:37 CET"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct trawl_error err = {0};
		struct time_arg w = {0};

		cr_expect_eq(time_arg_parse("--to", bad[i], false, &w, &err), -1, "%s", bad[i]);
		cr_expect_eq(err.status, TRAWL_USAGE);
		cr_expect(strstr(err.text, "--to: not a time"), "%s", err.text);
		cr_expect(strchr(err.text, '^'), "%s", err.text);
	}
}

static const char *put(struct time_printer *tp, uint64_t ns, unsigned int digits)
{
	static char text[TIME_ROOM];

	*time_put(tp, text, ns, digits) = '\0';
	return text;
}

Test(when, written_as_tcpdump_does)
{
	struct time_printer tp = {.style = TIME_OF_DAY};

	cr_expect_str_eq(put(&tp, START + 1, 9), "02:44:37.298000001");
	cr_expect_str_eq(put(&tp, START + S, 6), "02:44:38.298000   ");
	tp = (struct time_printer){.style = TIME_OF_DAY, .utc = true};
	cr_expect_str_eq(put(&tp, START, 9), "01:44:37.298000000");
	tp = (struct time_printer){.style = TIME_EPOCH};
	cr_expect_str_eq(put(&tp, START, 9), "1795225477.298000000");
	tp = (struct time_printer){.style = TIME_DATE, .utc = true};
	cr_expect_str_eq(put(&tp, START, 9), "2026-11-21 01:44:37.298000000");
	tp = (struct time_printer){.style = TIME_NONE};
	cr_expect_str_eq(put(&tp, START, 9), "");
	tp = (struct time_printer){.style = TIME_DELTA};
	cr_expect_str_eq(put(&tp, START, 9), "00:00:00.000000000");
	cr_expect_str_eq(put(&tp, START + 5, 9), "00:00:00.000000005");
	cr_expect_str_eq(put(&tp, START + 3605 * S, 9), "01:00:04.999999995");
	tp = (struct time_printer){.style = TIME_SINCE, .first = START};
	cr_expect_str_eq(put(&tp, START - 5, 9), "-00:00:00.000000005");
	cr_expect_str_eq(put(&tp, START + 7, 9), "00:00:00.000000007");
	cr_expect_str_eq(put(&tp, START + 99 * 3600 * S, 9), "99:00:00.000000000");
	cr_expect_str_eq(put(&tp, START + 100 * 3600 * S, 9), "100:00:00.000000000");
}

Test(when, spans)
{
	static const uint64_t rounded[] = { 999499, 999500, 999499999, 999980000 };
	struct out o;

	out_memory(&o);
	time_span(&o, 999);
	out_char(&o, ' ');
	time_span(&o, 1500);
	out_char(&o, ' ');
	time_span(&o, 2500000000);
	for (size_t i = 0; i < ARRAY_SIZE(rounded); i++) {
		out_char(&o, ' ');
		time_span(&o, rounded[i]);
	}
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, "999 ns 1.5 us 2.500 s 999 us 1 ms 999 ms 1.000 s");
	out_free(&o);
}
