/* SPDX-License-Identifier: MIT */
#include "decode/branchdiff.h"

#include <inttypes.h>

#include "decode/base/cli.h"
#include "decode/flow/paths.h"

enum { SHOWN = 5 }; /* differences shown for each task unless -c gives another number */

static int read_both(struct reading *r, const int fds[2], const char *const names[2],
		     struct paths *p, struct stream *s[2], struct out *out)
{
	struct trawl_error err = {0};
	int worst = 0;

	r->decode.raw = true;
	for (unsigned int i = 0; i < 2; i++) {
		int status;

		r->decode.fd = fds[i];
		s[i] = stream_open(names[i], &r->decode, &r->selection, &err);
		if (!s[i])
			return cli_error(&err);
		status = reading_finish(s[i], out, "standard output", paths_read(p, i, s[i], &err),
					&err);
		worst = status > worst ? status : worst;
	}
	return worst;
}

static void show_json(const struct paths *p, size_t n, const struct path_difference *d,
		      struct out *o)
{
	out_printf(o, "{\"task\":%zu,\"same\":%" PRIu64 ",\"only_first\":%" PRIu64
		   ",\"only_second\":%" PRIu64 ",\"before\":", n, d->at[0], d->end[0] - d->at[0],
		   d->end[1] - d->at[1]);
	paths_put_branch(p, 0, n, d->at[0] - 1, true, o);
	for (unsigned int i = 0; i < 2; i++) {
		out_str(o, i ? ",\"second\":" : ",\"first\":");
		paths_put_branch(p, i, n, d->at[i], true, o);
	}
	out_str(o, "}\n");
}

static void show(const struct paths *p, size_t n, const struct path_difference *d,
		 const char *const names[2], struct out *o)
{
	out_str(o, d->at[0] ? "  after " : "  at the beginning");
	if (d->at[0])
		paths_put_branch(p, 0, n, d->at[0] - 1, false, o);
	out_char(o, '\n');
	for (unsigned int i = 0; i < 2; i++) {
		out_printf(o, "    %.200s: ", names[i]);
		paths_put_branch(p, i, n, d->at[i], false, o);
		out_printf(o, " (%" PRIu64 " that the other has not)\n",
			   d->end[i] - d->at[i]);
	}
}

/* Compares a pair of tasks and prints at most `shown` differences. Returns their total number. */
static uint64_t compare(const struct paths *p, size_t n, uint64_t shown, const char *const names[2],
			bool json, struct out *o)
{
	struct path_difference d;
	uint64_t at[2] = { 0, 0 }, count = 0;

	for (; paths_next(p, n, at, &d); at[0] = d.end[0], at[1] = d.end[1], count++) {
		if (!count && !json) {
			paths_put_task(p, 0, n, o);
			out_str(o, " and ");
			paths_put_task(p, 1, n, o);
			if (d.at[0])
				out_printf(o, ": the first %" PRIu64 " branches are the same\n",
					   d.at[0]);
			else
				out_str(o, ": they differ from their first branch on\n");
		}
		if (count < shown && json)
			show_json(p, n, &d, o);
		else if (count < shown)
			show(p, n, &d, names, o);
	}
	if (count > shown && !json)
		out_printf(o, "  and %" PRIu64 " more places; -c %" PRIu64 " shows them\n",
			   count - shown, count);
	return count;
}

int branchdiff_print(struct reading *r, const int fds[2], const char *const names[2], bool json,
		     struct out *out)
{
	uint64_t shown = r->selection.count ? r->selection.count : SHOWN, differences = 0;
	struct stream *s[2] = { NULL, NULL };
	struct paths *p = paths_new();
	struct trawl_error err;
	size_t tasks = 0;
	int status, got;

	if (!p) {
		trawl_fail(&err, TRAWL_CANNOT, "--diff: out of memory");
		return cli_error(&err);
	}
	r->selection.count = 0;
	status = read_both(r, fds, names, p, s, out);
	if (status <= TRAWL_BAD_DATA && paths_other_build(p)) {
		trawl_fail(&err, TRAWL_OK,
			   "--diff: the captures have different builds of %.100s, whose addresses "
			   "cannot be compared",
			   paths_other_build(p));
		cli_error(&err);
	}
	for (unsigned int i = 0; i < 2; i++)
		tasks = paths_tasks(p, i) > tasks ? paths_tasks(p, i) : tasks;
	for (size_t n = 0; status <= TRAWL_BAD_DATA && n < tasks; n++)
		differences += compare(p, n, shown, names, json, out);
	if (status <= TRAWL_BAD_DATA && !differences && !json)
		out_printf(out, "the same: %" PRIu64 " branches of the first task\n",
			   paths_length(p, 0, 0));
	got = cli_finish(out, "standard output");
	status = got > status ? got : status;
	paths_free(p);
	stream_close(s[0]);
	stream_close(s[1]);
	return differences && !status ? TRAWL_BAD_DATA : status;
}
