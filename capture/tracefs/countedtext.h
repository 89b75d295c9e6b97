/* SPDX-License-Identifier: MIT */
/*
 * Texts that have a length. The kernel records a window of their bytes, which is of one size, and
 * beside it their pointer and length. The recorder makes of the window what a string of the
 * kernel's is: a word that tells where the bytes are, and as many as the text has after the
 * record. The rest of the window is 0.
 *
 * A text that is whole ends with a NUL. One without was cut: at the window's end, or at a NUL in
 * it, for bytes that could not be read are 0, too. One of no bytes could not be read.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_COUNTEDTEXT_H
#define TRAWL_CAPTURE_TRACEFS_COUNTEDTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counted_text {
	bool never_null;
	bool libcxx;
	uint32_t at, room;     /* the window */
	uint32_t pointer_at;   /* eight bytes; of libc++ the 24 of the object */
	uint32_t length_at;    /* eight bytes; of libc++ the word of a string that starts there */
};

/*
 * Writes the record with its texts to copy, which has room for `size` bytes; where that is too
 * little, texts are cut. Returns its length; 0 if the record itself has no room, or has not all of
 * the fields.
 */
uint32_t counted_texts_put(const struct counted_text *texts, size_t n, const void *record,
			   uint32_t len, uint8_t *copy, uint32_t size);

#endif
