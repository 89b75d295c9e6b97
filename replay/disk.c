/* SPDX-License-Identifier: MIT */
#include "replay/disk.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/scsiopcode.h"
#include "replay/blockrange.h"

enum sense_key { MEDIUM_ERROR = 0x03, HARDWARE_ERROR = 0x04, ILLEGAL_REQUEST = 0x05 };
enum sense_code { /* additional sense code; the qualifier is 0 */
	UNRECOVERED_READ_ERROR = 0x11,
	INVALID_OPERATION_CODE = 0x20,
	LBA_OUT_OF_RANGE = 0x21,
	INVALID_FIELD_IN_CDB = 0x24,
	INTERNAL_TARGET_FAILURE = 0x44,
};

static void fail(struct disk *d, struct disk_answer *a, enum sense_key key, enum sense_code code)
{
	a->status = 1;
	a->total = 0;
	d->sense_key = (uint8_t)key;
	d->sense_code = (uint8_t)code;
}

static bool within(const struct disk *d, const struct block_range *r)
{
	return r->blocks <= d->blocks && r->lba <= d->blocks - r->blocks;
}

/* Returns n zeros for the answer's data; NULL without memory, and the command fails. */
static uint8_t *make(struct disk *d, struct disk_answer *a, size_t n)
{
	if (!array_reserve(d->made, d->made_room, n ? n : 1)) {
		fail(d, a, HARDWARE_ERROR, INTERNAL_TARGET_FAILURE);
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
			fail(d, a, ILLEGAL_REQUEST, INVALID_FIELD_IN_CDB);
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
		put_be64(p, last);
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
	p[2] = d->sense_key;
	p[7] = 10;
	p[12] = d->sense_code;
	d->sense_key = d->sense_code = 0;
}

static void make_read(struct disk *d, struct disk_answer *a, const struct block_range *r)
{
	const uint8_t *first = NULL, *p;
	size_t size = (size_t)r->blocks * d->block;
	bool together = true;

	if (!within(d, r)) {
		fail(d, a, ILLEGAL_REQUEST, LBA_OUT_OF_RANGE);
		return;
	}
	if (r->blocks > 65536) {
		fail(d, a, ILLEGAL_REQUEST, INVALID_FIELD_IN_CDB);
		return;
	}
	for (uint32_t i = 0; i < r->blocks; i++) {
		p = sectors_at(&d->sectors, r->lba + i);
		if (!p) {
			fail(d, a, MEDIUM_ERROR, UNRECOVERED_READ_ERROR);
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
		if (!within(d, &r))
			fail(d, a, ILLEGAL_REQUEST, LBA_OUT_OF_RANGE);
		a->total = length;
		return;
	}
	if (r.is) {
		make_read(d, a, &r);
		return;
	}
	switch (cdb[0]) {
	case SCSI_TEST_UNIT_READY:
	case SCSI_START_STOP_UNIT:
	case SCSI_PREVENT_ALLOW_MEDIUM_REMOVAL:
	case SCSI_VERIFY_10:
	case SCSI_SYNCHRONIZE_CACHE_10:
	case SCSI_SYNCHRONIZE_CACHE_16:
		return;
	case SCSI_REQUEST_SENSE:
		make_sense(d, a);
		return;
	case SCSI_INQUIRY:
		make_inquiry(d, a, cdb);
		return;
	case SCSI_READ_CAPACITY_10:
		make_capacity(d, a, false);
		return;
	case SCSI_SERVICE_ACTION_IN_16:
		if (scsi_is_capacity_16(cdb))
			make_capacity(d, a, true);
		else
			fail(d, a, ILLEGAL_REQUEST, INVALID_FIELD_IN_CDB);
		return;
	case SCSI_MODE_SENSE_6: /* a header without pages */
		if (make(d, a, 4))
			d->made[0] = 3;
		return;
	case SCSI_MODE_SENSE_10:
		if (make(d, a, 8))
			d->made[1] = 6;
		return;
	default:
		fail(d, a, ILLEGAL_REQUEST, INVALID_OPERATION_CODE);
	}
}

void disk_free(struct disk *d)
{
	sectors_free(&d->sectors);
	free(d->made);
}
