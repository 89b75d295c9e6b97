/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <time.h>
#include "tests/bench/usbevents.h"
#include "tests/capture/usb/monmodel.h"

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

size_t usbevents_make(uint64_t n, size_t payload, unsigned int noise, struct usbmon_header *h,
		      uint8_t *data)
{
	static uint64_t rng = 88172645463325252u, us;
	uint64_t urb = n / 2;
	size_t i, len = n & 1 ? payload : 0;

	if (!us)
		us = now_us();
	rng ^= rng << 13, rng ^= rng >> 7, rng ^= rng << 17;
	us += 3 + rng % 8;
	*h = (struct usbmon_header){
		.id = 0xffff8880041a2000 + urb % 8 * 192, .type = n & 1 ? 'C' : 'S',
		.xfer_type = payload > 64 ? 3 : 1, .epnum = 0x81, .devnum = (uint8_t)(2 + urb % 2),
		.busnum = 1, .flag_setup = '-', .flag_data = n & 1 ? '\0' : '<',
		.ts_sec = (int64_t)(us / 1000000), .ts_usec = (int32_t)(us % 1000000),
		.status = n & 1 ? 0 : -115, .len_urb = (uint32_t)payload, .interval = 8,
		.xfer_flags = 0x200,
	};
	for (i = 0; data && i + 8 <= len; i += 8) {
		uint64_t word = n + i;

		if (i % 32 / 8 < noise) {
			word = (rng + i) * 0x9e3779b97f4a7c15;
			word ^= word >> 29;
		}
		memcpy(data + i, &word, 8);
	}
	return len;
}

uint64_t usbevents_fill(uint64_t *n, uint64_t most, size_t payload, unsigned int noise,
			uint64_t *bytes)
{
	static uint8_t room[16384];
	uint8_t *data = payload > 4096 && *n ? NULL : room;
	struct usbmon_header h;
	uint64_t count = 0;

	while (count < most && monmodel.used + payload + 8192 < monmodel.size) {
		size_t len = usbevents_make((*n)++, payload, noise, &h, data);

		if (!monmodel_event(&h, data, len))
			break;
		*bytes += sizeof(h) + len;
		count++;
	}
	return count;
}
