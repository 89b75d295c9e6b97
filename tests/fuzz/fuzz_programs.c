/* SPDX-License-Identifier: MIT */
/*
 * trawl-decode, trawl-export and trawl-edit as a whole. An input is a file and one byte after it,
 * which chooses the command line. Mutations know the container: they take a block apart, change the
 * uncompressed contents, and correct lengths, checks and numbers, so that they reach the decoders.
 */
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "format/block.h"
#include "format/bytes.h"
#include "tests/fuzz/programs.h"
#include "tests/fuzz/rightcheck.h"

enum { MOST = 1 << 20, BLOCKS = 4096, SECTIONS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 1)
		programs_run(data[size - 1], data, size - 1);
	return 0;
}

static uint32_t chance(uint64_t *s, uint32_t n)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return (uint32_t)(*s >> 11) % n;
}

/* ---- one block --------------------------------------------------------------------------- */

static uint64_t varint(struct view *v)
{
	uint64_t n = 0;

	for (int shift = 0; shift < 64; shift += 7) {
		uint8_t b = view_u8(v);

		n |= (uint64_t)(b & 127) << shift;
		if (!(b & 128))
			break;
	}
	return n;
}

static void put_varint(struct buf *b, uint64_t n)
{
	for (; n >= 128; n >>= 7)
		buf_u8(b, (uint8_t)(n | 128));
	buf_u8(b, (uint8_t)n);
}

/* Changes the contents of b, appending up to 64 bytes. */
static void mutate(struct buf *b)
{
	if (buf_reserve(b, 64))
		b->len = LLVMFuzzerMutate(b->data, b->len, b->len + 64);
}

/* Appends the pieces of a section, expanded, one after the other. */
static void get_section(struct view *in, struct buf *out)
{
	uint64_t raw, stored;

	while (!in->bad && (raw = varint(in))) {
		const uint8_t *p;
		size_t n;

		stored = varint(in);
		p = view_bytes(in, stored ? stored : raw);
		if (!p || raw > MOST || out->len + raw > MOST || !buf_reserve(out, raw)) {
			in->bad = true;
			return;
		}
		if (!stored) {
			buf_put(out, p, raw);
			continue;
		}
		n = ZSTD_decompress(out->data + out->len, raw, p, stored);
		in->bad = ZSTD_isError(n);
		out->len += in->bad ? 0 : n;
	}
}

/* Builds the payload of a chunk with one of its sections changed, uncompressed; false: invalid. */
static bool change_payload(struct view in, struct buf *out, uint64_t *s)
{
	struct buf section[SECTIONS] = { 0 };
	uint64_t format = varint(&in);
	bool ok;

	for (int i = 0; i < SECTIONS; i++)
		get_section(&in, &section[i]);
	ok = !in.bad;
	if (ok) {
		/* The section `structure`, which describes the others, is the most rewarding. */
		mutate(&section[chance(s, 2) ? 0 : chance(s, SECTIONS)]);
		put_varint(out, format);
	}
	for (int i = 0; i < SECTIONS; i++) {
		if (ok && section[i].len) {
			put_varint(out, section[i].len);
			buf_u8(out, 0);
			buf_put(out, section[i].data, section[i].len);
		}
		if (ok)
			buf_u8(out, 0);
		buf_free(&section[i]);
	}
	return ok;
}

/* Appends the block at p with its body expanded and changed; its checks are not corrected yet. */
static void change_own(const uint8_t *p, size_t len, struct buf *out, uint64_t *s)
{
	struct buf tmp = { 0 }, body = { 0 };
	struct block b;
	struct view v;

	if (block_head(p, len, &b) != BLOCK_OK || !block_body(p, &b, &tmp, &v))
		goto out;
	if (b.kind == BLOCK_CHUNK && chance(s, 6)) {
		buf_put(&body, v.p, CHUNK_HEAD);
		v.p += CHUNK_HEAD;
		if (!change_payload(v, &body, s))
			goto out;
	} else {
		buf_put(&body, v.p, view_left(&v));
		mutate(&body);
	}
	block_build_version(out, FORMAT_VERSION, b.kind, b.seq, body.data, body.len);
out:
	if (!out->len)
		buf_put(out, p, len);
	buf_free(&tmp);
	buf_free(&body);
}

/* ---- all of a file ----------------------------------------------------------------------- */

/* Corrects the numbers and checks of all blocks. */
static void repair(uint8_t *p, size_t n)
{
	uint64_t front = 0, interface = 0;
	uint32_t seq = 0, len;

	for (size_t at = 0; n - at >= 12; at += len) {
		uint8_t *b = p + at;
		bool plain;

		len = get32(b + 4);
		if (len < 12 || len % 4 || len > n - at)
			return;
		put32(b + len - 4, len);
		if (get32(b) == PCAPNG_SHB)
			seq = 0, front = 0;
		if (len >= BLOCK_OVERHEAD + (size_t)3 && block_is_own(b)) {
			size_t body = len - BLOCK_OVERHEAD - (b[27] & 3);

			plain = !(b[26] & BLOCK_ZSTD) && body >= 16;
			put32(b + 28, seq++);
			if (plain && b[24] == BLOCK_START)
				put64(b + BLOCK_HEAD + 8, front);
			if (plain && b[24] == BLOCK_SOURCE)
				put64(b + BLOCK_HEAD + 8, interface);
			right_check(b, body);
		}
		if (get32(b) == PCAPNG_IDB)
			interface = XXH64(b, len, 0);
		front = XXH64(b, len, front);
	}
}

static size_t find_blocks(const uint8_t *p, size_t n, size_t *at)
{
	size_t count = 0;

	for (size_t i = 0; n - i >= 12 && count < BLOCKS; i += get32(p + i + 4)) {
		uint32_t len = get32(p + i + 4);

		if (len < 12 || len % 4 || len > n - i)
			break;
		at[count++] = i;
	}
	return count;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint64_t s = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
	size_t at[BLOCKS], n, k, len, other, file = size - 1;
	struct buf out = { 0 };
	uint8_t mode;

	if (size < 64 || !(n = find_blocks(data, file, at)) || !chance(&s, 40))
		return LLVMFuzzerMutate(data, size, max);
	mode = chance(&s, 4) ? data[file] : (uint8_t)chance(&s, (uint32_t)programs_modes());
	k = chance(&s, (uint32_t)n);
	len = get32(data + at[k] + 4);
	other = at[chance(&s, (uint32_t)n)];
	switch (chance(&s, 12)) {
	case 0: /* the block is missing */
		break;
	case 1: /* another block precedes it */
		buf_put(&out, data + other, get32(data + other + 4));
		buf_put(&out, data + at[k], len);
		break;
	default:
		if (len >= BLOCK_OVERHEAD && block_is_own(data + at[k]))
			change_own(data + at[k], len, &out, &s);
		else
			buf_put(&out, data + at[k], len);
	}
	if (!out.failed && file - len + out.len + 1 <= max) {
		memmove(data + at[k] + out.len, data + at[k] + len, file - at[k] - len);
		if (out.len)
			memcpy(data + at[k], out.data, out.len);
		file = file - len + out.len;
	}
	buf_free(&out);
	if (!chance(&s, 12) && n > 4 && at[n - 2] < file)
		file = at[n - 2]; /* without its end block, the file is scanned */
	if (chance(&s, 20))
		repair(data, file);
	data[file] = mode;
	return file + 1;
}
