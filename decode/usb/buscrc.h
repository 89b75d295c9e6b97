/* SPDX-License-Identifier: MIT */
/* The CRCs of packets on the bus: all bits but the PID's, the lowest first (USB 2.0, 8.3.5). */
#ifndef TRAWL_DECODE_USB_BUSCRC_H
#define TRAWL_DECODE_USB_BUSCRC_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t usb_bus_crc(const uint8_t *p, size_t bits, uint32_t polynomial,
				   uint32_t ones)
{
	uint32_t crc = ones;

	for (size_t i = 0; i < bits; i++) {
		uint32_t differs = (crc ^ (uint32_t)(p[i / 8] >> i % 8)) & 1;

		crc = crc >> 1 ^ (differs ? polynomial : 0);
	}
	return crc ^ ones;
}

/* Of a token or a start of frame, whose 11 bits they are; of a split, 19 bits. */
static inline uint32_t usb_crc5(const uint8_t *p, size_t bits)
{
	return usb_bus_crc(p, bits, 0x14, 0x1f);
}

/* Of n bytes of data. */
static inline uint16_t usb_crc16(const uint8_t *p, size_t n)
{
	return (uint16_t)usb_bus_crc(p, 8 * n, 0xa001, 0xffff);
}

#endif
