/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "capture/usb/usbmon_ioctl.h"
#include "tests/capture/usb/monmodel.h"

enum { ALIGN = 64, PAGE = 4096, DEFAULT = 300 << 10, LEAST = 8 << 10 };

struct monmodel monmodel;

static int fail(int error)
{
	errno = error;
	return -1;
}

static void new_ring(size_t size)
{
	free(monmodel.ring);
	monmodel.ring = calloc(1, size);
	monmodel.size = size;
	monmodel.in = monmodel.out = monmodel.used = 0;
	monmodel.lost = 0;
}

void monmodel_reset(void)
{
	free(monmodel.ring);
	memset(&monmodel, 0, sizeof(monmodel));
	monmodel.ring_max = USBMON_RING_MAX;
	new_ring(DEFAULT);
}

static size_t aligned(size_t n)
{
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* The size of the event at an offset, with its padding. */
static size_t stride(size_t at)
{
	struct usbmon_header h;

	memcpy(&h, monmodel.ring + at, sizeof(h));
	return aligned(sizeof(h) + h.len_cap);
}

static void advance(size_t *at, size_t n)
{
	*at = (*at + n) % monmodel.size;
}

/* Writes to the ring after *at, wrapping at the end. */
static void put(size_t *at, const void *from, size_t n)
{
	size_t first = n < monmodel.size - *at ? n : monmodel.size - *at;

	memcpy(monmodel.ring + *at, from, first);
	memcpy(monmodel.ring, (const char *)from + first, n - first);
	advance(at, n);
}

/*
 * While the ring is mapped, an event never wraps: a filler occupies the rest. Returns false if
 * there is no room.
 */
static bool skip_end(size_t size)
{
	struct usbmon_header filler = { .type = '@' };
	size_t rest = monmodel.size - monmodel.in;

	if (!monmodel.mapped || size <= rest)
		return monmodel.used + size <= monmodel.size;
	if (monmodel.used + rest + size > monmodel.size)
		return false;
	filler.len_cap = (uint32_t)(rest - sizeof(filler));
	memcpy(monmodel.ring + monmodel.in, &filler, sizeof(filler));
	advance(&monmodel.in, rest);
	monmodel.used += rest;
	return true;
}

bool monmodel_event(const struct usbmon_header *header, const void *data, size_t len)
{
	struct usbmon_header h = *header;
	size_t descs = (size_t)h.ndesc * USBMON_ISO_DESC, cap, at, size;

	/* The descriptors are not counted towards the limit of a fifth. */
	cap = len - descs > monmodel.size / 5 ? descs + monmodel.size / 5 : len;
	size = aligned(sizeof(h) + cap);
	if (!skip_end(size)) {
		monmodel.lost++;
		return false;
	}
	h.len_cap = (uint32_t)cap;
	at = monmodel.in;
	put(&at, &h, sizeof(h));
	if (data)
		put(&at, data, cap);
	advance(&monmodel.in, size);
	monmodel.used += size;
	return true;
}

static uint32_t flush(uint32_t n)
{
	uint32_t done = 0;

	while (done < n && monmodel.used) {
		size_t size = stride(monmodel.out);

		advance(&monmodel.out, size);
		monmodel.used -= size;
		done++;
	}
	monmodel.flushed += done;
	return done;
}

static int wait_event(void)
{
	if (monmodel.interrupts) {
		monmodel.interrupts--;
		return fail(EINTR);
	}
	return monmodel.used ? 0 : fail(EAGAIN);
}

static int fetch(struct mon_bin_mfetch *arg)
{
	size_t at, walked = 0;
	uint32_t n = 0;

	monmodel.fetches++;
	arg->nflush = flush(arg->nflush);
	if (wait_event() < 0)
		return -1;
	for (at = monmodel.out; n < arg->nfetch && walked < monmodel.used; n++) {
		size_t size = stride(at);

		arg->offsets[n] = (uint32_t)at;
		advance(&at, size);
		walked += size;
	}
	arg->nfetch = n;
	return 0;
}

static int get(struct mon_bin_get *arg)
{
	struct usbmon_header *h = arg->header;
	size_t n, first, at;

	if (wait_event() < 0)
		return -1;
	memcpy(h, monmodel.ring + monmodel.out, sizeof(*h));
	at = (monmodel.out + sizeof(*h)) % monmodel.size;
	n = h->len_cap < arg->alloc ? h->len_cap : arg->alloc;
	first = n < monmodel.size - at ? n : monmodel.size - at;
	memcpy(arg->data, monmodel.ring + at, first);
	memcpy((char *)arg->data + first, monmodel.ring, n - first);
	flush(1);
	return 0;
}

static int model_ioctl(int fd, unsigned long request, void *arg)
{
	struct mon_bin_stats *stats = arg;
	size_t size = (size_t)arg;

	switch (request) {
	case MON_IOCT_RING_SIZE:
		if (monmodel.mapped)
			return fail(EBUSY);
		if (size < LEAST || size > monmodel.ring_max)
			return fail(EINVAL);
		new_ring((size + PAGE - 1) / PAGE * PAGE);
		return 0;
	case MON_IOCQ_RING_SIZE:
		return (int)monmodel.size;
	case MON_IOCX_MFETCH:
		return fetch(arg);
	case MON_IOCX_GETX:
		return get(arg);
	case MON_IOCH_MFLUSH:
		return (int)flush((uint32_t)size);
	case MON_IOCG_STATS:
		monmodel.statistics++;
		stats->queued = 0;
		stats->dropped = monmodel.lost;
		monmodel.lost = 0;
		return 0;
	}
	return fail(ENOTTY);
}

static int model_open(const char *path, int flags)
{
	return 0;
}

static void *model_map(int fd, size_t size)
{
	if (monmodel.no_map || size > monmodel.size)
		return NULL;
	monmodel.mapped = true;
	return monmodel.ring;
}

static void model_unmap(void *ring, size_t size)
{
	monmodel.mapped = false;
}

static int model_close(int fd)
{
	return 0;
}

const struct usbmon_ops monmodel_ops = {
	.open = model_open,
	.ioctl = model_ioctl,
	.map = model_map,
	.unmap = model_unmap,
	.close = model_close,
};
