/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "decode/query/reading.h"
#include "decode/query/unseen.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/dupopt.h"
#include "common/printed.h"
#include "common/sandbox.h"
#include "decode/base/cli.h"

static int set_option(struct reading *r, const struct reading_program *p, void *arg, int option,
		      struct trawl_error *err)
{
	int got;

	switch (option) {
	case OPTION_UTC:
		r->utc = true;
		return 0;
	case OPTION_MEMORY:
		return cli_memory(optarg, &r->memory.most, err);
	case OPTION_RAW:
		r->decode.raw = true;
		return 0;
	case OPTION_NO_SANDBOX:
		r->no_sandbox = true;
		return 0;
	case OPTION_SHOW_KEYS:
		r->decode.show_keys = true;
		return 0;
	default:
		got = selection_option(&r->selection, option, optarg, err);
		return got > 0 ? p->option(arg, option, err) : got;
	}
}

/*
 * Whether an option must not be repeated. Others accumulate, or report the repetition themselves.
 */
static bool has_one_value(const struct reading_program *p, int option)
{
	return optarg && option != OPTION_SOURCE && option != OPTION_NAME && option != OPTION_PID &&
	       option != OPTION_WHERE && option != p->again;
}

int reading_parse(struct reading *r, const struct reading_program *p, void *arg, int argc,
		  char **argv, struct trawl_error *err)
{
	struct dupopt once = {{false}};
	int option;

	opterr = 0;
	r->decode.memory = &r->memory;
	while ((option = getopt_long(argc, argv, p->letters, p->options, NULL)) != -1) {
		if (option == OPTION_HELP) {
			p->help();
			return printed_all(err) ? -1 : 1;
		}
		if (option == OPTION_VERSION) {
			printf("%s " VERSION "\n", cli_program);
			return printed_all(err) ? -1 : 1;
		}
		if (option == '?' || option == ':')
			return cli_bad_option(option, argv, p->options, err);
		if (has_one_value(p, option) && dupopt_given(&once, option, p->options, err))
			return -1;
		if (set_option(r, p, arg, option, err))
			return -1;
	}
	if (optind == argc)
		return trawl_fail(err, TRAWL_USAGE,
				  "no file is given; use %s (- is standard input), see "
				  "--help", p->usage);
	if (optind + 1 < argc && !r->many)
		return trawl_fail(err, TRAWL_USAGE, "%s: a second file; give one file at a time%s",
				  argv[optind + 1],
				  access(argv[optind], F_OK) ?
					 ", and an option's argument with =, as in --meta=machine"
							     : "");
	r->path = argv[optind];
	return selection_done(&r->selection, r->utc, err);
}

int reading_sandbox_with(const struct reading *r, unsigned int more, struct trawl_error *err)
{
	tzset(); /* localtime_r() would open a file */
	return r->no_sandbox ? 0 : sandbox_enter_with(cli_program, r->path, more, err);
}

int reading_sandbox(const struct reading *r, struct trawl_error *err)
{
	return reading_sandbox_with(r, 0, err);
}

int reading_finish(struct stream *s, struct out *out, const char *name, bool failed,
		   struct trawl_error *err)
{
	int status = cli_finish(out, name);

	if (failed || (!status && !out->error && stream_verdict(s, err)))
		return cli_error(err);
	if (!status && (stream_unseen_name(s, err) || stream_outside(s, err)))
		cli_error(err); /* only a note: the status stays 0 */
	if (!status && stream_unseen_pid(s, err))
		cli_error(err);
	if (!status && stream_unseen_part(s, err))
		cli_error(err);
	return status;
}
