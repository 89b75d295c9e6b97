/* SPDX-License-Identifier: MIT */
/*
 * Texts with a length, such as std::string. The kernel records a window of their bytes, of a fixed
 * size, with their pointer and length. The recorder turns that into a string as the kernel records
 * it: the bytes that the text has stand behind the record, and the window begins with the
 * __data_loc word of them. The rest of the window is 0.
 *
 * A whole text ends with a NUL. A text without it was cut: at the window's end, or at the first NUL
 * in the window, because bytes that could not be read are 0, too. A text of no bytes could not be
 * read.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_COUNTEDTEXT_H
#define TRAWL_CAPTURE_TRACEFS_COUNTEDTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counted_text {
	bool never_null;       /* a null pointer means that it could not be read */
	bool libcxx;           /* libc++'s std::string; else a pointer and a length */
	uint32_t at, room;     /* the window */
	uint32_t pointer_at;   /* eight bytes; with libcxx the 24 of the object */
	uint32_t length_at;    /* eight bytes; with libcxx the word of a string at the object */
};

/*
 * Writes the record with its texts to `copy`, which has room for `size` bytes. Cuts texts that have
 * no room. Returns the length of the copy; 0 if the record itself has no room there or lacks a
 * field.
 */
uint32_t counted_texts_put(const struct counted_text *texts, size_t n, const void *record,
			   uint32_t len, uint8_t *copy, uint32_t size);

#endif
