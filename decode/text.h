/* SPDX-License-Identifier: MIT */
/* Items as lines of text, in the manner of tcpdump. */
#ifndef TRAWL_DECODE_TEXT_H
#define TRAWL_DECODE_TEXT_H

#include "decode/stream.h"

/* Texts of columns that come again and again, ready to be copied with their padding. */
#define TEXT_CELLS 256
struct text_cell {
	const void *key;      /* of a name: where it is */
	int32_t number;       /* of a task: its id; of a name: whether in red */
	uint32_t len;         /* of text; 0: unused */
	uint32_t comm_len;
	char comm[20];        /* of a task */
	char text[64];
};

struct text_printer {
	struct consumer consumer; /* hand this to stream_run() */
	struct out *out;
	struct trawl_reader *reader; /* for --bounds */
	struct time_printer time;
	bool colour;
	bool bounds;   /* --bounds: the error of each time */
	bool at_once;  /* every line is written at once: a terminal, a live capture */
	bool tasks;    /* columns of cpu and task are in use */
	size_t task_width, name_width;
	struct text_cell task_cells[TEXT_CELLS], name_cells[TEXT_CELLS];
};

/* Sets the functions and widths; the caller has set the fields above `tasks`. */
void text_printer_start(struct text_printer *t);

#endif
