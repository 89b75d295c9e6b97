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

enum { TRIES = 16 }; /* to reach a size */

/* Is what is wanted known of whole chunks, without decoding what the events mean? */
static bool by_time_only(const struct cut_request *q)
{
	const struct selection *s = q->selection;

	return !s->where && !s->nnames && !s->npids && !s->count && !q->around && !q->every;
}

/* Times that are relative count from the first event; sources that there are. */
static int resolve(const struct cut_request *q, struct cut *c, struct trawl_error *err)
{
	struct decode_options options = { 0 };
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

/* ---- what was done, for the file ---------------------------------------------------------- */

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
	/* an expression may hold what the file is to be rid of: that there was one is told */
	json_bool(&j, "chosen", s->where || s->nnames || s->npids || q->around);
	if (q->every)
		json_uint(&j, "every", q->every);
	if (q->max_size)
		json_uint(&j, "max_size", q->max_size);
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

/* ---- a size that must not be passed ------------------------------------------------------- */

/* To the far end of a chunk. */
static uint64_t distance(const struct cut_entry *e, uint64_t point)
{
	uint64_t before = e->p.from < point ? point - e->p.from : 0;
	uint64_t after = e->p.to > point ? e->p.to - point : 0;

	return before > after ? before : after;
}

struct near {
	uint64_t distance, bytes;
};

static int by_distance(const void *a, const void *b)
{
	const struct near *x = a, *y = b;

	return (x->distance > y->distance) - (x->distance < y->distance);
}

/* How far from the point chunks may be that so many bytes have room for. */
static uint64_t reach(const struct cut *c, uint64_t point, uint64_t room)
{
	struct near *near = calloc(c->n + 1, sizeof(*near));
	uint64_t far = 0, sum = 0;
	size_t n = 0;

	for (size_t i = 0; near && i < c->n; i++)
		if (!c->entries[i].p.sync && c->entries[i].take)
			near[n++] = (struct near){ distance(&c->entries[i], point),
						   c->entries[i].p.bytes };
	if (near)
		qsort(near, n, sizeof(*near), by_distance);
	for (size_t i = 0; i < n && (sum += near[i].bytes) <= room; i++)
		far = near[i].distance;
	free(near);
	return far;
}

static int start_again(int fd, const char *out, struct trawl_error *err)
{
	if (!lseek(fd, 0, SEEK_SET) && !ftruncate(fd, 0))
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "--max-size: %s: is no file that can be written again: "
			  "%s", out, strerror(errno));
}

static void say_why(struct cut_result *r, const struct cut *c, const char *what, uint64_t point,
		    uint64_t limit, uint64_t whole)
{
	uint64_t first = UINT64_MAX, last = 0;
	char a[16], b[16];

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
		 "--max-size %s: kept is what is nearest to %s, from %.6f s before it to %.6f s "
		 "after it; all would take %s",
		 edit_megabytes(a, limit), what,
		 first < point ? (double)(point - first) / 1e9 : 0.0,
		 last > point ? (double)(last - point) / 1e9 : 0.0, edit_megabytes(b, whole));
}

static int try_reach(const struct cut_request *q, struct cut *c, int fd, const char *out,
		     uint64_t point, uint64_t far, uint64_t *bytes, struct trawl_error *err)
{
	uint64_t begin = q->selection->begin, end = q->selection->end;

	c->from = point > far && point - far > begin ? point - far : begin;
	c->to = far < end - point ? point + far + 1 : end;
	if (cut_plan(c, err) || start_again(fd, out, err))
		return -1;
	return write_once(q, c, fd, out, bytes, err);
}

/* The farthest reach that fits, by halves; a first guess goes by the sizes of the chunks. */
static int fit(const struct cut_request *q, struct cut *c, int fd, const char *out,
	       struct cut_result *result, struct trawl_error *err)
{
	uint64_t whole = result->bytes, point, low = 0, high, far, least = 0;
	const char *what;
	char room[16];

	if (choose_point(q->path, &point, &what, err))
		return -1;
	high = reach(c, point, UINT64_MAX);
	far = reach(c, point, q->max_size - q->max_size / 16);
	for (int i = 0; i < TRIES; i++) {
		if (try_reach(q, c, fd, out, point, far, &result->bytes, err))
			return -1;
		if (result->bytes <= q->max_size && c->kept) {
			low = far;
			if (result->bytes > q->max_size - q->max_size / 8)
				break;
		} else {
			high = far;
			least = result->bytes;
		}
		far = low + (high - low) / 2;
	}
	if (result->bytes > q->max_size || !c->kept) {
		if (try_reach(q, c, fd, out, point, low, &result->bytes, err))
			return -1;
		least = result->bytes > least || !least ? result->bytes : least;
	}
	if (result->bytes > q->max_size || !c->kept)
		return trawl_fail(err, TRAWL_USAGE, "--max-size: nothing of %s fits: the smallest "
				  "part, around %s, takes %s", q->name, what,
				  edit_megabytes(room, least));
	say_why(result, c, what, point, q->max_size, whole);
	return 0;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int verdict(const struct cut_request *q, const struct trawl_reader *r,
		   struct trawl_error *err)
{
	struct trawl_verdict v;

	if (trawl_pieces_failed(r, err))
		return -1;
	trawl_verdict(r, &v);
	if (v.complete && !v.damaged && !v.junk)
		return 0;
	return trawl_fail(err, TRAWL_BAD_DATA, "%s: %s", q->name, v.text);
}

static int plan_and_write(const struct cut_request *q, struct cut *c, int fd, const char *out,
			  struct cut_result *result, struct trawl_error *err)
{
	if (cut_plan(c, err))
		return -1;
	if (!c->kept)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: nothing of it is chosen, no file was made: "
				  "it has %" PRIu64 " events, which trawl-decode --summary tells",
				  q->name, c->left_out);
	result->bytes = c->bytes;
	if ((!q->max_size || c->bytes < 2 * q->max_size) &&
	    write_once(q, c, fd, out, &result->bytes, err))
		return -1;
	if (q->max_size && result->bytes > q->max_size && fit(q, c, fd, out, result, err))
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
	struct choose choose = { .path = q->path, .selection = q->selection, .around = q->around,
				 .window = q->window, .every = q->every };
	struct cut c = { .name = q->path };
	struct keep keep = { 0 };
	int ret = resolve(q, &c, err);

	if (!ret && !by_time_only(q)) {
		ret = choose_events(&choose, &keep, err);
		c.chosen = &keep;
		c.from = q->selection->begin;
		c.to = q->selection->end;
	}
	c.r = ret ? NULL : trawl_open(q->path, err);
	ret = c.r ? plan_and_write(q, &c, fd, out, result, err) : -1;
	cut_free(&c);
	trawl_close(c.r);
	keep_free(&keep);
	return ret;
}
