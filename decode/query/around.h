/* SPDX-License-Identifier: MIT */
/*
 * --around EXPR --window TIME: what every source saw around each match.
 *
 * The file is read twice: once for the times of the matches, then for everything within `window`
 * before and after any of them. --from, --to, --source, --name and --pid choose what is shown, not
 * what matches; -c counts what is shown.
 */
#ifndef TRAWL_DECODE_QUERY_AROUND_H
#define TRAWL_DECODE_QUERY_AROUND_H

#include "decode/query/stream.h"

struct around;

/*
 * Finds the matches; a line on standard error tells that there is none. window in ns. NULL with
 * *err: a pipe, a bad expression.
 */
struct around *around_find(const char *path, const char *expr, uint64_t window,
			   const struct decode_options *options, struct trawl_error *err);
void around_free(struct around *a);

/*
 * A consumer that hands to `inner` what is near a match, in order. Between stretches of time that
 * do not touch it writes a line "--" to separator, if that is not NULL.
 */
struct consumer *around_consumer(struct around *a, struct consumer *inner, struct out *separator);

#endif
