/* SPDX-License-Identifier: MIT */
/*
 * Recognises string types that have a length and need not end with a NUL, as DWARF describes them:
 *
 *	Go        string
 *	Rust      &str, String, Box<str>
 *	C++       std::string_view; std::string of libstdc++; std::string of libc++, where a short
 *	          string is stored in the object itself: the lowest bit of the first byte is 1 for
 *	          a long one
 */
#ifndef TRAWL_CAPTURE_PROBE_TEXT_H
#define TRAWL_CAPTURE_PROBE_TEXT_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

#include "capture/probe/value.h"

/* Where a string's pointer and length, of 8 bytes each, are in the object; offsets in bytes. */
struct text_shape {
	enum counted_form form;
	unsigned int pointer, length;
	bool reference; /* the value is a reference to the object */
};

/* True if the type is such a string or a reference to one; fills *shape. language: DW_LANG_*. */
bool text_shape_of(Dwarf_Die *type, int language, struct text_shape *shape);
#endif

#endif
