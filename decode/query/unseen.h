/* SPDX-License-Identifier: MIT */
/* What the user asked for and the file does not have. Only the end of the file shows that. */
#ifndef TRAWL_DECODE_QUERY_UNSEEN_H
#define TRAWL_DECODE_QUERY_UNSEEN_H

#include "decode/query/stream.h"

/* After stream_run() has read the whole file: -1 with one line in *err if no event had a --name;
 * else 0. */
int stream_unseen_name(struct stream *s, struct trawl_error *err);
/* Likewise a --pid. */
int stream_unseen_pid(struct stream *s, struct trawl_error *err);
/* Likewise --from and --until, when all of the file is before the one or after the other. */
int stream_outside(struct stream *s, struct trawl_error *err);

#endif
