/* SPDX-License-Identifier: MIT */
/*
 * --around EXPR --window TIME: the events of all sources around each match.
 *
 * Reads the file twice: for the times of the matches, then for all items within `window` before and
 * after a match. --from, --to, --source, --name and --pid select what is shown, not what matches;
 * -c limits what is shown.
 */
#ifndef TRAWL_DECODE_QUERY_AROUND_H
#define TRAWL_DECODE_QUERY_AROUND_H

#include "decode/query/stream.h"

struct around;

/*
 * Finds the matches; if there is none, prints a line to stderr. window: ns. Returns NULL with *err
 * for a pipe, or an invalid expression.
 */
struct around *around_find(const char *path, const char *expr, uint64_t window,
			   const struct decode_options *options, struct trawl_error *err);
void around_free(struct around *a);

/*
 * Returns a consumer that passes items near a match to `inner`. Between ranges of time that do not
 * touch, it writes a line "--" to separator, unless that is NULL.
 */
struct consumer *around_consumer(struct around *a, struct consumer *inner, struct out *separator);

#endif
