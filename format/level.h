/* SPDX-License-Identifier: MIT */
/*
 * The adaptive level: how hard bulk payload is compressed when it comes faster than the worker
 * compresses.
 *
 * A rung is one way of storing payload: rung 0 is the level that is wanted, the next ones are
 * zstd's fast levels, the last one stores payload as it is. What a byte of records costs on a rung
 * is the time to encode it and the time to write what is left of it, both as measured on the chunks
 * that went by: where the disk is what is slow, harder compression is the faster way.
 *
 * Nobody waits for the worker: rung 0. It is late for LEVEL_PATIENCE bytes of records: the rung
 * beside the present one that costs less. It has time again: back at once to the lowest rung that
 * could have kept up with what came.
 *
 * One thread at a time; times are ns of any steady clock.
 */
#ifndef TRAWL_FORMAT_LEVEL_H
#define TRAWL_FORMAT_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LEVEL_RUNGS = 5,
	LEVEL_PATIENCE = 8 << 20, /* bytes; a burst of these is not worth larger files */
	LEVEL_LEAST = 64 << 10,   /* bytes; a smaller chunk tells nothing about costs */
	LEVEL_STALE = 1 << 30,    /* bytes after which a rung's cost is measured again */
	LEVEL_STORED = INT32_MIN, /* instead of a level: as it is */
};

/* Of a byte of records. */
struct level_cost {
	double encode; /* ns */
	double left;   /* bytes in the file */
	uint64_t at;   /* of adaptive_level.bytes when it was measured; 0: never */
};

struct adaptive_level {
	unsigned int rung;
	struct level_cost cost[LEVEL_RUNGS];
	double write;         /* ns for a byte of the file */
	uint64_t bytes;       /* of all bulk chunks so far */
	uint64_t late;        /* bytes of records since the worker became late */
	uint64_t since, came; /* the worker had time at `since`; so many bytes came after that */
};

/* zstd's level for bulk payload on a rung, or LEVEL_STORED. */
int level_of_rung(unsigned int rung, int wanted);

/*
 * A batch of so many bytes of records was handed over at `now`: the worker was still busy with the
 * one before, or had nothing to do since `idle`.
 */
void level_busy(struct adaptive_level *p, uint64_t bytes);
void level_idle(struct adaptive_level *p, uint64_t bytes, uint64_t idle, uint64_t now);

/*
 * A chunk of bulk payload was encoded on a rung: bytes of records became len bytes of file, which
 * took so many ns to encode and to write.
 */
void level_chunk(struct adaptive_level *p, unsigned int rung, uint64_t bytes, uint64_t len,
		 uint64_t encode, uint64_t write);

#endif
