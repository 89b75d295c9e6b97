/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4): which file a redacted one was made of. */
#ifndef TRAWL_EDIT_SHA256_H
#define TRAWL_EDIT_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint64_t n;
	uint8_t block[64];
};

void sha256_start(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t n);
/* 64 hex digits and a NUL. */
void sha256_end(struct sha256 *s, char text[65]);

/* Of a whole file, read from its begin wherever its offset is; false: it can't be read, errno says
 * why. */
bool sha256_file(int fd, char text[65]);

#endif
