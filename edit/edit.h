/* SPDX-License-Identifier: MIT */
/* Functions that the commands of trawl-edit share. */
#ifndef TRAWL_EDIT_EDIT_H
#define TRAWL_EDIT_EDIT_H

#include "edit/keep.h"
#include "format/trawl.h"

/*
 * A command; argv[0] is its name. Returns the exit status, the message having been printed, or -1
 * with *err. If the output was written but the input is damaged, that is an error of status
 * TRAWL_BAD_DATA.
 */
typedef int edit_command(int argc, char **argv, struct trawl_error *err);

edit_command compact_command, cut_command, import_command, merge_command, redact_command,
	repair_command, secrets_command, verify_command;

/* Reports wrong usage, "TEXTWHAT; see --help". Returns -1. */
int edit_usage(struct trawl_error *err, const char *text, const char *what);
/*
 * Checks that argv[optind] is the only operand. Returns 0, or -1 with an error that begins with the
 * command's name, argv[0].
 */
int edit_one_file(int argc, char **argv, struct trawl_error *err);
/* Whether the file is complete and undamaged, and has nothing behind its end. */
bool edit_is_whole(const struct trawl_verdict *v);
/* Sets *err to "out of memory". Returns -1. */
int edit_no_memory(struct trawl_error *err);

/*
 * Calls fn for the events of a decoded chunk that are in the set `some` (NULL: all), one stream
 * after the other, until it returns a value other than 0. Returns that value; 0 at the end; or -1
 * with *err if memory ran out.
 */
typedef int edit_event_fn(void *arg, struct trawl_event *ev, struct trawl_error *err);
int edit_some_events(const struct trawl_chunk *chunk, const struct keep_chunk *some,
		     edit_event_fn *fn, void *arg, struct trawl_error *err);

/* Parses a number of bytes above 0: 25M, 300K, 1G (powers of 1024). Returns 0, or -1 with *err. */
int edit_size(const char *option, const char *text, uint64_t *bytes, struct trawl_error *err);
/* Parses --level, 1 to 19. Returns 0, or -1 with *err. */
int edit_level(const char *text, int *level, struct trawl_error *err);
/*
 * If standard error is a terminal, shows the progress in percent there; erases it when done == all.
 */
void edit_progress(const char *name, uint64_t done, uint64_t all);
enum { EDIT_EVENTS = 32 };
/* Writes "17 events" or "1 event" to room. Returns room. */
const char *edit_events(char room[EDIT_EVENTS], uint64_t n);
/* Writes a size such as "12.3 MB" (powers of 1000) to room, which has 16 bytes. Returns room. */
const char *edit_megabytes(char *room, uint64_t bytes);

#endif
