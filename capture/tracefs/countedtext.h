/* SPDX-License-Identifier: MIT */
/*
 * Counted texts: texts with a length, such as std::string. The kernel records a window (a fixed
 * number of their bytes), their pointer and their length. The recorder makes a dynamic string of
 * them: the bytes are appended to the record, and the window is replaced by their __data_loc word
 * and zeros.
 *
 * A whole text ends with a NUL. A text without a NUL was cut: at the window's end, or at the first
 * NUL in the window, because bytes that could not be read are 0, too. A text of 0 bytes could not
 * be read.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_COUNTEDTEXT_H
#define TRAWL_CAPTURE_TRACEFS_COUNTEDTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counted_text {
	bool never_null;       /* a null pointer means that it could not be read */
	bool libcxx;           /* libc++'s std::string; else a pointer and a length */
	uint32_t at, room;     /* offset and size of the window */
	uint32_t pointer_at;   /* offset of the pointer, 8 bytes; with libcxx: of the object, 24
			        * bytes */
	uint32_t length_at;    /* offset of the length, 8 bytes; with libcxx: of the __data_loc word
			        * of a string read at the object */
};

/*
 * Writes the record with its texts to `copy`, of `size` bytes, and cuts texts that do not fit.
 * Returns the length of the copy; 0 if the record itself does not fit, or lacks a field.
 */
uint32_t counted_texts_put(const struct counted_text *texts, size_t n, const void *record,
			   uint32_t len, uint8_t *copy, uint32_t size);

#endif
