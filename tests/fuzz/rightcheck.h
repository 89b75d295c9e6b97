/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_TESTS_FUZZ_RIGHTCHECK_H
#define TRAWL_TESTS_FUZZ_RIGHTCHECK_H

#include <xxhash.h>

#include "format/block.h"
#include "format/bytes.h"

/* Corrects the checks of the block at p, and a chunk's payload_len; body: bytes of its body. */
static inline void right_check(uint8_t *p, size_t body)
{
	if (p[24] == BLOCK_CHUNK && body >= CHUNK_HEAD) {
		put32(p + BLOCK_HEAD + 8, (uint32_t)(body - CHUNK_HEAD));
		put64(p + BLOCK_HEAD + 36,
		      XXH64(p + BLOCK_HEAD + CHUNK_HEAD, body - CHUNK_HEAD, 0));
		body = CHUNK_HEAD;
	}
	put64(p + 32, XXH64(p + BLOCK_HEAD, body, XXH64(p, 32, 0)));
}

#endif
