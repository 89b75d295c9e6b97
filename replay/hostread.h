/* SPDX-License-Identifier: MIT */
/*
 * A read, or an isochronous transfer in either direction, that is queued at a device while other
 * transfers go on, by libusb.
 */
#ifndef TRAWL_REPLAY_HOSTREAD_H
#define TRAWL_REPLAY_HOSTREAD_H

#include <libusb.h>
#include <stdint.h>

struct hostread;

/*
 * Queues a bulk or interrupt read of `room` bytes. NULL: out of memory. If libusb refuses it,
 * hostread_end() returns why.
 */
struct hostread *hostread_begin(libusb_device_handle *device, uint8_t xfer, uint8_t endpoint,
				uint32_t room);

/*
 * Queues an isochronous transfer of n packets with these lengths; data: what is sent, packet by
 * packet, or NULL for a read. As hostread_begin().
 */
struct hostread *hostread_begin_packets(libusb_device_handle *device, uint8_t endpoint, uint32_t n,
					const uint32_t *lengths, const uint8_t *data);

/*
 * Waits until the device has answered, for `ms` at most, then cancels the read. Returns the number
 * of bytes, or libusb's error: LIBUSB_ERROR_TIMEOUT for one that was cancelled.
 */
int hostread_end(struct hostread *r, unsigned int ms);

/*
 * The answer, that of isochronous packets one after the other, once hostread_end() has returned
 * its length; valid until hostread_free().
 */
const uint8_t *hostread_data(const struct hostread *r);

/* Returns how many of its isochronous packets ended with an error. */
uint32_t hostread_bad_packets(const struct hostread *r);

/* Cancels the read if it has not ended, and frees it. NULL is allowed. */
void hostread_free(struct hostread *r);

#endif
