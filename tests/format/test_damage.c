/* SPDX-License-Identifier: MIT */
/*
 * Truncated, damaged and forged files. Nothing may crash; all undamaged events are read as they
 * were written, and the verdict reports the damage.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

#include "format/block.h"
#include "format/chunk.h"
#include "format/memory.h"
#include "format/reader.h"
#include "format/varint.h"
#include "tests/format/sample.h"

struct result {
	bool opened, complete;
	enum trawl_status status;
	uint64_t events, damaged, hash, cut_at, damaged_at, junk;
	uint64_t back; /* events that were earlier than their predecessor */
	char text[512];
};

static void keep_verdict(const struct trawl_reader *r, struct result *res)
{
	struct trawl_verdict v;

	trawl_verdict(r, &v);
	res->complete = v.complete;
	res->damaged = v.damaged;
	res->cut_at = v.cut_at;
	res->damaged_at = v.damaged_at;
	res->junk = v.junk;
	memcpy(res->text, v.text, sizeof(v.text));
}

static struct result read_all(const uint8_t *p, size_t n, bool pipe)
{
	struct result res = { 0 };
	struct trawl_error err = { 0 };
	struct trawl_reader *r = reader_memory(p, n, pipe, &err);
	struct trawl_event ev;
	uint64_t last = 0;

	if (!r) {
		res.status = err.status;
		cr_assert(*err.text);
		return res;
	}
	res.opened = true;
	while (trawl_next(r, &ev, &err) == 1) {
		res.back += ev.time < last;
		last = ev.time;
		res.events++;
		res.hash = res.hash * 31 + ev.ts + ev.cpu;
		for (uint32_t i = 0; i < ev.len; i++)
			res.hash = res.hash * 31 + ((const uint8_t *)ev.record)[i];
	}
	keep_verdict(r, &res);
	trawl_close(r);
	return res;
}

static bool sound(const struct result *r)
{
	return r->opened && r->complete && !r->damaged && !r->junk;
}

/* Counts the events in undamaged chunks of p[0 .. n) from the blocks alone, without the reader. */
static uint64_t whole_events(const uint8_t *p, size_t n)
{
	uint64_t events = 0;
	struct chunk_head c;
	struct block b;

	for (size_t at = 0; block_head(p + at, n - at, &b) == BLOCK_OK && b.len <= n - at;
	     at += b.len)
		if (b.kind == BLOCK_CHUNK) {
			chunk_head_get(p + at, &c);
			events += c.count;
		}
	return events;
}

static void every_cut(const char *name, bool pipe)
{
	size_t len;
	uint8_t *p = sample_bytes(name, &len), *cut;
	struct block first;

	cr_assert_eq(block_head(p, len, &first), BLOCK_OK);
	for (size_t n = 0; n < len; n++) {
		struct result r;

		cut = malloc(n ? n : 1); /* its own allocation, so that an overrun is detected */
		memcpy(cut, p, n);
		r = read_all(cut, n, pipe);
		cr_assert_not(sound(&r), "%s cut at %zu looks complete", name, n);
		cr_assert_eq(r.opened, n >= first.len, "%s cut at %zu: opened: %d", name, n,
			     r.opened);
		if (r.opened)
			cr_assert_eq(r.events, whole_events(p, n), "%s cut at %zu: %lu events",
				     name, n, r.events);
		else
			cr_assert_eq(r.status, n ? TRAWL_BAD_DATA : TRAWL_CANNOT,
				     "%s cut at %zu: status %d", name, n, r.status);
		cr_assert(!r.opened || *r.text);
		cr_assert_eq(r.back, 0);
		free(cut);
	}
	free(p);
}

Test(damage, every_cut_of_a_file)
{
	every_cut("events", false);
}

Test(damage, every_cut_of_a_pipe)
{
	every_cut("events", true);
}

static void every_flip(const char *name, bool pipe, uint8_t mask)
{
	size_t len;
	uint8_t *p = sample_bytes(name, &len);
	struct result good = read_all(p, len, pipe);

	cr_assert(sound(&good), "%s", good.text);
	for (size_t i = 0; i < len; i++) {
		struct result r;

		p[i] ^= mask;
		r = read_all(p, len, pipe);
		cr_assert_not(sound(&r), "%s: byte %zu of %zu changed and nobody saw it", name, i,
			      len);
		p[i] ^= mask;
	}
	free(p);
}

Test(damage, every_flipped_byte_of_a_file)
{
	every_flip("events", false, 0x01);
	every_flip("events", false, 0x80);
	every_flip("empty", false, 0xff);
}

Test(damage, every_flipped_byte_of_a_pipe)
{
	every_flip("events", true, 0x01);
	every_flip("events", true, 0x80);
	every_flip("empty", true, 0xff);
}

Test(damage, every_flipped_byte_of_two_sections)
{
	every_flip("two", false, 0x10);
	every_flip("two", true, 0x10);
}

/* One damaged chunk loses only its own events. */
Test(damage, a_damaged_chunk_costs_only_itself)
{
	size_t len;
	uint8_t *p = sample_bytes("events", &len);
	struct result good = read_all(p, len, false);
	struct chunk_head c;
	struct block b;

	for (size_t at = 0; at < len; at += b.len) {
		cr_assert_eq(block_head(p + at, len - at, &b), BLOCK_OK);
		if (b.kind != BLOCK_CHUNK)
			continue;
		chunk_head_get(p + at, &c);
		for (int pipe = 0; pipe < 2; pipe++) {
			struct result r;

			p[at + BLOCK_HEAD + CHUNK_HEAD + 9] ^= 4;
			r = read_all(p, len, pipe);
			p[at + BLOCK_HEAD + CHUNK_HEAD + 9] ^= 4;
			cr_assert_eq(r.events, good.events - c.count);
			cr_assert_eq(r.damaged, 1, "%s", r.text);
			cr_assert_eq(r.damaged_at, at);
			cr_assert(r.complete);
		}
	}
	free(p);
}

/* Finds the offsets of all lengths and counts in a file, block by block. */
Test(damage, largest_number_in_every_word)
{
	size_t len;
	uint8_t *p = sample_bytes("events", &len), old[4];

	for (size_t i = 0; i + 4 <= len; i++)
		for (int pipe = 0; pipe < 2; pipe++) {
			struct result r;

			memcpy(old, p + i, 4);
			memset(p + i, 0xff, 4);
			r = read_all(p, len, pipe);
			cr_assert(!sound(&r) || !memcmp(old, p + i, 4), "at %zu", i);
			memcpy(p + i, old, 4);
		}
	free(p);
}

Test(damage, a_hole_in_the_middle)
{
	size_t len;
	uint8_t *p = sample_bytes("events", &len);
	struct result good = read_all(p, len, false), r;

	/* 200 bytes are missing, not just changed. */
	memmove(p + len / 2, p + len / 2 + 200, len - len / 2 - 200);
	r = read_all(p, len - 200, false);
	cr_assert(r.opened);
	cr_assert_gt(r.damaged, 0);
	cr_assert_gt(r.events, 0);
	cr_assert_lt(r.events, good.events);
	free(p);
}

/* A truncated file in front of a whole one: both are read, and the truncation is reported. */
Test(damage, cat_of_a_cut_and_a_whole_file)
{
	size_t a, b;
	uint8_t *p = sample_bytes("events", &a), *q = sample_bytes("two", &b), *both;
	struct result whole = read_all(q, b, false);

	for (size_t n = a / 2; n < a / 2 + 300; n++)
		for (int pipe = 0; pipe < 2; pipe++) {
			struct result r;

			both = malloc(n + b);
			memcpy(both, p, n);
			memcpy(both + n, q, b);
			r = read_all(both, n + b, pipe);
			cr_assert_not(sound(&r));
			cr_assert_eq(r.events, whole_events(p, n) + whole.events, "cut at %zu", n);
			free(both);
		}
	free(p);
	free(q);
}

/* ---- after the end ----------------------------------------------------------------------- */

Test(damage, what_is_behind_the_end_is_told_and_nothing_is_missing)
{
	static const char *const junks[] = {"\n", "</html>\n",
					    ("\1\2\3\4 what is long enough for the "
					     "head of a block, of which it has no length")};
	size_t len, n;
	uint8_t *p = sample_bytes("events", &len), *q = malloc(len + 70000);
	struct result whole = read_all(p, len, false);
	char says[100];

	memcpy(q, p, len);
	for (int i = 0; i < 4; i++)
		for (int pipe = 0; pipe < 2; pipe++) {
			struct result r;

			n = i < 3 ? strlen(junks[i]) : 70000;
			memset(q + len, 0, 70000);
			if (i < 3)
				memcpy(q + len, junks[i], n);
			r = read_all(q, len + n, pipe);
			cr_expect_eq(r.events, whole.events, "%d: %lu events", i, r.events);
			cr_expect_eq(r.hash, whole.hash);
			cr_expect(r.complete && !r.cut_at && !r.damaged, "%d: %s", i, r.text);
			cr_expect_eq(r.junk, n, "%d: %lu bytes", i, r.junk);
			snprintf(says, sizeof(says), "the last %zu byte%s, from byte %zu on", n,
				 n == 1 ? "" : "s", len);
			cr_expect(strstr(r.text, says), "%d: %s", i, r.text);
		}
	free(q);
	free(p);
}

/* Bytes that begin like another section count as a truncated one. */
Test(damage, the_beginning_of_another_section_is_no_junk)
{
	size_t len;
	uint8_t *p = sample_bytes("events", &len), *q = malloc(2 * len);

	memcpy(q, p, len);
	memcpy(q + len, p, len);
	for (size_t n = len + 2; n < len + 200; n++)
		for (int pipe = 0; pipe < 2; pipe++) {
			struct result r = read_all(q, n, pipe);

			cr_expect_eq(r.junk, 0, "%zu: %s", n - len, r.text);
			cr_expect_not(sound(&r), "%zu: %s", n - len, r.text);
		}
	free(q);
	free(p);
}

/* ---- bytes too many or too few ------------------------------------------------------------- */

struct counts {
	size_t sources, types, metas, losses, syncs, events;
	uint64_t lost; /* events of damaged chunks */
	bool opened, sound;
};

static struct counts count_all(const uint8_t *p, size_t n)
{
	struct trawl_error err = { 0 };
	struct trawl_reader *r = reader_memory(p, n, false, &err);
	struct counts c = { 0 };
	struct trawl_verdict v;
	struct trawl_event ev;

	if (!r)
		return c;
	while (trawl_next(r, &ev, &err) == 1)
		c.events++;
	trawl_verdict(r, &v);
	c.opened = true;
	c.sound = v.complete && !v.damaged && !v.junk;
	c.sources = trawl_source_count(r);
	c.types = trawl_event_type_count(r);
	c.metas = trawl_meta_count(r);
	for (size_t i = 0; i < trawl_loss_count(r); i++) {
		const struct trawl_loss *l = trawl_loss_at(r, i);

		if (l->reason == TRAWL_LOSS_DAMAGED)
			c.lost += l->count;
		else
			c.losses++;
	}
	c.syncs = v.syncs;
	for (size_t i = 1; i < trawl_sync_count(r); i++)
		cr_assert_neq(trawl_sync_at(r, i)->mono, trawl_sync_at(r, i - 1)->mono);
	trawl_close(r);
	return c;
}

static void none_doubled(const char *what, size_t at, const struct counts *good,
			 const struct counts *c)
{
	cr_assert_not(c->sound, "%s at %zu: nobody saw it", what, at);
	cr_assert(c->sources <= good->sources && c->types <= good->types &&
		  c->metas <= good->metas && c->losses <= good->losses &&
		  c->syncs <= good->syncs && c->events + c->lost <= good->events,
		  "%s at %zu: %zu sources, %zu types, %zu metadata, %zu losses, %zu syncs, "
		  "%zu events, %" PRIu64 " lost", what, at, c->sources, c->types, c->metas,
		  c->losses, c->syncs, c->events, c->lost);
}

/*
 * Inserts or removes bytes at every step-th offset; copies must not be added to undamaged blocks.
 */
static void every_shift(const char *name, size_t step)
{
	size_t len;
	uint8_t *p = sample_bytes(name, &len), *q = malloc(len + 12);
	struct counts good = count_all(p, len), c;

	cr_assert(good.sound);
	for (size_t at = 0; at < len; at += step) {
		size_t n = at % 12 + 1;

		memcpy(q, p, at);
		memset(q + at, 0x55, n);
		memcpy(q + at + n, p + at, len - at);
		c = count_all(q, len + n);
		none_doubled("put in", at, &good, &c);
		if (at + n > len)
			continue;
		memcpy(q + at, p + at + n, len - at - n);
		c = count_all(q, len - n);
		none_doubled("taken out", at, &good, &c);
	}
	free(q);
	free(p);
}

/* Both steps come to every number of bytes: they have no divisor in common with 12. */
#ifdef __SANITIZE_ADDRESS__ /* six times slower */
enum { SHIFT_STEP = 17 };
#else
enum { SHIFT_STEP = 5 };
#endif

Test(damage, bytes_put_in_or_taken_out_double_nothing)
{
	every_shift("meta", SHIFT_STEP);
	every_shift("clocks", 11);
	every_shift("events", 11);
}

/*
 * A small block is missing completely: the index has copies of it and of its neighbours. Of long
 * metadata an index block has only some parts, so that it may be lost.
 */
Test(damage, a_missing_block_comes_from_the_index)
{
	static const char *const names[] = { "meta", "clocks", "events" };

	for (int i = 0; i < 3; i++) {
		size_t len;
		uint8_t *p = sample_bytes(names[i], &len), *q = malloc(len);
		struct counts good = count_all(p, len), c;
		struct block b;

		for (size_t at = 0; at < len; at += b.len) {
			block_head(p + at, len - at, &b);
			if (b.kind != BLOCK_SYNC && b.kind != BLOCK_LOSS &&
			    b.kind != BLOCK_SOURCE && b.kind != BLOCK_EVENT_TYPE &&
			    b.kind != BLOCK_META)
				continue;
			memcpy(q, p, at);
			memcpy(q + at, p + at + b.len, len - at - b.len);
			c = count_all(q, len - b.len);
			cr_assert(c.sources == good.sources && c.types == good.types &&
					  c.metas + (b.kind == BLOCK_META) >= good.metas &&
					  c.losses == good.losses && c.syncs == good.syncs &&
					  c.events == good.events,
				  "%s: block at %zu, kind %d: %zu sources, %zu types, "
				  "%zu metadata, %zu losses, %zu syncs, %zu events",
				  names[i], at, b.kind, c.sources, c.types, c.metas, c.losses,
				  c.syncs, c.events);
			none_doubled("block", at, &good, &c);
		}
		free(q);
		free(p);
	}
}

/* The reported offset of a truncation lies within the file. */
Test(damage, a_cut_is_in_the_file)
{
	size_t len;
	uint8_t *p = sample_bytes("events", &len);

	for (size_t n = 1; n < len; n++)
		for (int pipe = 0; pipe < 2; pipe++) {
			struct result r = read_all(p, n, pipe);

			cr_assert_leq(r.cut_at, n, "cut at %zu, pipe %d: %s", n, pipe, r.text);
		}
	free(p);
}

/* ---- several in one ----------------------------------------------------------------------- */

Test(damage, events_and_metadata_tell_their_section)
{
	size_t len;
	uint8_t *p = sample_bytes("two", &len);

	for (int pipe = 0; pipe < 2; pipe++) {
		struct trawl_error err;
		struct trawl_reader *r = reader_memory(p, len, pipe, &err);
		uint64_t of[2] = { 0 }, metas[2] = { 0 };
		struct trawl_event ev;
		uint32_t last = 0;

		while (trawl_next(r, &ev, &err) == 1) {
			cr_assert(ev.section < 2 && ev.section >= last);
			of[last = ev.section]++;
		}
		cr_expect(of[0] == 70 && of[1] == 90, "%lu, %lu", of[0], of[1]);
		for (size_t i = 0; i < trawl_meta_count(r); i++)
			metas[trawl_meta_at(r, i)->section & 1]++;
		cr_expect(metas[0] && metas[0] == metas[1], "%lu, %lu", metas[0], metas[1]);
		trawl_close(r);
	}
	free(p);
}

/* After damage both blocks and their copies in the index are read: each sync block counts once. */
Test(damage, clock_syncs_tell_their_section)
{
	struct trawl_error err;
	struct block b;
	size_t len, at;
	uint8_t *p = sample_bytes("events", &len), *both = malloc(2 * len);
	struct trawl_reader *one = reader_memory(p, len, false, &err), *r;
	size_t n = trawl_sync_count(one);

	memcpy(both, p, len);
	memcpy(both + len, p, len);
	for (at = 0; block_head(both + at, len - at, &b) == BLOCK_OK && b.kind != BLOCK_SYNC;)
		at += b.len;
	both[at + 32] ^= 1;
	r = reader_memory(both, 2 * len - 1, false, &err);
	cr_assert_gt(n, 1);
	cr_assert_eq(trawl_sync_count(r), 2 * n);
	for (size_t i = 0; i < 2 * n; i++) {
		cr_expect_eq(trawl_sync_at(r, i)->section, i / n, "%zu", i);
		cr_expect_eq(trawl_sync_at(r, i)->mono, trawl_sync_at(one, i % n)->mono);
	}
	trawl_close(r);
	trawl_close(one);
	free(both);
	free(p);
}

/* ---- foreign files --------------------------------------------------------------------------- */

static void refused(const void *p, size_t n, enum trawl_status status, const char *says)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct trawl_error err = { 0 };
		struct trawl_reader *r = reader_memory(p, n, pipe, &err);

		cr_assert_null(r);
		cr_assert_eq(err.status, status, "%s", err.text);
		cr_assert(strstr(err.text, says), "\"%s\" does not say \"%s\"", err.text, says);
		cr_assert_null(strchr(err.text, '\n'));
	}
}

Test(damage, foreign_files_are_refused_by_name)
{
	static const uint8_t zeros[70000];
	static const uint8_t pcap[24] = { 0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0 };

	refused("", 0, TRAWL_CANNOT, "is empty");
	refused(zeros, sizeof(zeros), TRAWL_CANNOT, "not a trawl file");
	refused("\177ELF\2\1\1", 7, TRAWL_CANNOT, "ELF");
	refused(pcap, sizeof(pcap), TRAWL_CANNOT, "pcap");
	refused("\xa1\xb2\xc3\xd4\0\2\0\4", 8, TRAWL_CANNOT, "a pcap file");
	refused("\xa1\xb2\x3c\x4d\0\2\0\4", 8, TRAWL_CANNOT, "a pcap file");
	refused("\x0a\x0d\x0d\x0a\0\0\0\x1c\x1a\x2b\x3c\x4d", 12, TRAWL_CANNOT, "big-endian");
	refused("PERFILE2", 8, TRAWL_CANNOT, "perf.data");
	refused("x", 1, TRAWL_CANNOT, "not a trawl file");
}

static const uint8_t pcapng[] = {
	0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 28, 0, 0, 0,
	1, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, 20, 0, 0, 0,
	6, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	32, 0, 0, 0,
};

Test(damage, a_pcapng_of_others_is_refused)
{
	refused(pcapng, sizeof(pcapng), TRAWL_CANNOT, "trawl did not write");
	refused(pcapng, 48, TRAWL_CANNOT, "trawl did not write");
}

/* All blocks are present, but none has a correct check. */
Test(damage, a_file_without_a_whole_block_is_called_damaged)
{
	size_t len;
	uint8_t *p = sample_bytes("events", &len);
	struct block b;

	for (size_t at = 0; block_head(p + at, len - at, &b) == BLOCK_OK; at += b.len)
		if (b.kind != BLOCK_FOREIGN)
			p[at + 32] ^= 1;
	refused(p, len, TRAWL_BAD_DATA, "none of its blocks is whole");
	free(p);
}

static void damaged_or_cut(const uint8_t *p, size_t n)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct trawl_error err = { 0 };
		struct trawl_reader *r = reader_memory(p, n, pipe, &err);
		struct trawl_verdict v = { 0 };

		if (r)
			trawl_verdict(r, &v);
		cr_assert(r ? v.cut_at : err.status == TRAWL_BAD_DATA, "%s", err.text);
		trawl_close(r);
	}
}

/* A byte of its type, length or UUID is another one, or some are missing or put in. */
Test(damage, a_file_whose_only_block_has_a_damaged_head_is_ours)
{
	enum { HEAD = 24, FEW = 7 };
	size_t len, start = 0;
	uint8_t *p = sample_bytes("small", &len), *q = malloc(len + FEW);
	struct block b;

	while (block_head(p + start, len - start, &b) == BLOCK_OK && b.kind == BLOCK_FOREIGN)
		start += b.len;
	cr_assert(q && b.kind == BLOCK_START && start + b.len == len);
	for (size_t at = start; at < start + HEAD; at++) {
		memcpy(q, p, len);
		q[at] ^= 0x41;
		damaged_or_cut(q, len);
		memcpy(q + at, p + at + FEW, len - at - FEW);
		damaged_or_cut(q, len - FEW);
		memset(q + at, 'x', FEW);
		memcpy(q + at + FEW, p + at, len - at);
		if (at > start)
			damaged_or_cut(q, len + FEW);
	}
	free(p);
	free(q);
}

Test(damage, a_newer_version_is_refused)
{
	size_t len, at = 0;
	uint8_t *p = sample_bytes("events", &len);
	struct buf b = { 0 };
	struct block head;

	while (block_head(p + at, len - at, &head) == BLOCK_OK && head.kind != BLOCK_START)
		at += head.len;
	block_build_version(&b, FORMAT_VERSION + 1, BLOCK_START, 0, p + at + BLOCK_HEAD,
			    START_BODY);
	memcpy(p + at, b.data, b.len);
	refused(p, len, TRAWL_CANNOT, "newer");
	refused(p, len - END_BLOCK, TRAWL_CANNOT, "newer");
	buf_free(&b);
	free(p);
}
