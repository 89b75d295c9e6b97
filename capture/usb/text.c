/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "decode/usb/usbmontext.h"
#include "capture/sys/clock.h"
#include "capture/usb/text.h"

enum {
	LINE = 1024,
	AHEAD_JITTER = 2000, /* ns */
};

const char *usbtext_why_not(void)
{
	if (faccessat(AT_FDCWD, "/sys/kernel/debug/usb/usbmon/0u", R_OK, AT_EACCESS) == 0)
		return NULL;
	return errno == EACCES ? "debugfs is accessible to root only" :
				 "/sys/kernel/debug/usb/usbmon/0u is missing; mount debugfs and "
				 "load usbmon";
}

int usbtext_open(struct usbtext *t, uint16_t bus, struct trawl_error *err)
{
	char path[64];

	t->bus = bus;
	t->record = malloc(USBMONTEXT_RECORD);
	if (!t->record)
		return trawl_fail(err, TRAWL_CANNOT, "usb:text: out of memory");
	snprintf(path, sizeof(path), "/sys/kernel/debug/usb/usbmon/%uu", bus);
	t->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (t->fd >= 0)
		return 0;
	if (errno == ENOENT)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s is missing: there is no bus %u, or debugfs is not mounted "
				  "(mount -t debugfs debugfs /sys/kernel/debug), or usbmon is not "
				  "loaded (modprobe usbmon)", path, bus);
	return trawl_fail(err, TRAWL_CANNOT, "%s: %s%s", path, strerror(errno),
			  errno == EACCES ? ": debugfs is accessible to root only" : "");
}

/* The statistics of a bus are a line "nreaders 1 events 23 text_lost 0". */
int usbtext_lost(struct usbtext *t, uint64_t *lost, struct trawl_error *err)
{
	char path[64];
	uint32_t total;
	bool found;
	FILE *f;

	*lost = 0;
	snprintf(path, sizeof(path), "/sys/kernel/debug/usb/usbmon/%us", t->bus);
	f = fopen(path, "re");
	if (!f && errno == ENOENT)
		return 0; /* the bus was removed, and its count with it */
	if (!f)
		return trawl_fail(err, TRAWL_CANNOT, "%s: %s", path, strerror(errno));
	found = fscanf(f, "nreaders %*d events %*u text_lost %" SCNu32, &total) == 1;
	fclose(f);
	if (!found)
		return trawl_fail(err, TRAWL_CANNOT, "%s: no count of lost events in it; use usb: "
				  "instead of usb:text", path);
	*lost = (uint32_t)(total - t->lost);
	t->lost = total;
	return 0;
}

void usbtext_close(struct usbtext *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->record);
	t->fd = -1;
	t->record = NULL;
}

int64_t usbtext_time(uint32_t line, int64_t steady, int64_t ahead)
{
	const int64_t wrap = USBMONTEXT_WRAP * INT64_C(1000000000);

	return steady - (steady - line * INT64_C(1000)) % wrap + ahead;
}

/*
 * Returns CLOCK_REALTIME minus CLOCK_MONOTONIC, ns. Returns `before` if it has changed by at most
 * AHEAD_JITTER: inaccurate readings must not change the order of events.
 */
static int64_t wall_ahead(int64_t before)
{
	int64_t first = (int64_t)mono_now(), wall = (int64_t)clock_ns(CLOCK_REALTIME);
	int64_t ahead = wall - (first + (int64_t)mono_now()) / 2;

	return llabs(ahead - before) > AHEAD_JITTER ? ahead : before;
}

int usbtext_next(struct usbtext *t, const uint8_t **event, struct trawl_error *err)
{
	struct usbmontext_error bad;
	struct usbmon_header header;
	char line[LINE];
	int64_t time;
	ssize_t n;

	for (;;) {
		/* Each read() returns one line. */
		n = read(t->fd, line, sizeof(line));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n <= 0)
			return trawl_fail(err, TRAWL_CANNOT, "usb:text: reading: %s",
					  n ? strerror(errno) : "the file has ended");
		while (n && (line[n - 1] == '\n' || !line[n - 1]))
			n--;
		if (usbmontext_parse(line, (size_t)n, t->record, &bad))
			break;
		t->malformed++;
	}
	memcpy(&header, t->record, sizeof(header));
	t->ahead = wall_ahead(t->ahead);
	time = usbtext_time((uint32_t)(header.ts_sec * 1000000 + header.ts_usec),
			    (int64_t)mono_now(), t->ahead);
	header.ts_sec = time / 1000000000;
	header.ts_usec = (int32_t)(time % 1000000000 / 1000);
	memcpy(t->record, &header, sizeof(header));
	*event = t->record;
	return 1;
}
