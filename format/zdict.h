/* SPDX-License-Identifier: MIT */
/*
 * Dictionaries for zstd, of strings that bodies of blocks have in common: field names of tracefs
 * and usbmon, members of the metadata. The second one is for small sections: it also has the types
 * of imported events, descriptors that many USB devices share, and statistics of byte frequencies.
 * docs/zdict.txt and docs/zdict2.txt are their texts and part of the format: they never change.
 */
#ifndef TRAWL_FORMAT_ZDICT_H
#define TRAWL_FORMAT_ZDICT_H

#include <stddef.h>

extern const char zdict[];
extern const size_t zdict_len;
extern const char zdict2[];
extern const size_t zdict2_len;

#endif
