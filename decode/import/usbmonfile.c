/* SPDX-License-Identifier: MIT */
/* Saved usbmon text: cat /sys/kernel/debug/usb/usbmon/1u > file. */
#include "decode/import/usbimport.h"
#include "decode/base/bytes.h"
#include "decode/usb/usbmontext.h"

#include <string.h>

#define LINE_MAX_BYTES 4096

/* The times of the whole file. */
struct survey {
	bool old;    /* one time exceeds 4096 s, where newer kernels wrap */
	bool begins; /* they wrap somewhere: they go back by more than half of 4096 s */
};

static struct survey look_through(FILE *in)
{
	const uint64_t wrap = USBMONTEXT_WRAP * UINT64_C(1000000);
	unsigned long long time, last = 0;
	char text[LINE_MAX_BYTES];
	struct survey s = {false, false};

	while (!s.old && fgets(text, sizeof(text), in)) {
		if (sscanf(text, "%*x %llu", &time) != 1)
			continue;
		s.old = time >= wrap;
		s.begins |= last > time && last - time > wrap / 2;
		last = time;
	}
	rewind(in);
	return s;
}

/*
 * Converts the time of a line. A large step back is a wrap, since times start again at 0 regularly.
 */
static void set_time(struct usb_import *im, uint8_t *record)
{
	const uint64_t wrap = im->wrap;
	uint64_t time = im->epoch + get64(record + 16) * 1000000000 +
			(uint64_t)get32(record + 24) * 1000;

	if (im->events && im->last > time && im->last - time > wrap / 2) {
		im->epoch += wrap;
		time += wrap;
	}
	urb_put_time(record, time);
}

static int line(struct usb_import *im, const char *text, size_t n, uint64_t number,
		struct trawl_error *err)
{
	uint8_t record[USBMONTEXT_RECORD];
	struct usbmontext_error e;
	size_t len;

	if (!n || text[0] == '#')
		return 0;
	len = usbmontext_parse(text, n, record, &e);
	if (!len) {
		usb_import_bad(im, "line %llu, column %zu: %s", (unsigned long long)number,
			       e.at + 1, e.what);
		return 0;
	}
	set_time(im, record);
	return usb_import_record(im, record, len, err);
}

int usbmontext_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err)
{
	struct survey times = look_through(in);
	char text[LINE_MAX_BYTES];
	uint64_t number = 0;

	/*
	 * Times are stored unchanged (usbmontext.h) unless they wrap at 4096 s. Times after the
	 * wrap would look like times of an old kernel, so in that case all times are moved above
	 * the range of those.
	 */
	im->wrap = times.old ? USBMONTEXT_WRAP_OLD * 1000 : USBMONTEXT_WRAP * UINT64_C(1000000000);
	if (!times.old && times.begins)
		im->epoch = 2 * im->wrap;
	while (fgets(text, sizeof(text), in)) {
		size_t n = strlen(text);
		bool whole = n && text[n - 1] == '\n';

		number++;
		if (!whole && !feof(in)) {
			usb_import_bad(im, "line %llu is longer than %d bytes",
				       (unsigned long long)number, LINE_MAX_BYTES);
			while (!whole && fgets(text, sizeof(text), in))
				whole = strchr(text, '\n') != NULL;
			continue;
		}
		if (line(im, text, n - whole, number, err) < 0)
			return -1;
	}
	if (ferror(in))
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be read", name);
	return 0;
}
