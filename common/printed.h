/* SPDX-License-Identifier: MIT */
/* What a program printed with stdio, at its end. */
#ifndef TRAWL_COMMON_PRINTED_H
#define TRAWL_COMMON_PRINTED_H

struct trawl_error;

/* Writes what stdout still holds. Returns 0, or -1 with *err if any of it could not be written. */
int printed_all(struct trawl_error *err);

#endif
