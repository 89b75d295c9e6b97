/* SPDX-License-Identifier: MIT */
/*
 * Items as comma separated values (RFC 4180): one table, the columns ts_ns, source, name, cpu,
 * pid, tid, comm and one for each field name, empty where an item has no such field or no value.
 * A field that is called like one of the first seven has the column fields.NAME. Numbers are
 * decimal, bytes and arrays hex.
 */
#ifndef TRAWL_DECODE_EXPORT_CSV_H
#define TRAWL_DECODE_EXPORT_CSV_H

#include "decode/query/stream.h"

struct csv;

/* columns: the names after comm, separated by commas; NULL: all that the stream knows of. */
struct csv *csv_new(struct stream *s, const char *columns, struct out *out);
struct consumer *csv_consumer(struct csv *c); /* hand this to stream_run() */
void csv_free(struct csv *c);

#endif
