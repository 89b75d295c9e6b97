/* SPDX-License-Identifier: MIT */
/* A program's names for values of a number: struct value_names. */
#ifndef TRAWL_CAPTURE_PROBE_NAMES_H
#define TRAWL_CAPTURE_PROBE_NAMES_H

#include "capture/probe/types.h"

/* Adds a value; copies the name. */
void value_names_add(struct value_names *names, const char *name, uint64_t value);
/* A copy, to be freed with value_names_free(); NULL for NULL. */
struct value_names *value_names_copy(const struct value_names *names);
void value_names_free(struct value_names *names);

#endif
