/* SPDX-License-Identifier: MIT */
/*
 * Items as comma separated values (RFC 4180): one table, the columns ts_ns, source, name, cpu,
 * pid, tid, comm and one for each field that has a value somewhere, empty where an item has no
 * such field or no value. A field that is called like one of the first seven has the column
 * fields.NAME. Bytes and arrays are hex.
 *
 * Numbers are decimal. But DuckDB, SQLite and spreadsheets keep no integer above 2^63 - 1: they
 * round it to a double, silently. So a column that holds one somewhere is hexadecimal throughout
 * (0x...; negative numbers stay decimal), which all of them read as text. Where the input is a
 * pipe, nothing is known beforehand, and single cells are.
 */
#ifndef TRAWL_DECODE_EXPORT_CSV_H
#define TRAWL_DECODE_EXPORT_CSV_H

#include "decode/export/export.h"

/* The export; o->columns, o->decimal and o->no_formulas are options of csv. */
int csv_export(const struct export_options *o, struct stream *s, struct out *out,
	       struct trawl_error *err);

#endif
