/* SPDX-License-Identifier: MIT */
#include "decode/usb/transferdiff.h"
#include "common/array.h"

#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "decode/base/align.h"
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/echofield.h"
#include "decode/usb/status.h"

struct transfer_diff *transferdiff_new(const char *const name[2])
{
	struct transfer_diff *t = calloc(1, sizeof(*t));

	for (unsigned int i = 0; t && i < 2; i++) {
		t->name[i] = name[i];
		t->last[i] = &t->devices[i];
	}
	return t;
}

static void free_device(struct diff_device *d)
{
	for (size_t i = 0; i < d->npipes; i++) {
		free(d->pipes[i].elements);
		echo_free(&d->pipes[i].echo);
	}
	free(d->pipes);
	free(d->answers);
	free(d);
}

void transferdiff_free(struct transfer_diff *t)
{
	for (unsigned int i = 0; t && i < 2; i++) {
		while (t->devices[i]) {
			struct diff_device *d = t->devices[i];

			t->devices[i] = d->next;
			free_device(d);
		}
		free(t->bytes[i]);
	}
	free(t);
}

/* ---- collecting ------------------------------------------------------------------------------ */

/*
 * Returns the device of a transfer. An address belongs to a new device when the ids change or after
 * SET_ADDRESS.
 */
static struct diff_device *device_of(struct transfer_diff *t, unsigned int capture,
				const struct usb_detail *d)
{
	bool known = d->device && d->device->known;
	uint16_t vendor = known ? usbdev_vendor(d->device) : 0;
	uint16_t product = known ? usbdev_product(d->device) : 0;
	struct diff_device *found = NULL;

	for (struct diff_device *x = t->devices[capture]; x; x = x->next)
		if (x->bus == d->urb.bus && x->address == d->urb.device)
			found = x;
	if (found && known && found->known &&
	    (found->vendor != vendor || found->product != product))
		found = NULL;
	if (!found) {
		found = calloc(1, sizeof(*found));
		if (!found)
			return NULL;
		found->capture = capture;
		found->bus = d->urb.bus;
		found->address = d->urb.device;
		*t->last[capture] = found;
		t->last[capture] = &found->next;
	}
	if (known && !found->known) {
		found->known = true;
		found->vendor = vendor;
		found->product = product;
		found->root = vendor == 0x1d6b && d->device->device[4] == 0x09;
	}
	if (known && *d->device->name && !*found->name)
		snprintf(found->name, sizeof(found->name), "%s", d->device->name);
	return found;
}

static bool keep(struct transfer_diff *t, unsigned int capture, const uint8_t *p, size_t n,
		 size_t *at)
{
	/* One more, so that even a transfer without data has an address. */
	if (!array_reserve(t->bytes[capture], t->room[capture], t->used[capture] + n + 1))
		return false;
	*at = t->used[capture];
	if (n)
		memcpy(t->bytes[capture] + *at, p, n);
	t->used[capture] += n;
	return true;
}

static struct diff_pipe *pipe_of(struct diff_device *dev, uint8_t xfer, uint8_t endpoint)
{
	struct diff_pipe *new;

	if (xfer == URB_CONTROL)
		endpoint = 0;
	for (size_t i = 0; i < dev->npipes; i++)
		if (dev->pipes[i].xfer == xfer && dev->pipes[i].endpoint == endpoint)
			return &dev->pipes[i];
	if (!array_grow(dev->pipes, dev->npipes))
		return NULL;
	new = &dev->pipes[dev->npipes++];
	*new = (struct diff_pipe){.xfer = xfer, .endpoint = endpoint};
	return new;
}

/*
 * Whether the host ended the transfer. A driver that stops reading cancels an URB, or its next
 * submission of the URB is rejected: which of the two happens is a matter of microseconds.
 */
static bool is_cancelled(const struct transfer *t)
{
	int32_t status = t->complete.status;

	return !t->has_complete || usb_status_is_cancelled(status) || status == USB_REJECTED;
}

static bool take_answer(struct transfer_diff *t, struct diff_device *dev,
			const struct usb_detail *d, uint64_t item)
{
	const uint8_t *setup = transfer_setup(d->transfer);
	bool good = usb_status_moved(d->transfer->complete.status);
	struct diff_answer *a = NULL;

	if (d->setup.request != REQ_GET_DESCRIPTOR || !d->urb.device || is_cancelled(d->transfer))
		return true;
	for (size_t i = 0; i < dev->nanswers; i++)
		if (!memcmp(dev->answers[i].request, setup, 6))
			a = &dev->answers[i];
	if (a && (!good || d->data_len <= a->length))
		return true;
	if (!a) {
		if (!array_grow(dev->answers, dev->nanswers))
			return false;
		a = &dev->answers[dev->nanswers++];
		*a = (struct diff_answer){.item = item};
		memcpy(a->request, setup, 6);
	}
	a->good = good;
	a->length = d->data_len;
	return keep(t, dev->capture, d->data, d->data_len, &a->at);
}

/*
 * Hashes the data after ECHO_REACH. The data of an isochronous transfer is that of its packets,
 * without the gaps.
 */
static uint64_t hash_rest(const struct usb_detail *d, const struct urb *data, uint32_t *length)
{
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	if (d->urb.xfer != URB_ISO || !data) {
		*length = d->data_len;
		if (d->data_len > ECHO_REACH)
			XXH64_update(&state, d->data + ECHO_REACH, d->data_len - ECHO_REACH);
		return XXH64_digest(&state);
	}
	*length = 0;
	for (uint32_t i = 0; i < data->ndesc; i++) {
		struct urb_packet p = urb_packet(data, i);

		if (p.offset > data->data_len || p.length > data->data_len - p.offset)
			continue;
		XXH64_update(&state, data->data + p.offset, p.length);
		*length += p.length;
	}
	return XXH64_digest(&state);
}

static bool add(struct transfer_diff *t, struct diff_device *dev, struct diff_pipe *p,
		const struct usb_detail *d, uint64_t item)
{
	const struct transfer *x = d->transfer;
	struct diff_element *e;

	if (!array_reserve(p->elements, p->room, p->n + 1))
		return false;
	e = &p->elements[p->n];
	*e = (struct diff_element){
		.item = item,
		.answered = x->has_complete,
		/*
		 * For isochronous transfers the status is that of the URB, which is always 0;
		 * packets have their own.
		 */
		.status = x->has_complete ? x->complete.status : 0,
		.cancelled = is_cancelled(x),
		.secret = d->secret,
	};
	if (d->has_setup)
		memcpy(e->setup, transfer_setup(x), sizeof(e->setup));
	e->rest = hash_rest(d, transfer_data(x), &e->length);
	e->kept = d->urb.xfer == URB_ISO ? 0 : d->data_len < ECHO_REACH ? d->data_len : ECHO_REACH;
	p->storage |= d->class == &usb_storage_class;
	p->n++;
	return keep(t, dev->capture, d->data, e->kept, &e->at);
}

bool transferdiff_take(struct transfer_diff *t, unsigned int capture, const struct usb_detail *d,
		       uint64_t item)
{
	struct diff_device *dev;
	struct diff_pipe *p;

	if (!d->transfer || !urb_is_half(&d->urb) || d->urb.xfer >= URB_XFERS || !d->urb.device)
		return true;
	dev = device_of(t, capture, d);
	if (!dev)
		return false;
	if (d->urb.xfer == URB_CONTROL && d->has_setup &&
	    control_kind(&d->setup) == SETUP_STANDARD) {
		dev->enumerated |= d->setup.request == REQ_SET_CONFIGURATION;
		if (!control_is_decision(&d->setup))
			return take_answer(t, dev, d, item);
	}
	p = pipe_of(dev, d->urb.xfer, d->urb.endpoint);
	if (!p)
		return false;
	if (d->urb.xfer != URB_CONTROL && urb_in(&d->urb) && is_cancelled(d->transfer) &&
	    !d->data_len) {
		p->open++;
		return true;
	}
	t->transfers[capture] += !dev->root;
	return add(t, dev, p, d, item);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void mask_of(const struct diff_pipe *p, const uint8_t *bytes, const struct diff_element *e,
		    bool mask[ECHO_REACH])
{
	bool other[ECHO_REACH];

	echo_mask(&p->echo, p->storage, bytes, e->length, mask);
	/* A byte that counts in one of the two captures only is a real difference. */
	if (!p->partner)
		return;
	echo_mask(&p->partner->echo, p->storage, bytes, e->length, other);
	for (unsigned int i = 0; i < ECHO_REACH; i++)
		mask[i] &= other[i];
}

static uint64_t token_of(const struct diff_pipe *p, const uint8_t *bytes,
			 const struct diff_element *e)
{
	struct {
		uint64_t rest;
		uint32_t length;
		int32_t status;
		uint8_t setup[8];
		uint8_t answered, pad[7];
	} head = {
		.rest = e->rest, .length = e->length, .status = e->status, .answered = e->answered,
	};
	uint8_t front[ECHO_REACH];
	bool mask[ECHO_REACH];

	memcpy(head.setup, e->setup, sizeof(head.setup));
	memcpy(front, bytes, e->kept);
	if (p->xfer != URB_CONTROL && p->xfer != URB_ISO) {
		mask_of(p, bytes, e, mask);
		for (uint32_t i = 0; i < e->kept; i++)
			front[i] = mask[i] ? 0 : front[i];
	}
	return XXH64(front, e->kept, XXH64(&head, sizeof(head), 0));
}

static uint64_t *tokens(const struct transfer_diff *t, unsigned int capture,
			const struct diff_pipe *p)
{
	uint64_t *list = malloc((p->n + 1) * sizeof(*list));

	for (size_t i = 0; list && i < p->n; i++)
		list[i] = token_of(p, t->bytes[capture] + p->elements[i].at, &p->elements[i]);
	return list;
}

static bool learn(const struct transfer_diff *t, unsigned int capture, struct diff_pipe *p)
{
	struct sample *s;
	bool ok;

	if (p->xfer == URB_CONTROL || p->xfer == URB_ISO || p->storage)
		return true;
	s = malloc((p->n + 1) * sizeof(*s));
	if (!s)
		return false;
	for (size_t i = 0; i < p->n; i++)
		s[i] = (struct sample){t->bytes[capture] + p->elements[i].at,
				       p->elements[i].length};
	ok = echo_learn(&p->echo, s, p->n);
	free(s);
	return ok;
}

static void name_pipe(const struct diff_device *d, const struct diff_pipe *p, char *text, size_t n)
{
	char ids[32] = "device without descriptors";

	if (d->known)
		snprintf(ids, sizeof(ids), "%04x:%04x", d->vendor, d->product);
	if (p->xfer == URB_CONTROL)
		snprintf(text, n, "%s ep0 control", ids);
	else
		snprintf(text, n, "%s ep%u %s %s", ids, p->endpoint & 15u,
			 p->endpoint & 0x80 ? "IN" : "OUT", urb_xfer_name(p->xfer));
}

/* Describes the difference between a transfer of capture 0 and one of capture 1. */
static void describe_change(const struct transfer_diff *t, const struct diff_pipe *p,
			    const struct diff_element *ea, const struct diff_element *eb,
			    char *text, size_t n)
{
	const uint8_t *a = t->bytes[0] + ea->at, *b = t->bytes[1] + eb->at;
	uint32_t kept = ea->kept < eb->kept ? ea->kept : eb->kept;
	bool mask[ECHO_REACH];

	if (memcmp(ea->setup, eb->setup, 8)) {
		snprintf(text, n, "another request");
		return;
	}
	if (ea->answered != eb->answered || ea->status != eb->status) {
		snprintf(text, n, "the status is %s, was %s",
			 eb->answered ? usb_status_name(eb->status) : "unknown",
			 ea->answered ? usb_status_name(ea->status) : "unknown");
		return;
	}
	mask_of(p, a, ea, mask);
	for (uint32_t i = 0; i < kept; i++) {
		if (a[i] == b[i] || (mask[i] && ea->length == eb->length))
			continue;
		if (ea->secret || eb->secret)
			snprintf(text, n, "byte %u differs (masked: its value is not shown)",
				 i);
		else
			snprintf(text, n, "byte %u is 0x%02x, was 0x%02x", i, b[i], a[i]);
		return;
	}
	if (ea->length != eb->length)
		snprintf(text, n, "%u bytes, were %u", eb->length, ea->length);
	else
		snprintf(text, n, "the data differ after byte %u", p->xfer == URB_ISO ? 0 : kept);
}

static bool is_earlier(struct transfer_diff *t, uint64_t order)
{
	if (t->first.any && order >= t->order)
		return false;
	t->first.any = true;
	t->order = order;
	return true;
}

/*
 * A difference: na transfers of capture 0 from index a, and nb of capture 1 from index b, lie
 * between two equal transfers and have no equal in the other capture.
 */
struct gap {
	size_t a, na, b, nb;
};

static void note_gap(struct transfer_diff *t, const struct diff_device *d,
		     const struct diff_pipe *p, const struct gap *g)
{
	const struct diff_element *ea = p->elements + g->a, *eb = p->partner->elements + g->b;
	struct transfer_difference *f = &t->first;
	char where[96];

	/*
	 * Differences are ordered by item number in capture 0. Transfers that only capture 1 has
	 * come after the last equal transfer.
	 */
	if (!is_earlier(t, g->na ? 2 * ea->item : g->a ? 2 * ea[-1].item + 1 : 1))
		return;
	f->item[0] = g->na ? ea->item : TRANSFERDIFF_NONE;
	f->item[1] = g->nb ? eb->item : TRANSFERDIFF_NONE;
	f->previous[0] = g->a ? ea[-1].item : TRANSFERDIFF_NONE;
	f->previous[1] = g->b ? eb[-1].item : TRANSFERDIFF_NONE;
	name_pipe(d, p, where, sizeof(where));
	snprintf(f->where, sizeof(f->where), "%s, transfer %zu there", where,
		 (g->na ? g->a : g->b) + 1);
	if (g->na && g->nb)
		describe_change(t, p, ea, eb, f->what, sizeof(f->what));
	else
		snprintf(f->what, sizeof(f->what), "only in %.100s", t->name[g->na ? 0 : 1]);
}

/*
 * Whether extra transfers of a device precede the first equal one because only this capture
 * contains its enumeration; that is not a difference.
 */
static bool leads(const struct diff_device *mine, size_t at, size_t other)
{
	return mine->enumerated && !mine->partner->enumerated && !at && !other;
}

/*
 * Whether two transfers are equal as far as is known: of one, or of both, no completion was
 * recorded, so its status and the answer's data are unknown.
 */
static bool equal_as_known(const struct transfer_diff *t, const struct diff_pipe *p,
			   const struct diff_element *ea, const struct diff_element *eb)
{
	struct diff_element a = *ea, b = *eb;

	if (a.answered && b.answered)
		return false;
	if ((!a.answered && !a.length) || (!b.answered && !b.length))
		return p->xfer == URB_CONTROL && !memcmp(a.setup, b.setup, sizeof(a.setup));
	a.answered = b.answered = false;
	a.status = b.status = 0;
	return token_of(p, t->bytes[0] + a.at, &a) == token_of(p, t->bytes[1] + b.at, &b);
}

/* Takes transfers without a completion out of the gap, which depend on the host. */
static void take_unanswered(struct transfer_diff *t, struct diff_pipe *p, struct gap *g)
{
	const struct diff_element *a = p->elements, *b = p->partner->elements;

	for (; g->na && g->nb && equal_as_known(t, p, a + g->a, b + g->b); g->na--, g->nb--) {
		p->same++;
		t->same++;
		g->a++;
		g->b++;
	}
	for (; g->na > g->nb && !a[g->a].answered; g->na--, g->a++)
		p->open++;
	for (; g->nb > g->na && !b[g->b].answered; g->nb--, g->b++)
		p->partner->open++;
}

static void count_gap(struct transfer_diff *t, const struct diff_device *d, struct diff_pipe *p,
		      struct gap *g)
{
	size_t pairs;

	take_unanswered(t, p, g);
	pairs = g->na < g->nb ? g->na : g->nb;

	if (!g->na && g->nb && leads(d->partner, g->b, g->a)) {
		p->before[1] += g->nb;
		return;
	}
	if (g->na && !g->nb && leads(d, g->a, g->b)) {
		p->before[0] += g->na;
		return;
	}
	if (!g->na && !g->nb)
		return;
	note_gap(t, d, p, g);
	p->changed += pairs;
	p->only[0] += g->na - pairs;
	p->only[1] += g->nb - pairs;
	t->count += g->na > g->nb ? g->na : g->nb;
}

static size_t without_tail(const struct diff_pipe *p)
{
	size_t n = p->n;

	while (n && p->elements[n - 1].cancelled)
		n--;
	return n;
}

static bool compare_pipes(struct transfer_diff *t, const struct diff_device *d, struct diff_pipe *p)
{
	struct diff_pipe *q = p->partner;
	uint64_t *a, *b;
	struct align_run *runs = NULL;
	size_t n = 0, at = 0, bt = 0;
	bool ok = false;

	p->storage |= q->storage;
	q->storage = p->storage;
	if (!learn(t, 0, p) || !learn(t, 1, q))
		return false;
	q->partner = p;
	a = tokens(t, 0, p);
	b = tokens(t, 1, q);
	if (a && b)
		ok = align(a, without_tail(p), b, without_tail(q), &runs, &n);
	for (size_t i = 0; ok && i < n; i++) {
		count_gap(t, d, p, &(struct gap){ at, runs[i].a - at, bt, runs[i].b - bt });
		p->same += runs[i].n;
		t->same += runs[i].n;
		at = runs[i].a + runs[i].n;
		bt = runs[i].b + runs[i].n;
	}
	free(runs);
	free(a);
	free(b);
	return ok;
}

static void compare_answer(struct transfer_diff *t, struct diff_device *d,
			   const struct diff_answer *x, const struct diff_answer *y)
{
	const uint8_t *a = t->bytes[0] + x->at, *b = t->bytes[1] + y->at;
	uint32_t n = x->length < y->length ? x->length : y->length, i = 0;
	struct transfer_difference *f = &t->first;

	while (i < n && a[i] == b[i])
		i++;
	if (x->good == y->good && i == n) {
		d->answers_same++;
		return;
	}
	d->answers_differ++;
	t->count++;
	if (!is_earlier(t, 2 * x->item))
		return;
	*f = (struct transfer_difference){
		.any = true, .item = {x->item, y->item},
		.previous = {TRANSFERDIFF_NONE, TRANSFERDIFF_NONE},
	};
	snprintf(f->where, sizeof(f->where), "%04x:%04x ep0 control, descriptor 0x%02x index %u",
		 d->vendor, d->product, x->request[3], x->request[2]);
	if (x->good != y->good)
		snprintf(f->what, sizeof(f->what), "is %s, was %s",
			 y->good ? "answered" : "refused", x->good ? "answered" : "refused");
	else
		snprintf(f->what, sizeof(f->what), "byte %u is 0x%02x, was 0x%02x", i, b[i], a[i]);
}

static void compare_answers(struct transfer_diff *t, struct diff_device *d)
{
	for (size_t i = 0; i < d->nanswers; i++)
		for (size_t k = 0; k < d->partner->nanswers; k++)
			if (!memcmp(d->answers[i].request, d->partner->answers[k].request, 6))
				compare_answer(t, d, &d->answers[i], &d->partner->answers[k]);
}

/* Notes all transfers of a pipe or device that the other capture does not have. */
static void note_alone(struct transfer_diff *t, const struct diff_device *d, struct diff_pipe *p)
{
	struct transfer_difference *f = &t->first;
	unsigned int c = d->capture;
	size_t n = without_tail(p);
	char where[96];

	p->only[c] = n;
	if (!n)
		return;
	if (d->partner && leads(d, 0, 0)) {
		p->only[c] = 0;
		p->before[c] = n;
		return;
	}
	t->count += n;
	if (!is_earlier(t, 2 * p->elements[0].item + c))
		return;
	*f = (struct transfer_difference){
		.any = true, .item = {TRANSFERDIFF_NONE, TRANSFERDIFF_NONE},
		.previous = {TRANSFERDIFF_NONE, TRANSFERDIFF_NONE},
	};
	f->item[c] = p->elements[0].item;
	name_pipe(d, p, where, sizeof(where));
	snprintf(f->where, sizeof(f->where), "%s, transfer 1 there", where);
	snprintf(f->what, sizeof(f->what), "this %s is only in %.100s",
		 d->partner ? "endpoint" : "device", t->name[c]);
}

static struct diff_pipe *find_pipe(const struct diff_device *d, const struct diff_pipe *like)
{
	for (size_t i = 0; i < d->npipes; i++)
		if (d->pipes[i].xfer == like->xfer && d->pipes[i].endpoint == like->endpoint)
			return &d->pipes[i];
	return NULL;
}

static bool is_compared(const struct diff_device *d)
{
	return !d->root && !d->partner;
}

static void pair(struct diff_device *a, struct diff_device *b)
{
	a->partner = b;
	b->partner = a;
}

/* Pairs devices without known descriptors by their addresses. */
static void pair_unknown(struct transfer_diff *t)
{
	for (struct diff_device *a = t->devices[0]; a; a = a->next)
		for (struct diff_device *b = t->devices[1]; b && is_compared(a); b = b->next)
			if (is_compared(b) && (!a->known || !b->known) && a->bus == b->bus &&
			    a->address == b->address)
				pair(a, b);
}

/*
 * Pairs devices by vendor and product id in order of appearance. If then one device is left in each
 * capture, these two are paired.
 */
static void pair_devices(struct transfer_diff *t)
{
	struct diff_device *left[2] = {NULL, NULL};
	unsigned int n[2] = {0, 0};

	for (struct diff_device *a = t->devices[0]; a; a = a->next)
		for (struct diff_device *b = t->devices[1]; b && is_compared(a); b = b->next)
			if (is_compared(b) && a->known && b->known && a->vendor == b->vendor &&
			    a->product == b->product)
				pair(a, b);
	pair_unknown(t);
	for (unsigned int c = 0; c < 2; c++)
		for (struct diff_device *d = t->devices[c]; d; d = d->next)
			if (is_compared(d)) {
				left[c] = d;
				n[c]++;
			}
	if (n[0] == 1 && n[1] == 1)
		pair(left[0], left[1]);
}

bool transferdiff_compare(struct transfer_diff *t)
{
	pair_devices(t);
	for (unsigned int c = 0; c < 2; c++) {
		for (struct diff_device *d = t->devices[c]; d; d = d->next) {
			for (size_t i = 0; !d->root && i < d->npipes; i++) {
				struct diff_pipe *p = &d->pipes[i];

				p->partner = d->partner ? find_pipe(d->partner, p) : NULL;
				if (!p->partner)
					note_alone(t, d, p);
				else if (!c && !compare_pipes(t, d, p))
					return false;
			}
			if (!c && d->partner)
				compare_answers(t, d);
		}
	}
	return true;
}

const struct transfer_difference *transferdiff_first(const struct transfer_diff *t)
{
	return &t->first;
}
