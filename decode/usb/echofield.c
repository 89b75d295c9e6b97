/* SPDX-License-Identifier: MIT */
#include "decode/usb/echofield.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/compare.h"
#include "decode/usb/msc.h"

/* fewer steps of one size may be chance; the same limit as in direction_analyse() */
#define STEPS_MIN 8

struct echo_lengths {
	uint32_t length;
	bool counts[ECHO_REACH];
};

void echo_free(struct echo_fields *f)
{
	free(f->lengths);
	memset(f, 0, sizeof(*f));
}

/*
 * Whether this byte is the next higher byte of a counter: it changes only when the byte `low` wraps
 * around.
 */
static bool is_carry(const struct sample *s, size_t n, uint32_t at, uint32_t low, int step)
{
	bool changes = false;

	for (size_t i = 1; i < n; i++) {
		bool anew =
			step > 0 ? s[i].p[low] < s[i - 1].p[low] : s[i].p[low] > s[i - 1].p[low];

		if (s[i].p[at] != s[i - 1].p[at] && !anew)
			return false;
		changes |= s[i].p[at] != s[i - 1].p[at];
	}
	return changes;
}

/* Adds the higher bytes of a counter, next to the byte that counts. */
static void add_carries(struct echo_lengths *e, const struct direction *d, const struct sample *s,
			size_t n, uint32_t at)
{
	uint32_t end = e->length < ECHO_REACH ? e->length : ECHO_REACH;

	for (uint32_t i = at + 1; i < end && i < at + 4; i++) {
		if (!is_carry(s, n, i, at, d->counters[at].step))
			break;
		e->counts[i] = true;
	}
	for (uint32_t i = at; i > 0 && i + 3 > at; i--) {
		if (!is_carry(s, n, i - 1, at, d->counters[at].step))
			break;
		e->counts[i - 1] = true;
	}
}

static bool add(struct echo_fields *f, uint32_t length, const struct direction *d,
		const struct sample *samples, size_t n)
{
	struct echo_lengths *e;
	bool any = false;

	if (!array_grow(f->lengths, f->n))
		return false;
	e = &f->lengths[f->n];
	memset(e, 0, sizeof(*e));
	e->length = length;
	for (uint32_t i = 0; i < ECHO_REACH && i < length; i++) {
		/*
		 * A byte in which only some bits count may also hold a command, so it is compared.
		 */
		if (!d->counters[i].is || d->counters[i].shift)
			continue;
		any = e->counts[i] = true;
		add_carries(e, d, samples, n, i);
	}
	f->n += any;
	return true;
}

static int by_length(const void *a, const void *b)
{
	const struct sample *const *x = a, *const *y = b;

	return compare_pairs((*x)->length, (*y)->length, (uintptr_t)*x, (uintptr_t)*y);
}

bool echo_learn(struct echo_fields *f, const struct sample *messages, size_t n)
{
	const struct sample **sorted = malloc((n + 1) * sizeof(*sorted));
	struct sample *same = malloc((n + 1) * sizeof(*same));
	struct direction *d = malloc(sizeof(*d));
	bool ok = sorted && same && d;

	for (size_t i = 0; ok && i < n; i++)
		sorted[i] = &messages[i];
	if (ok && n)
		qsort(sorted, n, sizeof(*sorted), by_length);
	for (size_t i = 0, end; ok && i < n; i = end) {
		for (end = i; end < n && sorted[end]->length == sorted[i]->length; end++) {
			same[end - i] = *sorted[end];
			if (same[end - i].length > ECHO_REACH)
				same[end - i].length = ECHO_REACH;
		}
		if (end - i <= STEPS_MIN || !sorted[i]->length)
			continue;
		memset(d, 0, sizeof(*d));
		direction_analyse(d, same, end - i);
		ok = add(f, sorted[i]->length, d, same, end - i);
	}
	free(sorted);
	free(same);
	free(d);
	return ok;
}

static void set(bool mask[ECHO_REACH], size_t at, size_t n)
{
	memset(mask + at, true, n);
}

/* Whether the bytes are a CBW (31 bytes) or a CSW (13 bytes), which contain a tag. */
static bool is_wrapper(const uint8_t *p, size_t n)
{
	return msc_is_cbw(p, n) || (n == 13 && !memcmp(p, "USBS", 4));
}

/*
 * Whether the bytes are a still-image container: its length, a type from 1 to 4, and the
 * transaction id in bytes 8 to 11.
 */
static bool is_container(const uint8_t *p, size_t n)
{
	return n >= 12 && n <= 32 && p[0] == n && !p[1] && !p[2] && !p[3] && p[4] >= 1 &&
		p[4] <= 4 && !p[5];
}

void echo_mask(const struct echo_fields *f, bool storage, const uint8_t *p, size_t n,
	       bool mask[ECHO_REACH])
{
	memset(mask, 0, ECHO_REACH * sizeof(*mask));
	if (is_wrapper(p, n)) {
		set(mask, 4, 4);
		return;
	}
	if (storage)
		return; /* the contents of sectors have no echo fields */
	if (is_container(p, n))
		set(mask, 8, 4);
	for (size_t i = 0; f && i < f->n; i++)
		if (f->lengths[i].length == n)
			for (size_t k = 0; k < ECHO_REACH; k++)
				mask[k] |= f->lengths[i].counts[k];
}

bool echo_same(const struct echo_fields *f, const uint8_t *was, const uint8_t *is, size_t n,
	       size_t whole)
{
	bool mask[ECHO_REACH];

	if (!memcmp(was, is, n))
		return true;
	if (n != whole)
		return false;
	echo_mask(f, false, was, whole, mask);
	for (size_t i = 0; i < n; i++)
		if (was[i] != is[i] && (i >= ECHO_REACH || !mask[i]))
			return false;
	return true;
}
