/* SPDX-License-Identifier: MIT */
/*
 * USB capture without a kernel: events from the model of usbmon's ring
 * (tests/capture/usb/monmodel.h) go through the fetch loop and the filter into a compressed file.
 * The time for draining the ring is measured, up to the last write(); that for filling it is not.
 *
 *	usbmon [EVENTS [FILE [PAYLOAD [NOISE [LEVEL]]]]]
 *
 * Bulk data arrives as fast as it is read, which is always too fast for zstd -1: the compression
 * level adapts as in trawl(1), unless LEVEL is given. Bulk data is written to a new file, and then
 * over a file of that size: in a virtual machine, allocating memory may cost more than writing to
 * it, and the second run avoids it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>
#include "capture/sys/priority.h"
#include "capture/usb/filter.h"
#include "common/usbtypes.h"
#include "tests/bench/usbevents.h"
#include "tests/capture/usb/monmodel.h"

static struct trawl_error err;

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "usbmon bench: %s: %s\n", what, err.text);
	exit(1);
}

static void drain(struct usbmon *m, struct usbfilter *f, struct trawl_writer *w, uint16_t source)
{
	struct usbmon_header h;
	const uint8_t *event;
	int r;

	while ((r = usbmon_next(m, &event, &err)) > 0) {
		memcpy(&h, event, sizeof(h));
		if (usbfilter_match(f, &h) != USBFILTER_KEEP)
			continue;
		if (trawl_append(w,
				 &(struct trawl_record){source, usbtypes_event(h.type), 0,
							(uint64_t)h.ts_sec * 1000000000 +
								(uint64_t)h.ts_usec * 1000,
							event, sizeof(h) + h.len_cap},
				 &err) < 0)
			die("append");
	}
	if (r < 0)
		die("fetch");
}

enum { PIECE = 1 << 20, PIECES = 64 };

static _Alignas(4096) uint8_t data[PIECE];

/*
 * Seconds to write this number of bytes into a new file; O_DIRECT: to disk, not to memory. 0: not
 * possible here.
 */
static double write_alone(const char *path, uint64_t size, int flags)
{
	double t = seconds(CLOCK_MONOTONIC);
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | flags, 0600);

	if (fd < 0)
		return 0;
	for (uint64_t done = 0; done < size; done += PIECE)
		if (write(fd, data, PIECE) < 0)
			die(path);
	close(fd);
	return seconds(CLOCK_MONOTONIC) - t;
}

/*
 * Prints external limits for bulk data: the speed of zstd alone on this data, and that of writing
 * the result. In GB of captured data a second, by CPU time and by wall-clock time.
 */
static void bounds(size_t payload, unsigned int noise, uint64_t bytes, uint64_t size,
		   const char *path, double rate)
{
	static uint8_t out[PIECE + PIECE / 64];
	struct usbmon_header h;
	double zstd, t, memory, disk;

	for (size_t at = 0; at + payload <= PIECE; at += payload)
		usbevents_make(2 * at + 1, payload, noise, &h, data + at);
	t = seconds(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < PIECES; i++)
		ZSTD_compress(out, sizeof(out), data, PIECE, 1);
	zstd = seconds(CLOCK_THREAD_CPUTIME_ID) - t;
	memory = (double)bytes / write_alone(path, size, 0) / 1e9;
	disk = write_alone(path, size, O_DIRECT);
	printf("      alone: zstd -1 %.2f GB/s of CPU; writing such a file %.2f GB/s (we had %.2f "
	       "of that)",
	       PIECES * (double)PIECE / zstd / 1e9, memory, rate / memory);
	if (disk > 0)
		printf(", past the page cache %.2f GB/s", (double)bytes / disk / 1e9);
	printf("\n");
}

static void sync_file(struct trawl_writer *w, enum trawl_sync_why why)
{
	struct trawl_sync sync;

	trawl_sync_now(&sync);
	sync.why = why;
	if (trawl_writer_sync(w, &sync, &err) < 0 || trawl_writer_flush(w, &err) < 0)
		die("sync");
}

/* Makes a file of this size whose pages are in the page cache. */
static void make_room(const char *path, uint64_t size)
{
	static const uint8_t zeros[1 << 20];
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	for (uint64_t done = 0; done < size; done += sizeof(zeros))
		if (write(fd, zeros, sizeof(zeros)) < 0)
			die(path);
	close(fd);
}

/* over: write over the bytes of an existing file, not into a new file. */
static void run(size_t payload, unsigned int noise, uint64_t events, const char *path, int level,
		bool over)
{
	static struct usbfilter filter;
	const struct trawl_writer_options o = { .level = level, .keep_up = !level };
	struct usbmon m;
	struct trawl_writer *w;
	uint64_t n = 0, done = 0, bytes = 0, got;
	double wall = 0, drain_cpu = 0, all_cpu = 0, t[3];
	struct stat st;
	int source;

	memset(&filter, 0, sizeof(filter));
	monmodel_reset();
	if (usbfilter_add(&filter, "", &err) < 0 ||
	    usbmon_open(&m, &monmodel_ops, "model", 0, &err) < 0)
		die("open");
	if (over)
		make_room(path, events * (payload / 2 + sizeof(struct usbmon_header)));
	w = trawl_writer_new(open(path, O_CREAT | O_WRONLY | (over ? 0 : O_TRUNC), 0600), &o, &err);
	if (!w)
		die(path);
	source = usbtypes_describe(w, "usb", &err);
	if (source < 0)
		die("describe");
	sync_file(w, TRAWL_SYNC_START);
	while (done < events) {
		got = usbevents_fill(&n, events - done, payload, noise, &bytes);
		t[0] = seconds(CLOCK_MONOTONIC);
		t[1] = seconds(CLOCK_THREAD_CPUTIME_ID);
		t[2] = seconds(CLOCK_PROCESS_CPUTIME_ID);
		drain(&m, &filter, w, (uint16_t)source);
		sync_file(w, TRAWL_SYNC_TICK);
		wall += seconds(CLOCK_MONOTONIC) - t[0];
		drain_cpu += seconds(CLOCK_THREAD_CPUTIME_ID) - t[1];
		all_cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - t[2];
		done += got;
	}
	if (trawl_writer_close(w, &err) < 0)
		die("close");
	stat(path, &st);
	printf("%5zu bytes, %u/4 noise%s: %8.0f events/s, %5.2f GB/s (%.2f by CPU of the encoder); "
	       "CPU ns/event: drain %.0f, encode %.0f; "
	       "%.2f bytes/event in the file, %.1f%%; %.1f events/ioctl\n",
	       payload, noise, over ? ", written over" : "", (double)done / wall,
	       (double)bytes / wall / 1e9, (double)bytes / (all_cpu - drain_cpu) / 1e9,
	       drain_cpu / (double)done * 1e9, (all_cpu - drain_cpu) / (double)done * 1e9,
	       (double)st.st_size / (double)done, 100.0 * (double)st.st_size / (double)bytes,
	       (double)done / (double)monmodel.fetches);
	if (payload > 4096 && !over)
		bounds(payload, noise, bytes, (uint64_t)st.st_size, path,
		       (double)bytes / wall / 1e9);
	usbmon_close(&m);
}

int main(int argc, char **argv)
{
	static const struct {
		size_t payload;
		unsigned int noise;
	} kinds[] = {
		{ 0, 0 }, { 8, 0 }, { 64, 1 }, { 512, 1 },
		{ 16384, 0 }, { 16384, 1 }, { 16384, 4 },
	};
	uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 0) : 10000000;
	const char *path = argc > 2 ? argv[2] : "/tmp/usbmon-bench.trawl";
	int level = argc > 5 ? atoi(argv[5]) : 0;
	struct stat st;
	uint64_t n;
	size_t i;

	/* as trawl does; otherwise the work of other programs would be measured as well */
	priority_first(level);
	printf("usbmon ring model, 64 MiB, to %s\n", path);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if ((argc > 3 && strtoul(argv[3], NULL, 0) != kinds[i].payload) ||
		    (argc > 4 && strtoul(argv[4], NULL, 0) != kinds[i].noise))
			continue;
		/* As many large events as small ones (10 million) would be 80 GB. */
		n = kinds[i].payload > 4096 ? events / 20 : events;
		run(kinds[i].payload, kinds[i].noise, n, path, level, false);
		if (kinds[i].payload > 4096)
			run(kinds[i].payload, kinds[i].noise, n, path, level, true);
	}
	/* Never removes a device: /dev/null can be given to measure without a file. */
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
	return 0;
}
