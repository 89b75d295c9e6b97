/* SPDX-License-Identifier: MIT */
/*
 * Symbols of Rust in the mangling that rustc has by default, a C++ name whose last part is a hash:
 *
 *	_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE
 *	core::ptr::drop_in_place<alloc::string::String>
 */
#ifndef TRAWL_CAPTURE_PROBE_RUSTNAME_H
#define TRAWL_CAPTURE_PROBE_RUSTNAME_H

/* "o::f" of "o::f::h4218d1e42079f6de", which the C++ demangler makes; malloc'd. NULL: no such
 * name. */
char *rust_name(const char *demangled);

#endif
