/* SPDX-License-Identifier: MIT */
#include "replay/disk.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "replay/blockrange.h"

static void fail(struct disk *d, struct disk_answer *a, uint8_t key, uint8_t code,
		 uint8_t qualifier)
{
	a->status = 1;
	a->total = 0;
	d->sense[0] = key;
	d->sense[1] = code;
	d->sense[2] = qualifier;
}

/* Returns n zeros for the answer's data; NULL without memory, and the command fails. */
static uint8_t *make(struct disk *d, struct disk_answer *a, size_t n)
{
	if (!array_reserve(d->made, d->made_room, n ? n : 1)) {
		fail(d, a, 0x04, 0x44, 0);
		return NULL;
	}
	memset(d->made, 0, n);
	a->data = d->made;
	a->total = n;
	return d->made;
}

static void fill_text(uint8_t *p, size_t n, const char *text)
{
	size_t len = strnlen(text, n);

	memset(p, ' ', n);
	memcpy(p, text, len);
}

static void make_inquiry(struct disk *d, struct disk_answer *a, const uint8_t *cdb)
{
	uint8_t *p;

	if (cdb[1] & 1) { /* vital product data: an empty list of pages */
		p = cdb[2] ? NULL : make(d, a, 5);
		if (p)
			p[3] = 1;
		else
			fail(d, a, 0x05, 0x24, 0);
		return;
	}
	p = make(d, a, 36);
	if (!p)
		return;
	p[2] = 5;
	p[3] = 2;
	p[4] = 31;
	fill_text(p + 8, 8, d->vendor);
	fill_text(p + 16, 16, d->product);
	fill_text(p + 32, 4, "1");
}

static void make_capacity(struct disk *d, struct disk_answer *a, bool large)
{
	uint8_t *p = make(d, a, large ? 32 : 8);
	uint64_t last = d->blocks ? d->blocks - 1 : 0;

	if (!p)
		return;
	if (large) {
		put_be32(p, (uint32_t)(last >> 32));
		put_be32(p + 4, (uint32_t)last);
		put_be32(p + 8, d->block);
		return;
	}
	put_be32(p, last > UINT32_MAX ? UINT32_MAX : (uint32_t)last);
	put_be32(p + 4, d->block);
}

static void make_sense(struct disk *d, struct disk_answer *a)
{
	uint8_t *p = make(d, a, 18);

	if (!p)
		return;
	p[0] = 0x70;
	p[2] = d->sense[0];
	p[7] = 10;
	p[12] = d->sense[1];
	p[13] = d->sense[2];
	memset(d->sense, 0, sizeof(d->sense));
}

static void make_read(struct disk *d, struct disk_answer *a, const struct block_range *r)
{
	const uint8_t *first = NULL, *p;
	size_t size = (size_t)r->blocks * d->block;
	bool together = true;

	if (r->lba + r->blocks > d->blocks) {
		fail(d, a, 0x05, 0x21, 0); /* logical block address out of range */
		return;
	}
	if (r->blocks > 65536) {
		fail(d, a, 0x05, 0x24, 0);
		return;
	}
	for (uint32_t i = 0; i < r->blocks; i++) {
		p = sectors_at(&d->sectors, r->lba + i);
		if (!p) {
			fail(d, a, 0x03, 0x11, 0); /* unrecovered read error */
			return;
		}
		first = i ? first : p;
		together &= p == first + (size_t)i * d->block;
	}
	a->data = first;
	a->total = size;
	if (together || !make(d, a, size))
		return;
	for (uint32_t i = 0; i < r->blocks; i++)
		memcpy(d->made + (size_t)i * d->block, sectors_at(&d->sectors, r->lba + i),
		       d->block);
}

void disk_answer(struct disk *d, const uint8_t *cdb, uint32_t length, struct disk_answer *a)
{
	struct block_range r = block_range_of(cdb);

	*a = (struct disk_answer){0};
	if (r.is && r.write) {
		if (r.lba + r.blocks > d->blocks)
			fail(d, a, 0x05, 0x21, 0); /* logical block address out of range */
		a->total = length;
		return;
	}
	if (r.is) {
		make_read(d, a, &r);
		return;
	}
	switch (cdb[0]) {
	case 0x00: /* TEST UNIT READY */
	case 0x1b: /* START STOP UNIT */
	case 0x1e: /* PREVENT ALLOW MEDIUM REMOVAL */
	case 0x2f: /* VERIFY */
	case 0x35: /* SYNCHRONIZE CACHE */
	case 0x91:
		return;
	case 0x03:
		make_sense(d, a);
		return;
	case 0x12:
		make_inquiry(d, a, cdb);
		return;
	case 0x25:
		make_capacity(d, a, false);
		return;
	case 0x9e:
		make_capacity(d, a, true);
		return;
	case 0x1a: /* MODE SENSE: header without pages */
		if (make(d, a, 4))
			d->made[0] = 3;
		return;
	case 0x5a:
		if (make(d, a, 8))
			d->made[1] = 6;
		return;
	default:
		fail(d, a, 0x05, 0x20, 0); /* invalid command operation code */
	}
}

void disk_free(struct disk *d)
{
	sectors_free(&d->sectors);
	free(d->made);
}
