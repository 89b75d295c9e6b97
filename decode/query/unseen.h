/* SPDX-License-Identifier: MIT */
/* Errors for selected names and times that the file does not have, which only its end shows. */
#ifndef TRAWL_DECODE_QUERY_UNSEEN_H
#define TRAWL_DECODE_QUERY_UNSEEN_H

#include "decode/query/stream.h"

/*
 * After stream_run() has read the whole file: returns -1 with *err if no event had a --name; else
 * 0.
 */
int stream_unseen_name(struct stream *s, struct trawl_error *err);
/* The same for --pid. */
int stream_unseen_pid(struct stream *s, struct trawl_error *err);
/* The same for a part of a field in --where, of the events that were asked for it. */
int stream_unseen_part(struct stream *s, struct trawl_error *err);
/* The same for --from and --until, if the whole file is before or after the range. */
int stream_outside(struct stream *s, struct trawl_error *err);

#endif
