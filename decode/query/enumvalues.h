/* SPDX-License-Identifier: MIT */
/*
 * Checks texts in conditions against the possible values of fields (decoder.words(),
 * decoder.never()). A comparison with any other text would never match, and nobody would notice.
 */
#ifndef TRAWL_DECODE_QUERY_ENUMVALUES_H
#define TRAWL_DECODE_QUERY_ENUMVALUES_H

#include "decode/base/decoder.h"

/*
 * Whether a field of the decoder's items can have this text (or one that the glob pattern matches).
 * True if its possible values are not known.
 */
bool enum_values_allow(const struct decoder *d, const char *field, const char *text, bool pattern);

/* Writes "FIELD is never 'TEXT'; ..." to what: with the reason, or similar and possible values. */
void enum_values_refuse(const char *field, const char *text, char *what, size_t size);

#endif
