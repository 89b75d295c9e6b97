/* SPDX-License-Identifier: MIT */
/* What the command lines of trawl-decode, trawl-export and trawl-edit have in common. */
#ifndef TRAWL_DECODE_BASE_CLI_H
#define TRAWL_DECODE_BASE_CLI_H

#include <getopt.h>

#include "decode/base/output.h"
#include "format/trawl.h"

extern const char *cli_program; /* set first in main(); begins every message */

/* Prints "PROGRAM: text" and returns the status of the error. */
int cli_error(const struct trawl_error *err);

/* Prints "PROGRAM: text" of something that is no error, harmless as errors are. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints the same of what is no error and has its text already; for where_when_odd(). */
void cli_note(void *unused, const struct trawl_error *note);

/*
 * What getopt() or getopt_long() returned '?' or ':' for, as an error. argv[optind - 1] is the
 * culprit. options: the long ones, or NULL.
 */
int cli_bad_option(int got, char **argv, const struct option *options, struct trawl_error *err);

/*
 * Flushes the output. 0; or the status of a write error, after its message. A reader that has
 * gone away (EPIPE) is no error: it has seen all it wanted.
 */
int cli_finish(struct out *o, const char *name);

#endif
