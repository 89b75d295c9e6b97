/* SPDX-License-Identifier: MIT */
/* Items as lines of text, in the manner of tcpdump. */
#ifndef TRAWL_DECODE_EXPORT_PRINT_TEXT_H
#define TRAWL_DECODE_EXPORT_PRINT_TEXT_H

#include "decode/base/printcache.h"
#include "decode/query/stream.h"

struct text_printer {
	struct consumer consumer; /* hand this to stream_run() */
	struct out *out;
	struct stream *stream; /* for times */
	struct time_printer time;
	bool colour;
	bool bounds;   /* --bounds: the error of each time */
	bool tasks;    /* columns of cpu and task are in use */
	bool sized;    /* the widths are known */
	size_t machine_width; /* of a merged file of several machines */
	size_t task_width, name_width;
	struct cells cells;
};

/* Sets the functions and widths; the caller has set the fields above `tasks`. */
void text_printer_start(struct text_printer *t);

#endif
