/* SPDX-License-Identifier: MIT */
/*
 * Where a capture is written: a file or a row of them, standard output, or a trawl-decode that
 * prints.
 *
 * Files are created with mode 0600: they hold what users did. A file has no name until
 * output_commit(), which replaces a file of that name: a mistyped probe or a kill destroys no old
 * capture and leaves no half file. Links of other users are not followed: they cannot redirect the
 * output.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_OUTPUT_H
#define TRAWL_CAPTURE_OUTPUT_OUTPUT_H

#include "common/unnamed.h"
#include "capture/cli/options.h"
#include "capture/sys/user.h"

struct output {
	const struct options *o;
	const struct user *user;
	uint32_t size_count;  /* files that -C began, of this -G period */
	uint32_t time_count;  /* files that -G began */
	bool wrapped;         /* -W: a name was used again, and its former file replaced */
	char *period;         /* -G: the name with its conversions made, for the present file */
	uint32_t again;       /* for how many consecutive files `period` was the same */
	char *path;           /* path of the present file; NULL if the output is no file */
	struct destination at; /* folder of `path`, until the file is open */
	/*
	 * What output_commit() gives the name: `file`, or the existing file `in_place`, where no
	 * other can be made (-1: none). Neither: the file has its name.
	 */
	struct unnamed file;
	int in_place;
	/* O_PATH descriptor of the file that has its name, to see when it is deleted; -1: none. */
	int named;
	char *named_path;
	pid_t printer;        /* trawl-decode; 0 if none */
};

#define OUTPUT_NONE \
	{ .at = DESTINATION_NONE, .file = UNNAMED_NONE, .in_place = -1, .named = -1 }

/* Opens what the options name; returns the descriptor for the writer, or -1. */
int output_open(struct output *out, const struct options *o, const struct user *user,
		struct trawl_error *err);

/*
 * Gives the present file its name; called when all sources run, or the writer has begun the next
 * file. Returns 0; a descriptor that the writer must go on with, because it has written to memory;
 * -1 with *err.
 */
int output_commit(struct output *out, struct trawl_error *err);

/* Returns -1 with *err if another capture is writing to the file of this name, else 0. */
int output_check(const struct output *out, struct trawl_error *err);

/* Whether another program has deleted or replaced the file that is being written. */
bool output_is_deleted(const struct output *out);

/*
 * Called when a named file is complete, before the next one gets its name. If it was deleted
 * meanwhile, writes it again, under its name or, if that is taken, with .1, .2, …. Returns 0 if it
 * was not deleted; 1 with *err, which says where it is now, or why it is lost.
 */
int output_restore(struct output *out, struct trawl_error *err);

/*
 * Called when a file with branches is whole: replaces it in one step by one with longer batches
 * (branch_rewrite()) and, if that has at most 512 KiB, by a small section (docs/format.md). If that
 * is not possible, or not smaller, the file stays as it is.
 */
void output_make_small(struct output *out);

enum output_rotation { OUTPUT_BY_SIZE, OUTPUT_BY_TIME };

/*
 * Opens the next file of the row. begin: CLOCK_REALTIME, s, for strftime()'s conversions. Returns
 * its descriptor; -1 with *err; -2: the row has as many files as -W allows.
 */
int output_next(struct output *out, enum output_rotation why, int64_t begin,
		struct trawl_error *err);

/* Returns a descriptor of the folder that files are made in, for the caller to close; -1: none. */
int output_folder(const struct output *out);

/*
 * Waits for the printer, removes a file that was never committed, frees. Returns 0; TRAWL_BAD_DATA:
 * the printer found the data incomplete; -1 with *err: it failed.
 */
int output_close(struct output *out, struct trawl_error *err);

/*
 * Returns the name of a file as tcpdump makes it, malloc'd. again > 0: .AGAIN follows, because -G's
 * conversions gave the same name for so many periods before. Public for tests.
 */
char *output_name(const struct options *o, const char *period, uint32_t size_count, uint32_t again,
		  struct trawl_error *err);
/* The -w text with its conversions made; malloc'd. */
char *output_period(const struct options *o, int64_t now, struct trawl_error *err);

#endif
