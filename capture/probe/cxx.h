/* SPDX-License-Identifier: MIT */
/*
 * C++ functions by the names that people write: shop::Cart::add, with or without the parameters
 * and a template's last arguments, globs of these. The symbols of the file are demangled to find
 * out which are meant; probes keep the symbol and get the readable name as theirs.
 */
#ifndef TRAWL_CAPTURE_PROBE_CXX_H
#define TRAWL_CAPTURE_PROBE_CXX_H

#include "capture/probe/build.h"

/* A function's readable name in its parts. */
struct cxx_name {
	char *full; /* "shop::Cart::add(int, char const*) const"; no template's return type */
	char *call; /* the same without what is behind the parameters */
	char *name; /* "shop::Cart::add"; of a template "shop::most<int>" */
	char *bare; /* "shop::most" */
};

/* False if the symbol is none of C++. Otherwise to be freed with cxx_free(). */
bool cxx_demangle(const char *symbol, struct cxx_name *n);
void cxx_free(struct cxx_name *n);

/* Is it called so? Blanks do not matter where C++ can do without, nor do [abi:...] tags. */
bool cxx_named(const struct cxx_name *n, const char *wanted, bool glob);

/*
 * Adds a probe for every function of the file that the spec's symbol is a readable name of: all
 * overloads. Like resolve_uprobe(); 0 also if there are none, or if this was built without.
 */
int resolve_cxx(struct resolve *r, struct target *t);

#endif
