/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <xxhash.h>

#include "format/rule.h"
#include "format/small.h"
#include "format/walk.h"
#include "format/memory.h"

/*
 * The search after damage gives up when it has read this many times the file's size without result.
 */
enum { WASTE_FACTOR = 16, WASTE_LEAST = 256 << 20, SEARCH_STEP = 256 << 10 };

void damage_add(struct damage *d, uint64_t at, const char *why)
{
	enum { KNOWN = ARRAY_SIZE(d->known) };

	at = small_offset(at);
	for (uint64_t i = 0; i < d->blocks && i < KNOWN; i++)
		if (d->known[i] == at)
			return;
	if (d->blocks < KNOWN)
		d->known[d->blocks] = at;
	if (!d->blocks || at < d->first)
		d->first = at;
	if (!d->blocks || at < d->good)
		d->good = at;
	d->blocks++;
	if (*d->broken)
		return;
	d->broken_at = at;
	snprintf(d->broken, sizeof(d->broken), "%.150s", why);
}

void damage_add_chunk(struct damage *d, uint64_t at, const struct trawl_error *err,
		      struct budget *b)
{
	if (err->status == TRAWL_CANNOT)
		b->exhausted = true;
	else
		damage_add(d, at, err->text);
}

/* Notes damaged or missing blocks between the last block of this format and `at`. */
static void lost_before(struct walker *w, uint64_t at, const char *why)
{
	uint64_t after = small_offset(w->after_own);

	damage_add(w->damage, at, why);
	if (after < w->damage->good)
		w->damage->good = after;
}

void walk_init(struct walker *w, struct input *in, struct damage *d, uint64_t at, uint64_t end)
{
	*w = (struct walker){ .in = in, .damage = d, .at = at, .end = end };
}

/* ---- after damage ----------------------------------------------------------------------- */

static bool could_begin(const uint8_t *p, size_t n)
{
	struct block b;

	return block_head(p, n, &b) != BLOCK_BAD;
}

/* Returns where in p[0 .. n) a section or a block of this format may begin, or n. */
static size_t search_window(const uint8_t *p, size_t n)
{
	static const uint8_t section[4] = { 0x0a, 0x0d, 0x0d, 0x0a };
	const uint8_t *uuid = memmem(p, n, block_uuid, sizeof(block_uuid)), *shb = p, *end = p + n;

	while (uuid && (uuid - p < 8 || get32(uuid - 8) != BLOCK_TYPE ||
			!could_begin(uuid - 8, (size_t)(end - uuid) + 8)))
		uuid = memmem(uuid + 1, (size_t)(end - uuid - 1), block_uuid, sizeof(block_uuid));
	while ((shb = memmem(shb, (size_t)(end - shb), section, sizeof(section)))) {
		if (end - shb >= 12 && could_begin(shb, (size_t)(end - shb)))
			break;
		shb++;
	}
	if (uuid && (!shb || uuid - 8 < shb))
		return (size_t)(uuid - 8 - p);
	return shb ? (size_t)(shb - p) : n;
}

/* Finds the next offset from `at` on where a block may begin. Returns false if there is none. */
static bool search(struct walker *w, uint64_t at, uint64_t *found)
{
	const size_t overlap = BLOCK_HEAD + CHUNK_HEAD;
	const uint8_t *p;
	size_t got, i;

	for (;;) {
		p = input_at(w->in, at, SEARCH_STEP, &got);
		i = search_window(p, got);
		if (i < got) {
			*found = at + i;
			return *found < w->end;
		}
		if (got < SEARCH_STEP || at + got >= w->end)
			return false;
		at += got - overlap;
	}
}

static bool worth_more(struct walker *w, uint64_t n)
{
	uint64_t size = w->in->seekable ? w->in->size : w->at;

	w->wasted += n;
	return w->wasted / WASTE_FACTOR < size || w->wasted < WASTE_LEAST;
}

/*
 * Whether the bytes at w->at, after an end block, begin neither a section nor a block of this
 * format. A single byte counts as foreign: a section begins with a line feed, but one appended line
 * feed is more likely.
 */
static bool is_foreign(struct walker *w)
{
	uint8_t section[4], own[4];
	const uint8_t *p;
	size_t got;

	if (!w->ended || (w->in->seekable && w->end < w->in->size))
		return false;
	put32(section, PCAPNG_SHB);
	put32(own, BLOCK_TYPE);
	p = input_at(w->in, w->at, 4, &got);
	return got < 2 || (memcmp(p, section, got) && memcmp(p, own, got));
}

enum fault { DAMAGE, CUT, JUNK };

/* Ends the walk: nothing from w->at to the end of the input can be read. */
static void stop_here(struct walker *w, enum fault fault)
{
	struct damage *d = w->damage;

	if (fault == DAMAGE)
		lost_before(w, w->at, w->broken);
	d->cut |= fault == CUT;
	if (fault == CUT)
		d->cut_at = small_offset(w->at);
	d->junk |= fault == JUNK;
	if (fault == JUNK)
		d->junk_at = small_offset(w->at);
	w->at = w->inner ? w->inner : UINT64_MAX;
}

/*
 * Skips the block at w->at, which is damaged or reaches beyond the end of the input: continues at
 * the next offset where a block may begin. If there is none, ends the walk with `fault`.
 */
static bool skip(struct walker *w, uint64_t looked_at, enum fault fault)
{
	bool foreign = is_foreign(w);
	uint64_t next;

	if (!worth_more(w, looked_at)) {
		stop_here(w, fault);
		return false;
	}
	if (!search(w, w->at + 1, &next)) {
		stop_here(w, foreign ? JUNK : fault);
		return false;
	}
	lost_before(w, w->at, w->broken);
	w->at = next;
	w->seq = UINT32_MAX; /* a gap in the sequence numbers belongs to this damage */
	return true;
}

/* ---- block by block ---------------------------------------------------------------------- */

static void follow_foreign(struct walker *w, const struct walked *f)
{
	if (f->b.type != PCAPNG_SHB && !w->in_section)
		damage_add(w->damage, f->at,
			   RULE("Damage", "the section header before it is damaged or missing"));
	if (f->b.type == PCAPNG_SHB) {
		w->in_section = true;
		w->ended = false;
		w->section = w->at - f->b.len;
		w->seq = 0;
		w->front = 0;
	}
	if (w->seq == 0 && w->in_section)
		w->front = XXH64(f->p, f->b.len, w->front);
	if (f->b.type == PCAPNG_IDB)
		w->interface = XXH64(f->p, f->b.len, 0);
}

/* Whether the blocks before a start block match the hash in it. */
static bool front_ok(const struct walker *w, const struct walked *f)
{
	return f->b.len >= BLOCK_OVERHEAD + START_BODY && !(f->b.flags & BLOCK_ZSTD) &&
	       get64(f->p + BLOCK_HEAD + 8) == w->front;
}

static void follow_own(struct walker *w, struct walked *f)
{
	if (w->seq != UINT32_MAX && f->b.seq != w->seq)
		lost_before(w, f->at, RULE("Damage", "its sequence number is not one more than that "
						     "of the block before: blocks are missing"));
	else if (f->b.kind == BLOCK_START && w->in_section && w->seq == 0 && !front_ok(w, f))
		damage_add(w->damage, w->section, RULE("Start (1)", "its front check fails"));
	w->seq = f->b.seq + 1;
	w->after_own = w->at;
	w->ended = f->b.kind == BLOCK_END;
	f->interface = w->interface;
	w->interface = 0;
}

#define RULE_BEYOND \
	RULE("Damage", "it reaches beyond the end of the file, but a block follows")

/*
 * Whether the block at w->at is complete and valid; if not, w->broken says why. *got: bytes
 * available; *want: bytes needed.
 */
static bool take_whole(struct walker *w, struct walked *f, size_t *got, size_t *want)
{
	const uint8_t *end;

	*want = f->b.len;
	if (f->b.kind != BLOCK_CHUNK || w->payloads) {
		f->p = input_at(w->in, w->at, f->b.len, got);
		w->broken = RULE_BEYOND;
		if (*got == *want && !block_whole(f->p, &f->b))
			w->broken = f->b.broken;
		return *got == *want && !f->b.broken;
	}
	*want = 4;
	end = input_at(w->in, w->at + f->b.len - 4, 4, got);
	w->broken = *got < 4 ? RULE_BEYOND : RULE_LENGTHS;
	if (*got < 4 || get32(end) != f->b.len)
		return false;
	f->p = input_at(w->in, w->at, BLOCK_HEAD + CHUNK_HEAD, got);
	*want = BLOCK_HEAD + CHUNK_HEAD;
	return *got == *want;
}

/* Continues with the expanded blocks of a small section. */
static bool enter(struct walker *w, const struct walked *f)
{
	uint64_t len, address;

	/* after damage, or after another section, its section header may be missing */
	if (w->inner || (w->in_section && w->seq && w->seq != UINT32_MAX && !w->ended))
		return false;
	address = small_expand(w->in, w->at, f->p, &f->b, w->front, &len);
	if (!address)
		return false;
	w->back = w->at + f->b.len;
	w->at = address;
	w->inner = address + len;
	return true;
}

/* Whether there are more blocks. Leaves a small section at its end. */
static bool has_more(struct walker *w)
{
	if (w->inner && w->at >= w->inner) {
		w->at = w->back;
		w->inner = w->back = 0;
	}
	return w->inner || w->at < w->end;
}

/*
 * Whether what is no block of this format was one before its first bytes were damaged: its type or
 * UUID is left. Where no block can be, bytes may have been put into it or taken out of it, and the
 * half of the UUID is enough. The fields of an exported pcapng are in a block of this type, too.
 */
static bool was_own(const struct walked *f, size_t got, enum block_state state)
{
	static const char fields[] = "trawl-fields:";
	size_t least = 8 + sizeof(block_uuid);

	if (state == BLOCK_SHORT || f->b.kind != BLOCK_FOREIGN || got < least)
		return false;
	if (f->b.type == BLOCK_TYPE)
		return memcmp(f->p + 8, fields, sizeof(fields) - 1);
	return !memcmp(f->p + 8, block_uuid, sizeof(block_uuid)) ||
	       (state == BLOCK_BAD && memmem(f->p, got, block_uuid + 8, sizeof(block_uuid) - 8));
}

enum walk walk_next(struct walker *w, struct walked *f)
{
	enum block_state state;
	size_t got, want;

	while (has_more(w)) {
		f->p = input_at(w->in, w->at, BLOCK_HEAD + CHUNK_HEAD, &got);
		if (w->in->error)
			return WALK_ERROR;
		if (!got)
			return WALK_END;
		state = block_head(f->p, got, &f->b);
		w->damage->ours |= was_own(f, got, state);
		if (state == BLOCK_SHORT) {
			stop_here(w, is_foreign(w) ? JUNK : CUT);
			return WALK_END;
		}
		if (state == BLOCK_BAD) {
			w->damage->ours |= f->b.kind != BLOCK_FOREIGN;
			w->broken = f->b.broken;
			if (!skip(w, BLOCK_HEAD, DAMAGE))
				return WALK_END;
			continue;
		}
		if (!take_whole(w, f, &got, &want)) {
			if (w->in->error)
				return WALK_ERROR;
			w->damage->ours |= got == want && f->b.kind != BLOCK_FOREIGN;
			if (got < want ? !skip(w, 1 << 10, CUT) : !skip(w, f->b.len, DAMAGE))
				return WALK_END;
			continue;
		}
		if (state == BLOCK_NEWER)
			return WALK_NEWER;
		if (block_is_small(&f->b)) {
			w->broken = RULE("Small sections", "it does not expand to a section, or is "
							   "inside another");
			if (!enter(w, f) && !skip(w, f->b.len, DAMAGE))
				return WALK_END;
			continue;
		}
		f->at = w->at;
		w->at += f->b.len;
		if (f->b.kind == BLOCK_FOREIGN)
			follow_foreign(w, f);
		else
			follow_own(w, f);
		return WALK_BLOCK;
	}
	return WALK_END;
}

bool walk_finds_own(struct input *in, uint64_t at)
{
	struct damage ignored = { 0 };
	struct walked f;
	struct walker w;
	enum walk step;

	walk_init(&w, in, &ignored, at, UINT64_MAX);
	while ((step = walk_next(&w, &f)) == WALK_BLOCK)
		if (f.b.kind != BLOCK_FOREIGN)
			return true;
	return step == WALK_NEWER;
}
