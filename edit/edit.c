/* SPDX-License-Identifier: MIT */
#include "edit/edit.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/plain.h"
#include "decode/base/output.h"

int edit_usage(struct trawl_error *err, const char *text, const char *what)
{
	return trawl_fail(err, TRAWL_USAGE, "%s%s; see --help", text, what);
}

int edit_one_file(int argc, char **argv, struct trawl_error *err)
{
	if (optind == argc)
		return edit_usage(err, argv[0], ": FILE is missing");
	if (optind + 1 < argc)
		return edit_usage(err, argv[optind + 1], ": one FILE at a time");
	return 0;
}

bool edit_is_whole(const struct trawl_verdict *v)
{
	return v->complete && !v->damaged && !v->junk;
}

int edit_no_memory(struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "%s", out_lack_reason());
}

/* The first event from `at` on that is in the set, or `end`. */
static uint32_t next_kept(const struct keep_chunk *some, uint32_t at, uint32_t end)
{
	while (at < end && !keep_has(some, at))
		at += at % 8 || at / 8 >= some->room || some->bits[at / 8] ? 1 : 8;
	return at < end ? at : end;
}

/* The events of a chunk that are passed on. */
struct some_events {
	struct trawl_cursor *cursor;
	const struct keep_chunk *some; /* NULL: all */
	edit_event_fn *fn;
	void *arg;
};

static int some_of_stream(const struct some_events *e, const struct trawl_chunk *chunk,
			  uint32_t stream, struct trawl_error *err)
{
	uint32_t at = chunk->streams[stream].first, end = at + chunk->streams[stream].count, next;
	struct trawl_event ev;
	int ret = 0;

	for (; !ret; at++) {
		next = e->some ? next_kept(e->some, at, end) : at;
		if (next == end)
			break;
		trawl_cursor_skip(e->cursor, stream, next - at);
		at = next;
		if (trawl_cursor_next(e->cursor, stream, &ev) < 0)
			return edit_no_memory(err);
		ret = e->fn(e->arg, &ev, err);
	}
	return ret;
}

int edit_some_events(const struct trawl_chunk *chunk, const struct keep_chunk *some,
		     edit_event_fn *fn, void *arg, struct trawl_error *err)
{
	struct some_events e = { trawl_cursor_new(chunk), some, fn, arg };
	int ret = 0;

	if (!e.cursor)
		return edit_no_memory(err);
	for (uint32_t i = 0; !ret && i < chunk->nstreams; i++)
		ret = some_of_stream(&e, chunk, i, err);
	trawl_cursor_free(e.cursor);
	return ret;
}

int edit_level(const char *text, int *level, struct trawl_error *err)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > 19)
		return trawl_fail(err, TRAWL_USAGE,
				  "--level: '%s' is not a level; give 1 (fast) to 19 (small)",
				  text);
	*level = (int)n;
	return 0;
}

int edit_size(const char *option, const char *text, uint64_t *bytes, struct trawl_error *err)
{
	static const char units[] = "KMGkmg";
	const char *unit;
	int shift = 0;
	char *end;

	errno = 0;
	*bytes = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * (int)((unit - units) % 3 + 1);
		end++;
	}
	if (*text < '0' || *text > '9' || errno || *end || *bytes > UINT64_MAX >> shift ||
	    !*bytes)
		return trawl_fail(err, TRAWL_USAGE, "%s: '%.60s' is not a size; write one as in "
				  "%s 25M", option, text, option);
	*bytes <<= shift;
	return 0;
}

void edit_progress(const char *name, uint64_t done, uint64_t all)
{
	uint64_t percent = all ? done * 100 / all : 100,
		 before = all && done ? (done - 1) * 100 / all : 0;
	char bar[21] = "....................", plain[61];

	if (!isatty(STDERR_FILENO) || (percent == before && done != 1))
		return;
	memset(bar, '#', percent / 5);
	snprintf(plain, sizeof(plain), "%s", name);
	if (done == all)
		fprintf(stderr, "\r\033[K");
	else
		fprintf(stderr, "\rtrawl-edit: %s [%s] %3u %%", plain_text(plain, false), bar,
			(unsigned int)percent);
}

const char *edit_events(char room[EDIT_EVENTS], uint64_t n)
{
	snprintf(room, EDIT_EVENTS, "%" PRIu64 " event%s", n, n == 1 ? "" : "s");
	return room;
}

const char *edit_megabytes(char *room, uint64_t bytes)
{
	if (bytes < 1000)
		snprintf(room, 16, "%u bytes", (unsigned int)bytes);
	else if (bytes < 100000)
		snprintf(room, 16, "%.1f kB", (double)bytes / 1e3);
	else
		snprintf(room, 16, "%.1f MB", (double)bytes / 1e6);
	return room;
}
