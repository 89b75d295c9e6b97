/* SPDX-License-Identifier: MIT */
#include "decode/usb/bytefield.h"

#include <stdio.h>

struct look {
	const struct direction *d;
	const struct sample *s;
	size_t n;
	/* number of positions examined: those that all messages have, at most FIELD_POSITIONS */
	uint32_t end;
};

static uint64_t value(const struct sample *s, uint32_t at, uint32_t width, bool big)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < width; i++)
		v |= (uint64_t)s->p[at + i] << 8 * (big ? width - 1 - i : i);
	return v;
}

/*
 * Returns the number of distinct values of a byte. few[] receives the first FIELD_VALUES of them,
 * sorted if these are all.
 */
static uint32_t distinct(const struct look *l, uint32_t at, uint8_t few[FIELD_VALUES])
{
	bool seen[256] = {false};
	uint32_t count = 0, listed = 0;

	for (size_t i = 0; i < l->n; i++) {
		count += !seen[l->s[i].p[at]];
		seen[l->s[i].p[at]] = true;
	}
	for (unsigned int v = 0; few && v < 256 && listed < FIELD_VALUES; v++)
		if (seen[v])
			few[listed++] = (uint8_t)v;
	return count;
}

static bool is_constant(const struct look *l, uint32_t at)
{
	for (size_t i = 1; i < l->n; i++)
		if (l->s[i].p[at] != l->s[0].p[at])
			return false;
	return true;
}

/* ---- checksums, lengths ---------------------------------------------------------------------- */

static bool is_checksum(const struct look *l, uint32_t at, struct bytefield *f)
{
	uint32_t place, width;

	if (!l->d->has_checksum || !checksum_place(&l->d->checksum, &l->s[0], &place, &width) ||
	    place != at)
		return false;
	for (size_t i = 1; i < l->n; i++)
		if (!checksum_place(&l->d->checksum, &l->s[i], &place, &width) || place != at)
			return false;
	f->kind = BYTES_CHECKSUM;
	f->width = width;
	return true;
}

/* The length of a message without trailing zeros, which pad reports of a fixed size. */
static uint32_t used_length(const struct sample *s)
{
	uint32_t n = s->length;

	while (n && !s->p[n - 1])
		n--;
	return n;
}

static int64_t less(const struct look *l, const struct bytefield *f, size_t i, bool used)
{
	uint64_t n = used ? used_length(&l->s[i]) : l->s[i].length;

	return (int64_t)(n - value(&l->s[i], f->at, f->width, f->big));
}

/*
 * Whether the field holds the message's length. For padded messages (`used`), the length is taken
 * without trailing zeros. A message may itself end in zeros, so in a quarter of them the field may
 * exceed that length.
 */
static bool is_length_of(const struct look *l, struct bytefield *f, bool used,
			 unsigned int wanted)
{
	int64_t offset = less(l, f, 0, used);
	uint64_t seen[3];
	unsigned int lengths = 0;
	size_t exact = 0;

	for (size_t i = 1; i < l->n && used; i++)
		offset = less(l, f, i, true) > offset ? less(l, f, i, true) : offset;
	if (offset < -8 || offset > 64)
		return false;
	for (size_t i = 0; i < l->n; i++) {
		uint64_t n = value(&l->s[i], f->at, f->width, f->big) + (uint64_t)offset;
		bool new = true;

		if (less(l, f, i, used) != offset && (!used || n > l->s[i].length))
			return false;
		exact += less(l, f, i, used) == offset;
		for (unsigned int k = 0; k < lengths; k++)
			new &= seen[k] != n;
		if (new && lengths < 3)
			seen[lengths++] = n;
	}
	f->kind = BYTES_LENGTH;
	f->offset = offset;
	/*
	 * The end of a padded message is less certain than that of an unpadded one, so more lengths
	 * are required.
	 */
	return 4 * exact >= 3 * l->n && lengths >= (used ? 3 : wanted);
}

static bool is_length(const struct look *l, struct bytefield *f, unsigned int wanted)
{
	for (f->width = 2; f->width; f->width--) {
		for (int big = 0; big < (f->width == 2 ? 2 : 1); big++) {
			f->big = big;
			if (f->at + f->width <= l->end && f->at < 16 &&
			    (is_length_of(l, f, false, wanted) || is_length_of(l, f, true, wanted)))
				return true;
		}
	}
	return false;
}

/* ---- counters and numbers -------------------------------------------------------------------- */

static uint64_t mask_of(uint32_t width)
{
	return width >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
}

/*
 * Returns the most frequent difference between consecutive values; *kept of the *steps differences
 * equal it.
 */
static int64_t usual_step(const struct look *l, uint32_t at, uint32_t width, bool big,
			  uint32_t *kept, uint32_t *steps)
{
	enum { STEPS = 16 };
	uint32_t counts[2 * STEPS + 1] = {0}, best = STEPS;

	*steps = *kept = 0;
	for (size_t i = 1; i < l->n; i++) {
		uint64_t d = (value(&l->s[i], at, width, big) -
			      value(&l->s[i - 1], at, width, big)) & mask_of(width);
		int64_t step = d > mask_of(width) / 2 ? (int64_t)(d | ~mask_of(width)) : (int64_t)d;

		++*steps;
		if (step >= -STEPS && step <= STEPS)
			counts[step + STEPS]++;
	}
	counts[STEPS] = 0;
	for (uint32_t i = 0; i < 2 * STEPS + 1; i++)
		if (counts[i] > counts[best])
			best = i;
	*kept = counts[best];
	return (int64_t)best - STEPS;
}

/* Whether enough steps have the same size: nine of ten, and at least four. */
static bool counts(uint32_t kept, uint32_t steps)
{
	return kept >= 4 && kept >= steps - steps / 10;
}

/*
 * Whether each byte of the value varies. If not, the value is a narrower field next to a constant.
 */
static bool all_vary(const struct look *l, uint32_t at, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		if (is_constant(l, at + i))
			return false;
	return true;
}

static bool is_counter(const struct look *l, struct bytefield *f)
{
	for (uint32_t width = 4; width; width /= 2) {
		for (int big = 0; big < (width > 1 ? 2 : 1); big++) {
			if (f->at + width > l->end || !all_vary(l, f->at, width))
				continue;
			f->step = usual_step(l, f->at, width, big, &f->kept, &f->steps);
			if (!counts(f->kept, f->steps))
				continue;
			f->kind = BYTES_COUNTER;
			f->width = width;
			f->big = big;
			return true;
		}
	}
	return false;
}

/* Whether the bits of a byte from `shift` up count by one, wrapping around. */
static bool bits_count(const struct look *l, uint32_t at, uint32_t shift, uint32_t *number)
{
	uint32_t kept = 0, mask = 0xffu >> shift;

	*number = 0;
	for (size_t i = 1; i < l->n; i++)
		kept += (((uint32_t)(l->s[i].p[at] >> shift) - (l->s[i - 1].p[at] >> shift)) &
			 mask) == 1;
	*number = kept;
	return kept >= 8 && counts(kept, (uint32_t)l->n - 1);
}

/*
 * Looks for the length field among the first bytes. Messages of at least three different lengths
 * are required, to distinguish it from a type.
 */
static void find_length(struct direction *d, const struct look *l)
{
	enum { REACH = 8 };

	for (uint32_t at = 0; at < l->end && at < REACH && !d->has_length; at++) {
		d->length = (struct bytefield){.at = at};
		d->has_length = !is_constant(l, at) && is_length(l, &d->length, 3);
	}
}

void direction_analyse(struct direction *d, const struct sample *samples, size_t n)
{
	struct look l = {.d = d, .s = samples, .n = n, .end = FIELD_POSITIONS};

	for (size_t i = 0; i < n; i++)
		if (samples[i].length < l.end)
			l.end = samples[i].length;
	find_length(d, &l);
	for (uint32_t at = 0; at < l.end; at++) {
		uint32_t kept, steps;
		int64_t step;

		if (is_constant(&l, at))
			continue;
		step = usual_step(&l, at, 1, false, &kept, &steps);
		if (counts(kept, steps) && kept >= 8) {
			d->counters[at].is = true;
			d->counters[at].step = (int8_t)step;
		}
		d->counters[at].kept = kept;
		d->counters[at].steps = steps;
		/*
		 * A byte may hold a command and a number; of these, a number of four bits is the
		 * least certain, so it is tried last.
		 */
		for (uint8_t shift = 1; shift <= 4 && !d->counters[at].is; shift++) {
			d->counters[at].is = bits_count(&l, at, shift, &d->counters[at].kept);
			d->counters[at].shift = shift;
			d->counters[at].step = 1;
		}
	}
}

static void limits(const struct look *l, struct bytefield *f)
{
	f->min = UINT64_MAX;
	f->max = 0;
	for (size_t i = 0; i < l->n; i++) {
		uint64_t v = value(&l->s[i], f->at, f->width, f->big);

		f->min = v < f->min ? v : f->min;
		f->max = v > f->max ? v : f->max;
	}
}

static bool is_rising(const struct look *l, struct bytefield *f)
{
	size_t up = 0, down = 0;

	for (uint32_t width = 4; width > 1; width /= 2) {
		for (int big = 0; big < 2; big++) {
			if (f->at + width > l->end || !all_vary(l, f->at, width))
				continue;
			up = down = 0;
			for (size_t i = 1; i < l->n; i++) {
				uint64_t a = value(&l->s[i - 1], f->at, width, big);
				uint64_t b = value(&l->s[i], f->at, width, big);

				up += b > a;
				down += b < a;
			}
			if (up < 6 || down > up / 50)
				continue;
			f->kind = BYTES_RISING;
			f->width = width;
			f->big = big;
			limits(l, f);
			return true;
		}
	}
	return false;
}

/*
 * Whether a field of two bytes behaves like one number: when the high byte changes, the value
 * mostly moves by less than half the range of the low byte.
 */
static bool carries(const struct look *l, uint32_t at, bool big)
{
	uint32_t changes = 0, small = 0, high = at + !big;

	for (size_t i = 1; i < l->n; i++) {
		int64_t d = (int64_t)value(&l->s[i], at, 2, big) -
			    (int64_t)value(&l->s[i - 1], at, 2, big);

		if (l->s[i].p[high] == l->s[i - 1].p[high])
			continue;
		changes++;
		small += d > -128 && d < 128;
	}
	return small >= 3 && small * 3 >= changes * 2;
}

static bool is_number(const struct look *l, struct bytefield *f)
{
	bool little, big;

	if (f->at + 2 > l->end || !all_vary(l, f->at, 2))
		return false;
	little = carries(l, f->at, false);
	big = carries(l, f->at, true);
	if (little == big)
		return false;
	f->kind = BYTES_NUMBER;
	f->width = 2;
	f->big = big;
	limits(l, f);
	return true;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static bool is_echo(const struct look *l, struct bytefield *f)
{
	if (!l->d->echoes[f->at].is)
		return false;
	f->kind = BYTES_ECHO;
	f->from = l->d->echoes[f->at].from;
	f->change = l->d->echoes[f->at].change;
	return true;
}

static bool printable_at(const struct look *l, uint32_t at)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		uint8_t c = l->s[i].p[at];

		if (c && (c < 0x20 || c > 0x7e))
			return false;
		any |= c > 0x20;
	}
	return any;
}

/* Whether four or more bytes are printable characters in all messages. */
static bool is_text(const struct look *l, struct bytefield *f)
{
	uint32_t at = f->at;

	while (at < l->end && printable_at(l, at))
		at++;
	if (at - f->at < 4 || (l->n < 3 && at - f->at < 8))
		return false;
	f->kind = BYTES_TEXT;
	f->width = at - f->at;
	return true;
}

static void look_at(const struct look *l, struct bytefield *f)
{
	f->width = 1;
	if (is_checksum(l, f->at, f))
		return;
	f->values = distinct(l, f->at, f->few);
	if (f->values == 1) {
		f->kind = BYTES_CONSTANT;
		return;
	}
	if (l->d->has_length && f->at == l->d->length.at) {
		*f = l->d->length;
		return;
	}
	if (is_length(l, f, 2))
		return;
	f->width = 1;
	if (l->d->counters[f->at].is) {
		f->kind = BYTES_COUNTER;
		f->step = l->d->counters[f->at].step;
		f->shift = l->d->counters[f->at].shift;
		f->kept = l->d->counters[f->at].kept;
		f->steps = l->d->counters[f->at].steps;
		f->common = true;
		return;
	}
	if (is_echo(l, f) || is_counter(l, f) || is_text(l, f) || is_rising(l, f) ||
	    is_number(l, f))
		return;
	f->big = false;
	f->width = 1;
	f->kind = f->values <= FIELD_VALUES && l->n >= 2 * f->values ? BYTES_FEW : BYTES_VARY;
	limits(l, f);
}

/* Whether two adjacent fields of one kind are better shown as one field. */
static bool joins(const struct bytefield *a, const struct bytefield *b)
{
	return a->kind == b->kind && (a->kind == BYTES_CONSTANT || a->kind == BYTES_VARY ||
				      (a->kind == BYTES_ECHO && a->change == b->change &&
				       b->from == a->from + a->width));
}

static bool varies(const struct bytefield *f)
{
	return f->kind == BYTES_VARY || f->kind == BYTES_FEW;
}

/* Merges long rows of single bytes that each have values of their own, to shorten the listing. */
static size_t merge(struct bytefield *fields, size_t n)
{
	enum { MANY = 5 };
	size_t kept = 0, run;

	for (size_t i = 0; i < n; i += run) {
		for (run = 0; i + run < n && varies(&fields[i + run]);)
			run++;
		if (run < MANY) {
			run = run ? run : 1;
			memmove(&fields[kept], &fields[i], run * sizeof(*fields));
			kept += run;
			continue;
		}
		fields[kept] = fields[i];
		fields[kept].kind = BYTES_VARY;
		for (size_t k = 1; k < run; k++) {
			fields[kept].width += fields[i + k].width;
			if (fields[i + k].values > fields[kept].values)
				fields[kept].values = fields[i + k].values;
		}
		kept++;
	}
	return kept;
}

size_t bytefields(const struct direction *d, const struct sample *samples, size_t n,
		  struct bytefield *fields)
{
	struct look l = {.d = d, .s = samples, .n = n, .end = FIELD_POSITIONS};
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (samples[i].length < l.end)
			l.end = samples[i].length;
	for (uint32_t at = 0; at < l.end;) {
		struct bytefield f = {.at = at};

		look_at(&l, &f);
		at += f.width;
		if (count && joins(&fields[count - 1], &f)) {
			fields[count - 1].width += f.width;
			if (f.values > fields[count - 1].values)
				fields[count - 1].values = f.values;
			continue;
		}
		if (count == FIELDS_MAX_OF_TYPE)
			count = merge(fields, count);
		if (count == FIELDS_MAX_OF_TYPE)
			break;
		fields[count++] = f;
	}
	return merge(fields, count);
}

/* ---- text output ---------------------------------------------------------------------------- */

const char *bytefield_name(enum bytefield_kind kind)
{
	static const char *const names[] = {
		[BYTES_CONSTANT] = "constant", [BYTES_CHECKSUM] = "checksum",
		[BYTES_LENGTH] = "length", [BYTES_COUNTER] = "counter", [BYTES_ECHO] = "echo",
		[BYTES_RISING] = "rising", [BYTES_NUMBER] = "number", [BYTES_FEW] = "few values",
		[BYTES_TEXT] = "text", [BYTES_VARY] = "varies",
	};

	return names[kind];
}

static void order_text(const struct bytefield *f, struct out *o)
{
	if (f->width > 1)
		out_str(o, f->big ? ", high byte first" : ", low byte first");
}

static void counter_text(const struct bytefield *f, struct out *o)
{
	out_str(o, "counter");
	if (f->shift)
		out_printf(o, " in bits %u to 7", f->shift);
	out_printf(o, "%s, %+lld each %s", f->common ? " of all messages" : "",
		   (long long)f->step, f->common ? "message" : "time");
	order_text(f, o);
	if (f->kept < f->steps)
		out_printf(o, " (%u of %u times)", f->kept, f->steps);
}

static void few_text(const struct bytefield *f, struct out *o)
{
	out_str(o, "one of");
	for (uint32_t i = 0; i < f->values; i++)
		out_printf(o, " %02x", f->few[i]);
}

static void length_text(const struct bytefield *f, struct out *o)
{
	out_printf(o, "length: of the message %s %lld", f->offset < 0 ? "plus" : "less",
		   (long long)(f->offset < 0 ? -f->offset : f->offset));
	order_text(f, o);
}

static void echo_text(const struct bytefield *f, struct out *o)
{
	out_printf(o, "echo of [%u] of the request", f->from);
	if (f->width > 1)
		out_str(o, " and on");
	if (f->change)
		out_printf(o, ", %+d", f->change);
}

static void range_text(const struct bytefield *f, const char *what, struct out *o)
{
	out_printf(o, "%s, %llu to %llu", what, (unsigned long long)f->min,
		   (unsigned long long)f->max);
	order_text(f, o);
}

static void varying_text(const struct bytefield *f, struct out *o)
{
	if (f->width > 1)
		out_printf(o, "vary, up to %u values a byte", f->values);
	else
		out_printf(o, "varies, %02llx to %02llx, %u values", (unsigned long long)f->min,
			   (unsigned long long)f->max, f->values);
}

void bytefield_text(const struct bytefield *f, const struct direction *d, struct out *o)
{
	char place[32];

	if (f->width > 1)
		snprintf(place, sizeof(place), "[%u..%u]", f->at, f->at + f->width - 1);
	else
		snprintf(place, sizeof(place), "[%u]", f->at);
	out_printf(o, "%-9s ", place);
	switch (f->kind) {
	case BYTES_CHECKSUM:
		out_str(o, "checksum: ");
		checksum_text(&d->checksum, o);
		break;
	case BYTES_LENGTH:
		length_text(f, o);
		break;
	case BYTES_COUNTER:
		counter_text(f, o);
		break;
	case BYTES_ECHO:
		echo_text(f, o);
		break;
	case BYTES_RISING:
		range_text(f, "rises", o);
		break;
	case BYTES_NUMBER:
		range_text(f, "number", o);
		break;
	case BYTES_FEW:
		few_text(f, o);
		break;
	case BYTES_VARY:
		varying_text(f, o);
		break;
	default:
		out_str(o, bytefield_name(f->kind));
		break;
	}
}
