/* SPDX-License-Identifier: MIT */
/*
 * Where a capture is written: a file or a row of them, standard output, or a trawl-decode that
 * prints.
 *
 * Files are created with mode 0600, for they hold what users did. The first one is written under
 * a name of its own until output_commit(): a mistyped probe must not cost an old capture.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_H
#define TRAWL_CAPTURE_OUTPUT_H

#include "options.h"
#include "user.h"

struct output {
	const struct options *o;
	const struct user *user;
	uint32_t size_count;  /* files that -C began, of this -G period */
	uint32_t time_count;  /* files that -G began */
	char *path;           /* of the present file; NULL if it is no file */
	char *temporary;      /* its name until output_commit(); NULL from then on */
	pid_t printer;        /* trawl-decode; 0 if none */
};

/* Opens what the options name; returns the descriptor for the writer, or -1. */
int output_open(struct output *out, const struct options *o, const struct user *user,
		struct trawl_error *err);

/* All is armed and runs: the file gets its name. */
int output_commit(struct output *out, struct trawl_error *err);

enum output_turn { OUTPUT_BY_SIZE, OUTPUT_BY_TIME };

/*
 * Opens the next file of the row. Returns its descriptor; -1 on failure; -2 when -W says that
 * there are enough.
 */
int output_next(struct output *out, enum output_turn turn, struct trawl_error *err);

/*
 * Waits for the printer, removes a file that was never committed, frees. 0; TRAWL_BAD_DATA when
 * the printer found the data incomplete; -1 with *err when it failed.
 */
int output_close(struct output *out, struct trawl_error *err);

/* The name of the file, as tcpdump would make it; malloc'd. Exposed for tests. */
char *output_name(const struct options *o, uint32_t size_count, int64_t now,
		  struct trawl_error *err);

#endif
