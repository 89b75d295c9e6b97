/* SPDX-License-Identifier: MIT */
#include "edit/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct sha256 {
	uint32_t h[8];
	uint64_t n;
	uint8_t block[64];
};

static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t ror(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* The working variables a to h are v[-i & 7] and what follows it, so that none is moved. */
static inline void add_word(uint32_t v[8], int i, uint32_t with)
{
	const uint32_t a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7];
	const uint32_t e = v[(4 - i) & 7], f = v[(5 - i) & 7], g = v[(6 - i) & 7];
	uint32_t *d = &v[(3 - i) & 7], *h = &v[(7 - i) & 7];

	*h += (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & f) ^ (~e & g)) + with;
	*d += *h;
	*h += (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

static void add_block(struct sha256 *s)
{
	uint32_t w[64], v[8];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16 |
		       (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, s->h, sizeof(v));
	for (int i = 0; i < 64; i += 8) {
		add_word(v, 0, k[i] + w[i]);
		add_word(v, 1, k[i + 1] + w[i + 1]);
		add_word(v, 2, k[i + 2] + w[i + 2]);
		add_word(v, 3, k[i + 3] + w[i + 3]);
		add_word(v, 4, k[i + 4] + w[i + 4]);
		add_word(v, 5, k[i + 5] + w[i + 5]);
		add_word(v, 6, k[i + 6] + w[i + 6]);
		add_word(v, 7, k[i + 7] + w[i + 7]);
	}
	for (int i = 0; i < 8; i++)
		s->h[i] += v[i];
}

static void sha256_start(struct sha256 *s)
{
	static const uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memcpy(s->h, h, sizeof(h));
	s->n = 0;
}

static void sha256_add(struct sha256 *s, const void *from, size_t n)
{
	const uint8_t *p = from;

	while (n) {
		size_t at = s->n % 64, part = n < 64 - at ? n : 64 - at;

		memcpy(s->block + at, p, part);
		s->n += part;
		p += part;
		n -= part;
		if (s->n % 64 == 0)
			add_block(s);
	}
}

static void sha256_end(struct sha256 *s, char text[65])
{
	uint64_t bits = s->n * 8;
	uint8_t b = 0x80;

	do {
		sha256_add(s, &b, 1);
		b = 0;
	} while (s->n % 64 != 56);
	for (int i = 56; i >= 0; i -= 8) {
		b = (uint8_t)(bits >> i);
		sha256_add(s, &b, 1);
	}
	for (int i = 0; i < 8; i++)
		snprintf(text + 8 * i, 9, "%08x", s->h[i]);
}

bool sha256_file(int fd, char text[65], const volatile sig_atomic_t *stop)
{
	uint8_t p[1 << 16];
	struct sha256 s;
	off_t at = 0;
	ssize_t n;

	sha256_start(&s);
	while ((n = pread(fd, p, sizeof(p), at)) > 0) {
		if (stop && *stop) {
			errno = EINTR;
			return false;
		}
		sha256_add(&s, p, (size_t)n);
		at += n;
	}
	sha256_end(&s, text);
	return !n;
}
