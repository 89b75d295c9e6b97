/* SPDX-License-Identifier: MIT */
/* Items as lines of text, in the manner of tcpdump. */
#ifndef TRAWL_DECODE_TEXT_H
#define TRAWL_DECODE_TEXT_H

#include "decode/stream.h"

/* Texts of columns that come again and again, ready to be copied with their padding. */
#define TEXT_CELLS 256
struct text_cell {
	uint32_t key_len;
	int32_t number;       /* of a task: its id; of a name: a problem */
	uint32_t len;         /* of text; 0: unused */
	char key_text[64];
	char text[96];
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
