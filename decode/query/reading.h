/* SPDX-License-Identifier: MIT */
/*
 * The options that all programs that read files share, the parsing of their command lines, and
 * their exit.
 */
#ifndef TRAWL_DECODE_QUERY_READING_H
#define TRAWL_DECODE_QUERY_READING_H

#include "decode/query/stream.h"

struct reading {
	struct decode_options decode;
	struct selection selection;
	struct trawl_memory memory; /* --memory: for all that is read */
	const char *path; /* the (first) file, or "-" */
	uint64_t bytes;   /* of that file, if what is read was made from it; 0: it is read itself */
	bool many;        /* the program accepts several files */
	bool utc;
	bool no_sandbox;  /* --no-sandbox */
};

enum {
	OPTION_UTC = OPTION_OWN,
	OPTION_MEMORY,
	OPTION_RAW,
	OPTION_SHOW_KEYS,
	OPTION_NO_SANDBOX,
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_PROGRAM, /* first code for a program's own options */
};

#define READING_OPTIONS                                         \
	SELECTION_OPTIONS,                                      \
	{"utc", no_argument, NULL, OPTION_UTC},                 \
	{"memory", required_argument, NULL, OPTION_MEMORY},     \
	{"raw", no_argument, NULL, OPTION_RAW},                 \
	{"show-keys", no_argument, NULL, OPTION_SHOW_KEYS},     \
	{"no-sandbox", no_argument, NULL, OPTION_NO_SANDBOX},   \
	{"help", no_argument, NULL, OPTION_HELP},               \
	{"version", no_argument, NULL, OPTION_VERSION}

/* A program with these options. */
struct reading_program {
	const char *usage;            /* follows "no file: " */
	const char *letters;          /* for getopt(), beginning with ':' */
	const struct option *options; /* READING_OPTIONS and its own */
	int again;                    /* an option that may be repeated; 0: none */
	void (*help)(void);
	/* Takes one of its own options; its argument is in optarg. Returns 0, or -1 with *err. */
	int (*option)(void *arg, int option, struct trawl_error *err);
};

/*
 * Parses the command line and calls selection_done(). Returns 0; 1 after --help or --version; -1
 * with *err.
 */
int reading_parse(struct reading *r, const struct reading_program *p, void *arg, int argc,
		  char **argv, struct trawl_error *err);

/*
 * Enters the sandbox (common/sandbox.h). Call after all files are opened and before any is read.
 * Returns 0, or -1 with *err.
 */
int reading_sandbox(const struct reading *r, struct trawl_error *err);
/* The same; more: enum sandbox_more. */
int reading_sandbox_with(const struct reading *r, unsigned int more, struct trawl_error *err);

/*
 * Ends a program: flushes the output `name`, prints an error (failed: the one in *err), then what
 * is wrong with the data. Returns the exit status.
 */
int reading_finish(struct stream *s, struct out *out, const char *name, bool failed,
		   struct trawl_error *err);

#endif
