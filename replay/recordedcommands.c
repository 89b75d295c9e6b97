/* SPDX-License-Identifier: MIT */
#include "replay/recordedcommands.h"

#include "decode/base/bytes.h"
#include "decode/usb/msc.h"
#include "decode/usb/scsiopcode.h"
#include "replay/blockrange.h"

bool recorded_commands_are(struct tape *t, uint8_t in, uint8_t out)
{
	unsigned int list = out & 15u;
	const uint32_t *entries = tape_list(t, list);

	for (uint32_t i = 0; i < t->lists[list].n; i++) {
		const struct tape_entry *e = &t->entries[entries[i]];

		if (!(i % TAPE_STRETCH))
			tape_release(t);
		if (msc_is_cbw(tape_data(t, e), e->data_len))
			return true;
	}
	return !t->lists[list].n && !t->lists[16 + (in & 15u)].n;
}

/* ---- finding them ---------------------------------------------------------------------------- */

/* Adds a tape entry of the bulk endpoints to the command that it belongs to. */
static void take_entry(struct recorded_commands *c, uint32_t i)
{
	struct tape_entry *e = &c->tape->entries[i];
	const uint8_t *p = tape_data(c->tape, e);
	struct recorded_command *k = c->n ? &c->list[c->n - 1] : NULL;

	if (e->endpoint == c->out && msc_is_cbw(p, e->data_len)) {
		e->used |= e->cancelled; /* the host may cancel it again, or not send it */
		c->list[c->n++] = (struct recorded_command){
			.cbw = i, .csw = TAPE_NONE, .first = c->nparts};
		return;
	}
	if (!k || k->csw != TAPE_NONE || e->cancelled) {
		/* it belongs to a command from before the capture, or was cancelled */
		e->used = true;
		return;
	}
	if (e->endpoint == c->in && e->data_len == CSW_SIZE && !memcmp(p, "USBS", 4) &&
	    !memcmp(p + 4, tape_data(c->tape, recorded_cbw(c, k)) + 4, 4)) {
		k->csw = i;
		return;
	}
	if (e->endpoint == c->in)
		k->stalled |= e->status == -32;
	c->parts[c->nparts++] = i;
	k->n++;
	k->length += e->data_len;
}

static bool is_bulk(const struct recorded_commands *c, const struct tape_entry *e)
{
	return e->xfer == URB_BULK && (e->endpoint == c->in || e->endpoint == c->out);
}

/* Removes what was mapped from this process's memory. */
static void release(const struct recorded_commands *c)
{
	tape_release(c->tape);
	filearray_release(&c->list_file);
	filearray_release(&c->parts_file);
}

bool recorded_commands_read(struct recorded_commands *c)
{
	struct tape *t = c->tape;
	size_t commands = 0, n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_entry *e = &t->entries[i];

		n += is_bulk(c, e);
		commands += is_bulk(c, e) && e->endpoint == c->out &&
			    msc_is_cbw(tape_data(t, e), e->data_len);
		if (!(i % TAPE_STRETCH))
			tape_release(t);
	}
	if (!filearray_beside(&t->array, &c->list_file, (commands + 1) * sizeof(*c->list)) ||
	    !filearray_beside(&t->array, &c->parts_file, (n + 1) * sizeof(*c->parts)))
		return false;
	c->list = c->list_file.p;
	c->parts = c->parts_file.p;
	for (uint32_t i = 0; i < t->n; i++) {
		if (is_bulk(c, &t->entries[i]))
			take_entry(c, i);
		if (!(i % TAPE_STRETCH))
			release(c);
	}
	return true;
}

void recorded_commands_close(struct recorded_commands *c)
{
	filearray_close(&c->list_file);
	filearray_close(&c->parts_file);
}

const uint8_t *recorded_data(const struct recorded_commands *c, const struct recorded_command *k,
			     uint64_t at, uint32_t *n, const struct tape_entry **entry)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const struct tape_entry *e = &c->tape->entries[c->parts[k->first + i]];

		if (at < e->data_len) {
			*n = e->data_len - at < *n ? (uint32_t)(e->data_len - at) : *n;
			*entry = e;
			return tape_data(c->tape, e) + at;
		}
		at -= e->data_len;
	}
	*n = 0;
	*entry = NULL;
	return NULL;
}

/* ---- the disk -------------------------------------------------------------------------------- */

bool recorded_capacity(const struct recorded_commands *c, struct disk *d)
{
	bool known = false;
	uint64_t end = 0;

	d->block = 512;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct recorded_command *k = &c->list[i];
		const uint8_t *cdb = recorded_cdb(c, k), *p;
		const struct tape_entry *e;
		struct block_range r = block_range_of(cdb);
		uint32_t n = 32;

		p = recorded_data(c, k, 0, &n, &e);
		if (cdb[0] == SCSI_READ_CAPACITY_10 && n >= 8 && get_be32(p) != UINT32_MAX &&
		    get_be32(p + 4)) {
			d->blocks = (uint64_t)get_be32(p) + 1;
			d->block = get_be32(p + 4);
			known = true;
		} else if (scsi_is_capacity_16(cdb) && n >= 12 && get_be32(p + 8)) {
			d->blocks = get_be64(p) + 1;
			d->block = get_be32(p + 8);
			known = true;
		} else if (r.is && r.blocks && k->length && !known) {
			d->block = (uint32_t)(k->length / r.blocks);
		}
		if (r.is && r.lba + r.blocks > end)
			end = r.lba + r.blocks;
	}
	if (!known)
		d->blocks = (end + 2047) / 2048 * 2048;
	if (d->block < 256 || d->block > 65536)
		d->block = 512;
	return known;
}

/* Sets the sectors of a command that are contiguous in one entry, if they are not known yet. */
static bool set_sectors(const struct recorded_commands *c, const struct recorded_command *k,
			const struct block_range *r, struct disk *d)
{
	for (uint32_t i = 0; i < r->blocks && (uint64_t)(i + 1) * d->block <= k->length; i++) {
		const struct tape_entry *e;
		uint32_t n = d->block;
		const uint8_t *p = recorded_data(c, k, (uint64_t)i * d->block, &n, &e);

		if (n == d->block && !e->cut &&
		    !sectors_set(&d->sectors, r->lba + i, (uint64_t)(p - c->tape->store.map),
				 false))
			return false;
	}
	return true;
}

bool recorded_sectors(const struct recorded_commands *c, struct disk *d)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct recorded_command *k = &c->list[i];
		struct block_range r = block_range_of(recorded_cdb(c, k));

		if (!(i % TAPE_STRETCH)) {
			release(c);
			sectors_release(&d->sectors);
		}
		if (!r.is)
			continue;
		if (!r.write && !set_sectors(c, k, &r, d))
			return false;
		for (uint32_t b = 0; r.write && b < r.blocks && (uint64_t)b * d->block < k->length;
		     b++)
			if (!sectors_set(&d->sectors, r.lba + b, SECTOR_UNKNOWN, false))
				return false;
	}
	return true;
}
