/* SPDX-License-Identifier: MIT */
/*
 * Generates USB traffic at full speed: keeps transfers in flight on endpoints of one device.
 *
 *	usbload DEVICE SECONDS DEPTH SIZE ENDPOINT...
 *
 * DEVICE is /dev/bus/usb/BBB/DDD, ENDPOINT a bulk or interrupt address such as 0x81. Interface 0
 * is detached from its driver. At the end, prints the number of transfers and bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/usbdevice_fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int fail(const char *what)
{
	fprintf(stderr, "usbload: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int take(const char *path)
{
	struct usbdevfs_disconnect_claim claim = { .interface = 0 };
	int fd = open(path, O_RDWR);

	if (fd < 0)
		fail(path);
	if (ioctl(fd, USBDEVFS_DISCONNECT_CLAIM, &claim) < 0)
		fail("claiming interface 0");
	return fd;
}

static struct usbdevfs_urb *new_urb(unsigned char endpoint, int size, unsigned int seed)
{
	struct usbdevfs_urb *urb = calloc(1, sizeof(*urb));
	uint8_t *buffer = malloc((size_t)size + 1);
	int i;

	if (!urb || !buffer)
		fail("memory");
	/* The sink of g_zero's pattern 0 expects zeros. */
	memset(buffer, 0, (size_t)size + 1);
	for (i = 0; i + 4 <= size && seed; i += 64)
		memcpy(buffer + i, &seed, 4);
	urb->type = USBDEVFS_URB_TYPE_BULK;
	urb->endpoint = endpoint;
	urb->buffer = buffer;
	urb->buffer_length = size;
	return urb;
}

int main(int argc, char **argv)
{
	unsigned long transfers = 0, failed = 0, inflight = 0;
	unsigned long long bytes = 0;
	int fd, i, k, depth, size;
	double end;

	if (argc < 6) {
		fprintf(stderr, "usage: usbload DEVICE SECONDS DEPTH SIZE ENDPOINT...\n");
		return 2;
	}
	fd = take(argv[1]);
	end = now() + atof(argv[2]);
	depth = atoi(argv[3]);
	size = atoi(argv[4]);
	for (i = 5; i < argc; i++) {
		for (k = 0; k < depth; k++) {
			unsigned char ep = (unsigned char)strtoul(argv[i], NULL, 0);

			if (ioctl(fd, USBDEVFS_SUBMITURB, new_urb(ep, size, 0)) < 0)
				fail("submitting");
			inflight++;
		}
	}
	while (inflight) {
		struct usbdevfs_urb *urb;

		if (ioctl(fd, USBDEVFS_REAPURB, &urb) < 0)
			fail("reaping");
		inflight--;
		transfers++;
		failed += urb->status != 0;
		bytes += (unsigned long long)urb->actual_length;
		if (now() < end && urb->status == 0 && ioctl(fd, USBDEVFS_SUBMITURB, urb) == 0)
			inflight++;
	}
	printf("%lu transfers, %llu bytes, %lu failed\n", transfers, bytes, failed);
	return failed != 0;
}
