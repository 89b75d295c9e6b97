/* SPDX-License-Identifier: MIT */
#include "decode/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>

const char *cli_program = "trawl";

int cli_error(const struct trawl_error *err)
{
	fprintf(stderr, "%s: %s\n", cli_program, err->text);
	return err->status;
}

int cli_bad_option(int got, char **argv, struct trawl_error *err)
{
	const char *text = argv[optind - 1];
	char letter[] = {'-', (char)optopt, '\0'};

	/* a letter inside "-xyz", or a whole word that getopt has just passed */
	if (optopt > 0 && optopt < 0x100)
		text = letter;
	return trawl_fail(err, TRAWL_USAGE, got == ':' ? "%s needs an argument; see --help" :
							 "%s is no option; see --help", text);
}

int cli_finish(struct out *o, const char *name)
{
	struct trawl_error err;

	out_flush(o);
	if (!o->error || o->error == EPIPE)
		return TRAWL_OK;
	trawl_fail(&err, TRAWL_CANNOT, "%s: cannot be written: %s", name, strerror(o->error));
	return cli_error(&err);
}
