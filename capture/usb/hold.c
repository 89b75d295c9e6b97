/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include "capture/usb/hold.h"
#include "common/array.h"

struct entry {
	size_t len;
	uint64_t since; /* ms */
	enum usbfilter_verdict verdict; /* UNDECIDED: usbhold_release() asks the filter again */
	uint8_t event[] __attribute__((aligned(8)));
};

static size_t stride(size_t len)
{
	return (sizeof(struct entry) + len + 15) & ~(size_t)15;
}

static struct entry *entry(const struct usbhold *h, size_t at)
{
	return (struct entry *)(h->bytes + at);
}

static struct usbmon_header header(const struct entry *e)
{
	struct usbmon_header header;

	memcpy(&header, e->event, sizeof(header));
	return header;
}

static bool make_room(struct usbhold *h, size_t need)
{
	if (h->tail + need <= h->size)
		return true;
	if (h->head) {
		memmove(h->bytes, h->bytes + h->head, h->tail - h->head);
		h->tail -= h->head;
		h->head = 0;
	}
	return array_reserve(h->bytes, h->size, h->tail + need);
}

int usbhold_add(struct usbhold *h, const uint8_t *event, size_t len, uint64_t now)
{
	struct entry *e;

	if (!make_room(h, stride(len)))
		return -1;
	e = entry(h, h->tail);
	e->len = len;
	e->since = now;
	e->verdict = USBFILTER_UNDECIDED;
	memcpy(e->event, event, len);
	h->tail += stride(len);
	return 0;
}

void usbhold_enumerated(struct usbhold *h, uint16_t bus, bool wanted)
{
	size_t at;

	for (at = h->head; at < h->tail; at += stride(entry(h, at)->len)) {
		struct entry *e = entry(h, at);
		struct usbmon_header event = header(e);

		if (event.busnum == bus && event.devnum == 0 && e->verdict == USBFILTER_UNDECIDED)
			e->verdict = wanted ? USBFILTER_KEEP : USBFILTER_DROP;
	}
}

int usbhold_release(struct usbhold *h, const struct usbfilter *f, uint64_t now,
		    int (*emit)(const uint8_t *event, size_t len, void *arg), void *arg)
{
	enum usbfilter_verdict verdict;
	int r;

	while (usbhold_waiting(h)) {
		struct entry *e = entry(h, h->head);
		struct usbmon_header event = header(e);

		verdict = e->verdict;
		if (verdict == USBFILTER_UNDECIDED)
			verdict = usbfilter_match(f, &event);
		if (verdict == USBFILTER_UNDECIDED) {
			if (h->tail - h->head <= USBHOLD_BYTES && now - e->since < USBHOLD_MS)
				return 0;
			h->given_up++;
		}
		h->head += stride(e->len);
		if (verdict == USBFILTER_KEEP) {
			r = emit(e->event, e->len, arg);
			if (r)
				return r;
		}
	}
	h->head = h->tail = 0;
	return 0;
}

void usbhold_free(struct usbhold *h)
{
	free(h->bytes);
	memset(h, 0, sizeof(*h));
}
