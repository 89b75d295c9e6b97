/* SPDX-License-Identifier: MIT */
/*
 * The adaptive level: chooses the compression of bulk payload so that the worker keeps up with the
 * incoming data.
 *
 * A rung is a way to store payload: rung 0 is the requested level, the next rungs are zstd's fast
 * levels, the last rung stores payload uncompressed. The cost of a rung is the time to encode a
 * byte of records plus the time to write the rest of it, both measured on earlier chunks. On a slow
 * disk a harder level may cost less.
 *
 *	rung 0 while the recorder does not wait for the worker;
 *	after LEVEL_PATIENCE bytes for which it waited: the adjacent rung with the lower cost;
 *	when the worker is idle again: the lowest rung that could have kept up.
 *
 * Not thread safe. Times are ns of any monotonic clock.
 */
#ifndef TRAWL_FORMAT_LEVEL_H
#define TRAWL_FORMAT_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LEVEL_RUNGS = 5,
	LEVEL_PATIENCE = 8 << 20, /* bytes; a shorter burst does not change the rung */
	LEVEL_LEAST = 64 << 10,   /* bytes of the smallest chunk whose costs are measured */
	LEVEL_STALE = 1 << 30,    /* bytes after which a rung's cost is measured again */
	LEVEL_STORED = INT32_MIN, /* instead of a level: uncompressed */
};

/* The cost of a byte of records on a rung. */
struct level_cost {
	double encode; /* ns */
	double left;   /* bytes in the file */
	uint64_t at;   /* adaptive_level.bytes at the time of measuring; 0: never measured */
};

struct adaptive_level {
	unsigned int rung;
	struct level_cost cost[LEVEL_RUNGS];
	double write;         /* ns for a byte of the file */
	uint64_t bytes;       /* of all bulk chunks so far */
	uint64_t late;        /* bytes of records since the worker is behind */
	uint64_t since, came; /* when the worker was last idle, and bytes that came after that */
};

/* zstd's level for bulk payload on a rung, or LEVEL_STORED. */
int level_of_rung(unsigned int rung, int wanted);

/*
 * Call when a batch of so many bytes of records is handed to the worker: level_busy() if the worker
 * still encodes the one before, else level_idle(), with the times `idle` since when it had nothing
 * to do, and now.
 */
void level_busy(struct adaptive_level *p, uint64_t bytes);
void level_idle(struct adaptive_level *p, uint64_t bytes, uint64_t idle, uint64_t now);

/*
 * Call when a chunk of bulk payload was encoded on a rung: `bytes` of records became len bytes of
 * the file; encoding and writing took so many ns.
 */
void level_chunk(struct adaptive_level *p, unsigned int rung, uint64_t bytes, uint64_t len,
		 uint64_t encode, uint64_t write);

#endif
