/* SPDX-License-Identifier: MIT */
/*
 * USBPcap, the capture of Windows, made into usbmon's form (decode/usb/usbpcap.h). An I/O request
 * packet goes down as a submission and comes up as its completion.
 *
 * Versions up to 1.2 write a control transfer as three packets: setup, data, status; newer ones as
 * two: setup with outgoing data, complete with incoming data. Every version makes mistakes of its
 * own: 1.2 says of outgoing data that it comes up, and some completions have the endpoint of the
 * other direction. The direction is that of bmRequestType, wherever the setup packet is known.
 *
 * Every packet becomes one event. Where usbmon's form has fewer, what is left is USBPCAP_STAGE;
 * where it has more, the event is marked as made up. An event from which the packet could not be
 * made again is made up, too, and the packet itself stands in front of it.
 */
#include "decode/import/usbimport.h"
#include "decode/base/bytes.h"
#include "decode/usb/status.h"
#include "decode/usb/usbpcap.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024
#define OPEN_MAX 65536 /* a file of submissions only must not eat all memory */

/* What is known of a control transfer before a packet of it. */
enum control_state {
	CONTROL_NONE,     /* its setup packet is not in the capture */
	CONTROL_HELD,     /* a setup packet whose data comes in a packet of its own */
	CONTROL_IN,       /* submitted, data comes in */
	CONTROL_OUT,      /* submitted, data went out or there is none */
	CONTROL_ANSWERED, /* its data came in: the status stage is no further event */
	CONTROL_STATES,
};

enum control_action {
	ACT_SETUP,       /* a submission, or held back until the data comes */
	ACT_SUBMIT_HELD, /* data for a held setup packet */
	ACT_COMPLETE,
	ACT_LATE,        /* complete, after a submission that is made of the held setup packet */
	ACT_ANSWER,      /* complete; a status stage follows */
	ACT_BY_ENDPOINT, /* data of a transfer of which only the endpoint tells the direction */
	ACT_STATUS,      /* the status stage of what was complete with its data */
	ACT_STAGE,       /* tells nothing that another event does not */
};

/* By stage, info's direction, and state: none, held, in, out, answered. */
static const uint8_t actions[STAGE_COMPLETE + 2][2][CONTROL_STATES] = {
	[STAGE_SETUP] = {
		{ACT_SETUP, ACT_SETUP, ACT_SETUP, ACT_SETUP, ACT_SETUP},
		{ACT_SETUP, ACT_SETUP, ACT_SETUP, ACT_SETUP, ACT_SETUP},
	},
	[STAGE_DATA] = {
		{ACT_BY_ENDPOINT, ACT_SUBMIT_HELD, ACT_ANSWER, ACT_BY_ENDPOINT, ACT_BY_ENDPOINT},
		{ACT_BY_ENDPOINT, ACT_SUBMIT_HELD, ACT_ANSWER, ACT_BY_ENDPOINT, ACT_BY_ENDPOINT},
	},
	[STAGE_STATUS] = {
		{ACT_STAGE, ACT_STAGE, ACT_STAGE, ACT_STAGE, ACT_STAGE},
		{ACT_COMPLETE, ACT_LATE, ACT_COMPLETE, ACT_COMPLETE, ACT_STATUS},
	},
	[STAGE_COMPLETE] = {
		{ACT_STAGE, ACT_STAGE, ACT_STAGE, ACT_STAGE, ACT_STAGE},
		{ACT_COMPLETE, ACT_LATE, ACT_COMPLETE, ACT_COMPLETE, ACT_STATUS},
	},
	/* A packet without a stage. */
	[STAGE_COMPLETE + 1] = {
		{ACT_SETUP, ACT_SETUP, ACT_SETUP, ACT_SETUP, ACT_SETUP},
		{ACT_COMPLETE, ACT_LATE, ACT_COMPLETE, ACT_COMPLETE, ACT_COMPLETE},
	},
};

/* A transfer that was begun. */
struct begun {
	struct begun *next;
	uint64_t irp;
	uint16_t bus, device;
	uint8_t endpoint;    /* without the direction */
	uint8_t state;       /* of a control transfer */
	uint32_t sent;       /* the completion of outgoing data does not say how much it was */
	uint64_t time;       /* of a held setup packet */
	struct usbpcap_packet held;
	uint8_t setup[8];
};

struct usbpcap {
	struct begun *table[BUCKETS];
	size_t count;
	struct out packet; /* what a record would be written back as */
};

/* One packet on its way. */
struct arrival {
	struct usb_import *im;
	const struct capture_packet *c;
	struct usbpcap_packet p;
	struct trawl_error *err;
};

void usbpcap_free(struct usbpcap *u)
{
	for (size_t i = 0; u && i < BUCKETS; i++) {
		while (u->table[i]) {
			struct begun *b = u->table[i];

			u->table[i] = b->next;
			free(b);
		}
	}
	if (u)
		out_free(&u->packet);
	free(u);
}

static struct begun **place_of(struct usbpcap *u, const struct usbpcap_packet *p)
{
	struct begun **at = &u->table[(p->irp >> 4 ^ p->irp >> 14) % BUCKETS];

	while (*at && ((*at)->irp != p->irp || (*at)->bus != p->bus ||
		       (*at)->device != p->device || (*at)->endpoint != (p->endpoint & 0x7f)))
		at = &(*at)->next;
	return at;
}

static void forget(struct usbpcap *u, struct begun **at)
{
	struct begun *b = *at;

	if (!b)
		return;
	*at = b->next;
	u->count--;
	free(b);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* The packet as it is. */
static int write_packet(const struct arrival *a)
{
	struct urb u = {.type = 'P', .flag_setup = '-', .length = a->c->length,
			.captured = a->c->captured};
	struct usbpcap_packet p = a->p;
	uint8_t *record = usb_import_scratch(a->im, URB_HEADER + (size_t)a->c->captured, a->err);

	if (!record)
		return -1;
	p.npackets = 0;
	usbpcap_record(&u, &p, record);
	memcpy(record + URB_HEADER, a->c->data, a->c->captured);
	return usb_import_event(a->im, LINKTYPE_USBPCAP, USBPCAP_PACKET, a->c->time, record,
				URB_HEADER + (size_t)a->c->captured, a->err);
}

/* Whether the packet can be made again from this record. */
static bool comes_back(const struct arrival *a, uint32_t type, const uint8_t *record, size_t len)
{
	struct out *o = &a->im->usbpcap->packet;
	struct urb u;

	o->len = 0;
	urb_parse_event(&u, type, record, len);
	return usbpcap_packet_of(&u, record, o) == a->c->length && o->len == a->c->captured &&
	       !memcmp(o->data, a->c->data, o->len);
}

static int emit(const struct arrival *a, uint32_t type, struct urb *u, uint64_t time,
		const uint8_t *data, uint32_t n)
{
	size_t head = usbpcap_record_size(&a->p);
	uint8_t *record = usb_import_scratch(a->im, head + n, a->err);
	const size_t marks = offsetof(struct usbmon_header, xfer_flags);

	if (!record)
		return -1;
	u->type = usbtypes_letter(type);
	u->captured = n;
	usbpcap_record(u, &a->p, record);
	if (n)
		memcpy(record + head, data, n);
	if (!(u->usbpcap.marks & USBPCAP_MADE_UP) && !comes_back(a, type, record, head + n)) {
		if (write_packet(a))
			return -1;
		record = usb_import_scratch(a->im, head + n, a->err);
		if (!record)
			return -1;
		u->captured = n;
		u->usbpcap.marks |= USBPCAP_MADE_UP;
		usbpcap_record(u, &a->p, record);
		if (n)
			memcpy(record + head, data, n);
	}
	put32(record + marks, u->usbpcap.marks);
	return usb_import_event(a->im, LINKTYPE_USBPCAP, type, time, record, head + n, a->err);
}

/* The oldest of the setup packets that still wait for their data. */
static struct begun *oldest_held(const struct usbpcap *u)
{
	struct begun *oldest = NULL;

	for (size_t i = 0; i < BUCKETS; i++)
		for (struct begun *b = u->table[i]; b; b = b->next)
			if (b->state == CONTROL_HELD && (!oldest || b->time < oldest->time))
				oldest = b;
	return oldest;
}

/* Of a setup packet whose data never came: a submission without data. */
static int submit_alone(struct usb_import *im, const struct begun *b, struct trawl_error *err)
{
	struct arrival a = {.im = im, .p = b->held, .err = err};
	struct urb u = {
		.endpoint = b->endpoint,
		.flag_setup = URB_FLAG_PRESENT,
		.flag_data = 'N',
		.status = USB_IN_PROGRESS,
		.length = get16(b->setup + 6),
		.usbpcap.marks = USBPCAP_MADE_UP,
	};

	memcpy(u.setup, b->setup, sizeof(u.setup));
	return emit(&a, USBPCAP_SUBMIT, &u, b->time, NULL, 0);
}

int usbpcap_end(struct usb_import *im, struct trawl_error *err)
{
	struct begun *b;

	while (im->usbpcap && (b = oldest_held(im->usbpcap))) {
		if (submit_alone(im, b, err))
			return -1;
		b->state = CONTROL_OUT;
	}
	return 0;
}

static struct begun *begin(const struct arrival *a)
{
	struct usbpcap *u = a->im->usbpcap;
	struct begun **at = place_of(u, &a->p), *b = *at;

	if (!b) {
		b = calloc(1, sizeof(*b));
		if (!b) {
			trawl_fail(a->err, TRAWL_CANNOT, "import: out of memory");
			return NULL;
		}
		*at = b;
		u->count++;
	}
	*b = (struct begun){
		.next = b->next,
		.irp = a->p.irp,
		.bus = a->p.bus,
		.device = a->p.device,
		.endpoint = a->p.endpoint & 0x7f,
	};
	return b;
}

/* ---- submissions and completions ------------------------------------------------------------ */

static int submission(const struct arrival *a, const uint8_t *setup, const uint8_t *data,
		      uint32_t n)
{
	struct begun *b = begin(a);
	struct urb u = {
		.endpoint = a->p.endpoint,
		.flag_setup = '-',
		.status = USB_IN_PROGRESS,
		.length = a->p.data_length,
	};

	if (!b)
		return -1;
	if (setup) {
		u.flag_setup = URB_FLAG_PRESENT;
		memcpy(u.setup, setup, 8);
		u.endpoint = (uint8_t)((a->p.endpoint & 0x7f) | (setup[0] & 0x80));
		u.length = get16(setup + 6);
	}
	b->state = urb_in(&u) ? CONTROL_IN : CONTROL_OUT;
	b->sent = a->p.data_length;
	if (setup && a->p.stage != STAGE_DATA)
		b->sent = a->p.data_length > 8 ? a->p.data_length - 8 : 0;
	if (urb_in(&u)) {
		u.flag_data = '<';
		n = 0;
	}
	return emit(a, USBPCAP_SUBMIT, &u, a->c->time, data, n);
}

static int completion(const struct arrival *a, bool in)
{
	struct begun **at = place_of(a->im->usbpcap, &a->p);
	struct urb u = {
		.endpoint = (uint8_t)((a->p.endpoint & 0x7f) | (in ? 0x80 : 0)),
		.flag_setup = '-',
		.status = usbpcap_errno(a->p.status),
		.length = a->p.data_length,
	};
	uint32_t n = a->p.data_len;

	if (!in) {
		u.flag_data = '>';
		n = 0;
		if (!u.status && *at)
			u.length = (*at)->sent;
	}
	forget(a->im->usbpcap, at);
	return emit(a, USBPCAP_COMPLETE, &u, a->c->time, a->p.data, n);
}

static int stage(const struct arrival *a, const uint8_t *setup)
{
	struct urb u = {.endpoint = a->p.endpoint, .flag_setup = '-',
			.status = usbpcap_errno(a->p.status), .length = a->p.data_length};

	if (!setup)
		return emit(a, USBPCAP_STAGE, &u, a->c->time, a->p.data, a->p.data_len);
	u.flag_setup = URB_FLAG_PRESENT;
	memcpy(u.setup, setup, 8);
	u.length = get16(setup + 6);
	return emit(a, USBPCAP_STAGE, &u, a->c->time, NULL, 0);
}

/* ---- control transfers ---------------------------------------------------------------------- */

static int setup_stage(const struct arrival *a)
{
	const struct usbpcap_packet *p = &a->p;
	struct begun *b = *place_of(a->im->usbpcap, p);

	if (p->data_len < 8)
		return write_packet(a);
	if (b && b->state == CONTROL_HELD && submit_alone(a->im, b, a->err))
		return -1;
	/* Outgoing data that is not here, nor was cut off, comes in a packet of its own. */
	if (p->data[0] & 0x80 || !get16(p->data + 6) || p->data_length != 8)
		return submission(a, p->data, p->data + 8, p->data_len - 8);
	b = begin(a);
	if (!b)
		return -1;
	b->state = CONTROL_HELD;
	b->time = a->c->time;
	b->held = *p;
	memcpy(b->setup, p->data, 8);
	return stage(a, b->setup);
}

static int data_for_held(const struct arrival *a, const struct begun *b)
{
	uint8_t setup[8];

	memcpy(setup, b->setup, sizeof(setup));
	return submission(a, setup, a->p.data, a->p.data_len);
}

/* Data that came in; its status stage follows. */
static int answer(const struct arrival *a)
{
	struct begun *b;

	if (completion(a, true))
		return -1;
	b = begin(a);
	if (b)
		b->state = CONTROL_ANSWERED;
	return b ? 0 : -1;
}

static int status_stage(const struct arrival *a)
{
	/* An error that the data did not have is news. */
	if (a->p.status)
		return completion(a, true);
	forget(a->im->usbpcap, place_of(a->im->usbpcap, &a->p));
	return stage(a, NULL);
}

static int control(const struct arrival *a)
{
	const struct usbpcap_packet *p = &a->p;
	const struct begun *b = *place_of(a->im->usbpcap, p);
	enum control_state state = b ? (enum control_state)b->state : CONTROL_NONE;
	unsigned int row = p->stage == STAGE_NONE ? STAGE_COMPLETE + 1 : p->stage;
	bool in = state == CONTROL_IN || state == CONTROL_ANSWERED ||
		  (state == CONTROL_NONE && (p->data_len || p->endpoint & 0x80));

	if (row > STAGE_COMPLETE + 1)
		return write_packet(a);
	switch ((enum control_action)actions[row][usbpcap_up(p)][state]) {
	case ACT_SETUP:
		return setup_stage(a);
	case ACT_SUBMIT_HELD:
		return data_for_held(a, b);
	case ACT_BY_ENDPOINT:
		return p->endpoint & 0x80 ? answer(a) : submission(a, NULL, p->data, p->data_len);
	case ACT_ANSWER:
		return answer(a);
	case ACT_LATE:
		if (submit_alone(a->im, b, a->err))
			return -1;
		return completion(a, false);
	case ACT_COMPLETE:
		return completion(a, in);
	case ACT_STATUS:
		return status_stage(a);
	case ACT_STAGE:
		return stage(a, NULL);
	}
	return write_packet(a);
}

/* ABORT_PIPE, SELECT_CONFIGURATION, ...: what moves no data over the bus. */
static int request(const struct arrival *a)
{
	struct urb u = {.endpoint = a->p.endpoint, .flag_setup = '-', .length = a->p.data_length};

	u.status = usbpcap_up(&a->p) ? usbpcap_errno(a->p.status) : USB_IN_PROGRESS;
	return emit(a, USBPCAP_IRP, &u, a->c->time, a->p.data, a->p.data_len);
}

int usbpcap_packet(struct usb_import *im, const struct capture_packet *c, struct trawl_error *err)
{
	struct arrival a = {.im = im, .c = c, .err = err};

	if (!im->usbpcap) {
		im->usbpcap = calloc(1, sizeof(*im->usbpcap));
		if (!im->usbpcap)
			return trawl_fail(err, TRAWL_CANNOT, "import: out of memory");
		out_memory(&im->usbpcap->packet);
	}
	if (im->usbpcap->count >= OPEN_MAX) {
		if (usbpcap_end(im, err))
			return -1;
		usbpcap_free(im->usbpcap);
		im->usbpcap = NULL;
		return usbpcap_packet(im, c, err);
	}
	if (!usbpcap_parse(&a.p, c->data, c->captured))
		return write_packet(&a);
	if (a.p.transfer >= URB_XFERS)
		return request(&a);
	if (a.p.transfer == URB_CONTROL)
		return control(&a);
	return usbpcap_up(&a.p) ? completion(&a, a.p.endpoint & 0x80)
				: submission(&a, NULL, a.p.data, a.p.data_len);
}
