/* SPDX-License-Identifier: MIT */
#include "decode/usb/checksum.h"
#include "common/array.h"
#include "common/fnv.h"

#include <stdlib.h>

enum {
	TRIED = 64,        /* samples that each candidate is tested with first */
	STARTS = 5,        /* bytes that may be omitted at the front */
	PLACES = 256,      /* offsets from the start that are tried */
	PLUS = 9,          /* offsets from the value of a length byte that are tried */
	BITS_WANTED = 48,  /* of evidence; see checksum.h */
};

enum how { SUM, NEGATIVE, XOR, CRC, WORDS, FOLDED, INTERNET, MODULO_255 };

struct checksum_kind {
	const char *name;
	enum how how;
	uint8_t width; /* bytes */
	uint32_t poly;
	bool reflected;
};

static const struct checksum_kind kinds[] = {
	{"xor", XOR, 1, 0, false},
	{"sum", SUM, 1, 0, false},
	{"complement of the sum", NEGATIVE, 1, 0, false},
	{"sum modulo 255", MODULO_255, 1, 0, false},
	{"CRC-8, polynomial 0x07", CRC, 1, 0x07, false},
	{"CRC-8, polynomial 0x07 reflected", CRC, 1, 0x07, true},
	{"CRC-8, polynomial 0x31", CRC, 1, 0x31, false},
	{"CRC-8, polynomial 0x31 reflected", CRC, 1, 0x31, true},
	{"CRC-8, polynomial 0x1d", CRC, 1, 0x1d, false},
	{"CRC-8, polynomial 0x1d reflected", CRC, 1, 0x1d, true},
	{"CRC-8, polynomial 0x9b", CRC, 1, 0x9b, false},
	{"CRC-8, polynomial 0x9b reflected", CRC, 1, 0x9b, true},
	{"CRC-8, polynomial 0x2f", CRC, 1, 0x2f, false},
	{"CRC-8, polynomial 0xd5", CRC, 1, 0xd5, false},
	{"CRC-8, polynomial 0x39 reflected", CRC, 1, 0x39, true},
	{"CRC-16, polynomial 0x1021", CRC, 2, 0x1021, false},
	{"CRC-16, polynomial 0x1021 reflected", CRC, 2, 0x1021, true},
	{"CRC-16, polynomial 0x8005", CRC, 2, 0x8005, false},
	{"CRC-16, polynomial 0x8005 reflected", CRC, 2, 0x8005, true},
	{"CRC-16, polynomial 0x3d65", CRC, 2, 0x3d65, false},
	{"CRC-16, polynomial 0x3d65 reflected", CRC, 2, 0x3d65, true},
	{"CRC-16, polynomial 0x8bb7", CRC, 2, 0x8bb7, false},
	{"CRC-16, polynomial 0xc867", CRC, 2, 0xc867, false},
	{"sum in 16 bits", SUM, 2, 0, false},
	{"complement of the sum in 16 bits", NEGATIVE, 2, 0, false},
	{"CRC-32, polynomial 0x04c11db7 reflected", CRC, 4, 0x04c11db7, true},
	{"CRC-32, polynomial 0x04c11db7", CRC, 4, 0x04c11db7, false},
	{"CRC-32, polynomial 0x1edc6f41 reflected", CRC, 4, 0x1edc6f41, true},
	{"sum in 32 bits", SUM, 4, 0, false},
	{"sum of 16-bit words", WORDS, 2, 0, false},
	{"ones' complement sum of 16-bit words", FOLDED, 2, 0, false},
	{"complement of the ones' complement sum of 16-bit words (RFC 1071)", INTERNET, 2, 0,
	 false},
};

#define KINDS ARRAY_SIZE(kinds)

/* CRCs with known initial value and final XOR; the names are those of the CRC catalogue. */
static const struct settled {
	const char *name;
	uint8_t width;
	uint32_t poly;
	bool reflected;
	uint32_t initial, final; /* initial: the register's contents before the first byte */
} settled[] = {
	{"CRC-8/SMBUS", 1, 0x07, false, 0, 0},
	{"CRC-8/I-432-1", 1, 0x07, false, 0, 0x55},
	{"CRC-8 0x07 from 0xff", 1, 0x07, false, 0xff, 0},
	{"CRC-8/ROHC", 1, 0x07, true, 0xff, 0},
	{"CRC-8/MAXIM-DOW", 1, 0x31, true, 0, 0},
	{"CRC-8/NRSC-5", 1, 0x31, false, 0xff, 0},
	{"CRC-8 0x31", 1, 0x31, false, 0, 0},
	{"CRC-8/SAE-J1850", 1, 0x1d, false, 0xff, 0xff},
	{"CRC-8/GSM-A", 1, 0x1d, false, 0, 0},
	{"CRC-8/I-CODE", 1, 0x1d, false, 0xfd, 0},
	{"CRC-8/TECH-3250", 1, 0x1d, true, 0xff, 0},
	{"CRC-8/CDMA2000", 1, 0x9b, false, 0xff, 0},
	{"CRC-8/LTE", 1, 0x9b, false, 0, 0},
	{"CRC-8/WCDMA", 1, 0x9b, true, 0, 0},
	{"CRC-8/AUTOSAR", 1, 0x2f, false, 0xff, 0xff},
	{"CRC-8/DVB-S2", 1, 0xd5, false, 0, 0},
	{"CRC-8/DARC", 1, 0x39, true, 0, 0},
	{"CRC-16/XMODEM", 2, 0x1021, false, 0, 0},
	{"CRC-16/CCITT-FALSE", 2, 0x1021, false, 0xffff, 0},
	{"CRC-16/GENIBUS", 2, 0x1021, false, 0xffff, 0xffff},
	{"CRC-16/SPI-FUJITSU", 2, 0x1021, false, 0x1d0f, 0},
	{"CRC-16/GSM", 2, 0x1021, false, 0, 0xffff},
	{"CRC-16/KERMIT", 2, 0x1021, true, 0, 0},
	{"CRC-16/X-25", 2, 0x1021, true, 0xffff, 0xffff},
	{"CRC-16/MCRF4XX", 2, 0x1021, true, 0xffff, 0},
	{"CRC-16/UMTS", 2, 0x8005, false, 0, 0},
	{"CRC-16/CMS", 2, 0x8005, false, 0xffff, 0},
	{"CRC-16/ARC", 2, 0x8005, true, 0, 0},
	{"CRC-16/MODBUS", 2, 0x8005, true, 0xffff, 0},
	{"CRC-16/USB", 2, 0x8005, true, 0xffff, 0xffff},
	{"CRC-16/MAXIM", 2, 0x8005, true, 0, 0xffff},
	{"CRC-16/EN-13757", 2, 0x3d65, false, 0, 0xffff},
	{"CRC-16/DNP", 2, 0x3d65, true, 0, 0xffff},
	{"CRC-16/T10-DIF", 2, 0x8bb7, false, 0, 0},
	{"CRC-16/CDMA2000", 2, 0xc867, false, 0xffff, 0},
	{"CRC-32 (ISO-HDLC, as zlib's)", 4, 0x04c11db7, true, 0xffffffff, 0xffffffff},
	{"CRC-32/JAMCRC", 4, 0x04c11db7, true, 0xffffffff, 0},
	{"CRC-32/BZIP2", 4, 0x04c11db7, false, 0xffffffff, 0xffffffff},
	{"CRC-32/MPEG-2", 4, 0x04c11db7, false, 0xffffffff, 0},
	{"CRC-32/CKSUM", 4, 0x04c11db7, false, 0, 0xffffffff},
	{"CRC-32C (ISCSI)", 4, 0x1edc6f41, true, 0xffffffff, 0xffffffff},
};

#define SETTLED ARRAY_SIZE(settled)

/* ---- sums ------------------------------------------------------------------------------------ */

static uint32_t mask_of(const struct checksum_kind *k)
{
	return k->width == 4 ? UINT32_MAX : (UINT32_C(1) << (8 * k->width)) - 1;
}

static uint32_t reflect(uint32_t v, unsigned int bits)
{
	uint32_t r = 0;

	for (unsigned int i = 0; i < bits; i++)
		r |= (v >> i & 1) << (bits - 1 - i);
	return r;
}

typedef uint32_t crc_table[256];

static void make_table(const struct checksum_kind *k, crc_table t)
{
	unsigned int bits = 8u * k->width;
	uint32_t top = UINT32_C(1) << (bits - 1), mask = mask_of(k);
	uint32_t poly = k->reflected ? reflect(k->poly, bits) : k->poly;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t r = k->reflected ? i : i << (bits - 8);

		for (int b = 0; b < 8; b++) {
			if (k->reflected)
				r = r & 1 ? r >> 1 ^ poly : r >> 1;
			else
				r = (r & top ? r << 1 ^ poly : r << 1) & mask;
		}
		t[i] = r;
	}
}

static uint32_t crc(const struct checksum_kind *k, const crc_table t, uint32_t r, const uint8_t *p,
		    size_t n)
{
	unsigned int up = 8u * k->width - 8;

	if (k->reflected)
		for (size_t i = 0; i < n; i++)
			r = (up ? r >> 8 : 0) ^ t[(r ^ p[i]) & 0xff];
	else
		for (size_t i = 0; i < n; i++)
			r = ((up ? r << 8 : 0) ^ t[(r >> up ^ p[i]) & 0xff]) & mask_of(k);
	return r;
}

/*
 * One's complement sum: carries are added at the low end. Its two representations of zero both
 * become 0.
 */
static uint32_t fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff ? 0 : sum;
}

/* The sum of 16-bit words; an odd last byte is the first byte of a word whose other byte is 0. */
static uint32_t words(const uint8_t *p, size_t n, bool big, bool folded)
{
	uint32_t r = 0;

	for (size_t i = 0; i < n; i++) {
		r += (uint32_t)p[i] << (i % 2 != big ? 8 : 0);
		r = folded ? fold(r) : r & 0xffff;
	}
	return r;
}

static uint32_t compute(const struct checksum_kind *k, const crc_table t, const uint8_t *p,
			size_t n, bool big)
{
	uint32_t r = 0;

	switch (k->how) {
	case WORDS:
	case FOLDED:
	case INTERNET:
		return words(p, n, big, k->how != WORDS);
	case SUM:
	case NEGATIVE:
		for (size_t i = 0; i < n; i++)
			r += p[i];
		return r & mask_of(k);
	case MODULO_255:
		for (size_t i = 0; i < n; i++)
			r += p[i];
		return r % 255;
	case XOR:
		for (size_t i = 0; i < n; i++)
			r ^= p[i];
		return r;
	default:
		return crc(k, t, 0, p, n);
	}
}

/* The difference between the stored and the computed value: 0, or the same in each message. */
static uint32_t rest(const struct checksum_kind *k, uint32_t stored, uint32_t computed)
{
	switch (k->how) {
	case FOLDED:
		return fold(stored + (computed ^ 0xffff));
	case INTERNET:
		return fold(stored + computed);
	case MODULO_255: /* carries that are added at the low end give 255 for 0 */
		return (stored + 255 - computed) % 255;
	case SUM:
	case WORDS:
		return (stored - computed) & mask_of(k);
	case NEGATIVE:
		return (stored + computed) & mask_of(k);
	default:
		return stored ^ computed;
	}
}

/* ---- places ---------------------------------------------------------------------------------- */

static uint32_t stored_value(const uint8_t *p, unsigned int width, bool big)
{
	uint32_t v = 0;

	for (unsigned int i = 0; i < width; i++)
		v |= (uint32_t)p[i] << 8 * (big ? width - 1 - i : i);
	return v;
}

bool checksum_place(const struct checksum *c, const struct sample *s, uint32_t *at,
		    uint32_t *width)
{
	uint32_t end = s->length;

	*width = c->kind->width;
	switch (c->place) {
	case PLACE_START:
		*at = c->at;
		break;
	case PLACE_END:
		if (s->length < c->at)
			return false;
		*at = s->length - c->at;
		break;
	case PLACE_LENGTH:
		if (s->length <= c->at)
			return false;
		*at = s->p[c->at] + c->plus;
		if (*at <= c->at)
			return false;
		break;
	case PLACE_NONZERO:
		while (end && !s->p[end - 1])
			end--;
		if (end < *width)
			return false;
		*at = end - *width;
		break;
	}
	return *at + *width <= s->length;
}

/* Stores which bytes the checksum at `at` covers. */
static bool range(const struct checksum *c, const struct sample *s, uint32_t at, uint32_t *from,
		  uint32_t *n)
{
	if (c->around) { /* with itself, which left_over() subtracts */
		*from = 0;
		*n = s->length;
		return true;
	}
	*from = c->after ? at + c->kind->width + c->from : c->from;
	if (c->after) {
		if (*from >= s->length)
			return false;
		*n = s->length - *from;
	} else {
		if (at < *from)
			return false;
		*n = at - *from;
	}
	return *n >= 1;
}

/* ---- evidence -------------------------------------------------------------------------------- */

struct search {
	const struct sample *samples;
	size_t n;
	crc_table tables[KINDS];
	struct { uint64_t hash; uint32_t stored, length, rest; } seen[TRIED];
	bool values[0x10000]; /* for words_of(): the values that occurred */
	struct checksum best;
	bool found;
};

/* One message, as a candidate takes it apart. */
struct taken {
	uint32_t at, from, n; /* offset of the checksum; offset and number of the covered bytes */
	uint32_t stored, rest;
};

static bool take(const struct search *s, const struct checksum *c, const struct sample *m,
		 struct taken *t)
{
	const struct checksum_kind *k = c->kind;
	uint32_t computed, width;

	if (!checksum_place(c, m, &t->at, &width) || !range(c, m, t->at, &t->from, &t->n))
		return false;
	t->stored = stored_value(m->p + t->at, width, c->big);
	computed = compute(k, s->tables[k - kinds], m->p + t->from, t->n, c->big);
	if (c->around)
		computed = fold(computed + (t->stored ^ 0xffff));
	t->rest = rest(k, t->stored, computed);
	return true;
}

/*
 * Whether the candidate is only a copy of another byte: some byte in the range always differs from
 * the stored byte by the same sum or exclusive or. The sum over a single varying byte and the
 * exclusive or over an odd number of equal bytes look like this.
 */
static bool is_copy(const struct search *s, const struct checksum *c)
{
	uint8_t first[PLACES], add[PLACES];
	bool same[PLACES], sum[PLACES];
	uint32_t shortest = PLACES;

	memset(same, true, sizeof(same));
	memset(sum, true, sizeof(sum));
	for (size_t i = 0; i < s->n && i < TRIED; i++) {
		uint32_t at, from, n, width;
		uint8_t stored;

		/* holds() has found both in each of these samples. */
		if (!checksum_place(c, &s->samples[i], &at, &width) ||
		    !range(c, &s->samples[i], at, &from, &n))
			return true;
		shortest = n < shortest ? n : shortest;
		stored = s->samples[i].p[at + (c->big ? width - 1 : 0)];
		for (uint32_t k = 0; k < shortest; k++) {
			uint8_t v = s->samples[i].p[from + k];

			if (c->around && from + k - at < width) {
				same[k] = sum[k] = false;
				continue;
			}
			same[k] &= !i || first[k] == (uint8_t)(v ^ stored);
			sum[k] &= !i || add[k] == (uint8_t)(v - stored);
			first[k] = i ? first[k] : v ^ stored;
			add[k] = i ? add[k] : (uint8_t)(v - stored);
		}
	}
	for (uint32_t k = 0; k < shortest; k++)
		if (same[k] || sum[k])
			return true;
	return false;
}

/*
 * Whether the message differs from all earlier ones of its length in what the checksum covers, and
 * from all earlier ones in the checksum; *right: whether the checksum is right as in those.
 */
static bool is_new(const struct search *s, unsigned int used, bool by_length,
		   const struct taken *t, uint64_t hash, bool *right)
{
	bool same_length = false, same = false;

	for (unsigned int u = 0; u < used; u++) {
		same |= s->seen[u].stored == t->stored;
		if (by_length && s->seen[u].length != t->n)
			continue;
		*right &= s->seen[u].rest == t->rest;
		same_length = true;
		same |= s->seen[u].hash == hash;
	}
	return same_length && !same;
}

static unsigned int bits_set(uint32_t v)
{
	unsigned int n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

/* Whether the start value is neither 0 nor one that belongs to the kind. */
static bool starts_freely(const struct checksum *c)
{
	return c->kind->how != CRC && c->constant &&
	       !(c->kind->how == NEGATIVE && c->constant == mask_of(c->kind));
}

/*
 * Whether the candidate is right in each of the first samples, with enough evidence against chance.
 */
static bool holds(struct search *s, struct checksum *c)
{
	unsigned int used = 0, new = 0, wanted = BITS_WANTED;
	uint32_t vary = 0;
	bool right = true;

	for (size_t i = 0; i < s->n && i < TRIED; i++) {
		struct taken t;
		uint64_t h;

		if (!take(s, c, &s->samples[i], &t))
			return false;
		h = fnv1a(s->samples[i].p + t.from, t.n);
		new += is_new(s, used, c->kind->how == CRC, &t, h, &right);
		if (!right)
			return false;
		s->seen[used].hash = h;
		s->seen[used].stored = t.stored;
		s->seen[used].length = t.n;
		s->seen[used++].rest = t.rest;
		vary |= t.stored ^ s->seen[0].stored;
	}
	c->constant = used ? s->seen[0].rest : 0;
	if (starts_freely(c))
		wanted += 8u * c->kind->width;
	return new >= 2 && new * bits_set(vary) >= wanted && !is_copy(s, c);
}

/* Whether the CRC is right with the initial value and the final XOR of a named CRC. */
static bool is_settled(const struct search *s, const struct checksum *c, const struct settled *as)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct sample *m = &s->samples[i];
		uint32_t at, width, from, n;

		if (!checksum_place(c, m, &at, &width) || !range(c, m, at, &from, &n))
			return false;
		if (stored_value(m->p + at, width, c->big) !=
		    (crc(c->kind, s->tables[c->kind - kinds], as->initial, m->p + from, n) ^
		     as->final))
			return false;
	}
	return true;
}

static void settle(const struct search *s, struct checksum *c)
{
	const struct checksum_kind *k = c->kind;

	c->known = CHECKSUM_RELATIVE;
	c->name = NULL;
	if (k->how != CRC) {
		if (!starts_freely(c))
			c->known = CHECKSUM_PLAIN;
		return;
	}
	for (size_t i = 0; i < SETTLED; i++) {
		const struct settled *as = &settled[i];

		if (as->width == k->width && as->poly == k->poly &&
		    as->reflected == k->reflected && is_settled(s, c, as)) {
			c->known = as->initial || as->final ? CHECKSUM_NAMED : CHECKSUM_PLAIN;
			c->name = as->name;
			return;
		}
	}
}

/* Tests the candidate with all samples, not only the first ones. */
static bool holds_always(struct search *s, const struct checksum *c)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct sample *m = &s->samples[i];
		struct taken t;

		if (!take(s, c, m, &t))
			return false;
		/*
		 * If the initial value of a CRC is unknown, the constant differs for each length.
		 */
		if (!c->name && c->kind->how == CRC && m->length != s->samples[0].length)
			continue;
		if (!c->name && t.rest != c->constant)
			return false;
	}
	return true;
}

static void try_kind(struct search *s, struct checksum *c)
{
	/*
	 * A candidate that is known more completely is better; among equals, the first one found.
	 */
	if (s->best.known == CHECKSUM_PLAIN || !holds(s, c))
		return;
	settle(s, c);
	if ((s->found && c->known <= s->best.known) || !holds_always(s, c))
		return;
	s->best = *c;
	s->found = true;
}

static bool is_of_words(const struct checksum_kind *k)
{
	return k->how == WORDS || k->how == FOLDED || k->how == INTERNET;
}

/* A one's complement sum is the same in either byte order. */
static bool is_folded(const struct checksum_kind *k)
{
	return k->how == FOLDED || k->how == INTERNET;
}

/* Tries every range and byte order for one place. */
static void try_place(struct search *s, enum checksum_place place, uint32_t at, uint32_t plus,
		      bool after, const struct checksum_kind *k)
{
	for (uint32_t from = 0; from < STARTS; from += is_of_words(k) ? 2 : 1) {
		for (int big = is_folded(k); big < (k->width > 1 ? 2 : 1); big++) {
			struct checksum c = {
				.kind = k, .place = place, .at = at, .plus = plus, .from = from,
				.after = after, .big = big,
			};

			try_kind(s, &c);
		}
	}
}

static bool varies_at(const struct search *s, uint32_t at)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->samples[i].p[at] != s->samples[0].p[at])
			return true;
	return false;
}

/*
 * Whether a checksum may be stored at `at`, judged by which bytes vary. A sum over words changes
 * both of its bytes; for other kinds it is enough that one of the first two varies.
 */
static bool may_be_at(const struct search *s, const struct checksum_kind *k, uint32_t at)
{
	if (is_of_words(k))
		return varies_at(s, at) && varies_at(s, at + 1);
	return varies_at(s, at) || (k->width > 1 && varies_at(s, at + 1));
}

/*
 * Tries all places, in the main loop from the end of the message: where the exclusive or of all
 * bytes is 0, each byte is the checksum of all others, and the last one is most likely the real
 * checksum.
 */
static void try_all(struct search *s, uint32_t shortest, uint32_t longest,
		    const struct checksum_kind *k)
{
	uint32_t end = shortest < PLACES ? shortest : PLACES;

	if (shortest != longest)
		for (uint32_t e = k->width; e < k->width + 3u; e++)
			try_place(s, PLACE_END, e, 0, false, k);
	for (uint32_t at = 0; at < 6 && at < shortest; at++)
		for (uint32_t plus = 0; plus < PLUS && varies_at(s, at); plus++)
			try_place(s, PLACE_LENGTH, at, plus, false, k);
	for (uint32_t at = end; at-- > 2;)
		if (at + k->width <= end && may_be_at(s, k, at))
			try_place(s, PLACE_START, at, 0, false, k);
	for (uint32_t at = 0; at + k->width <= end && at < 8; at++)
		if (may_be_at(s, k, at))
			try_place(s, PLACE_START, at, 0, true, k);
	try_place(s, PLACE_NONZERO, 0, 0, false, k);
}

/* The number of values that the words have where the candidate has its checksum. */
static uint32_t words_of(struct search *s, const struct checksum *c)
{
	uint32_t n = 0, at, width;

	memset(s->values, 0, sizeof(s->values));
	for (size_t i = 0; i < s->n; i++) {
		if (!checksum_place(c, &s->samples[i], &at, &width))
			continue;
		n += !s->values[stored_value(s->samples[i].p + at, 2, true)];
		s->values[stored_value(s->samples[i].p + at, 2, true)] = true;
	}
	return n;
}

/* Whether only zeros follow the best candidate in all messages. */
static bool is_last(const struct search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		uint32_t at, width;

		if (!checksum_place(&s->best, &s->samples[i], &at, &width))
			return false;
		for (at += width; at < s->samples[i].length; at++)
			if (s->samples[i].p[at])
				return false;
	}
	return true;
}

/* Whether there clearly are more of the one than of the other. */
static bool many_more(uint32_t one, uint32_t other)
{
	return one >= other + (other + 3) / 4;
}

/*
 * Where the ones' complement sum of whole messages is 0xffff, each word is the checksum of all
 * others. The checksum is the word that clearly has the most values. If none has, the one that was
 * found before is taken if it is the last of the messages; otherwise none, because which one it is
 * is not known.
 */
static void try_around(struct search *s, uint32_t shortest)
{
	uint32_t end = shortest < PLACES ? shortest : PLACES, most = 0, second = 0, found;
	struct checksum c = {.kind = &kinds[KINDS - 1], .around = true, .big = true}, best = c;

	if (s->found && s->best.kind != c.kind)
		return;
	found = s->found ? words_of(s, &s->best) : 0;
	for (c.at = 0; c.at + 2 <= end; c.at += 2) {
		uint32_t n = words_of(s, &c);

		second = n > most ? most : n > second ? n : second;
		best = n > most ? c : best;
		most = n > most ? n : most;
	}
	if (most < 3 || !holds(s, &best))
		return;
	settle(s, &best);
	if (best.known != CHECKSUM_PLAIN || !holds_always(s, &best))
		return;
	if (many_more(most, second) && many_more(most, found)) {
		s->found = true;
		s->best = best;
	} else {
		s->found = s->found && is_last(s);
	}
}

bool checksum_find(const struct sample *samples, size_t n, struct checksum *found)
{
	struct search *s = n >= 3 ? calloc(1, sizeof(*s)) : NULL;
	uint32_t shortest = UINT32_MAX, longest = 0;
	bool result;

	if (!s)
		return false;
	s->samples = samples;
	s->n = n;
	for (size_t i = 0; i < n; i++) {
		if (samples[i].length < shortest)
			shortest = samples[i].length;
		if (samples[i].length > longest)
			longest = samples[i].length;
	}
	for (size_t i = 0; i < KINDS && shortest >= 3; i++) {
		if (kinds[i].how == CRC)
			make_table(&kinds[i], s->tables[i]);
		try_all(s, shortest, longest, &kinds[i]);
	}
	if (shortest >= 3)
		try_around(s, shortest);
	result = s->found;
	*found = s->best;
	free(s);
	return result;
}

/* ---- text output ---------------------------------------------------------------------------- */

static void range_text(const struct checksum *c, struct out *o)
{
	if (c->around)
		out_str(o, "of all other bytes");
	else if (c->after && c->from)
		out_printf(o, "of all bytes after it but the first %u", c->from);
	else if (c->after)
		out_str(o, "of all bytes after it");
	else if (c->place == PLACE_START)
		out_printf(o, "of [%u..%u]", c->from, c->at - 1);
	else
		out_printf(o, "of [%u] up to it", c->from);
}

void checksum_text(const struct checksum *c, struct out *o)
{
	const struct checksum_kind *k = c->kind;

	if (k->how == NEGATIVE && c->constant == mask_of(k))
		out_str(o, k->width == 1 ? "ones' complement of the sum"
					 : "ones' complement of the sum in 16 bits");
	else if (k->how == NEGATIVE && !c->constant)
		out_str(o, k->width == 1 ? "two's complement of the sum"
					 : "two's complement of the sum in 16 bits");
	else
		out_str(o, c->name ? c->name : k->name);
	if (k->width > 1 && !is_folded(k))
		out_str(o, c->big ? ", high byte first" : ", low byte first");
	out_char(o, ' ');
	range_text(c, o);
	if (c->known != CHECKSUM_RELATIVE)
		return;
	if (k->how == CRC)
		out_str(o, ", its initial value is not known");
	else
		out_printf(o, ", from 0x%0*x", k->width * 2, c->constant);
}
