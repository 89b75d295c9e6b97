/* SPDX-License-Identifier: MIT */
#include "replay/tape.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/compare.h"
#include "decode/base/bytes.h"
#include "decode/base/jdoc.h"
#include "decode/usb/descriptor.h"
#include "decode/usb/msc.h"
#include "decode/usb/replayable.h"
#include "decode/usb/status.h"
#include "replay/tapereader.h"

static int no_memory(struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT,
			  "the capture's transfers need more memory than there is");
}

/*
 * True for the statuses with which the host refuses a transfer before the device has seen it:
 * -EPERM, -ENXIO, -ENOEXEC, -ENOMEM, -EBUSY, -EINVAL, -ENOSPC, -EMSGSIZE, -EHOSTUNREACH. In what
 * USBPcap records, the data of such a read is what the buffer had before.
 */
static bool is_refused(int32_t status)
{
	return status == USB_REJECTED || status == -6 || status == -8 || status == -12 ||
	       status == -16 || status == -22 || status == -28 || status == -90 || status == -113;
}

static int keep_answer(struct tape *t, const struct usb_detail *d, struct trawl_error *err)
{
	const uint8_t *setup = transfer_setup(d->transfer);
	bool refused = d->transfer->complete.status == -32;
	struct tape_answer *a = NULL;

	if (!d->transfer->has_complete || (!refused && !usb_status_moved(d->urb.status)))
		return 0;
	for (uint32_t i = 0; i < t->nanswers; i++)
		if (!memcmp(t->answers[i].setup, setup, 6))
			a = &t->answers[i];
	if (a && (refused || (!a->refused && d->data_len <= a->length)))
		return 0;
	if (!a) {
		if (!array_grow(t->answers, t->nanswers))
			return no_memory(err);
		a = &t->answers[t->nanswers++];
		memcpy(a->setup, setup, 8);
	}
	a->refused = refused;
	a->length = d->data_len;
	return store_add(&t->store, d->data, d->data_len, &a->data, err);
}

/*
 * Packet i of an isochronous transfer, with length 0 if its data is not there. USBPcap leaves the
 * lengths of what the host sends 0: there a packet ends where the next one begins.
 */
static struct urb_packet packet_of(const struct urb *data, uint32_t i, bool lengths)
{
	struct urb_packet p = urb_packet(data, i);
	uint32_t end = i + 1 < data->ndesc ? urb_packet(data, i + 1).offset : data->data_len;

	if (!lengths)
		p.length = end > p.offset ? end - p.offset : 0;
	if (p.offset > data->data_len || p.length > data->data_len - p.offset)
		p.length = 0;
	return p;
}

static int keep_packets(struct tape *t, struct tape_entry *e, const struct urb *data,
			struct trawl_error *err)
{
	bool lengths = urb_in(data);
	uint32_t length = 0;
	uint64_t at;

	e->npackets = data->ndesc;
	for (uint32_t i = 0; i < data->ndesc; i++)
		lengths |= urb_packet(data, i).length > 0;
	for (uint32_t i = 0; i < data->ndesc; i++) {
		struct urb_packet p = packet_of(data, i, lengths);
		struct tape_packet kept = {.status = p.status, .length = p.length};

		if (store_add(&t->store, &kept, sizeof(kept), i ? &at : &e->packets, err))
			return -1;
	}
	for (uint32_t i = 0; i < data->ndesc; i++) {
		struct urb_packet p = packet_of(data, i, lengths);

		if (p.length && store_add(&t->store, data->data + p.offset, p.length,
					  length ? &at : &e->data, err))
			return -1;
		length += p.length;
	}
	e->data_len = length;
	return 0;
}

/* Makes an entry, without what depends on other entries. */
static struct tape_entry entry_of(const struct usb_detail *d, uint64_t number)
{
	const struct transfer *x = d->transfer;
	const struct urb *data = transfer_data(x);
	struct tape_entry e = {
		.submitted = x->has_submit ? x->submitted : x->completed,
		.completed = x->has_complete ? x->completed : 0,
		.item = number,
		.xfer = d->urb.xfer,
		.endpoint = d->urb.endpoint,
		.interface = d->endpoint ? d->endpoint->interface : 0xff,
		.buffer_size = x->has_submit ? x->submit.length : 0,
		.length = x->has_complete ? x->complete.length : 0,
		.status = x->has_complete ? x->complete.status : 0,
		.answered = x->has_complete,
		.cancelled = x->end == TRANSFER_ERROR ||
			(x->has_complete && usb_status_is_cancelled(x->complete.status)),
		.unseen = x->has_complete && is_refused(x->complete.status),
		.secret = d->secret,
		.cut = data ? urb_missing(data) : 0,
		.cause = TAPE_NONE,
	};

	if (d->has_setup)
		memcpy(e.setup, transfer_setup(x), sizeof(e.setup));
	e.begun = x->has_submit ? x->submit.number : x->complete.number;
	e.ended = x->has_complete ? x->complete.number : 0;
	e.unknown = !tape_in(&e) && e.xfer != URB_CONTROL && !x->has_submit && e.length &&
		    !d->data_len;
	e.cancelled |= e.unseen || e.unknown;
	e.order = tape_in(&e) && e.xfer != URB_CONTROL ? x->complete.number : e.begun;
	return e;
}

/*
 * Entries come in the order in which their transfers end, and so nearly sorted: each is moved to
 * its place. Beyond this number of moves, the tape is sorted at its end instead.
 */
#define MOVED_MAX(n) (((uint64_t)1 << 24) + 64 * (uint64_t)(n))

/* Moves the last entry to its place. */
static void put_in_order(struct tape *t)
{
	struct tape_entry e = t->entries[t->n];
	uint32_t i = t->n;

	if (t->moved > MOVED_MAX(t->n))
		return;
	while (i && t->entries[i - 1].order > e.order)
		i--;
	t->moved += t->n - i;
	memmove(&t->entries[i + 1], &t->entries[i], (t->n - i) * sizeof(e));
	t->entries[i] = e;
}

static int keep_transfer(struct tape *t, const struct usb_detail *d, uint64_t number,
			 struct trawl_error *err)
{
	const struct transfer *x = d->transfer;
	const struct urb *data = transfer_data(x);
	struct tape_entry *e;

	if (t->n == TAPE_NONE)
		return no_memory(err);
	if (!filearray_reserve(&t->array, ((size_t)t->n + 1) * sizeof(*t->entries)))
		return store_failed(err);
	t->entries = t->array.p;
	e = &t->entries[t->n];
	*e = entry_of(d, number);
	if (e->xfer == URB_CONTROL && !d->has_setup)
		return 0; /* its setup packet is unknown */
	if (!x->has_complete && tape_in(e)) {
		t->no_answer++;
		e->cancelled = true;
		if (e->xfer != URB_CONTROL)
			return 0; /* a read that was pending at the capture's end */
	}
	t->cut += e->cut;
	if (e->unknown && !t->unknown++)
		t->first_unknown = number;
	if (e->xfer != URB_CONTROL && tape_in(e)) {
		e->after_cancelled = t->cancelled[e->endpoint & 15];
		t->cancelled[e->endpoint & 15] = 0;
	}
	if (e->xfer == URB_ISO && data && keep_packets(t, e, data, err))
		return -1;
	if (e->xfer != URB_ISO) {
		e->data_len = d->data_len;
		if (store_add(&t->store, d->data, d->data_len, &e->data, err))
			return -1;
	}
	put_in_order(t);
	if (!(++t->n % TAPE_STRETCH))
		tape_release(t);
	return 0;
}

/* True for a cancelled read without data: there is nothing to play. */
static bool is_nothing(const struct usb_detail *d)
{
	return d->urb.xfer != URB_CONTROL && urb_in(&d->urb) && d->transfer->has_complete &&
	       usb_status_is_cancelled(d->urb.status) && !d->data_len;
}

/* True for a read that the device never saw: nothing is played, and nothing was cancelled. */
static bool is_unseen(const struct usb_detail *d)
{
	return d->urb.xfer != URB_CONTROL && urb_in(&d->urb) && d->transfer->has_complete &&
	       is_refused(d->urb.status);
}

/*
 * True for what USBPcap itself wrote at its start on a device that was there before: no host sent
 * it then.
 */
static bool is_inserted(const struct usb_detail *d)
{
	return d->urb.is_usbpcap && !d->urb.id;
}

static int take(struct tape_reader *r, const struct usb_detail *d)
{
	struct tape *t = r->arg;

	if (d->urb.bus != t->device.bus || d->urb.device != t->device.address ||
	    (d->device && d->device->known && t->device.known &&
	     (usbdev_vendor(d->device) != t->device.vendor ||
	      usbdev_product(d->device) != t->device.product)) ||
	    (tape_device_had_former(&t->device, d) &&
	     (d->transfer->submitted < t->device.first || d->transfer->submitted > t->device.last)))
		return 0;
	if (d->has_setup && control_kind(&d->setup) == SETUP_STANDARD) {
		t->enumerated |= d->setup.request == REQ_SET_CONFIGURATION && !is_inserted(d);
		t->described |= d->setup.request == REQ_GET_DESCRIPTOR && !is_inserted(d);
		if (d->setup.request == REQ_GET_DESCRIPTOR)
			return keep_answer(t, d, r->err);
		if (!control_is_decision(&d->setup))
			return 0;
	}
	if (is_unseen(d))
		return 0;
	if (!is_nothing(d))
		return keep_transfer(t, d, r->items, r->err);
	if (t->cancelled[d->urb.endpoint & 15] < UINT8_MAX)
		t->cancelled[d->urb.endpoint & 15]++;
	return 0;
}

static int copy(uint8_t **to, const uint8_t *p, size_t n)
{
	*to = p && n ? malloc(n) : NULL;
	if (*to)
		memcpy(*to, p, n);
	return p && n && !*to ? -1 : 0;
}

static int keep_descriptors(struct tape *t, const struct usb_device *dev)
{
	int bad = 0;

	memcpy(t->descriptor, dev->device, sizeof(t->descriptor));
	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++) {
		t->configs[i].len = dev->configs[i].len;
		bad |= copy(&t->configs[i].p, dev->configs[i].p, dev->configs[i].len);
	}
	t->bos_len = dev->bos_len;
	bad |= copy(&t->bos, dev->bos, dev->bos_len);
	for (unsigned int i = 0; i < dev->ninterfaces; i++) {
		const struct usb_interface *f = &dev->interfaces[i];

		if (!f->report)
			continue;
		t->reports[t->nreports].number = f->number;
		t->reports[t->nreports].length = f->report_len;
		bad |= copy(&t->reports[t->nreports++].report, f->report, f->report_len);
	}
	return bad;
}

/* Reads a sysfs snapshot of the chosen device: strings and speed. */
static void keep_snapshot(struct tape *t, const struct trawl_meta *m)
{
	struct json_object *o = jdoc_parse(m->data, m->len);
	static const char *const members[3] = {"manufacturer", "product", "serial"};

	if (jdoc_uint(o, "busnum", 0) == t->device.bus &&
	    jdoc_uint(o, "devnum", 0) == t->device.address && jdoc_get(o, "descriptors")) {
		for (unsigned int i = 0; i < 3; i++)
			snprintf(t->strings[i], sizeof(t->strings[i]), "%s",
				 jdoc_string(o, members[i]));
		t->mbps = strtod(jdoc_string(o, "speed_mbps"), NULL);
	}
	json_object_put(o);
}

static void keep_verdict(struct tape *t, const struct trawl_reader *file)
{
	const struct trawl_meta *m = trawl_meta_find(file, USBDEV_VERDICT);
	struct out why;

	out_memory(&why);
	if (m && usb_replayable(file, m, &why) == USB_REPLAYABLE_NO)
		snprintf(t->verdict, sizeof(t->verdict), "%.*s", (int)why.len, why.data);
	out_free(&why);
}

static int by_order(const void *a, const void *b)
{
	const struct tape_entry *x = a, *y = b;

	return compare_numbers(x->order, y->order);
}

/*
 * A control request is the cause of answers within this time (ns); later answers have another
 * cause.
 */
#define REQUEST_CAUSE UINT64_C(500000000)

static bool shares_interface(const struct tape_entry *a, const struct tape_entry *b)
{
	return a->interface == b->interface || a->interface == 0xff || b->interface == 0xff;
}

/*
 * Sets each answer's cause: the last OUT transfer or control request before it that shares its
 * interface.
 */
static void find_causes(struct tape *t)
{
	uint32_t last[32], request = TAPE_NONE;

	memset(last, 0xff, sizeof(last)); /* the last entry of each OUT endpoint */
	for (uint32_t i = 0; i < t->n; i++) {
		struct tape_entry *e = &t->entries[i];

		if (!(i % TAPE_STRETCH))
			tape_release(t);
		if (e->xfer == URB_CONTROL) {
			request = i;
			continue;
		}
		if (!tape_in(e)) {
			last[e->endpoint & 15] = i;
			continue;
		}
		for (unsigned int k = 0; k < 16; k++)
			if (last[k] != TAPE_NONE && shares_interface(e, &t->entries[last[k]]) &&
			    (e->cause == TAPE_NONE || last[k] > e->cause))
				e->cause = last[k];
		if (request != TAPE_NONE && (e->cause == TAPE_NONE || request > e->cause) &&
		    e->completed - t->entries[request].submitted < REQUEST_CAUSE)
			e->cause = request;
	}
}

static bool list_entries(struct tape *t)
{
	uint32_t at = 0;

	if (!filearray_beside(&t->array, &t->index, ((size_t)t->n + 1) * sizeof(uint32_t)))
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		t->lists[tape_list_of(&t->entries[i])].n++;
		if (!(i % TAPE_STRETCH))
			tape_release(t);
	}
	for (unsigned int k = 0; k < ARRAY_SIZE(t->lists); k++) {
		t->lists[k].first = at;
		at += t->lists[k].n;
		t->lists[k].n = 0;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		unsigned int k = tape_list_of(&t->entries[i]);

		if (!(i % TAPE_STRETCH))
			tape_release(t);
		tape_list(t, k)[t->lists[k].n++] = i;
	}
	return true;
}

static int end_tape(struct tape_reader *r, struct trawl_reader *reader)
{
	struct tape *t = r->arg;
	struct usb_device *dev = r->state ? usbdev_find(&r->state->devices, t->device.bus,
							t->device.address) : NULL;

	if (dev && dev->known && keep_descriptors(t, dev))
		return no_memory(r->err);
	for (size_t i = 0; i < trawl_meta_count(reader); i++)
		if (usbdev_is_meta(trawl_meta_at(reader, i)))
			keep_snapshot(t, trawl_meta_at(reader, i));
	keep_verdict(t, reader);
	if (t->moved > MOVED_MAX(0))
		qsort(t->entries, t->n, sizeof(*t->entries), by_order);
	find_causes(t);
	if (!list_entries(t))
		return store_failed(r->err);
	return store_map(&t->store, r->err);
}

int tape_prepare(struct tape *t, struct trawl_error *err)
{
	if (t->store.fd < 0 && store_open(&t->store, err))
		return -1;
	if (t->array.fd < 0 && filearray_open(&t->array))
		return store_failed(err);
	return 0;
}

void tape_release(struct tape *t)
{
	filearray_release(&t->array);
	filearray_release(&t->index);
	store_release(&t->store);
}

static int read_tape(struct tape *t, const struct tape_file *file, const struct tape_device *d,
		     struct trawl_error *err)
{
	struct tape_reader r = {.take = take, .arg = t, .source = d->source};

	*t = (struct tape){.device = *d, .store = t->store, .array = t->array,
			   .index = FILEARRAY_NONE};
	if (tape_prepare(t, err))
		return -1;
	if (tape_reader_run(&r, file, end_tape, err))
		return -1;
	t->damage = r.damage;
	return 0;
}

int tape_whole(const struct tape *t, struct trawl_error *err)
{
	if (!t->damage.status)
		return 0;
	*err = t->damage;
	return -1;
}

int tape_read_chosen(struct tape *t, const struct tape_file *file, struct trawl_error *err)
{
	struct tape_device d;

	return tape_device_choose(file, &d, err) ? -1 : read_tape(t, file, &d, err);
}

void tape_free(struct tape *t)
{
	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++)
		free(t->configs[i].p);
	for (unsigned int i = 0; i < t->nreports; i++)
		free(t->reports[i].report);
	free(t->bos);
	free(t->answers);
	filearray_close(&t->index);
	filearray_close(&t->array);
	store_close(&t->store);
}

struct tape_packet tape_packet(const struct tape *t, const struct tape_entry *e, uint32_t i)
{
	struct tape_packet p;

	memcpy(&p, store_at(&t->store, e->packets + i * sizeof(p)), sizeof(p));
	return p;
}

const struct usb_config *tape_config(const struct tape *t)
{
	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++)
		if (t->configs[i].p)
			return &t->configs[i];
	return NULL;
}

struct control_target tape_target(const struct tape *t, const struct control_request *s)
{
	bool known = t->descriptor[1] == DESC_DEVICE;
	struct control_target to = {
		/* a device whose class is that of its interfaces is no hub */
		.class = known && !t->descriptor[4] ? 0xff : t->descriptor[4],
		.subclass = t->descriptor[5],
		.protocol = t->descriptor[6],
		.vendor = get16(t->descriptor + 8),
		.product = get16(t->descriptor + 10),
		.super = t->descriptor[7] == 9,
	};
	const struct usb_config *c = tape_config(t);
	struct descriptor_walk w = descriptor_walk(c ? c->p : NULL, c ? c->len : 0);
	bool interface = control_recipient(s) == SETUP_INTERFACE;
	struct descriptor d;

	while (interface && descriptor_next(&w, &d)) {
		if (d.type != DESC_INTERFACE || d.room < 8 || d.p[2] != (s->index & 0xff))
			continue;
		to.class = d.p[5];
		to.subclass = d.p[6];
		to.protocol = d.p[7];
		break;
	}
	return to;
}

void tape_command_text(const uint8_t *cbw, struct out *o)
{
	struct scsi_command c = {.length = cbw[14]};

	memcpy(c.cdb, cbw + 15, sizeof(c.cdb));
	scsi_command_brief(&c, o);
}

void tape_entry_text(const struct tape *t, const struct tape_entry *e, struct out *o)
{
	struct control_request s;
	struct control_target to;
	const uint8_t *p = tape_data(t, e);

	if (e->xfer == URB_CONTROL) {
		control_parse(&s, e->setup);
		to = tape_target(t, &s);
		control_request_brief(&s, &to, o);
	} else {
		out_printf(o, "ep%u %s %s", e->endpoint & 15u, tape_in(e) ? "IN" : "OUT",
			   urb_xfer_name(e->xfer));
	}
	if (e->xfer == URB_BULK && !tape_in(e) && msc_is_cbw(p, e->data_len)) {
		out_str(o, ", ");
		tape_command_text(p, o);
		return;
	}
	out_printf(o, ", %u bytes", e->data_len);
	if (!e->data_len || e->secret)
		return;
	out_char(o, ':');
	for (uint32_t i = 0; i < e->data_len && i < 16; i++)
		out_printf(o, " %02x", p[i]);
	if (e->data_len > 16)
		out_str(o, " ...");
}
