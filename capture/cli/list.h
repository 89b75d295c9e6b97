/* SPDX-License-Identifier: MIT */
/* trawl -D: the sources of this machine; trawl -D SOURCE:...: what there is of one. */
#ifndef TRAWL_CAPTURE_CLI_LIST_H
#define TRAWL_CAPTURE_CLI_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "format/trawl.h"

/* texts: as -i takes them; n 0: all sources. 0, or -1 where one of them is nothing. */
int list_sources(char **texts, size_t n, bool as_json, FILE *out, struct trawl_error *err);

#endif
