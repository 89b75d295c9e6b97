/* SPDX-License-Identifier: MIT */
/*
 * Makes a .trawl file in the form of a USB capture: snapshots of devices, then events.
 *
 *	make-usb OUT RECORDS [[+]NAME=JSON-FILE ...]
 *
 * RECORDS has usbmon records, each preceded by its length in four bytes. Snapshots have the time of
 * the first event; those with a plus, that of 1 ms after the last event.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/usbtypes.h"
#include "decode/base/bytes.h"
#include "decode/usb/urb.h"

static void die(const char *what)
{
	fprintf(stderr, "make-usb: %s\n", what);
	exit(1);
}

static uint8_t *load(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = malloc(16 << 20);

	if (!f || !p)
		die(path);
	*n = fread(p, 1, 16 << 20, f);
	fclose(f);
	return p;
}

/* The clocks of a machine that was booted 1000 s before the first event. */
static void sync_at(struct trawl_writer *w, uint64_t real, uint64_t mono)
{
	struct trawl_sync s = {
		.real = real, .mono = mono, .boot = mono, .mono_raw = mono, .tai = real,
		.bound = 100, .why = TRAWL_SYNC_START,
	};
	struct trawl_error err;

	if (trawl_writer_sync(w, &s, &err))
		die(err.text);
}

/* NAME=JSON-FILE */
static void put_snapshot(struct trawl_writer *w, const char *arg, uint64_t mono)
{
	const char *file = strchr(arg, '=');
	struct trawl_meta m = {.type = "application/json", .time = mono};
	struct trawl_error err;
	char name[100];

	if (!file)
		die(arg);
	snprintf(name, sizeof(name), "%.*s", (int)(file - arg), arg);
	m.name = name;
	m.data = load(file + 1, &m.len);
	if (trawl_writer_meta(w, &m, &err))
		die(err.text);
	free((void *)m.data);
}

int main(int argc, char **argv)
{
	const uint64_t mono = UINT64_C(1000000000000);
	struct trawl_writer *w;
	struct trawl_error err;
	uint8_t *records, *p, *end;
	uint64_t first;
	struct urb u;
	size_t n;
	int source;

	if (argc < 3)
		die("usage: make-usb OUT RECORDS [[+]NAME=JSON-FILE ...]");
	p = records = load(argv[2], &n);
	end = p + n;
	w = trawl_writer_new(open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600), NULL, &err);
	source = w ? usbtypes_describe(w, "usb", &err) : -1;
	if (source < 0)
		die(err.text);
	urb_parse(&u, p + 4, n - 4);
	sync_at(w, u.time, mono);
	first = u.time;
	for (int i = 3; i < argc; i++)
		if (argv[i][0] != '+')
			put_snapshot(w, argv[i], mono);
	for (; p + 4 <= end; p += n + 4) {
		n = get32(p);
		urb_parse(&u, p + 4, n);
		if (trawl_append(w,
				 &(struct trawl_record){(uint16_t)source,
							usbtypes_event((uint8_t)u.type), 0, u.time,
							p + 4, n},
				 &err))
			die(err.text);
	}
	for (int i = 3; i < argc; i++)
		if (argv[i][0] == '+')
			put_snapshot(w, argv[i] + 1, mono + u.time - first + 1000000);
	sync_at(w, u.time, mono + u.time - first);
	if (trawl_writer_close(w, &err))
		die(err.text);
	free(records);
	return 0;
}
