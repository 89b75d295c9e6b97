/* SPDX-License-Identifier: MIT */
/* Rust's symbols since "v0" (RFC 2603): _RNvCs1234_4main3add. */
#ifndef TRAWL_CAPTURE_PROBE_RUSTV0_H
#define TRAWL_CAPTURE_PROBE_RUSTV0_H

#include <stdbool.h>

/*
 * "main::add", with hashes "main[1234]::add"; a suffix as .llvm.1 is left out. malloc'd; NULL if
 * the symbol is none of v0, or would be longer than anybody reads: a back reference may double it.
 */
char *rust_v0_name(const char *symbol, bool hashes);

#endif
