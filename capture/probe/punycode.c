/* SPDX-License-Identifier: MIT */
#include "capture/probe/punycode.h"

#include <stdint.h>
#include <string.h>

enum { BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, FIRST = 0x80, LAST = 0x10ffff,
       LETTERS = (PUNYCODE_MOST - 1) / 4 };

struct letters {
	uint32_t at[LETTERS];
	size_t n;
};

static uint32_t adapt(uint32_t delta, uint32_t n, bool first)
{
	uint32_t k = 0;

	delta = first ? delta / DAMP : delta / 2;
	delta += delta / n;
	for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
		delta /= BASE - T_MIN;
	return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static int digit(char c)
{
	if (c >= 'a' && c <= 'z')
		return c - 'a';
	return c >= '0' && c <= '9' ? c - '0' + 26 : -1;
}

/* Reads the next variable-length number; false if it is invalid. */
static bool delta(const char **s, const char *end, uint32_t bias, uint32_t *to)
{
	uint64_t i = 0, weight = 1;

	for (uint32_t k = BASE;; k += BASE) {
		uint32_t t = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
		int value = *s < end ? digit(*(*s)++) : -1;

		if (value < 0)
			return false;
		i += (uint64_t)value * weight;
		if (i > UINT32_MAX)
			return false;
		*to = (uint32_t)i;
		if ((uint32_t)value < t)
			return true;
		weight *= BASE - t;
		if (weight > UINT32_MAX)
			return false;
	}
}

static bool decode(struct letters *l, const char *s, const char *end)
{
	uint64_t code = FIRST, i = 0;
	uint32_t bias = 72;

	for (bool first = true; s < end; first = false) {
		uint32_t d;

		if (!delta(&s, end, bias, &d) || l->n == LETTERS)
			return false;
		bias = adapt(d, (uint32_t)l->n + 1, first);
		i += d;
		code += i / (l->n + 1);
		i %= l->n + 1;
		if (code > LAST || (code >= 0xd800 && code < 0xe000))
			return false;
		memmove(l->at + i + 1, l->at + i, (l->n - i) * sizeof(*l->at));
		l->at[i++] = (uint32_t)code;
		l->n++;
	}
	return true;
}

static char *put_utf8(char *out, uint32_t c)
{
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const uint8_t lead[] = { 0, 0xc0, 0xe0, 0xf0 };

	*out++ = (char)(lead[more] | c >> (6 * more));
	while (more--)
		*out++ = (char)(0x80 | (c >> (6 * more) & 0x3f));
	return out;
}

bool punycode(const char *ascii, size_t nascii, const char *puny, size_t npuny,
	      char out[static PUNYCODE_MOST])
{
	struct letters l = { .n = nascii };

	if (nascii > LETTERS)
		return false;
	for (size_t i = 0; i < nascii; i++)
		l.at[i] = (unsigned char)ascii[i];
	if (!decode(&l, puny, puny + npuny))
		return false;
	for (size_t i = 0; i < l.n; i++)
		out = put_utf8(out, l.at[i]);
	*out = '\0';
	return true;
}
