/* SPDX-License-Identifier: MIT */
/* struct trawl_reader: an open file, its catalog, and how far it has been read. */
#ifndef TRAWL_FORMAT_OPENFILE_H
#define TRAWL_FORMAT_OPENFILE_H

#include "format/merge.h"

/*
 * How far a pipe has been read.
 *
 *	PIPE_OPEN ----------> PIPE_SECTION: the next section began; this one's events are given
 *	   |    <---------------- pipe_section(): all these events were returned
 *	   v
 *	PIPE_ENDED: the input ended or failed; events that were read are still returned
 */
enum pipe_state { PIPE_OPEN, PIPE_SECTION, PIPE_ENDED };

/*
 * What a reader returns. The first call decides; a reader returns one kind only.
 *
 *	                 trawl_next()
 *	READING_NOTHING -------------------> READING_EVENTS -+
 *	 |    |    |     trawl_next_chunk()                  |
 *	 |    |    +-----------------------> READING_CHUNKS -+  nothing is left
 *	 |    |          trawl_next_piece()                  +-----------------> READING_DONE
 *	 |    +----------------------------> READING_PIECES -+                      ^
 *	 |               trawl_reader_blank()                                       |
 *	 +--------------------------------------------------------------------------+
 */
enum reading { READING_NOTHING, READING_EVENTS, READING_CHUNKS, READING_PIECES, READING_DONE };

enum lane_state {
	LANE_UNKNOWN, /* nothing is known of the next event */
	LANE_BOUNDED, /* a lower bound of its time is known */
	LANE_DUE,     /* it is decoded */
	LANE_ENDED,   /* there is none */
};

/* The reading of one section. Sections that share a timeline are read side by side, in lanes. */
struct lane {
	struct merge merge;
	size_t next_segment;     /* seekable: of the merge's section */
	enum lane_state state;
	struct trawl_event ev;   /* LANE_DUE: the next event */
	uint64_t earliest;       /* LANE_DUE: its time; LANE_BOUNDED: a lower bound of it */
};

struct trawl_reader {
	char *name;              /* for messages */
	struct input in;
	struct catalog catalog;
	struct trawl_memory memory; /* of a reader that shares none */
	struct damage damage;
	struct walker walk;      /* of a pipe or a scan */
	struct lane lane;        /* of the current section */
	/* of sections that share a timeline; NULL: only the current section is read */
	struct lane *lanes;
	size_t nlanes;
	struct trawl_range range;
	size_t hidden;           /* number of metadata at the end of the list that are hidden */
	struct section *section; /* that blocks are added to */
	struct buf tmp;          /* for expanded bodies */
	struct buf index;        /* body of the index block that was read last; or empty */
	uint64_t index_at;       /* file offset of that block */
	bool ours;               /* a block of this format has been seen */
	bool index_used;
	uint64_t events, chunks; /* number that was returned, or is known from the index */

	/* Reading on. */
	size_t next_section;     /* seekable: number of the next section to read */
	size_t next_segment;     /* seekable, chunk by chunk: the next segment of that section */
	struct bundle *segment;  /* seekable, chunk by chunk: the current segment */
	size_t next_ref;         /* its next chunk */
	size_t next_sync;        /* seekable, piece by piece: its next clock-sync */
	uint64_t piece_at;       /* 1 + offset of the last piece; 0: none in this section */
	enum reading reading;
	bool unchecked;          /* trawl_pieces_unchecked() was called */
	enum pipe_state pipe;
	uint64_t limit;          /* pipe: all events before this time have arrived */
	struct chunk_decoder *decoder;
	struct chunk_ref chunk;  /* pipe, chunk by chunk: the chunk just walked */
	const uint8_t *payload;  /* of `chunk`, valid until the next block; or NULL */
	size_t payload_len;

	struct bundle *near;     /* seekable: the segment of the last segment_clocks() */
	const struct section *near_section;
	size_t near_segment;
};

/* Whether trawl_select() selects all sources; whether it selects this one. */
bool reader_wants_all(const struct trawl_reader *r);
/* Begins or continues reading in this way. Returns false in READING_DONE. */
bool reader_read(struct trawl_reader *r, enum reading how);
/*
 * Call at the end of reading: checks the blocks that were not read yet, once, unless a part of the
 * file was selected. Returns 0, or -1 with *err if the file cannot be read.
 */
int reader_finish(struct trawl_reader *r, struct trawl_error *err);
bool reader_wants(const struct trawl_reader *r, const struct trawl_source *s);

/* Fills *ref for a chunk that a walk has found. Returns false if the chunk head is invalid. */
bool chunk_ref_get(const struct walked *f, uint64_t section, struct chunk_ref *ref);

/*
 * As block_body(). Returns false for damage, or if memory runs out, which is noted in the budget.
 */
bool reader_body(struct trawl_reader *r, const uint8_t *p, const struct block *b,
		 struct view *body);
/*
 * Reads a block of this kind at this offset of the file: its body, valid until the next read, and
 * the length of the block. Returns false if there is no undamaged one.
 */
bool reader_own_body(struct trawl_reader *r, uint64_t at, enum block_kind kind, struct view *body,
		     uint32_t *len);

/* Reads the body of an index block likewise; it is valid until the next reader_index(). */
bool reader_index(struct trawl_reader *r, uint64_t at, struct view *body);

/* Reads a chunk's payload, valid until the next read. Returns NULL if it does not match ref. */
const uint8_t *reader_fetch(struct trawl_reader *r, const struct section *s,
			    const struct chunk_ref *ref, size_t *len);
/* Decodes a payload with the reader's decoder. Returns false for damage, and counts it. */
bool reader_decode(struct trawl_reader *r, const struct section *s, const struct chunk_ref *ref,
		   const uint8_t *payload, size_t len, const struct trawl_chunk **chunk);

/* Fills *err: the input cannot be read, for the reason in in.error. Returns -1. */
int reader_unread(const struct trawl_reader *r, struct trawl_error *err);

/* Fills *err: memory ran out, or the limit of the reader was exceeded. Returns -1. */
int reader_no_memory(const struct trawl_reader *r, struct trawl_error *err);

#endif
