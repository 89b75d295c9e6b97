/* SPDX-License-Identifier: MIT */
/* Finds in which registers or memory Rust and Go return values that are no single number. */
#ifndef TRAWL_CAPTURE_PROBE_RESULTS_H
#define TRAWL_CAPTURE_PROBE_RESULTS_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stddef.h>

#include "capture/probe/location.h"

/* How many result registers a Go function's results have taken so far. */
struct go_results {
	unsigned int integers, floats;
};

enum rust_result {
	RUST_IN_RAX,
	RUST_IN_MEMORY,  /* at the address in %rax */
	RUST_PAIR,       /* in %rax and %rdx */
	RUST_SMALL_PAIR, /* in %rax and %rdx; in %rax alone if the function is extern "C" */
};

/*
 * Fill *loc with where a result of this type is just before the function returns. False, with the
 * reason in why, if that is unknown. A type without bytes has no pieces. results_of_go() is to be
 * called for a function's results in their order with the same *taken, which starts as all zero.
 */
bool results_of_go(Dwarf_Die *type, struct go_results *taken, struct location *loc, char *why,
		   size_t why_size);
bool results_of_rust(Dwarf_Die *type, struct location *loc, enum rust_result *form, char *why,
		     size_t why_size);
#endif

#endif
