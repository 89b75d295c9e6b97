/* SPDX-License-Identifier: MIT */
/*
 * Where a capture is written: a file or a row of them, standard output, or a trawl-decode that
 * prints.
 *
 * Files are created with mode 0600, for they hold what users did. A file has no name until
 * output_commit(), which puts it in the place of one that is there: neither a mistyped probe nor a
 * kill costs an old capture or leaves half a file. Whoever else can write to the folder cannot make
 * us write elsewhere: links of others are not followed.
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
	bool wrapped;         /* -W: a name was used again, the file of it is gone */
	char *period;         /* what -G's conversions gave for the present file */
	uint32_t again;       /* how often in a row they gave the same */
	char *path;           /* of the present file; NULL if it is no file */
	struct destination at; /* where that is, until the file there is open */
	/* How it gets there on output_commit(): one of these, or it is there. */
	struct unnamed file;
	int in_place;         /* one that is there, where no other can be made; -1: none */
	/* The file that has its name, open as a path only, to see when it is deleted; -1: none. */
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
 * All is armed and runs, or the writer has gone on to the next file: the present file gets its
 * name. Returns 0; a descriptor that the writer has to go on in (it has written to memory so far);
 * -1.
 */
int output_commit(struct output *out, struct trawl_error *err);

/* Is another capture writing to the file of this name? Then -1. */
int output_check(const struct output *out, struct trawl_error *err);

/* Whether somebody has deleted, or replaced, the file that is being written. */
bool output_is_deleted(const struct output *out);

/*
 * To be called when the file that has its name is whole, before the next one gets its own: one that
 * was deleted meanwhile is written once more, under its name if that is free, else with .1, .2, …
 * after it. 0; 1 and *err, which says where it is now or why it is lost.
 */
int output_restore(struct output *out, struct trawl_error *err);

enum output_rotation { OUTPUT_BY_SIZE, OUTPUT_BY_TIME };

/*
 * Opens the next file of the row, which begins at `begin` (CLOCK_REALTIME, s): strftime()'s
 * conversions give that. Returns its descriptor; -1 on failure; -2 when -W says that there are
 * enough.
 */
int output_next(struct output *out, enum output_rotation why, int64_t begin,
		struct trawl_error *err);

/* The folder that files are made in, as a descriptor of the caller's; -1: there is none. */
int output_folder(const struct output *out);

/*
 * Waits for the printer, removes a file that was never committed, frees. 0; TRAWL_BAD_DATA when
 * the printer found the data incomplete; -1 with *err when it failed.
 */
int output_close(struct output *out, struct trawl_error *err);

/*
 * The name of a file as tcpdump would make it, malloc'd; and for the again-th period in a row of
 * which -G's conversions give the same, .AGAIN after it. Exposed for tests.
 */
char *output_name(const struct options *o, const char *period, uint32_t size_count, uint32_t again,
		  struct trawl_error *err);
/* The -w text with its conversions made; malloc'd. */
char *output_period(const struct options *o, int64_t now, struct trawl_error *err);

#endif
