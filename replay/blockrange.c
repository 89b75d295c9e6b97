/* SPDX-License-Identifier: MIT */
#include "replay/blockrange.h"

struct block_range block_range_of(const uint8_t *cdb)
{
	struct block_range r = {.is = true};

	switch (cdb[0]) {
	case 0x08: case 0x0a: /* READ(6), WRITE(6); a length of 0 is 256 blocks */
		r.write = cdb[0] == 0x0a;
		r.lba = be32(cdb) & 0x1fffff;
		r.blocks = cdb[4] ? cdb[4] : 256;
		break;
	case 0x28: case 0x2a: /* READ(10), WRITE(10) */
		r.write = cdb[0] == 0x2a;
		r.lba = be32(cdb + 2);
		r.blocks = (uint32_t)cdb[7] << 8 | cdb[8];
		break;
	case 0xa8: case 0xaa: /* READ(12), WRITE(12) */
		r.write = cdb[0] == 0xaa;
		r.lba = be32(cdb + 2);
		r.blocks = be32(cdb + 6);
		break;
	case 0x88: case 0x8a: /* READ(16), WRITE(16) */
		r.write = cdb[0] == 0x8a;
		r.lba = (uint64_t)be32(cdb + 2) << 32 | be32(cdb + 6);
		r.blocks = be32(cdb + 10);
		break;
	default:
		r.is = false;
	}
	return r;
}
