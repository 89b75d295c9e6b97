/* SPDX-License-Identifier: MIT */
/* Any bytes as lines of usbmon text. A line that was read and written once stays the same. */
#include "decode/usb/usbmontext.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one_line(const char *line, size_t n)
{
	uint8_t first[USBMONTEXT_RECORD], second[USBMONTEXT_RECORD];
	struct usbmontext_error e;
	struct out a, b;
	struct urb u;
	size_t len = usbmontext_parse(line, n, first, &e);

	if (!len) {
		if (!e.what || e.at > n)
			abort();
		return;
	}
	out_memory(&a);
	out_memory(&b);
	urb_parse(&u, first, len);
	usbmontext_write(&u, &a);
	len = usbmontext_parse(a.data, a.len - 1, second, &e);
	if (!len)
		abort();
	urb_parse(&u, second, len);
	usbmontext_write(&u, &b);
	if (a.len != b.len || memcmp(a.data, b.data, a.len))
		abort();
	out_free(&a);
	out_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;

	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		one_line(p, (size_t)((stop ? stop : end) - p));
		p = stop ? stop + 1 : end;
	}
	return 0;
}
