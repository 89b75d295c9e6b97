/* SPDX-License-Identifier: MIT */
/* Punycode (RFC 3492), in which Rust's symbols write identifiers that are not ASCII. */
#ifndef TRAWL_CAPTURE_PROBE_PUNYCODE_H
#define TRAWL_CAPTURE_PROBE_PUNYCODE_H

#include <stdbool.h>
#include <stddef.h>

enum { PUNYCODE_MOST = 512 };

/* The text as UTF-8, with a final zero. False if it is no punycode, or longer than fits. */
bool punycode(const char *ascii, size_t nascii, const char *puny, size_t npuny,
	      char out[static PUNYCODE_MOST]);

#endif
