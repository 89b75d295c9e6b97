/* SPDX-License-Identifier: MIT */
/*
 * Fits lines to the width of a terminal. Counts columns as a terminal does: none for a colour code,
 * two for a wide character, a tab up to the next multiple of eight.
 */
#ifndef TRAWL_DECODE_BASE_FIT_H
#define TRAWL_DECODE_BASE_FIT_H

#include "decode/base/output.h"

/* Returns the width of a terminal in columns; 0 if the descriptor is not a terminal. */
unsigned int fit_terminal(int fd);

/*
 * Appends a line of n bytes, with or without newline. A line that is too long is cut and ends in
 * "..."; colour codes after the cut are kept.
 */
void fit_cut(struct out *o, const char *line, size_t n, unsigned int columns);

/*
 * The same, but a line that is too long is continued in further lines, which are indented by two
 * more columns. Breaks at blanks if possible.
 */
void fit_fold(struct out *o, const char *line, size_t n, unsigned int columns);

/* An output whose lines are folded. */
struct folded {
	unsigned int columns;
	struct out to, line; /* the output on the descriptor; an incomplete line */
};

/* Makes `o`, an output on a descriptor, fold its lines from now on. */
void folded_start(struct folded *f, struct out *o, unsigned int columns);
/*
 * Writes an incomplete last line. Call after the last flush of the output, before its out_free().
 */
void folded_end(struct folded *f);

#endif
