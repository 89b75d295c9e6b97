/* SPDX-License-Identifier: MIT */
/*
 * What bodies of blocks have in common, as dictionaries for zstd: field names of tracefs and
 * usbmon, members of the metadata. The second is for small sections: it has all of the first, the
 * types of imported events, descriptors that USB devices share, and statistics of how often bytes
 * occur. docs/zdict.txt and docs/zdict2.txt are their texts and part of the format: they never
 * change.
 */
#ifndef TRAWL_FORMAT_ZDICT_H
#define TRAWL_FORMAT_ZDICT_H

#include <stddef.h>

extern const char zdict[];
extern const size_t zdict_len;
extern const char zdict2[];
extern const size_t zdict2_len;

#endif
