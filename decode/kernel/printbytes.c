/* SPDX-License-Identifier: MIT */
#include "decode/kernel/printbytes.h"
#include "decode/base/number.h"

#include <arpa/inet.h>

#include "decode/base/eventlayout.h"

void print_ipv4(struct out *o, const uint8_t *p)
{
	out_printf(o, "%u.%u.%u.%u", p[0], p[1], p[2], p[3]);
}

void print_ipv6(struct out *o, const uint8_t *p, bool compact)
{
	char text[INET6_ADDRSTRLEN];

	if (compact && inet_ntop(AF_INET6, p, text, sizeof(text))) {
		out_str(o, text);
		return;
	}
	for (int i = 0; i < 16; i += 2)
		out_printf(o, "%s%02x%02x", i ? ":" : "", p[i], p[i + 1]);
}

void print_sockaddr(struct out *o, const uint8_t *p, size_t n, const char *extension)
{
	bool port = strchr(extension, 'p');
	uint64_t family = n >= 2 ? load_uint(p, 2) : 0;

	if (family == AF_INET && n >= 8) {
		print_ipv4(o, p + 4);
		if (port)
			out_printf(o, ":%u", p[2] << 8 | p[3]);
	} else if (family == AF_INET6 && n >= 24) {
		if (port)
			out_char(o, '[');
		print_ipv6(o, p + 8, strchr(extension, 'c'));
		if (port)
			out_printf(o, "]:%u", p[2] << 8 | p[3]);
	} else {
		out_printf(o, "family %u", (unsigned int)family);
	}
}

void print_bitmask(struct out *o, const uint8_t *p, size_t bits)
{
	for (size_t words = (bits + 31) / 32; words-- > 0;) {
		size_t left = bits - words * 32, part = left < 32 ? left : 32;
		uint64_t v = load_uint(p + words * 4, (part + 7) / 8);

		out_xdigits(o, v & ((UINT64_C(1) << part) - 1), (unsigned int)((part + 3) / 4));
		if (words)
			out_char(o, ',');
	}
}

void print_bit_list(struct out *t, const uint8_t *p, size_t bits)
{
	size_t start = t->len;

	for (size_t i = 0, from; i < bits; i++) {
		if (!(p[i / 8] >> (i % 8) & 1))
			continue;
		for (from = i; i + 1 < bits && p[(i + 1) / 8] >> ((i + 1) % 8) & 1;)
			i++;
		if (t->len > start)
			out_char(t, ',');
		out_u64(t, from);
		if (i > from) {
			out_char(t, '-');
			out_u64(t, i);
		}
	}
}

void print_uuid(struct out *t, const uint8_t *p, const char *extension)
{
	static const uint8_t swapped[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	bool little = extension[1] == 'l' || extension[1] == 'L';

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out_char(t, '-');
		out_xdigits(t, p[little ? swapped[i] : i], 2);
	}
}
