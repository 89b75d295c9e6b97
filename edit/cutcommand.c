/* SPDX-License-Identifier: MIT */
/* trawl-edit cut FILE -w OUT. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/duration.h"
#include "decode/base/cli.h"
#include "decode/query/reading.h"
#include "edit/cutfile.h"
#include "edit/input.h"
#include "edit/output.h"

enum {
	OPTION_AROUND = OPTION_OWN,
	OPTION_WINDOW,
	OPTION_EVERY,
	OPTION_SIZE,
	OPTION_EVENTS,
	OPTION_ZONE,
	OPTION_LEVEL,
	OPTION_LIMIT,
	OPTION_OPEN
};

static const struct option long_options[] = {
	SELECTION_OPTIONS,
	{ "around", required_argument, NULL, OPTION_AROUND },
	{ "window", required_argument, NULL, OPTION_WINDOW },
	{ "every", required_argument, NULL, OPTION_EVERY },
	{ "max-size", required_argument, NULL, OPTION_SIZE },
	{ "max-events", required_argument, NULL, OPTION_EVENTS },
	{ "utc", no_argument, NULL, OPTION_ZONE },
	{ "level", required_argument, NULL, OPTION_LEVEL },
	{ "memory", required_argument, NULL, OPTION_LIMIT },
	{ "no-sandbox", no_argument, NULL, OPTION_OPEN },
	{ NULL, 0, NULL, 0 },
};

struct cut_options {
	struct selection selection;
	struct cut_request request;
	const char *out, *window;
	bool utc, no_sandbox;
};

static int parse_number(const char *option, const char *text, uint64_t *n,
			struct trawl_error *err)
{
	char *end;

	*n = strtoull(text, &end, 10);
	if (*text < '1' || *text > '9' || *end)
		return trawl_fail(err, TRAWL_USAGE, "%s: '%.60s' is not a number of events; give "
				  "one above 0", option, text);
	return 0;
}

static int set_option(struct cut_options *o, int option, struct trawl_error *err)
{
	int got = selection_option(&o->selection, option, optarg, err);

	if (got <= 0)
		return got;
	switch (option) {
	case 'w':
		if (o->out)
			return trawl_fail(err, TRAWL_USAGE, "-w: given twice; leave one out");
		o->out = optarg;
		return 0;
	case OPTION_AROUND:
		o->request.around = optarg;
		return 0;
	case OPTION_WINDOW:
		o->window = optarg;
		return duration_parse("--window", optarg, &o->request.window, err);
	case OPTION_EVERY:
		return parse_number("--every", optarg, &o->request.every, err);
	case OPTION_EVENTS:
		return parse_number("--max-events", optarg, &o->request.max_events, err);
	case OPTION_SIZE:
		return edit_size("--max-size", optarg, &o->request.max_size, err);
	case OPTION_LEVEL:
		return edit_level(optarg, &o->request.level, err);
	case OPTION_LIMIT:
		return cli_memory(optarg, &o->request.memory, err);
	case OPTION_OPEN:
		o->no_sandbox = true;
		return 0;
	default:
		o->utc = true;
		return 0;
	}
}

static int parse(struct cut_options *o, int argc, char **argv, struct trawl_error *err)
{
	int option;

	while ((option = getopt_long(argc, argv, ":w:c:", long_options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return cli_bad_option(option, argv, long_options, err);
		if (set_option(o, option, err))
			return -1;
	}
	if (!o->out)
		return edit_usage(err, "cut: -w OUT is missing", "");
	if (edit_one_file(argc, argv, err))
		return -1;
	if (!o->request.around != !o->window)
		return edit_usage(err, "--around, --window: one of them is missing", "");
	return selection_done(&o->selection, o->utc, err);
}

/* Reports on standard error what was kept. */
static void print_result(const struct cut_result *r, const char *out)
{
	char room[16], events[EDIT_EVENTS];

	cli_message("%s: %s, %s; %" PRIu64 " left out", out, edit_events(events, r->kept),
		    edit_megabytes(room, r->bytes), r->left_out);
	if (r->why[0])
		cli_message("%s", r->why);
}

static int cut_input(struct cut_options *o, struct edit_input *in, struct trawl_error *err)
{
	struct cut_result result = { 0 };
	struct trawl_error late;
	struct outfile output;
	int ret;

	if (edit_not_same(in, o->out, err) || outfile_open(&output, o->out, err))
		return -1;
	if (!o->no_sandbox && outfile_keeper(&output, err))
		return -1;
	if (edit_input_ready(in, o->no_sandbox, err)) {
		outfile_close(&output, false, &late);
		return -1;
	}
	o->request.path = in->path;
	o->request.name = in->name;
	o->request.selection = &o->selection;
	ret = cut_file(&o->request, output.fd, o->out, &result, err);
	if (ret)
		edit_input_call(in, err);
	ret = edit_output_close(&output, ret, err);
	if (!ret || (err->status == TRAWL_BAD_DATA && result.bytes))
		print_result(&result, o->out);
	return ret;
}

int cut_command(int argc, char **argv, struct trawl_error *err)
{
	struct cut_options o = { 0 };
	struct edit_input in;
	int ret = parse(&o, argc, argv, err);

	if (!ret)
		ret = edit_input_open(&in, argv[optind], err);
	if (!ret) {
		ret = cut_input(&o, &in, err);
		edit_input_close(&in);
	}
	selection_free(&o.selection);
	return ret;
}
