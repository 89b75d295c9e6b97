/* SPDX-License-Identifier: MIT */
/* trawl-replay: replays a saved file. Each way of replaying is a line of ways[]. */
#include "config.h"
#include "common/array.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/printed.h"
#include "decode/base/cli.h"
#include "replay/vm.h"
#include "replay/way.h"

static const struct way *const ways[] = {&branch_way, &device_way, &host_way,
					 &probes_way, &stream_way, &vm_way};
#define NWAYS ARRAY_SIZE(ways)

static void print_help(void)
{
	puts("Usage: trawl-replay WAY [OPTION]... FILE\n"
	     "Replays a capture, and reports whether the same happens as was recorded.\n");
	for (size_t i = 0; i < NWAYS; i++)
		printf("  %-8s %s\n", ways[i]->name, ways[i]->what);
	puts("\n"
	     "      --help (WAY --help: its options), --version\n"
	     "\n"
	     "Exit status: 0 the same, 1 different or damaged, 2 wrong usage, 3 not possible.");
}

int way_help(const struct way *w)
{
	printf("Usage: trawl-replay %s [OPTION]... %s\n%c%s.\n\n%s\n", w->name, w->arguments,
	       toupper((unsigned char)w->what[0]), w->what + 1, w->help);
	return TRAWL_OK;
}

int way_parse(const struct way *w, int argc, char **argv, void *arg, const char **path,
	      struct trawl_error *err)
{
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":v", w->options, NULL)) != -1) {
		if (option == 'h')
			return way_help(w) || printed_all(err) ? -1 : 1;
		if (option == '?' || option == ':')
			return cli_bad_option(option, argv, w->options, err);
		if (w->set_option(arg, option, err))
			return -1;
	}
	if (optind + 1 != argc)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: trawl-replay %s [OPTION]... FILE; see trawl-replay %s "
				  "--help",
				  optind == argc ? "no file" : "one file at a time is replayed",
				  w->name, w->name);
	*path = argv[optind];
	return 0;
}

int way_speed(const char *text, double *speed, struct trawl_error *err)
{
	char *end;

	*speed = strtod(text, &end);
	if (end == text || *end || !(*speed >= 0) || *speed > 1e6)
		return trawl_fail(err, TRAWL_USAGE,
				  "--speed: '%.60s' is not a speed: 1 as recorded, 2 twice as fast, "
				  "0 without waiting",
				  text);
	return 0;
}

int main(int argc, char **argv)
{
	struct trawl_error err;

	cli_program = "trawl-replay";
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the write fails instead, and is reported */
	/*
	 * The kernel passes words of its command line that it does not know to its first process.
	 */
	if (getpid() == 1 && argc >= 2 && !strcmp(argv[argc - 1], "guest"))
		vm_guest();
	if (argc >= 2 && !strcmp(argv[1], "--version")) {
		puts("trawl-replay " VERSION);
		return printed_all(&err) ? cli_error(&err) : TRAWL_OK;
	}
	if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		print_help();
		return printed_all(&err) ? cli_error(&err) : TRAWL_OK;
	}
	for (size_t i = 0; argc >= 2 && i < NWAYS; i++)
		if (!strcmp(argv[1], ways[i]->name))
			return ways[i]->run(ways[i], argc - 1, argv + 1);
	trawl_fail(&err, TRAWL_USAGE,
		   argc < 2 ? "no way of replaying is given: trawl-replay WAY FILE; see --help"
			    : "'%.60s' is not a way of replaying; see --help",
		   argc < 2 ? "" : argv[1]);
	return cli_error(&err);
}
