/* SPDX-License-Identifier: MIT */
/*
 * Lines made to fit a terminal. Columns are counted as a terminal does: a colour code takes none, a
 * wide character two, a tab up to the next multiple of eight.
 */
#ifndef TRAWL_DECODE_BASE_FIT_H
#define TRAWL_DECODE_BASE_FIT_H

#include "decode/base/output.h"

/* Returns the width of the terminal that a descriptor is; 0 if it is none. */
unsigned int fit_terminal(int fd);

/*
 * Appends a line of n bytes, with or without its end. One that is too long is cut and ends in
 * "..."; colour codes behind the cut stay.
 */
void fit_cut(struct out *o, const char *line, size_t n, unsigned int columns);

/*
 * The same, but a line that is too long goes on in further lines, indented by two more: it is
 * broken at blanks, or where it must if there is none.
 */
void fit_fold(struct out *o, const char *line, size_t n, unsigned int columns);

/* What folds all lines of an output. */
struct folded {
	unsigned int columns;
	struct out to, line; /* the descriptor; a line without its end */
};

/* From now on, `o`, an output on a descriptor, folds its lines. */
void folded_start(struct folded *f, struct out *o, unsigned int columns);
/* Writes what has no end of line. Before out_free() of that output, after its last flush. */
void folded_end(struct folded *f);

#endif
