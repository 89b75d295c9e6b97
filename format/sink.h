/* SPDX-License-Identifier: MIT */
/*
 * Appends blocks to a descriptor: a block is written whole or not at all. Not thread safe.
 */
#ifndef TRAWL_FORMAT_SINK_H
#define TRAWL_FORMAT_SINK_H

#include "format/block.h"
#include "format/writeback.h"

struct file_sink {
	int fd;
	bool seekable;     /* a partly written block can be truncated */
	uint64_t base;     /* file offset of the section */
	uint64_t pos;      /* bytes of the section so far */
	uint64_t reserved; /* file offset up to which disk space is allocated */
	uint64_t most;     /* largest size of the file (ulimit -f) */
	size_t last;       /* set by the caller: bytes to keep free after the next block */
	uint32_t seq;      /* sequence number of the next block of this format */
	struct writeback *writeback; /* of a seekable file; NULL: none */
	int error;         /* errno of the first failure; nothing is written after it */
};

/* Initialises *sink for writing to fd, which the caller keeps. */
void sink_open(struct file_sink *sink, int fd);

/* Writes raw bytes (pcapng blocks). These functions return 0, or -1 with sink->error set. */
int sink_bytes(struct file_sink *sink, const void *p, size_t n);

/* Writes a start block. */
int sink_start(struct file_sink *sink, uint8_t version, const struct buf *body);
/* Writes another block of this format. */
int sink_block(struct file_sink *sink, enum block_kind kind, const struct buf *body);

/* Writes a chunk block; sets c->check, and *at to its offset in the section. */
int sink_chunk(struct file_sink *sink, struct chunk_head *c, const void *payload, uint64_t *at,
	      uint32_t *block_len);

/*
 * Allows writing again after a failure, into the space that was kept for the last blocks. Has no
 * effect if the partly written block could not be truncated.
 */
void sink_use_reserve(struct file_sink *sink);

/* Frees unused disk space and closes fd. Returns 0, or -1 with errno. */
int sink_close(struct file_sink *sink);

/* Fills *err with the message for an errno of a sink with this name; returns -1. */
int sink_fail(int error, const char *name, struct trawl_error *err);

#endif
