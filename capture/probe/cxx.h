/* SPDX-License-Identifier: MIT */
/*
 * Demangled names of C++ and Rust symbols: shop::Cart::add, with or without the parameters; of
 * Rust, with or without the hash.
 */
#ifndef TRAWL_CAPTURE_PROBE_CXX_H
#define TRAWL_CAPTURE_PROBE_CXX_H

#include <stdbool.h>

/* A function's demangled name, in full and abbreviated. All malloc'd. */
struct cxx_name {
	char *full; /* "shop::Cart::add(int, char const*) const"; no template's return type */
	char *call; /* the same without what follows the parameters */
	char *name; /* "shop::Cart::add"; of a template "shop::most<int>" */
	char *bare; /* "shop::most" */
};

/*
 * Demangles a C++ or Rust symbol into *n, to be freed with cxx_free(). False if it is neither; then
 * *n is empty.
 */
bool cxx_demangle(const char *symbol, struct cxx_name *n);
void cxx_free(struct cxx_name *n);

/*
 * True if `wanted`, a name or (glob) a pattern, matches one of the forms in *n. Blanks that C++
 * does not need and [abi:...] tags are ignored.
 */
bool cxx_named(const struct cxx_name *n, const char *wanted, bool glob);

#endif
