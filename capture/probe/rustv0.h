/* SPDX-License-Identifier: MIT */
/* Rust's v0 mangling (RFC 2603): _RNvCs1234_4main3add. */
#ifndef TRAWL_CAPTURE_PROBE_RUSTV0_H
#define TRAWL_CAPTURE_PROBE_RUSTV0_H

#include <stdbool.h>

/*
 * Demangles a symbol: "main::add"; with the crates' hashes "main[1234]::add". A suffix such as
 * .llvm.1 is dropped. Returns malloc'd text; NULL if the symbol is not a v0 symbol, or if the text
 * would exceed 16 KiB, which back references make possible for a short symbol.
 */
char *rust_v0_name(const char *symbol, bool hashes);

#endif
