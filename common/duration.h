/* SPDX-License-Identifier: MIT */
/* Parses durations: 200us, 1.5s, 2m; without a unit, seconds. */
#ifndef TRAWL_COMMON_DURATION_H
#define TRAWL_COMMON_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "format/trawl.h"

/*
 * Parses a duration at *p (units ns us ms s m min h d) into ns, and moves *p after it. Returns
 * false if there is none, or it exceeds 64 bits; *p is then at the error.
 */
bool duration_read(const char **p, uint64_t *ns);

/*
 * Parses a fraction of a second, ".123456789", into ns; 0 if there is none. Further digits are
 * dropped.
 */
uint64_t duration_fraction(const char **p);

/* Parses the value of an option into ns. Returns 0, or -1 with *err. */
int duration_parse(const char *option, const char *text, uint64_t *ns, struct trawl_error *err);

#endif
