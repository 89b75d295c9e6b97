/* SPDX-License-Identifier: MIT */
/* trawl-edit repair and compact: rewrite the whole file. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/branchrewrite.h"
#include "decode/base/cli.h"
#include "decode/query/reading.h"
#include "edit/cut.h"
#include "edit/input.h"
#include "edit/output.h"

enum { OPTION_LEVEL = OPTION_PROGRAM };

static const struct option long_options[] = {
	{ "level", required_argument, NULL, OPTION_LEVEL },
	{ "memory", required_argument, NULL, OPTION_MEMORY },
	{ "no-sandbox", no_argument, NULL, OPTION_NO_SANDBOX },
	{ NULL, 0, NULL, 0 },
};

enum { SCANNED_MOST = 16 << 20 }; /* a file of this size opens as fast without an index */

struct whole {
	const char *out;
	struct trawl_memory memory;
	int level;   /* 0: the smallest file */
	bool no_sandbox, compact;
	int joined; /* an empty file for branches in long batches; -1: none */
};

static int parse(struct whole *o, int argc, char **argv, struct trawl_error *err)
{
	int option;

	while ((option = getopt_long(argc, argv, ":w:", long_options, NULL)) != -1) {
		if (option == 'w')
			o->out = optarg;
		else if (option == OPTION_NO_SANDBOX)
			o->no_sandbox = true;
		else if (option != OPTION_MEMORY && option != OPTION_LEVEL)
			return cli_bad_option(option, argv, long_options, err);
		else if (option == OPTION_LEVEL ? edit_level(optarg, &o->level, err)
						: cli_memory(optarg, &o->memory.most, err))
			return -1;
	}
	if (!o->out)
		return edit_usage(err, argv[0], ": -w OUT is missing");
	return edit_one_file(argc, argv, err);
}

/* Reports what was lost and what was saved. */
static void print_result(const struct whole *o, const struct cut *c, const struct trawl_verdict *v,
			 const char *name, int fd)
{
	struct stat st = { 0 };
	char a[16], b[16], events[EDIT_EVENTS];

	fstat(fd, &st);
	if (o->compact)
		cli_message("%s: %s, %.0f %% of %s", o->out,
			    edit_megabytes(a, (uint64_t)st.st_size),
			    v->bytes ? 100.0 * (double)st.st_size / (double)v->bytes : 0.0,
			    edit_megabytes(b, v->bytes));
	else if (edit_is_whole(v))
		cli_message("%s: no damage was found; copied: %s", name,
			    edit_events(events, c->kept));
	else {
		cli_message("%s: %s; saved undamaged: %s", name, v->text,
			    edit_events(events, c->kept));
		cut_print_missing(c, v, name);
	}
}

/*
 * If the compacted file is larger than the input (a small section may be), copies the input
 * instead.
 */
static int take_smaller(const struct edit_input *in, uint64_t bytes, int fd, const char *out,
			struct trawl_error *err)
{
	struct stat st;
	char part[1 << 16];
	uint64_t at = 0;
	ssize_t n = 0;

	if (fstat(fd, &st) || (uint64_t)st.st_size <= bytes)
		return 0;
	for (; at < bytes; at += (uint64_t)n) {
		errno = EIO; /* a short read or write does not set errno */
		n = pread(in->file.fd, part, sizeof(part), (off_t)at);
		if (n <= 0 || pwrite(fd, part, (size_t)n, (off_t)at) != n)
			break;
	}
	if (at == bytes && !ftruncate(fd, (off_t)bytes))
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be written: %s", out, strerror(errno));
}

/*
 * Opens the file that is compacted: the input or, if its branches are in many short batches, a copy
 * with long batches. *bytes: the size of the input, in the latter case.
 */
static struct trawl_reader *open_compact(struct whole *o, const struct edit_input *in,
					 uint64_t *bytes, struct trawl_error *err)
{
	struct stat st;

	if (o->joined < 0 || !branch_rewrite(in->file.fd, o->joined) || fstat(in->file.fd, &st))
		return trawl_open_within(in->path, &o->memory, err);
	*bytes = (uint64_t)st.st_size;
	return trawl_open_fd(o->joined, in->path, &o->memory, err);
}

static int write_whole(struct whole *o, struct edit_input *in, int fd,
		       struct trawl_error *err)
{
	struct cut c = { .name = in->path, .memory = &o->memory, .to = UINT64_MAX,
			 .all_metadata = true, .again = o->compact, .level = o->level };
	struct trawl_verdict v;
	uint64_t bytes = 0;
	struct stat st;
	int ret = -1;

	c.no_index = o->compact && !fstat(in->file.fd, &st) && st.st_size <= SCANNED_MOST;
	memset(c.sources, 0xff, sizeof(c.sources));
	c.r = open_compact(o, in, &bytes, err);
	if (c.r && !cut_plan(&c, err) && !cut_write(&c, fd, o->out, NULL, err) &&
	    !trawl_pieces_failed(c.r, err)) {
		ret = 0;
		trawl_make_small(fd);
		trawl_verdict(c.r, &v);
		v.bytes = bytes ? bytes : v.bytes;
		if (o->compact && edit_is_whole(&v))
			ret = take_smaller(in, v.bytes, fd, o->out, err);
	}
	if (!ret) {
		print_result(o, &c, &v, in->name, fd);
		/* repair is for damaged files; compact expects a whole one */
		if (o->compact && !edit_is_whole(&v))
			ret = trawl_fail(err, TRAWL_BAD_DATA, "%s: %s", in->name, v.text);
		else if (!c.kept && (!v.complete || v.damaged))
			ret = trawl_fail(err, TRAWL_BAD_DATA, "%s: no event could be saved",
					 in->name);
	}
	cut_free(&c);
	trawl_close(c.r);
	return ret;
}

static int run(struct whole *o, int argc, char **argv, struct trawl_error *err)
{
	struct edit_input in;
	struct outfile output;
	int ret;

	if (parse(o, argc, argv, err) || edit_input_open(&in, argv[optind], err))
		return -1;
	o->joined = o->compact ? memfd_create("joined", MFD_CLOEXEC) : -1;
	ret = edit_not_same(&in, o->out, err) || outfile_open(&output, o->out, err) ? -1 : 0;
	if (!ret && !o->no_sandbox && outfile_keeper(&output, err))
		ret = -1;
	else if (!ret) {
		ret = edit_input_ready(&in, o->no_sandbox, err);
		if (!ret)
			ret = write_whole(o, &in, output.fd, err);
		if (ret)
			edit_input_call(&in, err);
		ret = edit_output_close(&output, ret, err);
	}
	if (o->joined >= 0)
		close(o->joined);
	edit_input_close(&in);
	return ret;
}

int repair_command(int argc, char **argv, struct trawl_error *err)
{
	struct whole o = { 0 };

	return run(&o, argc, argv, err);
}

int compact_command(int argc, char **argv, struct trawl_error *err)
{
	struct whole o = { .compact = true };

	return run(&o, argc, argv, err);
}
