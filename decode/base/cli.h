/* SPDX-License-Identifier: MIT */
/* What the command lines of trawl-decode, trawl-export and trawl-edit have in common. */
#ifndef TRAWL_DECODE_BASE_CLI_H
#define TRAWL_DECODE_BASE_CLI_H

#include <getopt.h>

#include "decode/base/output.h"
#include "format/trawl.h"

extern const char *cli_program; /* name of the program, for messages; main() sets it first */

/* Prints "PROGRAM: text" to stderr and returns the exit status of the error. */
int cli_error(const struct trawl_error *err);

/* Prints a formatted note likewise, with control characters replaced as in errors. */
void cli_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints a note that has its text already; a callback for where_set_on_mismatch(). */
void cli_note(void *unused, const struct trawl_error *note);

/*
 * Fills *err after getopt() or getopt_long() has returned `got`, '?' or ':', for argv[optind - 1];
 * returns -1. options: the long options, or NULL.
 */
int cli_bad_option(int got, char **argv, const struct option *options, struct trawl_error *err);

/*
 * Flushes the output. Returns 0, or after a message the status of a write error. EPIPE is no error:
 * the reader of a pipe, such as head, may exit early.
 */
int cli_finish(struct out *o, const char *name);

/*
 * Parses the value of --memory, such as 512M, into bytes; at least 1 MiB. Returns 0, or -1 with
 * *err.
 */
int cli_memory(const char *text, uint64_t *bytes, struct trawl_error *err);

#endif
