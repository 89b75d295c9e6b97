/* SPDX-License-Identifier: MIT */
/*
 * Texts that have a length and need not end with a NUL, as DWARF describes them:
 *
 *	Go        string
 *	Rust      &str, String, Box<str>
 *	C++       std::string_view; std::string of libstdc++, and of libc++, whose short ones have no
 *	          pointer: the lowest bit of the first byte tells a long one
 */
#ifndef TRAWL_CAPTURE_PROBE_TEXT_H
#define TRAWL_CAPTURE_PROBE_TEXT_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

#include "capture/probe/value.h"

/* Where a text's pointer and its length are in the object; each has eight bytes. */
struct text_shape {
	enum counted_form form;
	unsigned int pointer, length;
	bool reference; /* the value is the object's address */
};

/* Is the value a text, or a reference to one? */
bool text_shape_of(Dwarf_Die *type, int language, struct text_shape *shape);
#endif

#endif
