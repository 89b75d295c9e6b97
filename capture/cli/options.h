/* SPDX-License-Identifier: MIT */
/* The command line of trawl. */
#ifndef TRAWL_CAPTURE_CLI_OPTIONS_H
#define TRAWL_CAPTURE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "format/trawl.h"

enum options_job {
	JOB_CAPTURE,
	JOB_LIST,    /* -D */
	JOB_GC,      /* --gc */
	JOB_SELF_TEST, /* --self-test branch */
	JOB_HELP,    /* --help */
	JOB_VERSION, /* --version */
};

enum {
	TIME_STYLES_COUNTED = 5,  /* -t to -ttttt */
	TIME_STYLE_MONOTONIC = 6, /* -tm: TIME_MONOTONIC of decode/base/time.h */
};

struct options {
	enum options_job job;
	const char **interfaces; /* the -i texts */
	size_t ninterfaces;
	pid_t *pids;             /* -p */
	size_t npids;
	char **listed;           /* -D: arguments after it, each a source or what it can record */
	size_t nlisted;          /* 0: list everything */
	char **command;          /* after --; NULL if none, else ends with NULL */
	const char *write;       /* -w; "-": standard output; NULL: print decoded events */
	const char *user;        /* -Z */
	uint64_t count;          /* -c; 0: no limit */
	uint64_t duration;       /* --duration, ns; 0: no limit */
	uint64_t rotate_bytes;   /* -C; 0: no limit */
	uint64_t rotate_time; /* -G, in ns; 0: no limit */
	uint32_t rotate_files;   /* -W; 0: no limit */
	uint64_t ring;           /* --ring, bytes; 0: none */
	const char *trigger;     /* --trigger; NULL: none */
	uint64_t after;          /* --after, ns */
	bool has_after;
	uint32_t buffer_kb;      /* -B, KiB per CPU and source; 0: the default */
	uint32_t snaplen;        /* -s, bytes of one event's data; 0: no limit */
	int level;               /* --level, zstd; 0: the default */
	int verbose;             /* -v, how often */
	int time_style;          /* -t, how often, for printing; or TIME_STYLE_MONOTONIC */
	bool quiet;              /* -q */
	bool unbuffered;         /* -U */
	bool json;               /* --json: of -D, or of the printed events */
	int argc;                /* the whole command line, for metadata "capture" */
	char **argv;
};

/*
 * Fills *o from the command line, whose strings must outlive it. Returns 0, or -1 with *err;
 * options_free() in any case.
 */
int options_parse(struct options *o, int argc, char **argv, struct trawl_error *err);
void options_free(struct options *o);

void options_help(FILE *out);

#endif
