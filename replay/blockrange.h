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

/*
 * Returns the sectors that a READ or WRITE addresses; `is` false for other commands. cdb: 16 bytes.
 */
struct block_range block_range_of(const uint8_t *cdb);

#endif
