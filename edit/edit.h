/* SPDX-License-Identifier: MIT */
/* What the commands of trawl-edit have in common. */
#ifndef TRAWL_EDIT_EDIT_H
#define TRAWL_EDIT_EDIT_H

#include "format/trawl.h"

/*
 * A command: argv[0] is its name. The exit status, its message printed, or -1 with *err. What is
 * wrong with the data, though the output was written, is an error of status TRAWL_BAD_DATA.
 */
typedef int edit_command(int argc, char **argv, struct trawl_error *err);

edit_command cut_command, merge_command, redact_command, secrets_command, repair_command,
	compact_command;

/* "TEXTWHAT; see --help", of wrong usage: -1. */
int edit_usage(struct trawl_error *err, const char *text, const char *what);
/* argv[optind] is the only FILE, or -1: "NAME: FILE is missing"; argv[0] is the command's name. */
int edit_one_file(int argc, char **argv, struct trawl_error *err);
int edit_no_memory(struct trawl_error *err);

/* The events of a decoded chunk, stream after stream, to fn until it returns other than 0: what it
 * returned; -1 with *err: out of memory. */
typedef int edit_event_fn(void *arg, struct trawl_event *ev, struct trawl_error *err);
int edit_each_event(const struct trawl_chunk *chunk, edit_event_fn *fn, void *arg,
		    struct trawl_error *err);

/* A number of bytes: 25M, 300K, 1G. 0, or -1 with *err. */
int edit_size(const char *option, const char *text, uint64_t *bytes, struct trawl_error *err);
/* On a terminal, how much is done, in percent; nothing is left of it when all is. */
void edit_progress(const char *name, uint64_t done, uint64_t all);
/* "12.3 MB" into room[16]. */
const char *edit_megabytes(char *room, uint64_t bytes);

#endif
