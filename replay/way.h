/* SPDX-License-Identifier: MIT */
/*
 * A way of replaying. To add one: a file with a struct way, its declaration here, and a line in
 * trawl-replay.c.
 */
#ifndef TRAWL_REPLAY_WAY_H
#define TRAWL_REPLAY_WAY_H

#include <getopt.h>
#include <stdint.h>

#include "format/trawl.h"

typedef int way_option_fn(void *arg, int option, struct trawl_error *err);

struct way {
	const char *name;
	const char *arguments; /* operands, for --help: "FILE" */
	const char *what;
	const char *help;      /* text about its options */
	const struct option *options;
	way_option_fn *set_option;
	/* argv[0] is the way's name. Returns the exit status; messages have been printed. */
	int (*run)(const struct way *w, int argc, char **argv);
};

extern const struct way branch_way;
extern const struct way device_way;
extern const struct way host_way;
extern const struct way probes_way;
extern const struct way stream_way;
extern const struct way vm_way;

/* Parses the value of --speed. Returns 0, or -1 with *err. */
int way_speed(const char *text, double *speed, struct trawl_error *err);

/*
 * Parses the options and one FILE, which becomes *path. w->set_option(arg) is called for each
 * option; -v is the only short one, and --help is 'h'. Returns 0; 1 if --help was answered; -1 with
 * *err.
 */
int way_parse(const struct way *w, int argc, char **argv, void *arg, const char **path,
	      struct trawl_error *err);

/* Prints the help. Returns the exit status. */
int way_help(const struct way *w);

#endif
