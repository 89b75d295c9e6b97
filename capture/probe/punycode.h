/* SPDX-License-Identifier: MIT */
/* Punycode (RFC 3492), which Rust's v0 symbols use for identifiers that are not ASCII. */
#ifndef TRAWL_CAPTURE_PROBE_PUNYCODE_H
#define TRAWL_CAPTURE_PROBE_PUNYCODE_H

#include <stdbool.h>
#include <stddef.h>

enum { PUNYCODE_MOST = 512 };

/*
 * Decodes an identifier with the basic characters `ascii` and the encoded part `puny` to
 * NUL-terminated UTF-8. False if it is not valid Punycode or too long for out.
 */
bool punycode(const char *ascii, size_t nascii, const char *puny, size_t npuny,
	      char out[static PUNYCODE_MOST]);

#endif
