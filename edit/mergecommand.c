/* SPDX-License-Identifier: MIT */
/* trawl-edit merge FILE FILE... -w OUT. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/duration.h"
#include "common/sources.h"
#include "decode/base/cli.h"
#include "decode/query/reading.h"
#include "edit/input.h"
#include "edit/merge.h"
#include "edit/output.h"

enum { OPTION_SHIFT = OPTION_PROGRAM, OPTION_LEVEL, FILES_MAX = 64 };

static const struct option long_options[] = {
	{ "shift", required_argument, NULL, OPTION_SHIFT },
	{ "level", required_argument, NULL, OPTION_LEVEL },
	{ "memory", required_argument, NULL, OPTION_MEMORY },
	{ "no-sandbox", no_argument, NULL, OPTION_NO_SANDBOX },
	{ NULL, 0, NULL, 0 },
};

struct merge_options {
	const char *out;
	const char *shifts[FILES_MAX];
	size_t nshifts;
	uint64_t memory; /* limit for each file */
	int level;       /* 0: the smallest file */
	bool no_sandbox;
	struct merge_file *files;
	struct edit_input *inputs; /* the input of each file */
	size_t n;
};

static int parse(struct merge_options *o, int argc, char **argv, struct trawl_error *err)
{
	int option;

	while ((option = getopt_long(argc, argv, ":w:", long_options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return cli_bad_option(option, argv, long_options, err);
		if (option == 'w' && o->out)
			return trawl_fail(err, TRAWL_USAGE, "-w: given twice; leave one out");
		if (option == 'w')
			o->out = optarg;
		else if (option == OPTION_NO_SANDBOX)
			o->no_sandbox = true;
		else if (option == OPTION_MEMORY) {
			if (cli_memory(optarg, &o->memory, err))
				return -1;
		} else if (option == OPTION_LEVEL) {
			if (edit_level(optarg, &o->level, err))
				return -1;
		} else if (o->nshifts < FILES_MAX)
			o->shifts[o->nshifts++] = optarg;
	}
	if (!o->out)
		return edit_usage(err, "merge: -w OUT is missing", "");
	o->n = (size_t)(argc - optind);
	if (o->n < 2)
		return edit_usage(err, "merge: needs at least two files", "");
	if (o->n > FILES_MAX)
		return edit_usage(err, "merge: more than 64 files", "");
	return 0;
}

/* Applies --shift FILE=TIME: FILE as given on the command line, TIME a signed duration. */
static int apply_shift(struct merge_options *o, const char *text, struct trawl_error *err)
{
	const char *equals = strrchr(text, '='), *time = equals ? equals + 1 : "";
	size_t len = equals ? (size_t)(equals - text) : 0;
	uint64_t ns;

	if (!len)
		return trawl_fail(err, TRAWL_USAGE, "--shift: '%.100s' is not FILE=TIME; write one as in "
				  "--shift b.trawl=-20ms", text);
	if (duration_parse("--shift", time + (*time == '-' || *time == '+'), &ns, err))
		return -1;
	for (size_t i = 0; i < o->n; i++) {
		struct merge_file *f = &o->files[i];

		if (strlen(f->name) != len || strncmp(f->name, text, len))
			continue;
		if (f->by_hand)
			return trawl_fail(err, TRAWL_USAGE, "--shift: given twice for %s; leave "
					  "one out", f->name);
		f->by_hand = true;
		f->shift = *time == '-' ? -(int64_t)ns : (int64_t)ns;
		return 0;
	}
	return trawl_fail(err, TRAWL_USAGE, "--shift: %.*s is none of the files that are merged; "
			  "write it as among these",
			  (int)len, text);
}

static int open_file(struct merge_file *f, struct edit_input *in, uint64_t memory, bool caged,
		     struct trawl_error *err)
{
	if (edit_input_ready(in, caged, err))
		return -1;
	f->memory.most = memory;
	f->cut = (struct cut){ .name = in->path, .memory = &f->memory, .to = UINT64_MAX,
			       .all_metadata = true, .as_they_are = true };
	memset(f->cut.sources, 0xff, sizeof(f->cut.sources));
	f->cut.r = trawl_open_within(in->path, &f->memory, err);
	if (!f->cut.r || cut_plan(&f->cut, err) || merge_read_clocks(f, err)) {
		edit_input_call(in, err);
		return -1;
	}
	return 0;
}

/* Whether both boots are known, and are different. */
static bool other_boots(const struct merge_file *a, const struct trawl_piece *p,
			const struct merge_file *b, const struct trawl_piece *q)
{
	const char *x = a->sections[p->section].boot, *y = b->sections[q->section].boot;

	return *x && *y && strcmp(x, y) != 0;
}

/*
 * Whether the other file has an equal chunk: the same source, times, number of events and bytes,
 * and not of another boot.
 */
static bool has_chunk(const struct merge_file *a, const struct merge_file *b,
		      const struct trawl_piece *p)
{
	const struct cut *c = &a->cut;

	for (size_t i = 0; i < c->n; i++) {
		const struct trawl_piece *q = &c->entries[i].p;

		if (!q->sync && q->from == p->from && q->to == p->to && q->count == p->count &&
		    q->bytes == p->bytes && !strcmp(q->source->name, p->source->name) &&
		    !other_boots(a, q, b, p))
			return true;
	}
	return false;
}

/*
 * Refuses files that contain the same events, which would be duplicated in the result. A file that
 * --shift moves may be a copy on purpose.
 */
static int refuse_copies(const struct merge_file *a, const struct merge_file *b,
			 struct trawl_error *err)
{
	uint64_t chunks = 0, same = 0, events = 0;

	if (a->by_hand || b->by_hand)
		return 0;
	for (size_t i = 0; i < b->cut.n; i++) {
		const struct trawl_piece *p = &b->cut.entries[i].p;

		if (p->sync || is_task_source(p->source->name))
			continue;
		chunks++;
		if (has_chunk(a, b, p)) {
			same++;
			events += p->count;
		}
	}
	if (same && same == chunks)
		return trawl_fail(err, TRAWL_USAGE, "merge: all events of %s are in %s, too; leave "
				  "it out, or give --shift for a copy on purpose", b->name, a->name);
	if (same)
		cli_message("%s: %" PRIu64 " of its events are in %s, too, and twice in the result",
			    b->name, events, a->name);
	return 0;
}

static void print_result(const struct merge_options *o, uint64_t events)
{
	char room[EDIT_EVENTS];

	cli_message("%s: %s of %zu files on one timeline", o->out, edit_events(room, events), o->n);
	for (size_t i = 0; i < o->n; i++)
		cli_message("%s: %s", o->files[i].name, o->files[i].relation);
}

static int merge_all(struct merge_options *o, int fd, struct trawl_error *err)
{
	struct trawl_error damage = { 0 };
	struct trawl_verdict v;
	uint64_t events = 0;

	for (size_t i = 0; i < o->n; i++)
		if (open_file(&o->files[i], &o->inputs[i], o->memory,
			      o->no_sandbox || i, err))
			return -1;
	for (size_t i = 1; i < o->n; i++)
		for (size_t k = 0; k < i; k++)
			if (refuse_copies(&o->files[k], &o->files[i], err))
				return -1;
	if (merge_relate(o->files, o->n, err))
		return -1;
	for (size_t i = 0; i < o->n; i++) {
		struct merge_file *f = &o->files[i];

		f->cut.level = o->level;
		if (cut_write(&f->cut, fd, o->out, NULL, err) ||
		    trawl_pieces_failed(f->cut.r, err))
			return -1;
		events += f->cut.kept;
		trawl_verdict(f->cut.r, &v);
		if (!edit_is_whole(&v))
			trawl_fail(&damage, TRAWL_BAD_DATA, "%s: %s", f->name, v.text);
	}
	print_result(o, events);
	if (!damage.status)
		return 0;
	*err = damage;
	return -1;
}

static int write_merged(struct merge_options *o, struct trawl_error *err)
{
	struct outfile output;
	int ret = 0;

	for (size_t i = 0; !ret && i < o->n; i++)
		ret = edit_not_same(&o->inputs[i], o->out, err);
	if (ret || outfile_open(&output, o->out, err))
		return -1;
	if (!o->no_sandbox && outfile_keeper(&output, err))
		return -1;
	ret = merge_all(o, output.fd, err);
	return edit_output_close(&output, ret, err);
}

int merge_command(int argc, char **argv, struct trawl_error *err)
{
	struct merge_options o = { 0 };
	int ret = parse(&o, argc, argv, err);

	o.files = ret ? NULL : calloc(o.n, sizeof(*o.files));
	o.inputs = ret ? NULL : calloc(o.n, sizeof(*o.inputs));
	if (ret || !o.files || !o.inputs) {
		free(o.inputs);
		free(o.files);
		return ret ? ret : edit_no_memory(err);
	}
	for (size_t i = 0; i < o.n; i++) {
		o.files[i].name = argv[optind + (int)i];
		o.inputs[i].file = (struct foreign)FOREIGN_NOTHING;
	}
	for (size_t i = 0; !ret && i < o.n; i++)
		ret = edit_input_open(&o.inputs[i], argv[optind + (int)i], err);
	for (size_t i = 0; !ret && i < o.nshifts; i++)
		ret = apply_shift(&o, o.shifts[i], err);
	if (!ret)
		ret = write_merged(&o, err);
	for (size_t i = 0; i < o.n; i++) {
		struct merge_file *f = &o.files[i];

		cut_free(&f->cut);
		free(f->cut.joined);
		free(f->sections);
		trawl_close(f->cut.r);
		edit_input_close(&o.inputs[i]);
	}
	free(o.inputs);
	free(o.files);
	return ret;
}
