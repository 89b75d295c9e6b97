/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#include "decode/when.h"

#define S 1000000000ull
#define START (1795225477 * S + 298000000) /* 2026-11-21 01:44:37.298 UTC */

static uint64_t resolved(const char *text, bool utc)
{
	struct trawl_error err = {0};
	struct when w = {0};

	cr_assert_eq(when_parse("--from", text, utc, &w, &err), 0, "%s: %s", text, err.text);
	return when_resolve(&w, START);
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

Test(when, a_time_of_day_after_midnight_is_on_the_next_day)
{
	struct trawl_error err;
	struct when w = {0};
	uint64_t late = 1795219200 * S - 60 * S; /* 23:59 UTC */

	cr_assert_eq(when_parse("--from", "00:01", true, &w, &err), 0);
	cr_expect_eq(when_resolve(&w, late), 1795219200 * S + 60 * S);
}

Test(when, wrong_texts_have_a_caret)
{
	static const char *const bad[] = {"", "yesterday", "2026-13-01", "2026-11-21T25:00:00",
					  "25:00", "+", "+5parsecs", "+1:2", "+1:00:60",
					  "+99999999:00:00", "12:3", "1e5", "-5",
					  "99999999999999999999999", "2026-11-21T01:44:37Zx"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct trawl_error err = {0};
		struct when w = {0};

		cr_expect_eq(when_parse("--to", bad[i], false, &w, &err), -1, "%s", bad[i]);
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
}

Test(when, spans)
{
	struct out o;

	out_memory(&o);
	time_span(&o, 999);
	out_char(&o, ' ');
	time_span(&o, 1500);
	out_char(&o, ' ');
	time_span(&o, 2500000000);
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, "999 ns 1.5 us 2.500 s");
	out_free(&o);
}
