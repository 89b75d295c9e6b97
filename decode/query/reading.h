/* SPDX-License-Identifier: MIT */
/*
 * What trawl-decode and trawl-export have in common: the options that choose what is read and how
 * it is decoded, and the way through the command line.
 */
#ifndef TRAWL_DECODE_QUERY_READING_H
#define TRAWL_DECODE_QUERY_READING_H

#include "decode/query/stream.h"

struct reading {
	struct decode_options decode;
	struct selection selection;
	const char *path; /* the file, or "-"; of several the first */
	bool many;        /* several files may be given */
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
	OPTION_PROGRAM, /* the first that a program may use itself */
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

/* A program with such options. */
struct reading_program {
	const char *usage;            /* after "no file: " */
	const char *letters;          /* of getopt(), ':' first */
	const struct option *options; /* READING_OPTIONS and its own */
	int again;                    /* one that may be given again; 0: none */
	void (*help)(void);
	/* One of its own options, its argument in optarg: 0, or -1 with *err. */
	int (*option)(void *arg, int option, struct trawl_error *err);
};

/* 0; 1: --help or --version was answered; -1. selection_done() is called too. */
int reading_parse(struct reading *r, const struct reading_program *p, void *arg, int argc,
		  char **argv, struct trawl_error *err);

/* "512M" of --memory, in bytes: at least a MiB. 0, or -1 with *err. */
int reading_memory(const char *text, uint64_t *bytes, struct trawl_error *err);

/*
 * To be called when all files are open, and before any of them is looked at: from here on there is
 * nothing but them (common/sandbox.h). 0, or -1 with *err.
 */
int reading_sandbox(const struct reading *r, struct trawl_error *err);
/* The same; what else the program does: enum sandbox_more. */
int reading_sandbox_with(const struct reading *r, unsigned int more, struct trawl_error *err);

/*
 * The end: what is left goes out to `name`; the exit status, its message printed. failed: *err
 * says why. What is wrong with the data comes last.
 */
int reading_finish(struct stream *s, struct out *out, const char *name, bool failed,
		   struct trawl_error *err);

#endif
