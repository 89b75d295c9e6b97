/* SPDX-License-Identifier: MIT */
/*
 * Fields that hold one of a few words, as decoder.word() tells, or texts of one form, as
 * decoder.never() does: another text would never match, and nobody would notice.
 */
#ifndef TRAWL_DECODE_QUERY_ENUMVALUES_H
#define TRAWL_DECODE_QUERY_ENUMVALUES_H

#include "decode/base/decoder.h"

/*
 * May this field of the decoder's items hold the text (or what the glob means)? True, too, of a
 * field that has no such set.
 */
bool enum_values_allow(const struct decoder *d, const char *field, const char *text, bool pattern);

/* "FIELD is never 'TEXT'; ...": why, or which words are near, and which there are, of all decoders. */
void enum_values_refuse(const char *field, const char *text, char *what, size_t size);

#endif
