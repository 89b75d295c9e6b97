/* SPDX-License-Identifier: MIT */
/*
 * The file being written: whole blocks only, one after another, at the end of a descriptor.
 * The caller serialises; nothing here locks.
 */
#ifndef TRAWL_OUT_H
#define TRAWL_OUT_H

#include "block.h"

struct out {
	int fd;
	bool seekable;     /* a partly written block can be cut off again */
	uint64_t base;     /* offset in the file where our section begins */
	uint64_t pos;      /* bytes of the section so far */
	uint64_t reserved; /* file offset up to which disk space is ours */
	uint32_t seq;      /* of the next own block */
	int error;         /* errno of the first failure; nothing is written after it */
};

void out_open(struct out *o, int fd);

/* Raw bytes (pcapng blocks). 0 or -1 with o->error set. */
int out_bytes(struct out *o, const void *p, size_t n);

/* An own block. */
int out_block(struct out *o, enum block_kind kind, const struct buf *body);

/* A chunk block around payload; c->check is filled in, *at gets its offset in the section. */
int out_chunk(struct out *o, struct chunk_head *c, const void *payload, uint64_t *at,
	      uint32_t *block_len);

/*
 * Lets the last blocks be tried after a full disk: there is room that was reserved for them.
 * Does nothing after any other error.
 */
void out_last_words(struct out *o);

/* Gives back unused reserve and closes. 0 or -1 with errno. */
int out_close(struct out *o);

/* Fills err with what o->error means for the person; returns -1. */
int out_fail(const struct out *o, struct trawl_error *err);

#endif
