/* SPDX-License-Identifier: MIT */
/*
 * Rust's legacy mangling, rustc's default for years: a C++ name whose last part is a hash.
 *
 *	_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE
 *	core::ptr::drop_in_place<alloc::string::String>
 */
#ifndef TRAWL_CAPTURE_PROBE_RUSTNAME_H
#define TRAWL_CAPTURE_PROBE_RUSTNAME_H

/*
 * Takes what the C++ demangler makes of such a symbol, "o::f::h4218d1e42079f6de", and returns the
 * name without the hash, "o::f", malloc'd; NULL if it ends with no hash.
 */
char *rust_name(const char *demangled);

#endif
