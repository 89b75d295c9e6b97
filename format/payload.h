/* SPDX-License-Identifier: MIT */
/* Numbers of the chunk payload that encoder and decoder share: docs/format.md, "Chunk payload". */
#ifndef TRAWL_FORMAT_PAYLOAD_H
#define TRAWL_FORMAT_PAYLOAD_H

enum {
	PAYLOAD_FORMAT = 2,
	PAYLOAD_BACK = 3, /* differences of times are signed, because a clock went back */
	PAYLOAD_TICKS = 4, /* may have times in ticks, and columns that refer to derived numbers */
	/* From PAYLOAD_TICKS on, a version has all of those before. */
	PAYLOAD_NEWEST = PAYLOAD_TICKS,
	PAYLOAD_MAX_STRUCTURE = 16 << 20, /* bytes of the substream structure */

	STRING_NUMBERED = 0, /* a string column: numbers of strings in the chunk's list */
	STRING_PLAIN = 1,    /* lengths, and the bytes in the substream data */
};

/* The layout of a table of whole rows: one string column, the record. */
#define PAYLOAD_ROW_FIELD { .name = "", .ctype = "", .note = "", .kind = TRAWL_BYTES, \
			    .place = TRAWL_TAIL, .size = 1, .count = 1 }

#endif
