/* SPDX-License-Identifier: MIT */
/* Durations as people write them: 200us, 1.5s, 2m; without a unit they are seconds. */
#ifndef TRAWL_COMMON_DURATION_H
#define TRAWL_COMMON_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "format/trawl.h"

/*
 * Reads a duration at *p (units ns us ms s m min h d), in ns, and moves *p to what follows it.
 * False where there is none, or one too long for 64 bits; *p is then at what cannot be read.
 */
bool duration_read(const char **p, uint64_t *ns);

/* The same of ".123456789", in ns; nothing is 0. Digits beyond ns are dropped. */
uint64_t duration_fraction(const char **p);

/* The whole value of an option. 0, or -1 with *err. */
int duration_parse(const char *option, const char *text, uint64_t *ns, struct trawl_error *err);

#endif
