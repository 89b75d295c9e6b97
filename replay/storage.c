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
#include "replay/disk.h"

#define CBW 31
#define CSW 13
#define CSW_PHASE_ERROR 2
#define RESYNC 16             /* how many commands ahead an unexpected one is searched for */

/* A command of the tape: indexes of its entries. */
struct command {
	uint32_t cbw, csw;         /* tape entries; csw may be TAPE_NONE */
	uint32_t first, n;         /* its data entries: range in storage.parts */
	uint64_t length;           /* bytes of data */
	bool stalled;              /* the data phase ended with a STALL */
	bool used;
};

enum phase { PHASE_COMMAND, PHASE_IN, PHASE_OUT, PHASE_STATUS };

struct storage {
	struct tape *tape;
	struct verdict *verdict;
	double speed;
	uint8_t in, out;
	struct command *commands;
	uint32_t ncommands, next;
	uint32_t *parts, nparts;
	struct filearray commands_file, parts_file; /* hold these */
	bool begun;                /* a command of the tape has been received */

	struct disk disk;
	bool guessed_capacity, has_inquiry;

	/* The current command. */
	enum phase phase;
	const struct command *now; /* the matching tape command; NULL: the model answers */
	uint8_t cbw[CBW], csw[CSW];
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

static void release(const struct storage *s)
{
	tape_release(s->tape);
	filearray_release(&s->commands_file);
	filearray_release(&s->parts_file);
	sectors_release(&s->disk.sectors);
}

/* ---- the tape's commands --------------------------------------------------------------------- */

static const uint8_t *cdb_of(const struct storage *s, const struct command *c)
{
	return tape_data(s->tape, &s->tape->entries[c->cbw]) + 15;
}

/*
 * Returns a command's data at offset `at`: as many bytes as are contiguous, at most *n. NULL with
 * *n 0 beyond its end.
 */
static const uint8_t *piece(const struct storage *s, const struct command *c, uint64_t at,
			    uint32_t *n, const struct tape_entry **entry)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct tape_entry *e = &s->tape->entries[s->parts[c->first + i]];

		if (at < e->data_len) {
			*n = e->data_len - at < *n ? (uint32_t)(e->data_len - at) : *n;
			*entry = e;
			return tape_data(s->tape, e) + at;
		}
		at -= e->data_len;
	}
	*n = 0;
	*entry = NULL;
	return NULL;
}

static void take_entry(struct storage *s, uint32_t i)
{
	struct tape_entry *e = &s->tape->entries[i];
	const uint8_t *p = tape_data(s->tape, e);
	struct command *c = s->ncommands ? &s->commands[s->ncommands - 1] : NULL;

	if (e->endpoint == s->out && msc_is_cbw(p, e->data_len)) {
		e->used |= e->cancelled; /* the host may cancel it again, or not send it */
		s->commands[s->ncommands++] =
			(struct command){.cbw = i, .csw = TAPE_NONE, .first = s->nparts};
		return;
	}
	if (!c || c->csw != TAPE_NONE || e->cancelled) {
		/* it belongs to a command from before the capture, or was cancelled */
		e->used = true;
		return;
	}
	if (e->endpoint == s->in && e->data_len == CSW && !memcmp(p, "USBS", 4) &&
	    !memcmp(p + 4, tape_data(s->tape, &s->tape->entries[c->cbw]) + 4, 4)) {
		c->csw = i;
		return;
	}
	if (e->endpoint == s->in)
		c->stalled |= e->status == -32;
	s->parts[s->nparts++] = i;
	c->n++;
	c->length += e->data_len;
}

static bool is_bulk(const struct storage *s, const struct tape_entry *e)
{
	return e->xfer == URB_BULK && (e->endpoint == s->in || e->endpoint == s->out);
}

static bool read_commands(struct storage *s)
{
	struct tape *t = s->tape;
	size_t ncommands = 0, n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_entry *e = &t->entries[i];

		n += is_bulk(s, e);
		ncommands += is_bulk(s, e) && e->endpoint == s->out &&
			     msc_is_cbw(tape_data(t, e), e->data_len);
		if (!(i % TAPE_STRETCH))
			tape_release(t);
	}
	if (!filearray_beside(&t->array, &s->commands_file,
			      (ncommands + 1) * sizeof(*s->commands)) ||
	    !filearray_beside(&t->array, &s->parts_file, (n + 1) * sizeof(*s->parts)))
		return false;
	s->commands = s->commands_file.p;
	s->parts = s->parts_file.p;
	for (uint32_t i = 0; i < t->n; i++) {
		if (is_bulk(s, &t->entries[i]))
			take_entry(s, i);
		if (!(i % TAPE_STRETCH))
			release(s);
	}
	return true;
}

/*
 * Takes the capacity from READ CAPACITY's recorded answer, or guesses it from the highest sector
 * used.
 */
static void find_capacity(struct storage *s)
{
	uint64_t end = 0;

	s->disk.block = 512;
	s->guessed_capacity = true;
	for (uint32_t i = 0; i < s->ncommands; i++) {
		const struct command *c = &s->commands[i];
		const uint8_t *cdb = cdb_of(s, c), *p;
		const struct tape_entry *e;
		struct block_range r = block_range_of(cdb);
		uint32_t n = 32;

		p = piece(s, c, 0, &n, &e);
		s->has_inquiry |= cdb[0] == SCSI_INQUIRY && n >= 36;
		if (cdb[0] == SCSI_READ_CAPACITY_10 && n >= 8 && get_be32(p) != UINT32_MAX &&
		    get_be32(p + 4)) {
			s->disk.blocks = (uint64_t)get_be32(p) + 1;
			s->disk.block = get_be32(p + 4);
			s->guessed_capacity = false;
		} else if (scsi_is_capacity_16(cdb) && n >= 12 && get_be32(p + 8)) {
			s->disk.blocks = get_be64(p) + 1;
			s->disk.block = get_be32(p + 8);
			s->guessed_capacity = false;
		} else if (r.is && r.blocks && c->length && s->guessed_capacity) {
			s->disk.block = (uint32_t)(c->length / r.blocks);
		}
		if (r.is && r.lba + r.blocks > end)
			end = r.lba + r.blocks;
	}
	if (s->guessed_capacity)
		s->disk.blocks = (end + 2047) / 2048 * 2048;
	if (s->disk.block < 256 || s->disk.block > 65536)
		s->disk.block = 512;
}

/* Sets the sectors of a tape command that are contiguous in one entry. */
static bool set_sectors(struct storage *s, const struct command *c, const struct block_range *r,
			bool replace)
{
	for (uint32_t i = 0; i < r->blocks && (uint64_t)(i + 1) * s->disk.block <= c->length; i++) {
		const struct tape_entry *e;
		uint32_t n = s->disk.block;
		const uint8_t *p = piece(s, c, (uint64_t)i * s->disk.block, &n, &e);

		if (n == s->disk.block && !e->cut &&
		    !sectors_set(&s->disk.sectors, r->lba + i, (uint64_t)(p - s->tape->store.map),
				 replace))
			return false;
	}
	return true;
}

/* Sets the disk's initial contents; sectors that are written before they are read are unknown. */
static bool find_sectors(struct storage *s)
{
	const uint32_t block = s->disk.block;

	for (uint32_t i = 0; i < s->ncommands; i++) {
		const struct command *c = &s->commands[i];
		struct block_range r = block_range_of(cdb_of(s, c));

		if (!(i % TAPE_STRETCH))
			release(s);
		if (!r.is)
			continue;
		if (!r.write && !set_sectors(s, c, &r, false))
			return false;
		for (uint32_t k = 0; r.write && k < r.blocks && (uint64_t)k * block < c->length;
		     k++)
			if (!sectors_set(&s->disk.sectors, r.lba + k, SECTOR_UNKNOWN, false))
				return false;
	}
	return true;
}

bool storage_is_recorded(const struct tape *t, uint8_t in, uint8_t out)
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

struct storage *storage_new(struct tape *t, uint8_t in, uint8_t out, double speed,
			    struct verdict *v, struct trawl_error *err)
{
	struct storage *s = calloc(1, sizeof(*s));

	if (s) {
		*s = (struct storage){.tape = t,
				      .verdict = v,
				      .speed = speed,
				      .in = in,
				      .out = out,
				      .commands_file = FILEARRAY_NONE,
				      .parts_file = FILEARRAY_NONE,
				      .disk = {.sectors = SECTORS_NONE(&t->array, &t->store),
					       .vendor = t->strings[0],
					       .product = t->strings[1]}};
		if (read_commands(s)) {
			find_capacity(s);
			if (find_sectors(s))
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
	filearray_close(&s->commands_file);
	filearray_close(&s->parts_file);
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

static bool is_same(const struct storage *s, const struct command *c, const uint8_t *cbw)
{
	const uint8_t *was = tape_data(s->tape, &s->tape->entries[c->cbw]);

	return !memcmp(was, cbw, 4) && !memcmp(was + 8, cbw + 8, CBW - 8);
}

/* Hosts send TEST UNIT READY at any time. */
static bool is_poll(const uint8_t *cdb)
{
	return cdb[0] == SCSI_TEST_UNIT_READY;
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
static void use_command(struct storage *s, struct command *c, bool same, uint64_t now)
{
	c->used = true;
	use_entry(s, c->cbw, same, now);
	if (same)
		return; /* its data and status entries are marked when they are played */
	for (uint32_t i = 0; i < c->n; i++)
		use_entry(s, s->parts[c->first + i], false, now);
	use_entry(s, c->csw, false, now);
}

static void pass_polls(struct storage *s, uint64_t now)
{
	while (s->next < s->ncommands && is_poll(cdb_of(s, &s->commands[s->next]))) {
		struct command *c = &s->commands[s->next++];

		for (uint32_t i = 0; i < c->n; i++)
			use_entry(s, s->parts[c->first + i], true, now);
		use_entry(s, c->csw, true, now);
		use_command(s, c, true, now);
	}
}

/* Finds the tape command that the host sent, or NULL; skipped commands count as missing. */
static struct command *find_command(struct storage *s, const uint8_t *cbw, uint64_t now)
{
	uint32_t at = s->next, end;

	if (at < s->ncommands && is_same(s, &s->commands[at], cbw))
		return &s->commands[s->next++];
	if (is_poll(cbw + 15))
		return NULL;
	pass_polls(s, now);
	at = s->next;
	end = s->ncommands - at < RESYNC ? s->ncommands : at + RESYNC;
	while (at < end && !is_same(s, &s->commands[at], cbw))
		at++;
	if (at == end)
		return NULL;
	if (at > s->next)
		verdict_note(s->verdict, s->tape, &s->tape->entries[s->commands[s->next].cbw],
			     "the host did not send this command, but a later one");
	while (s->next < at)
		use_command(s, &s->commands[s->next++], false, now);
	return &s->commands[s->next++];
}

/*
 * Another host controller may limit the size of transfers, so that the driver splits reads and
 * writes. If this is the next part of the tape's next command, returns that.
 */
static struct command *find_part(struct storage *s, const uint8_t *cbw)
{
	struct command *c = s->next < s->ncommands ? &s->commands[s->next] : NULL;
	struct block_range was, is = block_range_of(cbw + 15);
	const uint64_t block = s->disk.block;

	if (!c || !is.is || !is.blocks)
		return NULL;
	was = block_range_of(cdb_of(s, c));
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
	struct scsi_command c = {.length = cbw[14]};
	struct out o;

	memcpy(c.cdb, cbw + 15, sizeof(c.cdb));
	out_memory(&o);
	scsi_command_brief(&c, &o);
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
	if (s->next < s->ncommands)
		verdict_note(s->verdict, s->tape, &s->tape->entries[s->commands[s->next].cbw],
			     "the host sent %s", text);
	else
		verdict_note(s->verdict, s->tape, NULL,
			     "after the end of the capture the host sent %s", text);
}

static int32_t begin_command(struct storage *s, const uint8_t *p, uint32_t n, uint64_t now)
{
	struct disk_answer model;
	struct command *c;
	bool in;

	if (!msc_is_cbw(p, n))
		return -EPIPE;
	memcpy(s->cbw, p, CBW);
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
		const uint8_t *was = piece(s, s->now, s->base + s->done + at, &k, &e);

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
		const struct tape_entry *e = &s->tape->entries[s->parts[s->now->first + i]];

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
	const struct tape_entry *cbw = s->now ? &s->tape->entries[s->now->cbw] : NULL;

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
	p = piece(s, s->now, at, n, e);
	if (*n == want || !array_reserve(s->joined, s->joined_room, want))
		return p;
	for (uint32_t done = 0; done < want; done += *n) {
		*n = want - done;
		p = piece(s, s->now, at + done, n, e);
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
	a->n = room < CSW ? room : CSW;
	a->due = due_of(s, e);
	return true;
}

/* Marks the entries of the current command's data that end before this offset as played. */
static void use_parts(struct storage *s, uint64_t end, uint64_t now)
{
	uint64_t at = 0;

	for (uint32_t i = 0; s->now && i < s->now->n; i++) {
		uint32_t part = s->parts[s->now->first + i];

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
	for (uint32_t i = s->next; i < s->ncommands; i++)
		if (!is_poll(cdb_of(s, &s->commands[i])))
			return;
	pass_polls(s, now);
}

void storage_reset(struct storage *s)
{
	s->phase = PHASE_COMMAND;
	s->stall = false;
}
