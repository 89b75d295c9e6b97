/* SPDX-License-Identifier: MIT */
#include "replay/storage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/msc.h"
#include "decode/usb/scsiopcode.h"
#include "replay/blockrange.h"
#include "replay/recordedcommands.h"

#define CSW_PHASE_ERROR 2
#define RESYNC 16             /* how many commands ahead an unexpected one is searched for */

enum phase { PHASE_COMMAND, PHASE_IN, PHASE_OUT, PHASE_STATUS };

struct storage {
	struct tape *tape;
	struct verdict *verdict;
	double speed;
	struct recorded_commands recorded;
	uint32_t next;             /* the tape command that is expected */
	bool begun;                /* a command of the tape has been received */

	struct disk disk;
	bool guessed_capacity;

	/* The current command. */
	enum phase phase;
	const struct recorded_command *now; /* the matching tape command; NULL: the model answers */
	uint8_t cbw[CBW_SIZE], csw[CSW_SIZE];
	uint64_t begun_at;
	uint64_t done, total;      /* bytes of its data, transferred and in all */
	/* part of a split command: where its data begins in the recorded one */
	uint64_t base;
	/* blocks of the next tape command that the host has requested in parts */
	uint32_t split;
	bool partial;              /* the current command is such a part and not the last one */
	bool stall;                /* the next read gets a STALL */
	bool short_sent;           /* the data ended with a short packet */
	const uint8_t *model;      /* the model's data */
	uint8_t status;
	uint8_t *joined;           /* buffer for data from several entries */
	size_t joined_room;
};

struct storage *storage_new(struct tape *t, uint8_t in, uint8_t out, double speed,
			    struct verdict *v, struct trawl_error *err)
{
	struct storage *s = calloc(1, sizeof(*s));

	if (s) {
		*s = (struct storage){.tape = t,
				      .verdict = v,
				      .speed = speed,
				      .recorded = RECORDED_COMMANDS_NONE(t, in, out),
				      .disk = {.sectors = SECTORS_NONE(&t->array, &t->store),
					       .vendor = t->strings[0],
					       .product = t->strings[1]}};
		if (recorded_commands_read(&s->recorded)) {
			s->guessed_capacity = !recorded_capacity(&s->recorded, &s->disk) &&
					      s->disk.blocks;
			if (recorded_sectors(&s->recorded, &s->disk))
				return s;
		}
	}
	storage_free(s);
	trawl_fail(err, TRAWL_CANNOT, "the capture's sectors need more memory than there is");
	return NULL;
}

void storage_free(struct storage *s)
{
	if (!s)
		return;
	recorded_commands_close(&s->recorded);
	disk_free(&s->disk);
	free(s->joined);
	free(s);
}

bool storage_guessed(const struct storage *s, char *text, size_t room)
{
	snprintf(text, room,
		 "the capture lacks the disk's capacity: %" PRIu64 " blocks of %u bytes are assumed, "
		 "which all of its commands lie in", s->disk.blocks, s->disk.block);
	return s->guessed_capacity;
}

/* ---- the host's commands --------------------------------------------------------------------- */

static bool is_same(const struct storage *s, const struct recorded_command *c, const uint8_t *cbw)
{
	const uint8_t *was = tape_data(s->tape, recorded_cbw(&s->recorded, c));

	return !memcmp(was, cbw, 4) && !memcmp(was + 8, cbw + 8, CBW_SIZE - 8);
}

/* Hosts send TEST UNIT READY at any time. */
static bool is_poll(const uint8_t *cdb)
{
	return cdb[0] == SCSI_TEST_UNIT_READY;
}

/* The entry of the command that is expected, which exists. */
static const struct tape_entry *next_cbw(const struct storage *s)
{
	return recorded_cbw(&s->recorded, &s->recorded.list[s->next]);
}

static bool was_poll(const struct storage *s, uint32_t i)
{
	return is_poll(recorded_cdb(&s->recorded, &s->recorded.list[i]));
}

static void use_entry(struct storage *s, uint32_t i, bool same, uint64_t now)
{
	struct tape_entry *e;

	if (i == TAPE_NONE)
		return;
	e = &s->tape->entries[i];
	if (!e->used && same)
		s->verdict->same++;
	else if (!e->used)
		s->verdict->missing++;
	e->used = true;
	e->time = now;
}

/* Marks a tape command as played or skipped. */
static void use_command(struct storage *s, struct recorded_command *c, bool same, uint64_t now)
{
	use_entry(s, c->cbw, same, now);
	if (same)
		return; /* its data and status entries are marked when they are played */
	for (uint32_t i = 0; i < c->n; i++)
		use_entry(s, s->recorded.parts[c->first + i], false, now);
	use_entry(s, c->csw, false, now);
}

static void pass_polls(struct storage *s, uint64_t now)
{
	while (s->next < s->recorded.n && was_poll(s, s->next)) {
		struct recorded_command *c = &s->recorded.list[s->next++];

		for (uint32_t i = 0; i < c->n; i++)
			use_entry(s, s->recorded.parts[c->first + i], true, now);
		use_entry(s, c->csw, true, now);
		use_command(s, c, true, now);
	}
}

/* Finds the tape command that the host sent, or NULL; skipped commands count as missing. */
static struct recorded_command *find_command(struct storage *s, const uint8_t *cbw, uint64_t now)
{
	uint32_t at = s->next, end;

	if (at < s->recorded.n && is_same(s, &s->recorded.list[at], cbw))
		return &s->recorded.list[s->next++];
	if (is_poll(cbw + 15))
		return NULL;
	pass_polls(s, now);
	at = s->next;
	end = s->recorded.n - at < RESYNC ? s->recorded.n : at + RESYNC;
	while (at < end && !is_same(s, &s->recorded.list[at], cbw))
		at++;
	if (at == end)
		return NULL;
	if (at > s->next)
		verdict_note(s->verdict, s->tape, next_cbw(s),
			     "the host did not send this command, but a later one");
	while (s->next < at)
		use_command(s, &s->recorded.list[s->next++], false, now);
	return &s->recorded.list[s->next++];
}

/*
 * Another host controller may limit the size of transfers, so that the driver splits reads and
 * writes. If this is the next part of the tape's next command, returns that.
 */
static struct recorded_command *find_part(struct storage *s, const uint8_t *cbw)
{
	struct recorded_command *c = s->next < s->recorded.n ? &s->recorded.list[s->next] : NULL;
	struct block_range was, is = block_range_of(cbw + 15);
	const uint64_t block = s->disk.block;

	if (!c || !is.is || !is.blocks)
		return NULL;
	was = block_range_of(recorded_cdb(&s->recorded, c));
	if (!was.is || was.write != is.write || is.lba != was.lba + s->split ||
	    is.blocks > was.blocks - s->split || c->length != was.blocks * block ||
	    get32(cbw + 8) != is.blocks * block)
		return NULL;
	s->base = s->split * block;
	s->split += is.blocks;
	s->partial = s->split < was.blocks;
	if (!s->partial) {
		s->split = 0;
		s->next++;
	}
	return c;
}

static void describe_command(const uint8_t *cbw, char *text, size_t room)
{
	struct out o;

	out_memory(&o);
	tape_command_text(cbw, &o);
	snprintf(text, room, "%.*s", (int)o.len, o.data);
	out_free(&o);
}

/* Counts and notes a command that the tape does not have here. */
static void note_command(struct storage *s, const uint8_t *cbw)
{
	char text[96];

	if (is_poll(cbw + 15))
		return;
	if (!s->begun && !s->tape->enumerated) {
		s->verdict->before++;
		return;
	}
	s->verdict->extra++;
	if (!verdict_wants(s->verdict))
		return;
	describe_command(cbw, text, sizeof(text));
	if (s->next < s->recorded.n)
		verdict_note(s->verdict, s->tape, next_cbw(s),
			     "the host sent %s", text);
	else
		verdict_note(s->verdict, s->tape, NULL,
			     "after the end of the capture the host sent %s", text);
}

static int32_t begin_command(struct storage *s, const uint8_t *p, uint32_t n, uint64_t now)
{
	struct disk_answer model;
	struct recorded_command *c;
	bool in;

	if (!msc_is_cbw(p, n))
		return -EPIPE;
	memcpy(s->cbw, p, CBW_SIZE);
	in = p[12] & 0x80;
	s->begun_at = now;
	s->done = 0;
	s->short_sent = s->stall = s->partial = false;
	s->base = 0;
	c = find_part(s, p);
	if (!c) {
		c = find_command(s, p, now);
		s->split = 0;
	}
	s->now = c;
	memcpy(s->csw, "USBS", 4);
	memcpy(s->csw + 4, p + 4, 4);
	put32(s->csw + 8, 0);
	s->csw[12] = 0;
	if (c) {
		s->begun = true;
		use_command(s, c, true, now);
		s->total = s->partial || s->base ? get32(p + 8) : in ? c->length : get32(p + 8);
		s->stall = in && c->stalled && !c->length;
		if (c->csw != TAPE_NONE && !s->partial)
			memcpy(s->csw + 8, tape_data(s->tape, &s->tape->entries[c->csw]) + 8, 5);
	} else {
		note_command(s, p);
		disk_answer(&s->disk, p + 15, get32(p + 8), &model);
		if (in && model.total && !model.data) /* a write: there is nothing to send */
			model = (struct disk_answer){.status = CSW_PHASE_ERROR};
		s->model = model.data;
		s->status = model.status;
		s->total = model.total;
		if (in && s->total > get32(p + 8))
			s->total = get32(p + 8);
		s->csw[12] = s->status;
		if (in)
			put32(s->csw + 8, get32(p + 8) - (uint32_t)s->total);
	}
	s->phase = !get32(p + 8) ? PHASE_STATUS : in ? PHASE_IN : PHASE_OUT;
	return 0;
}

/* Stores the sectors that the host wrote. False: out of memory; not all are stored. */
static bool write_sectors(struct storage *s, uint64_t at, const uint8_t *p, uint32_t n)
{
	struct block_range r = block_range_of(s->cbw + 15);

	if (!r.is || !r.write || at % s->disk.block || s->status)
		return true;
	for (uint32_t i = 0; (uint64_t)(i + 1) * s->disk.block <= n; i++) {
		if (!sectors_write(&s->disk.sectors, r.lba + at / s->disk.block + i,
				   p + (size_t)i * s->disk.block, s->disk.block))
			return false;
	}
	return true;
}

static void compare_data(struct storage *s, const uint8_t *p, uint32_t n, uint64_t now)
{
	for (uint32_t at = 0; at < n;) {
		const struct tape_entry *e;
		uint32_t k = n - at;
		const uint8_t *was = recorded_data(&s->recorded, s->now, s->base + s->done + at,
						   &k, &e);

		if (!k)
			break;
		if (memcmp(was, p + at, k)) {
			uint32_t i = 0;

			while (was[i] == p[at + i])
				i++;
			verdict_note(s->verdict, s->tape, e,
				     "byte %" PRIu64 " of the data is 0x%02x, was 0x%02x",
				     s->base + s->done + at + i, p[at + i], was[i]);
			s->verdict->differ += !e->used;
			s->tape->entries[e - s->tape->entries].used = true;
		}
		use_entry(s, (uint32_t)(e - s->tape->entries), true, now);
		at += k;
	}
}

/*
 * Returns the recorded status of the transfer with the data at this offset: a device refuses data
 * with a stall, and then sends the command's status.
 */
static int32_t out_status(const struct storage *s, uint64_t at)
{
	for (uint32_t i = 0; i < s->now->n; i++) {
		uint32_t part = s->recorded.parts[s->now->first + i];
		const struct tape_entry *e = &s->tape->entries[part];

		if (at < e->data_len || (!at && e->status))
			return e->status;
		at -= e->data_len;
	}
	return 0;
}

int32_t storage_out(struct storage *s, const uint8_t *p, uint32_t n, uint64_t now)
{
	int32_t status = 0;

	if (s->phase != PHASE_OUT)
		return begin_command(s, p, n, now);
	if (s->now) {
		status = out_status(s, s->base + s->done);
		compare_data(s, p, n, now);
	} else {
		s->status = s->csw[12];
	}
	if (!status && !write_sectors(s, s->done, p, n))
		status = -ENOMEM; /* the transfer fails now; otherwise a later read would return old
				   * data */
	s->done += n;
	if (status || s->done >= get32(s->cbw + 8))
		s->phase = PHASE_STATUS;
	return status;
}

static uint64_t due_of(const struct storage *s, const struct tape_entry *e)
{
	const struct tape_entry *cbw = s->now ? recorded_cbw(&s->recorded, s->now) : NULL;

	if (!e || !cbw || s->speed <= 0 || e->completed < cbw->submitted)
		return s->begun_at;
	return s->begun_at + (uint64_t)((double)(e->completed - cbw->submitted) / s->speed);
}

/* Returns up to *n bytes of the current data, contiguous. */
static const uint8_t *data_at(struct storage *s, uint64_t at, uint32_t *n,
			      const struct tape_entry **e)
{
	const uint8_t *p;
	uint32_t want = *n;

	*e = NULL;
	if (!s->now)
		return s->model + at;
	at += s->base;
	p = recorded_data(&s->recorded, s->now, at, n, e);
	if (p)
		store_will_read(&s->tape->store, p);
	if (*n == want || !array_reserve(s->joined, s->joined_room, want))
		return p;
	for (uint32_t done = 0; done < want; done += *n) {
		*n = want - done;
		p = recorded_data(&s->recorded, s->now, at + done, n, e);
		if (!*n)
			break;
		memcpy(s->joined + done, p, *n);
	}
	*n = want;
	return s->joined;
}

bool storage_in(struct storage *s, uint32_t room, struct storage_answer *a)
{
	const struct tape_entry *e = NULL;
	uint64_t left = s->total - s->done;

	*a = (struct storage_answer){.data = s->csw, .due = s->begun_at};
	if (s->phase == PHASE_COMMAND || s->phase == PHASE_OUT)
		return false;
	if (s->stall) {
		a->status = -EPIPE;
		return true;
	}
	if (s->now && s->now->csw == TAPE_NONE && s->done >= s->total)
		return false; /* the recorded command did not end */
	if (s->phase == PHASE_IN && !s->short_sent && s->done < get32(s->cbw + 8)) {
		a->n = left < room ? (uint32_t)left : room;
		if (a->n)
			a->data = data_at(s, s->done, &a->n, &e);
		a->due = due_of(s, e);
		return true;
	}
	e = s->now ? &s->tape->entries[s->now->csw] : NULL;
	a->n = room < CSW_SIZE ? room : CSW_SIZE;
	a->due = due_of(s, e);
	return true;
}

/* Marks the entries of the current command's data that end before this offset as played. */
static void use_parts(struct storage *s, uint64_t end, uint64_t now)
{
	uint64_t at = 0;

	for (uint32_t i = 0; s->now && i < s->now->n; i++) {
		uint32_t part = s->recorded.parts[s->now->first + i];

		at += s->tape->entries[part].data_len;
		if (at <= end)
			use_entry(s, part, true, now);
	}
}

void storage_taken(struct storage *s, const struct storage_answer *a, uint64_t now)
{
	if (s->stall) {
		s->stall = false;
		s->short_sent = true;
		use_parts(s, s->base + s->done, now);
		return;
	}
	if (a->data == s->csw &&
	    (s->phase == PHASE_STATUS || s->short_sent || s->done >= get32(s->cbw + 8))) {
		if (s->now) {
			use_parts(s, s->partial ? s->base + s->done : UINT64_MAX, now);
			use_entry(s, s->partial ? TAPE_NONE : s->now->csw, true, now);
		}
		s->phase = PHASE_COMMAND;
		return;
	}
	s->done += a->n;
	use_parts(s, s->base + s->done, now);
	if (s->done >= s->total && s->done < get32(s->cbw + 8)) {
		s->short_sent = true;
		s->stall = s->now && s->now->stalled;
	}
}

void storage_end(struct storage *s, uint64_t now)
{
	for (uint32_t i = s->next; i < s->recorded.n; i++)
		if (!was_poll(s, i))
			return;
	pass_polls(s, now);
}

void storage_reset(struct storage *s)
{
	s->phase = PHASE_COMMAND;
	s->stall = false;
}
