/* SPDX-License-Identifier: MIT */
/*
 * The names of probed programs and libraries that distributions install. Everybody has these files,
 * so their names are kept in those of events: FILE:SYMBOL.
 */
#ifndef TRAWL_EDIT_SYSTEMFILES_H
#define TRAWL_EDIT_SYSTEMFILES_H

#include "format/trawl.h"

struct system_files { /* all zero: empty */
	char **names;
	size_t n;
};

/* Reads the names from the metadata of probes. False: out of memory. system_files_free() them. */
bool system_files_read(struct system_files *f, const struct trawl_reader *r);
bool system_files_has(const struct system_files *f, const char *name, size_t len);
void system_files_free(struct system_files *f);

#endif
