/* SPDX-License-Identifier: MIT */
/* Items as lines of text in the style of tcpdump. */
#ifndef TRAWL_DECODE_EXPORT_PRINT_TEXT_H
#define TRAWL_DECODE_EXPORT_PRINT_TEXT_H

#include "decode/base/printcache.h"
#include "decode/query/stream.h"

struct text_printer {
	struct consumer consumer; /* to be passed to stream_run() */
	struct out *out;
	struct stream *stream; /* needed for times */
	struct time_printer time;
	bool colour;
	/*
	 * A buffer in memory, if lines are to be cut to a number of columns; else NULL. What
	 * follows an item's line is not cut.
	 */
	struct out *line;
	unsigned int columns;
	bool bounds;   /* --bounds: print the error bound of each time */
	bool tasks;    /* the columns for CPU and task are in use */
	bool sized;    /* the column widths are set */
	size_t machine_width; /* column for the machine in merged files, in characters; 0: none */
	size_t task_width, name_width;
	struct print_caches caches;
};

/* Sets functions and widths. The caller must have set the fields before `tasks`. */
void text_printer_start(struct text_printer *t);

#endif
