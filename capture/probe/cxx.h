/* SPDX-License-Identifier: MIT */
/*
 * C++ symbols by the names that people write: shop::Cart::add, with or without the parameters;
 * those of Rust with or without their hash.
 */
#ifndef TRAWL_CAPTURE_PROBE_CXX_H
#define TRAWL_CAPTURE_PROBE_CXX_H

#include <stdbool.h>

/* A function's readable name in its parts. */
struct cxx_name {
	char *full; /* "shop::Cart::add(int, char const*) const"; no template's return type */
	char *call; /* the same without what is after the parameters */
	char *name; /* "shop::Cart::add"; of a template "shop::most<int>" */
	char *bare; /* "shop::most" */
};

/* False if the symbol is none of C++. Otherwise to be freed with cxx_free(). */
bool cxx_demangle(const char *symbol, struct cxx_name *n);
void cxx_free(struct cxx_name *n);

/* Is it called so? Blanks do not matter where C++ can do without, nor do [abi:...] tags. */
bool cxx_named(const struct cxx_name *n, const char *wanted, bool glob);

#endif
