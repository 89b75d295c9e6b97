/* SPDX-License-Identifier: MIT */
/*
 * Converts packets of USBPcap, the USB capture driver for Windows, to usbmon's form
 * (decode/usb/usbpcap.h). An I/O request packet (IRP) is recorded when it goes down to the driver,
 * which becomes the submission, and when it comes up, which becomes the completion.
 *
 * Versions up to 1.2 record a control transfer as three packets: setup, data, status. Newer
 * versions record two: setup with OUT data, and complete with IN data. All versions have bugs: 1.2
 * records OUT data when it comes up, and some completions have the endpoint of the opposite
 * direction. So the direction is taken from bmRequestType whenever the setup packet is known.
 *
 * Every packet becomes one event, so that it can be exported again. A packet without an equivalent
 * in usbmon's form becomes an event USBPCAP_STAGE. An event without a packet is marked
 * USBPCAP_MADE_UP. If a packet cannot be restored from its event, the packet itself is stored
 * before the event, which is then marked as made up as well.
 */
#include "common/array.h"
#include "common/compare.h"
#include "decode/import/usbimport.h"
#include "decode/base/bytes.h"
#include "decode/usb/status.h"
#include "decode/usb/usbpcap.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024
#define OPEN_MAX 65536 /* bounds memory for files that contain only submissions */

/* State of a control transfer, as known from its earlier packets. */
enum control_state {
	CONTROL_NONE,     /* the setup packet is not in the capture */
	/* the setup packet is held back until the packet with its OUT data arrives */
	CONTROL_HELD,
	CONTROL_IN,       /* submitted, IN data expected */
	CONTROL_OUT,      /* submitted; the OUT data was sent or there is none */
	/* completed with its IN data; the status stage is not another completion */
	CONTROL_ANSWERED,
	CONTROL_STATES,
};

enum control_action {
	ACT_SETUP,       /* a submission, or held back until the data arrives */
	ACT_SUBMIT_HELD, /* the data for a held setup packet: its submission can be written */
	ACT_COMPLETE,
	ACT_LATE,        /* a submission made from the held setup packet, then a completion */
	ACT_ANSWER,      /* a completion; a status stage follows */
	ACT_BY_ENDPOINT, /* data of a transfer whose direction only the endpoint shows */
	ACT_STATUS,      /* the status stage after ACT_ANSWER */
	ACT_STAGE,       /* contains nothing that another event does not */
};

/* Actions by stage, direction (info) and state (none, held, in, out, answered). */
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
	/* a packet without a stage */
	[STAGE_COMPLETE + 1] = {
		{ACT_SETUP, ACT_SETUP, ACT_SETUP, ACT_SETUP, ACT_SETUP},
		{ACT_COMPLETE, ACT_LATE, ACT_COMPLETE, ACT_COMPLETE, ACT_COMPLETE},
	},
};

/* A transfer in progress. */
struct begun {
	struct begun *next;
	uint64_t irp;
	uint16_t bus, device;
	uint8_t endpoint;    /* without the direction bit */
	uint8_t state;       /* control transfers: enum control_state */
	uint32_t sent;       /* bytes of OUT data, which the completion does not state */
	uint64_t time;       /* time of the held setup packet */
	struct usbpcap_packet held;
	uint8_t setup[8];
};

struct usbpcap {
	struct begun *table[BUCKETS];
	size_t count;
	struct out packet; /* scratch: the packet as restored from a record */
};

/* The packet that is being imported. */
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

/* Stores the packet unchanged. */
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
	return usb_import_event(a->im, &(struct import_event){
		LINKTYPE_USBPCAP, USBPCAP_PACKET, a->c->time, record,
		URB_HEADER + (size_t)a->c->captured}, a->err);
}

/* Whether the packet can be restored from this record. */
static bool is_restored(const struct arrival *a, uint32_t type, const uint8_t *record, size_t len)
{
	struct out *o = &a->im->usbpcap->packet;
	struct urb u;

	o->len = 0;
	urb_parse_event(&u, type, false, record, len);
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
	if (!(u->usbpcap.marks & USBPCAP_MADE_UP) && !is_restored(a, type, record, head + n)) {
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
	return usb_import_event(a->im, &(struct import_event){LINKTYPE_USBPCAP, type, time, record,
							      head + n}, a->err);
}

static int by_time(const void *a, const void *b)
{
	const struct begun *x = *(struct begun *const *)a, *y = *(struct begun *const *)b;

	return compare_pairs(x->time, y->time, x->irp, y->irp);
}

/*
 * The setup packets that are still held back, oldest first; there are *n. The caller frees the
 * array. NULL: out of memory.
 */
static struct begun **held_setups(const struct usbpcap *u, size_t *n)
{
	struct begun **list = NULL;

	*n = 0;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct begun *b = u->table[i]; b; b = b->next) {
			if (b->state != CONTROL_HELD)
				continue;
			if (!array_grow(list, *n)) {
				free(list);
				return NULL;
			}
			list[(*n)++] = b;
		}
	if (*n)
		qsort(list, *n, sizeof(struct begun *), by_time);
	return list ? list : calloc(1, sizeof(struct begun *));
}

/*
 * Writes the submission of a held setup packet, at its time: with n bytes of OUT data, or with data
 * NULL if none came.
 */
static int submit_held(struct usb_import *im, const struct begun *b, const uint8_t *data,
		       uint32_t n, struct trawl_error *err)
{
	struct arrival a = {.im = im, .p = b->held, .err = err};
	struct urb u = {
		.endpoint = b->endpoint,
		.flag_setup = URB_FLAG_PRESENT,
		.flag_data = data ? 0 : 'N',
		.status = USB_IN_PROGRESS,
		.length = get16(b->setup + 6),
		.usbpcap.marks = USBPCAP_MADE_UP,
	};

	memcpy(u.setup, b->setup, sizeof(u.setup));
	return emit(&a, USBPCAP_SUBMIT, &u, b->time, data, n);
}

int usbpcap_end(struct usb_import *im, struct trawl_error *err)
{
	struct begun **held;
	size_t n;
	int ret = 0;

	if (!im->usbpcap)
		return 0;
	held = held_setups(im->usbpcap, &n);
	if (!held)
		return trawl_fail(err, TRAWL_CANNOT, "import: out of memory");
	for (size_t i = 0; !ret && i < n; i++) {
		ret = submit_held(im, held[i], NULL, 0, err);
		held[i]->state = CONTROL_OUT;
	}
	free(held);
	return ret;
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
	if (setup)
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
	if (b && b->state == CONTROL_HELD && submit_held(a->im, b, NULL, 0, a->err))
		return -1;
	/* OUT data that is neither in this packet nor cut off comes in a packet of its own. */
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

/*
 * The data of a held setup packet. Its own time is not when it was submitted: up to version 1.2 its
 * packet is made when the transfer comes up.
 */
static int data_for_held(const struct arrival *a, struct begun *b)
{
	if (submit_held(a->im, b, a->p.data, a->p.data_len, a->err))
		return -1;
	b->state = CONTROL_OUT;
	b->sent = a->p.data_length;
	return stage(a, NULL);
}

/* IN data; the status stage follows. */
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
	/* The data stage was successful but the status stage failed: this is the real result. */
	if (a->p.status)
		return completion(a, true);
	forget(a->im->usbpcap, place_of(a->im->usbpcap, &a->p));
	return stage(a, NULL);
}

static int control(const struct arrival *a)
{
	const struct usbpcap_packet *p = &a->p;
	struct begun *b = *place_of(a->im->usbpcap, p);
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
		if (submit_held(a->im, b, NULL, 0, a->err))
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

/* Requests that transfer no data over the bus: ABORT_PIPE, SELECT_CONFIGURATION, ... */
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
