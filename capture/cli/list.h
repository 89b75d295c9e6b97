/* SPDX-License-Identifier: MIT */
/* trawl -D: the sources of this machine. */
#ifndef TRAWL_CAPTURE_CLI_LIST_H
#define TRAWL_CAPTURE_CLI_LIST_H

#include <stdbool.h>
#include <stdio.h>

int list_sources(bool as_json, FILE *out);

#endif
