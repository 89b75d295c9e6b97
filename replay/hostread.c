/* SPDX-License-Identifier: MIT */
#include "config.h"

#ifdef HAVE_LIBUSB
#include "replay/hostread.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/usb/urb.h"

#define CANCEL_TIME 1000 /* ms that a cancelled read may take to end */

struct hostread {
	struct libusb_transfer *transfer;
	int refused;   /* libusb's error of the submission */
	int done;
	uint8_t data[];
};

static void LIBUSB_CALL on_end(struct libusb_transfer *t)
{
	struct hostread *r = t->user_data;

	r->done = 1;
}

static struct hostread *make(size_t room, uint32_t packets)
{
	struct hostread *r = calloc(1, sizeof(*r) + room + 1);

	if (!r)
		return NULL;
	r->transfer = libusb_alloc_transfer((int)packets);
	if (r->transfer)
		return r;
	free(r);
	return NULL;
}

static void submit(struct hostread *r)
{
	r->refused = libusb_submit_transfer(r->transfer);
	r->done = r->refused != 0;
}

struct hostread *hostread_begin(libusb_device_handle *device, uint8_t xfer, uint8_t endpoint,
				uint32_t room)
{
	struct hostread *r = make(room, 0);

	if (!r)
		return NULL;
	(xfer == URB_BULK ? libusb_fill_bulk_transfer : libusb_fill_interrupt_transfer)(
		r->transfer, device, endpoint, r->data, (int)room, on_end, r, 0);
	submit(r);
	return r;
}

struct hostread *hostread_begin_packets(libusb_device_handle *device, uint8_t endpoint, uint32_t n,
					const uint32_t *lengths, const uint8_t *data)
{
	struct hostread *r;
	size_t size = 0;

	for (uint32_t i = 0; i < n; i++)
		size += lengths[i];
	r = make(size, n);
	if (!r)
		return NULL;
	if (data)
		memcpy(r->data, data, size);
	libusb_fill_iso_transfer(r->transfer, device, endpoint, r->data, (int)size, (int)n, on_end,
				 r, 0);
	for (uint32_t i = 0; i < n; i++)
		r->transfer->iso_packet_desc[i].length = lengths[i];
	submit(r);
	return r;
}

/* Moves the data of the packets together. Returns the number of bytes. */
static int join_packets(struct hostread *r)
{
	size_t at = 0, end = 0;

	for (int i = 0; i < r->transfer->num_iso_packets; i++) {
		const struct libusb_iso_packet_descriptor *p = &r->transfer->iso_packet_desc[i];

		memmove(r->data + end, r->data + at, p->actual_length);
		at += p->length;
		end += p->actual_length;
	}
	return (int)end;
}

uint32_t hostread_bad_packets(const struct hostread *r)
{
	uint32_t n = 0;

	for (int i = 0; i < r->transfer->num_iso_packets; i++)
		n += r->transfer->iso_packet_desc[i].status != LIBUSB_TRANSFER_COMPLETED;
	return n;
}

static uint64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Handles libusb's events until the read has ended, for at most `ms`. */
static void wait_end(struct hostread *r, unsigned int ms)
{
	uint64_t end = clock_ms() + ms, now;

	while (!r->done && (now = clock_ms()) < end) {
		struct timeval left = {.tv_sec = (time_t)((end - now) / 1000),
				       .tv_usec = (suseconds_t)((end - now) % 1000 * 1000)};

		if (libusb_handle_events_timeout_completed(NULL, &left, &r->done))
			return;
	}
}

int hostread_end(struct hostread *r, unsigned int ms)
{
	wait_end(r, ms);
	if (!r->done && !libusb_cancel_transfer(r->transfer))
		wait_end(r, CANCEL_TIME);
	if (r->refused)
		return r->refused;
	if (!r->done)
		return LIBUSB_ERROR_TIMEOUT;
	switch (r->transfer->status) {
	case LIBUSB_TRANSFER_COMPLETED:
		return r->transfer->num_iso_packets ? join_packets(r)
						    : r->transfer->actual_length;
	case LIBUSB_TRANSFER_STALL:
		return LIBUSB_ERROR_PIPE;
	case LIBUSB_TRANSFER_NO_DEVICE:
		return LIBUSB_ERROR_NO_DEVICE;
	case LIBUSB_TRANSFER_OVERFLOW:
		return LIBUSB_ERROR_OVERFLOW;
	case LIBUSB_TRANSFER_CANCELLED:
	case LIBUSB_TRANSFER_TIMED_OUT:
		return LIBUSB_ERROR_TIMEOUT;
	default:
		return LIBUSB_ERROR_IO;
	}
}

const uint8_t *hostread_data(const struct hostread *r)
{
	return r->data;
}

void hostread_free(struct hostread *r)
{
	if (!r)
		return;
	if (!r->done && !libusb_cancel_transfer(r->transfer))
		wait_end(r, CANCEL_TIME);
	if (!r->done)
		return; /* libusb may still write to it */
	libusb_free_transfer(r->transfer);
	free(r);
}
#endif
