/* SPDX-License-Identifier: MIT */
/*
 * Items as comma-separated values (RFC 4180): one table with the columns ts_ns, source, name, cpu,
 * pid, tid, comm, and one for each field that has a value in some item. A cell is empty if the item
 * has no such field or no value. A field with the name of one of the first seven columns gets the
 * column fields.NAME. Bytes and arrays are written in hex.
 *
 * Numbers are decimal, with one exception: DuckDB, SQLite and spreadsheets silently round integers
 * above 2^63 - 1 to a double. A column that contains such a number is therefore hexadecimal (0x...;
 * negative numbers remain decimal), which all of them read as text. If the input is a pipe, the
 * columns' contents are not known in advance, and only single cells are hexadecimal.
 */
#ifndef TRAWL_DECODE_EXPORT_CSV_H
#define TRAWL_DECODE_EXPORT_CSV_H

#include "decode/export/export.h"

/* The export; o->columns, o->decimal and o->no_formulas apply to it. */
int csv_export(const struct export_options *o, struct stream *s, struct out *out,
	       struct trawl_error *err);

#endif
