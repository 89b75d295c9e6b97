/* SPDX-License-Identifier: MIT */
#include "decode/usb/conversation.h"
#include "common/array.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/compare.h"
#include "decode/usb/class.h"

#define STORE_MAX ((size_t)256 << 20) /* bytes of all messages together */
#define MESSAGES_MAX 4000000          /* number of messages in all pipes */
#define SETUP_SIZE 8

struct conversations {
	struct device_entry *entries;
	struct conversation *list;
	size_t n, room;
	size_t stored;
	uint64_t messages, explained;
};

struct conversations *conversations_new(void)
{
	return calloc(1, sizeof(struct conversations));
}

static void free_pipes(struct pipe *p)
{
	while (p) {
		struct pipe *next = p->next;

		free(p->messages);
		free(p->bytes);
		free(p);
		p = next;
	}
}

void conversations_free(struct conversations *c)
{
	if (!c)
		return;
	while (c->entries) {
		struct device_entry *t = c->entries;

		c->entries = t->next;
		free_pipes(t->pipes);
		free(t);
	}
	for (size_t i = 0; i < c->n; i++) {
		free(c->list[i].messages);
		free(c->list[i].bytes);
	}
	free(c->list);
	free(c);
}

uint64_t conversations_explained(const struct conversations *c)
{
	return c->explained;
}

/* ---- collecting ------------------------------------------------------------------------------ */

static struct device_entry *entry_of(struct conversations *c, const struct usb_detail *d,
				     uint32_t capture)
{
	const struct usb_device *dev = d->device;
	struct device_entry *t = c->entries;
	bool known = dev && dev->known;

	for (; t; t = t->next)
		if (t->capture == capture && t->bus == d->urb.bus &&
		    t->address == d->urb.device &&
		    (!t->known || !known || (t->vendor == usbdev_vendor(dev) &&
					     t->product == usbdev_product(dev))))
			break;
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return NULL;
		t->capture = capture;
		t->bus = d->urb.bus;
		t->address = d->urb.device;
		t->next = c->entries;
		c->entries = t;
	}
	if (known) {
		t->known = true;
		t->vendor = usbdev_vendor(dev);
		t->product = usbdev_product(dev);
		if (*dev->name)
			memcpy(t->name, dev->name, sizeof(t->name));
	}
	return t;
}

static struct pipe *pipe_of(struct device_entry *t, enum pipe_kind kind, uint8_t xfer,
			    uint8_t endpoint, uint16_t interface)
{
	struct pipe *p = t->pipes;

	while (p && (p->kind != kind || p->endpoint != endpoint || p->xfer != xfer ||
		     (kind == PIPE_REPORT && p->interface != interface)))
		p = p->next;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return NULL;
		p->kind = kind;
		p->xfer = xfer;
		p->endpoint = endpoint;
		p->interface = interface;
		p->next = t->pipes;
		t->pipes = p;
	}
	if (interface != NO_INTERFACE)
		p->interface = interface;
	return p;
}

/* A part of a message. */
struct part {
	const uint8_t *data;
	size_t n;
};

/*
 * Appends a message that consists of two parts; the first may be empty. of->length is the number of
 * bytes that were not recorded.
 */
static bool add(struct conversations *c, struct pipe *p, const struct message *of,
		struct part first, struct part rest)
{
	struct message *m;
	size_t kept = first.n + rest.n;

	if (kept > MESSAGE_KEPT)
		kept = MESSAGE_KEPT;
	if (c->stored + kept > STORE_MAX || c->messages == MESSAGES_MAX) {
		p->left_out++;
		return true;
	}
	if (!array_reserve(p->messages, p->room, p->count + 1))
		return false;
	if (!array_reserve(p->bytes, p->bytes_room, p->used + kept + 1))
		return false;
	m = &p->messages[p->count++];
	*m = *of;
	m->at = p->used;
	m->length = of->length + (uint32_t)(first.n + rest.n);
	m->kept = (uint32_t)kept;
	m->answer = NO_MESSAGE;
	if (first.n)
		memcpy(p->bytes + p->used, first.data, first.n);
	if (kept > first.n)
		memcpy(p->bytes + p->used + first.n, rest.data, kept - first.n);
	p->used += kept;
	c->stored += kept;
	c->messages++;
	return true;
}

/* Appends a message of one part. */
static bool add_whole(struct conversations *c, struct pipe *p, const struct message *of,
		      const uint8_t *data, size_t n)
{
	return add(c, p, of, (struct part){NULL, 0}, (struct part){data, n});
}

static struct message of_transfer(const struct usb_detail *d, uint32_t capture, bool in)
{
	const struct transfer *t = d->transfer;
	bool completed = in ? t->has_complete : !t->has_submit;

	return (struct message){
		.time = completed ? t->completed : t->submitted, .capture = capture, .in = in,
		.endpoint = d->urb.endpoint & 0x7f,
		.length = d->urb.length > d->data_len ? d->urb.length - d->data_len : 0,
	};
}

/* Stores a vendor request as two messages: the setup packet with its OUT data, and the IN data. */
static bool take_vendor_request(struct conversations *c, struct device_entry *t,
				const struct usb_detail *d, uint32_t capture)
{
	struct pipe *p = pipe_of(t, PIPE_VENDOR, URB_CONTROL, 0, NO_INTERFACE);
	bool in = control_in(&d->setup);
	struct message m = of_transfer(d, capture, false);
	const uint8_t *setup = transfer_setup(d->transfer);

	if (!p)
		return false;
	if (d->secret) {
		p->masked++;
		return true;
	}
	if (in)
		m.length = 0; /* the missing bytes belong to the answer */
	if (!add(c, p, &m, (struct part){setup, SETUP_SIZE},
		 (struct part){d->data, in ? 0 : d->data_len}))
		return false;
	if (!in || !d->data_len)
		return true;
	m = of_transfer(d, capture, true);
	return add_whole(c, p, &m, d->data, d->data_len);
}

static bool take_report(struct conversations *c, struct device_entry *t, const struct usb_detail *d,
			uint32_t capture)
{
	struct pipe *p = pipe_of(t, PIPE_REPORT, URB_CONTROL, 0, d->setup.index & 0xff);
	struct message m = of_transfer(d, capture, control_in(&d->setup));

	if (!p)
		return false;
	if (d->secret) {
		p->masked++;
		return true;
	}
	return !d->data_len || add_whole(c, p, &m, d->data, d->data_len);
}

/*
 * Whether the request is GET_REPORT or SET_REPORT. If the class of the interface is unknown,
 * requests that look like these count as well.
 */
static bool is_report(const struct usb_detail *d)
{
	unsigned int type = d->setup.value >> 8;

	return control_kind(&d->setup) == SETUP_CLASS &&
	       control_recipient(&d->setup) == SETUP_INTERFACE && type >= 1 && type <= 3 &&
	       d->setup.request == (control_in(&d->setup) ? 0x01 : 0x09) &&
	       (d->target.class == 0x03 || !d->target.class || d->target.class == 0xff);
}

static bool take_control(struct conversations *c, const struct usb_detail *d, bool shown,
			 uint32_t capture)
{
	bool vendor = d->has_setup && control_kind(&d->setup) == SETUP_VENDOR;
	struct device_entry *t;

	if (!d->has_setup || (!vendor && (shown || !is_report(d)))) {
		c->explained++;
		return true;
	}
	t = entry_of(c, d, capture);
	if (!t)
		return false;
	return vendor ? take_vendor_request(c, t, d, capture) : take_report(c, t, d, capture);
}

static bool is_serial(const struct usb_detail *d)
{
	return d->class == &usb_serial_class || d->class == &usb_ftdi_class;
}

static bool take_endpoint(struct conversations *c, const struct usb_detail *d, uint32_t capture)
{
	enum pipe_kind kind = is_serial(d) ? PIPE_SERIAL : PIPE_ENDPOINT;
	struct message m = of_transfer(d, capture, urb_in(&d->urb));
	uint16_t interface = d->interface ? d->interface->number : NO_INTERFACE;
	struct device_entry *t = entry_of(c, d, capture);
	struct pipe *p = t ? pipe_of(t, kind, d->urb.xfer, d->urb.endpoint, interface) : NULL;
	uint8_t *text;
	size_t n;
	bool ok;

	if (!p)
		return false;
	if (d->secret) {
		p->masked++;
		return true;
	}
	if (kind == PIPE_ENDPOINT)
		return add_whole(c, p, &m, d->data, d->data_len);
	text = usb_serial_text(d, &n);
	if (!text)
		return false;
	ok = !n || add_whole(c, p, &m, text, n);
	free(text);
	return ok;
}

bool conversations_take(struct conversations *c, const struct usb_state *s,
			const struct usb_detail *d, uint32_t capture)
{
	struct out unused;
	bool shown;

	if (!d->transfer || d->urb.xfer == URB_ISO)
		return true;
	if (d->urb.xfer != URB_CONTROL && !d->data_len)
		return true;
	if (d->urb.status && !d->data_len)
		return true;
	out_memory(&unused);
	shown = usb_decoded_brief(s, d, &unused);
	out_free(&unused);
	if (d->urb.xfer == URB_CONTROL)
		return take_control(c, d, shown, capture);
	if (is_serial(d) || !d->class || (!shown && d->class == &usb_hid_class))
		return take_endpoint(c, d, capture);
	c->explained++;
	return true;
}

/* ---- joining --------------------------------------------------------------------------------- */

static bool has_pipe(const struct device_entry *t, const struct pipe *like)
{
	for (const struct pipe *p = t->pipes; p; p = p->next)
		if (p->kind == like->kind && p->endpoint == like->endpoint && p->xfer == like->xfer)
			return true;
	return false;
}

static bool same_pipes(const struct device_entry *a, const struct device_entry *b)
{
	for (const struct pipe *p = a->pipes; p; p = p->next)
		if (!has_pipe(b, p))
			return false;
	for (const struct pipe *p = b->pipes; p; p = p->next)
		if (!has_pipe(a, p))
			return false;
	return true;
}

/* Whether two entries, of different captures or addresses, are the same device. */
static bool same_device(const struct device_entry *a, const struct device_entry *b)
{
	if (a->known != b->known)
		return false;
	if (a->known)
		return a->vendor == b->vendor && a->product == b->product;
	return a->capture != b->capture && same_pipes(a, b);
}

static bool join_pipes(struct pipe *to, const struct pipe *from)
{
	uint32_t count = to->count + from->count;

	if (!array_reserve(to->messages, to->room, count + 1u))
		return false;
	if (!array_reserve(to->bytes, to->bytes_room, to->used + from->used + 1))
		return false;
	if (from->used)
		memcpy(to->bytes + to->used, from->bytes, from->used);
	for (uint32_t i = 0; i < from->count; i++) {
		to->messages[to->count + i] = from->messages[i];
		to->messages[to->count + i].at += to->used;
	}
	to->count = count;
	to->used += from->used;
	to->left_out += from->left_out;
	to->masked += from->masked;
	return true;
}

/*
 * Whether a list such as "1:12, 1:3" contains the address as a whole entry, not only as a part of
 * one.
 */
static bool has_address(const char *list, const char *address)
{
	size_t n = strlen(address);

	for (const char *at = list; (at = strstr(at, address)); at++)
		if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

static void add_address(struct device_entry *t, uint16_t bus, uint8_t address)
{
	static const char more[] = "...";
	char text[16];
	size_t n = strlen(t->addresses);

	snprintf(text, sizeof(text), "%u:%u", bus, address);
	if (has_address(t->addresses, text) || has_address(t->addresses, more))
		return;
	/* A truncated address would name another device. */
	if (n + 2 + strlen(text) + 2 + strlen(more) >= sizeof(t->addresses))
		memcpy(text, more, sizeof(more));
	snprintf(t->addresses + n, sizeof(t->addresses) - n, "%s%s", n ? ", " : "", text);
}

static bool join_entries(struct device_entry *to, struct device_entry *from)
{
	for (struct pipe *p = from->pipes; p; p = p->next) {
		struct pipe *into = pipe_of(to, p->kind, p->xfer, p->endpoint, p->interface);

		if (!into || !join_pipes(into, p))
			return false;
	}
	add_address(to, from->bus, from->address);
	to->guessed |= !to->known;
	if (!*to->name)
		memcpy(to->name, from->name, sizeof(to->name));
	return true;
}

/* Merges the entries of each device into one. On entry, the newest entries stand first. */
static bool join_devices(struct conversations *c)
{
	struct device_entry *all = c->entries, *t, *next;
	struct device_entry **at;
	bool ok = true;

	c->entries = NULL;
	for (t = all, all = NULL; t; t = next) { /* restore the order of the captures */
		next = t->next;
		t->next = all;
		all = t;
	}
	for (t = all; t; t = next) {
		next = t->next;
		t->next = NULL;
		add_address(t, t->bus, t->address);
		for (at = &c->entries; *at && !same_device(*at, t);)
			at = &(*at)->next;
		if (!*at) {
			*at = t;
			continue;
		}
		ok &= join_entries(*at, t);
		free_pipes(t->pipes);
		free(t);
	}
	return ok;
}

static int by_time(const void *a, const void *b)
{
	const struct message *x = a, *y = b;

	if (x->capture != y->capture || x->time != y->time)
		return compare_pairs(x->capture, y->capture, x->time, y->time);
	/*
	 * Of two messages with the same time, the request sorts before its answer; otherwise the
	 * order in which they were stored decides.
	 */
	if (x->in != y->in)
		return x->in ? 1 : -1;
	return compare_numbers(x->at, y->at);
}

static void describe(struct conversation *to, const struct device_entry *t)
{
	if (t->known)
		snprintf(to->device, sizeof(to->device), "%04x:%04x%s%s", t->vendor, t->product,
			 *t->name ? " " : "", t->name);
	else
		snprintf(to->device, sizeof(to->device), "a device without descriptors");
	memcpy(to->addresses, t->addresses, sizeof(to->addresses));
	to->guessed = t->guessed;
}

static uint16_t endpoint_bit(const struct pipe *p)
{
	return (uint16_t)(1 << (p->endpoint & 15));
}

/*
 * Makes a conversation of an OUT pipe, an IN pipe or both (NULL: none) and takes over their
 * contents.
 */
static bool converse(struct conversations *c, const struct device_entry *t, struct pipe *out,
		     struct pipe *in)
{
	struct pipe *first = out ? out : in;
	struct conversation *to;

	first->taken = true;
	if (out && in) {
		if (!join_pipes(out, in))
			return false;
		in->taken = true;
	}
	if (!array_grow(c->list, c->n))
		return false;
	to = &c->list[c->n++];
	*to = (struct conversation){
		.kind = first->kind, .xfer = first->xfer,
		.out = out ? out->endpoint : 0, .in = in ? in->endpoint : 0,
		.ins = in ? endpoint_bit(in) : 0,
		.has_out = out != NULL, .has_in = in != NULL,
		.messages = first->messages, .count = first->count, .bytes = first->bytes,
		.left_out = first->left_out, .masked = first->masked,
	};
	first->messages = NULL;
	first->bytes = NULL;
	describe(to, t);
	if (to->count)
		qsort(to->messages, to->count, sizeof(*to->messages), by_time);
	return true;
}

/* Makes a conversation of an OUT pipe and the IN pipes that answer it in turn, if there are any. */
static bool converse_in_turn(struct conversations *c, const struct device_entry *t,
			     struct pipe *out)
{
	struct pipe *in[PARTNERS_MAX];
	int n = pipe_partners(t, out, in);
	uint16_t ins = 0;

	if (n <= 0)
		return !n;
	for (int i = 0; i < n; i++)
		ins |= endpoint_bit(in[i]);
	for (int i = 1; i < n; i++) {
		if (!join_pipes(in[0], in[i]))
			return false;
		in[i]->taken = true;
	}
	if (!converse(c, t, out, in[0]))
		return false;
	c->list[c->n - 1].ins = ins;
	return true;
}

static bool converse_all(struct conversations *c, struct device_entry *t)
{
	bool ok = true;

	for (int how = 0; how < LIKENESSES; how++) {
		for (struct pipe *p = t->pipes; p; p = p->next) {
			struct pipe *in = pipe_is_endpoint(p, false)
						  ? pipe_partner(t, p, (enum likeness)how)
						  : NULL;

			if (in)
				ok &= converse(c, t, p, in);
		}
	}
	for (struct pipe *p = t->pipes; p; p = p->next)
		if (pipe_is_endpoint(p, false))
			ok &= converse_in_turn(c, t, p);
	for (struct pipe *p = t->pipes; p; p = p->next)
		if (p->kind == PIPE_REPORT && p->count && !p->taken)
			ok &= converse(c, t, p, pipe_report_answers(t, p));
	for (struct pipe *p = t->pipes; p; p = p->next) {
		if (p->taken || !p->count)
			continue;
		if (p->kind == PIPE_VENDOR || !(p->endpoint & 0x80))
			ok &= converse(c, t, p, NULL);
		else
			ok &= converse(c, t, NULL, p);
	}
	return ok;
}

bool conversations_join(struct conversations *c, struct conversation **list, size_t *n)
{
	bool ok = join_devices(c);

	for (struct device_entry *t = c->entries; t; t = t->next)
		ok &= converse_all(c, t);
	*list = c->list;
	*n = c->n;
	return ok;
}
