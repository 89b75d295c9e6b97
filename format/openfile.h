/* SPDX-License-Identifier: MIT */
/* An open file: its input, what is known of it, and how far it has been read. */
#ifndef TRAWL_FORMAT_OPENFILE_H
#define TRAWL_FORMAT_OPENFILE_H

#include "format/merge.h"

/*
 * How far a pipe has been read.
 *
 *	PIPE_OPEN ----------> PIPE_SECTION: the next section has begun; this one's events are given
 *	   |    <---------------- pipe_section(); chunk by chunk at once: no events wait
 *	   v
 *	PIPE_ENDED: the input ended or failed; what came is given, and nothing is read any more
 */
enum pipe_state { PIPE_OPEN, PIPE_SECTION, PIPE_ENDED };

/* A section whose events are being given, beside those of others of one timeline. */
struct lane {
	struct merge merge;
	size_t next_segment;     /* seekable: of the merge's section */
	struct trawl_event ev;   /* that comes next, if it is due */
	uint64_t earliest;       /* its time; if it is not due, no event is before this */
	bool bounded;            /* `earliest` is known */
	bool due, ended;
};

struct trawl_reader {
	char *name;              /* for messages */
	struct input in;
	struct catalog catalog;
	struct damage damage;
	struct walker walk;      /* of a pipe, or of a scan */
	struct lane lane;        /* of the present section */
	struct lane *lanes;      /* of sections of one timeline; NULL: there is only the present
				  * one */
	size_t nlanes;
	struct trawl_range range;
	size_t hidden;           /* so many of the metadata, the last ones, are not told of */
	struct section *section; /* that blocks are being added to */
	struct buf tmp;          /* an expanded body */
	struct buf index;        /* the body of the index block that was read last */
	uint64_t index_at;       /* which is that at this offset, if the body is not empty */
	bool ours;               /* an own block has been seen */
	bool index_used;
	uint64_t events, chunks; /* given, or known from the index */

	/* Reading on. */
	size_t next_section;     /* seekable: to be read when this one is finished */
	size_t next_segment;     /* seekable, chunk by chunk: of the next section */
	struct bundle *segment;     /* seekable, chunk by chunk: the segment that is being read */
	size_t next_ref;         /* of its chunks */
	size_t next_sync;        /* seekable, piece by piece: of its clock-syncs */
	uint64_t piece_at;       /* the piece before, + 1; 0: none in this section */
	bool finished;           /* nothing is left */
	bool unchecked;          /* blocks that the index tells of are not looked at in the end */
	enum pipe_state pipe;
	uint64_t limit;          /* pipe: events before this are all there */
	bool by_chunk;           /* trawl_next_chunk() is in use */
	struct chunk_decoder *decoder;
	struct chunk_ref chunk;  /* pipe, chunk by chunk: the chunk just walked, ... */
	const uint8_t *payload;  /* ... and its payload, which lives until the next block; NULL */
	size_t payload_len;

	struct bundle *near;     /* seekable: the segment whose clocks were asked for last */
	const struct section *near_section;
	size_t near_segment;
};

/* Whether events of all sources were asked for, or of this one. */
bool reader_wants_all(const struct trawl_reader *r);
/*
 * All of the file has been gone through: what no chunk refers to is looked at as well, once, unless
 * a part was asked for. -1 with *err: the file could not be read.
 */
int reader_finish(struct trawl_reader *r, struct trawl_error *err);
bool reader_wants(const struct trawl_reader *r, const struct trawl_source *s);

/* Where a walk came upon a chunk; false when its head makes no sense. */
bool chunk_ref_get(const struct walked *f, uint64_t section, struct chunk_ref *ref);

/*
 * The body of a block, as block_body(): an error is damage, or the memory that ran out, which the
 * budget then knows.
 */
bool reader_body(struct trawl_reader *r, const uint8_t *p, const struct block *b,
		 struct view *body);
/*
 * The body of a whole own block of this kind at this offset of the file, valid until the next read,
 * and the length of the block; or false.
 */
bool reader_own_body(struct trawl_reader *r, uint64_t at, enum block_kind kind, struct view *body,
		     uint32_t *len);

/* The body of a whole index block at this offset of the file, valid until the next; or false. */
bool reader_index(struct trawl_reader *r, uint64_t at, struct view *body);

/* The payload of a chunk in the file, when it is what the reference says; or NULL. Valid until the
 * next read. */
const uint8_t *reader_fetch(struct trawl_reader *r, const struct section *s,
			    const struct chunk_ref *ref, size_t *len);
/* The columns of a payload, with the reader's decoder; false: damaged, which is noted. */
bool reader_decode(struct trawl_reader *r, const struct section *s, const struct chunk_ref *ref,
		   const uint8_t *payload, size_t len, const struct trawl_chunk **chunk);

/* Memory has run out, or what the reader may use of it has; -1 and *err. */
int reader_no_memory(const struct trawl_reader *r, struct trawl_error *err);

#endif
