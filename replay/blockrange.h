/* SPDX-License-Identifier: MIT */
/* Which blocks a SCSI command reads or writes. */
#ifndef TRAWL_REPLAY_BLOCKRANGE_H
#define TRAWL_REPLAY_BLOCKRANGE_H

#include <stdbool.h>
#include <stdint.h>

struct block_range {
	bool is, write;
	uint64_t lba;
	uint32_t blocks;
};

/* The sectors that a READ or WRITE command addresses; `is` false for other commands. */
struct block_range block_range_of(const uint8_t *cdb);

/* Numbers of SCSI are big-endian. */
static inline uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

#endif
