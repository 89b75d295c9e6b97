/* SPDX-License-Identifier: MIT */
/* trawl -D: the sources of this machine; trawl -D SOURCE:...: what one of them can record. */
#ifndef TRAWL_CAPTURE_CLI_LIST_H
#define TRAWL_CAPTURE_CLI_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "format/trawl.h"

/* texts: as -i takes them; n 0: all sources. Returns 0, or -1 with *err if one lists nothing. */
int list_sources(char **texts, size_t n, bool as_json, FILE *out, struct trawl_error *err);

#endif
