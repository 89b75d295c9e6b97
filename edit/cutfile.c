/* SPDX-License-Identifier: MIT */
#include "edit/cutfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json.h"
#include "decode/query/stream.h"
#include "edit/choose.h"
#include "edit/cut.h"

enum { TRIES = 24 }; /* most attempts to reach a size */

/* True if chunks can be chosen by their times alone, without decoding events. */
static bool by_time_only(const struct cut_request *q)
{
	const struct selection *s = q->selection;

	return !s->where && !s->nnames && !s->npids && !s->count && !q->around && !q->every;
}

/* Resolves relative times, which count from the first event, and source names. */
static int resolve(const struct cut_request *q, struct cut *c, struct trawl_error *err)
{
	struct decode_options options = { .memory = c->memory };
	struct stream *s = stream_open(q->path, &options, q->selection, err);

	if (!s)
		return -1;
	if (selection_relative(q->selection) && stream_find_first(s, err)) {
		stream_close(s);
		return -1;
	}
	selection_times(q->selection, selection_relative(q->selection) ? stream_first(s) : 0);
	c->from = q->selection->begin;
	c->to = q->selection->end;
	for (size_t i = 0; i < trawl_source_count(stream_reader(s)); i++) {
		const struct trawl_source *source = trawl_source_at(stream_reader(s), i);

		if (source->id < 256 && stream_wants(s, source))
			c->sources[source->id / 64] |= 1ull << source->id % 64;
	}
	stream_close(s);
	return 0;
}

/* ---- metadata: description of the cut -------------------------------------------------------- */

static char *describe(const struct cut_request *q, const struct cut *c)
{
	const struct selection *s = q->selection;
	struct json j = { 0 };
	char *text;

	json_object(&j, NULL);
	json_string(&j, "operation", "cut");
	if (c->from)
		json_uint(&j, "from_ns", c->from);
	if (c->to != UINT64_MAX)
		json_uint(&j, "until_ns", c->to);
	json_uint(&j, "kept", c->kept);
	json_uint(&j, "left_out", c->left_out);
	/*
	 * the expression itself may contain what the cut is to remove, so only its existence is
	 * recorded
	 */
	json_bool(&j, "chosen", s->where || s->nnames || s->npids || q->around);
	if (q->every)
		json_uint(&j, "every", q->every);
	if (q->max_size)
		json_uint(&j, "max_size", q->max_size);
	if (q->max_events)
		json_uint(&j, "max_events", q->max_events);
	json_end(&j);
	text = j.text ? strdup(j.text) : NULL;
	json_free(&j);
	return text;
}

static int write_once(const struct cut_request *q, struct cut *c, int fd, const char *out,
		      uint64_t *bytes, struct trawl_error *err)
{
	char *edit = describe(q, c);
	struct stat st;
	int ret = edit ? cut_write(c, fd, out, edit, err) : edit_no_memory(err);

	free(edit);
	if (!ret)
		trawl_make_small(fd);
	*bytes = 0;
	if (!ret && !fstat(fd, &st) && S_ISREG(st.st_mode))
		*bytes = (uint64_t)st.st_size;
	return ret;
}

/* ---- limits on size and events --------------------------------------------------------------- */

/* The distance in ns from `point` to the far end of a chunk. */
static uint64_t distance(const struct cut_entry *e, uint64_t point)
{
	uint64_t before = e->p.from < point ? point - e->p.from : 0;
	uint64_t after = e->p.to > point ? e->p.to - point : 0;

	return before > after ? before : after;
}

struct near {
	uint64_t distance, bytes, events;
};

static bool has_limit(const struct cut_request *q)
{
	return q->max_size || q->max_events;
}

static bool fits(const struct cut_request *q, uint64_t bytes, uint64_t events)
{
	return (!q->max_size || bytes <= q->max_size) &&
	       (!q->max_events || events <= q->max_events);
}

static int by_distance(const void *a, const void *b)
{
	const struct near *x = a, *y = b;

	return (x->distance > y->distance) - (x->distance < y->distance);
}

/*
 * Returns the distance (ns) from the point up to which chunks fit within the limits; with q NULL,
 * the distance of the farthest chunk.
 */
static uint64_t reach(const struct cut *c, uint64_t point, const struct cut_request *q)
{
	struct near *near = calloc(c->n + 1, sizeof(*near));
	uint64_t far = 0, bytes = 0, events = 0;
	size_t n = 0;

	for (size_t i = 0; near && i < c->n; i++)
		if (!c->entries[i].p.sync && c->entries[i].take)
			near[n++] = (struct near){ distance(&c->entries[i], point),
						   c->entries[i].p.bytes, c->entries[i].kept };
	if (near)
		qsort(near, n, sizeof(*near), by_distance);
	for (size_t i = 0; i < n; i++) {
		bytes += near[i].bytes;
		events += near[i].events;
		/* a sixteenth is left for descriptions and metadata */
		if (q && !fits(q, bytes + q->max_size / 16, events))
			break;
		far = near[i].distance;
	}
	free(near);
	return far;
}

static int start_again(int fd, const char *out, struct trawl_error *err)
{
	if (!lseek(fd, 0, SEEK_SET) && !ftruncate(fd, 0))
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "%s: cannot be written again: %s; --max-size and "
			  "--max-events need a regular file", out, strerror(errno));
}

/* The exceeded limit, as the option that set it. */
static const char *limit_text(const struct cut_request *q, bool size, char *room, size_t n)
{
	char bytes[16];

	if (size)
		snprintf(room, n, "--max-size %s", edit_megabytes(bytes, q->max_size));
	else
		snprintf(room, n, "--max-events %" PRIu64, q->max_events);
	return room;
}

/* A part that has to fit within the limits. */
struct fitting {
	const struct cut_request *q;
	struct cut *c;
	int fd; /* the output */
	const char *out;
	uint64_t point;   /* the part is around this time */
	const char *what; /* the kind of event at that time */
	/* the whole part was written once; otherwise only the size of its chunks is known */
	bool measured;
};

static void say_why(const struct fitting *f, struct cut_result *r, uint64_t whole, uint64_t events)
{
	const struct cut_request *q = f->q;
	const struct cut *c = f->c;
	uint64_t point = f->point;
	bool size = q->max_size && whole > q->max_size;
	uint64_t first = UINT64_MAX, last = 0;
	char a[64], b[16], number[EDIT_EVENTS];

	for (size_t i = 0; i < c->n; i++) {
		const struct trawl_piece *p = &c->entries[i].p;

		if (p->sync || !c->entries[i].kept)
			continue;
		first = p->from < first ? p->from : first;
		last = p->to > last ? p->to : last;
	}
	first = first > c->from ? first : c->from;
	last = last < c->to ? last : c->to;
	snprintf(r->why, sizeof(r->why),
		 "%s: kept is what is nearest to %s, from %.6f s before it to %.6f s "
		 "after it; all would take %s%s, %s",
		 limit_text(q, size, a, sizeof(a)), f->what,
		 first < point ? (double)(point - first) / 1e9 : 0.0,
		 last > point ? (double)(last - point) / 1e9 : 0.0,
		 f->measured ? "" : "more than ", edit_megabytes(b, whole),
		 edit_events(number, events));
}

static int try_reach(const struct fitting *f, uint64_t far, uint64_t *bytes,
		     struct trawl_error *err)
{
	uint64_t begin = f->q->selection->begin, end = f->q->selection->end, point = f->point;

	f->c->from = point > far && point - far > begin ? point - far : begin;
	f->c->to = far < end - point ? point + far + 1 : end;
	if (cut_plan(f->c, err) || start_again(f->fd, f->out, err))
		return -1;
	return write_once(f->q, f->c, f->fd, f->out, bytes, err);
}

/* True if the part takes more than 7/8 of a limit: no further attempt is made. */
static bool is_near(const struct cut_request *q, uint64_t bytes, uint64_t events)
{
	return (q->max_size && bytes > q->max_size - q->max_size / 8) ||
	       (q->max_events && events > q->max_events - q->max_events / 8);
}

static int nothing_fits(const struct cut_request *q, const char *what, uint64_t bytes,
			uint64_t events, struct trawl_error *err)
{
	enum { MORE = 16 }; /* the file has the limit in it, which will have more digits */
	char limit[64];

	return trawl_fail(err, TRAWL_USAGE, "%s: nothing of %s fits; the smallest part, around %s, "
			  "takes %" PRIu64 " bytes, %" PRIu64 " event%s",
			  limit_text(q, q->max_size && bytes > q->max_size, limit, sizeof(limit)),
			  q->name, what, bytes + MORE, events, events == 1 ? "" : "s");
}

static bool is_fitting(const struct fitting *f, const struct cut_result *r)
{
	return f->c->kept && fits(f->q, r->bytes, f->c->kept);
}

/* Returns the next reach to be tried. empty: the last had no event; half may be far too many. */
static uint64_t next_reach(uint64_t low, uint64_t high, bool empty)
{
	enum { FIRST = 1000, TIMES = 16 };

	if (empty && low < high / TIMES && FIRST < high)
		return low ? TIMES * low : FIRST;
	return low + (high - low) / 2;
}

/*
 * Finds the largest reach around the point that fits, by bisection. The first attempt is estimated
 * from the chunks' sizes.
 */
static int fit(struct fitting *f, struct cut_result *result, struct trawl_error *err)
{
	const struct cut_request *q = f->q;
	struct cut *c = f->c;
	uint64_t whole = result->bytes, events = c->kept, low = 0, high, far;
	uint64_t fitted = 0, least = whole, least_events = events;

	if (choose_point(q->path, c, &f->point, &f->what, err))
		return -1;
	high = reach(c, f->point, NULL);
	far = reach(c, f->point, q);
	for (int i = 0; i < TRIES; i++) {
		if (try_reach(f, far, &result->bytes, err))
			return -1;
		if (c->kept && !is_fitting(f, result)) {
			high = far;
			least = result->bytes;
			least_events = c->kept;
		} else {
			low = far; /* a part without an event may also be too small */
			fitted = c->kept ? far : fitted;
			if (c->kept && is_near(q, result->bytes, c->kept))
				break;
		}
		far = next_reach(low, high, !c->kept);
	}
	if (!is_fitting(f, result) && try_reach(f, fitted, &result->bytes, err))
		return -1;
	if (!is_fitting(f, result))
		return nothing_fits(q, f->what, least, least_events, err);
	say_why(f, result, whole, events);
	return 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int verdict(const struct cut_request *q, const struct trawl_reader *r,
		   struct trawl_error *err)
{
	struct trawl_verdict v;

	if (trawl_pieces_failed(r, err))
		return -1;
	trawl_verdict(r, &v);
	if (edit_is_whole(&v))
		return 0;
	return trawl_fail(err, TRAWL_BAD_DATA, "%s: %s", q->name, v.text);
}

static int plan_and_write(const struct cut_request *q, struct cut *c, int fd, const char *out,
			  struct cut_result *result, struct trawl_error *err)
{
	struct fitting f = { .q = q, .c = c, .fd = fd, .out = out };
	bool large; /* far beyond a limit: writing the whole first would be wasted work */
	char room[EDIT_EVENTS];

	if (has_limit(q) && cut_guess(c, err))
		return -1;
	large = has_limit(q) && c->kept && !fits(q, c->bytes / 2, c->kept);
	if (!large && cut_plan(c, err))
		return -1;
	if (!c->kept)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: nothing of it is chosen, no file was made; choose among "
				  "its %s (trawl-decode --summary)",
				  q->name, edit_events(room, c->left_out));
	result->bytes = c->bytes;
	f.measured = !large;
	if (!large && write_once(q, c, fd, out, &result->bytes, err))
		return -1;
	if (has_limit(q) && !fits(q, result->bytes, c->kept) && fit(&f, result, err))
		return -1;
	result->kept = c->kept;
	result->left_out = c->left_out;
	result->from = c->from;
	result->to = c->to;
	return verdict(q, c->r, err);
}

int cut_file(const struct cut_request *q, int fd, const char *out, struct cut_result *result,
	     struct trawl_error *err)
{
	struct trawl_memory memory = { .most = q->memory };
	struct choose choose = { .path = q->path, .selection = q->selection, .around = q->around,
				 .window = q->window, .every = q->every,
				 .decode.memory = &memory };
	struct cut c = { .name = q->path, .memory = &memory, .level = q->level };
	struct needs needs = { 0 };
	struct task_names names = { 0 };
	struct keep keep = { 0 };
	int ret = resolve(q, &c, err);

	if (!ret && !by_time_only(q)) {
		choose.needs = &needs;
		choose.names = &names;
		ret = choose_events(&choose, &keep, err);
		c.chosen = &keep;
		c.chosen_needs = choose.needs;
		c.chosen_names = &names;
		c.from = c.chosen_from = q->selection->begin;
		c.to = c.chosen_to = q->selection->end;
	}
	c.unchecked = c.from || c.to != UINT64_MAX;
	c.r = ret ? NULL : trawl_open_within(q->path, &memory, err);
	ret = c.r ? plan_and_write(q, &c, fd, out, result, err) : -1;
	cut_free(&c);
	trawl_close(c.r);
	keep_free(&keep);
	needs_free(&needs);
	task_names_free(&names);
	return ret;
}
