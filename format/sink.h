/* SPDX-License-Identifier: MIT */
/*
 * The file being written: whole blocks only, one after another, at the end of a descriptor.
 * The caller serialises; nothing here locks.
 */
#ifndef TRAWL_FORMAT_SINK_H
#define TRAWL_FORMAT_SINK_H

#include "format/block.h"
#include "format/writeback.h"

struct file_sink {
	int fd;
	bool seekable;     /* a partly written block can be cut off again */
	uint64_t base;     /* offset in the file where our section begins */
	uint64_t pos;      /* bytes of the section so far */
	uint64_t reserved; /* file offset up to which disk space is ours */
	uint64_t most;     /* file offset that the file may not grow beyond (ulimit -f) */
	size_t last;       /* the caller's: bytes to keep free after the next block */
	uint32_t seq;      /* of the next own block */
	struct writeback *writeback; /* of a seekable file; NULL: none */
	int error;         /* errno of the first failure; nothing is written after it */
};

void sink_open(struct file_sink *o, int fd);

/* Raw bytes (pcapng blocks). 0 or -1 with o->error set. */
int sink_bytes(struct file_sink *o, const void *p, size_t n);

/* A start block. */
int sink_start(struct file_sink *o, uint8_t version, const struct buf *body);
/* An own block. */
int sink_block(struct file_sink *o, enum block_kind kind, const struct buf *body);

/* A chunk block around payload; c->check is filled in, *at gets its offset in the section. */
int sink_chunk(struct file_sink *o, struct chunk_head *c, const void *payload, uint64_t *at,
	      uint32_t *block_len);

/*
 * Lets the last blocks be tried although a write failed: there is room that was kept for them, and
 * the file ends with a whole block. Does nothing where what was written cannot be taken back.
 */
void sink_last_words(struct file_sink *o);

/* Gives back unused reserve and closes. 0 or -1 with errno. */
int sink_close(struct file_sink *o);

/* Fills err with what an errno of a sink of this name means for the person; returns -1. */
int sink_fail(int error, const char *name, struct trawl_error *err);

#endif
