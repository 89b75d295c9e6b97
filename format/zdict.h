/* SPDX-License-Identifier: MIT */
/*
 * What bodies of blocks have in common, as a dictionary for zstd: field names of tracefs and
 * usbmon, members of the metadata. docs/zdict.txt is its text and part of the format: it never
 * changes.
 */
#ifndef TRAWL_FORMAT_ZDICT_H
#define TRAWL_FORMAT_ZDICT_H

#include <stddef.h>

extern const char zdict[];
extern const size_t zdict_len;

#endif
