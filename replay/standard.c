/* SPDX-License-Identifier: MIT */
#include "replay/standard.h"

#include <errno.h>
#include <stdio.h>

#include "common/utf8.h"
#include "decode/base/bytes.h"
#include "decode/usb/descriptor.h"

/* Guesses the speed from the packet sizes in the descriptors, if sysfs did not tell it. */
static enum usbip_speed guess_speed(const struct tape *t)
{
	const struct usb_config *c = tape_config(t);
	struct descriptor_walk w;
	struct descriptor d;
	uint16_t bulk = 0, other = 0;

	if (t->descriptor[7] == 9)
		return USBIP_SUPER;
	w = descriptor_walk(c ? c->p : t->descriptor, c ? c->len : 0);
	while (descriptor_next(&w, &d)) {
		uint16_t size = d.type == DESC_ENDPOINT && d.room >= 7 ? get16(d.p + 4) & 0x7ff : 0;

		if (d.type == DESC_ENDPOINT && d.room >= 7 && (d.p[3] & 3) == 2)
			bulk = size > bulk ? size : bulk;
		else
			other = size > other ? size : other;
	}
	if (bulk > 64 || other > 1023)
		return USBIP_HIGH;
	/* Low speed allows no bulk and at most 8 bytes; such a device also works at full speed. */
	return USBIP_FULL;
}

static unsigned int count_configs(const struct tape *t)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++)
		n += t->configs[i].p != NULL;
	return n;
}

void standard_start(struct standard *s, const struct tape *t, bool as_is)
{
	unsigned int n = count_configs(t);

	*s = (struct standard){.tape = t};
	memcpy(s->descriptor, t->descriptor, sizeof(s->descriptor));
	/* Linux refuses a device if it cannot read one of its configurations. */
	if (!as_is && n < s->descriptor[17])
		s->descriptor[17] = (uint8_t)n;
	if (t->mbps >= 5000)
		s->speed = USBIP_SUPER; /* vhci_hcd has no faster speed */
	else if (t->mbps >= 480)
		s->speed = USBIP_HIGH;
	else if (t->mbps >= 12)
		s->speed = USBIP_FULL;
	else if (t->mbps > 0)
		s->speed = USBIP_LOW;
	else
		s->speed = guess_speed(t);
}

/* Are the descriptors there that a host needs? */
static bool is_described(const struct tape *t, const char *name, bool as_is,
			 struct trawl_error *err)
{
	const struct usb_config *c = tape_config(t);
	unsigned int bus = t->device.bus, address = t->device.address;

	if (t->descriptor[1] != DESC_DEVICE)
		trawl_fail(err, TRAWL_CANNOT,
			   "%s: cannot replay %u:%u: the capture has no device descriptor of it: "
			   "begin the capture before the device is plugged in, or capture with "
			   "trawl, which reads descriptors from sysfs",
			   name, bus, address);
	else if (!c)
		trawl_fail(err, TRAWL_CANNOT,
			   "%s: cannot replay %u:%u: the capture has no configuration descriptor "
			   "of it: begin the capture before the device is plugged in",
			   name, bus, address);
	else if (c->len < 9 || (!as_is && get16(c->p + 2) > c->len))
		trawl_fail(err, TRAWL_CANNOT,
			   "%s: cannot replay %u:%u: the capture has %u bytes of its "
			   "configuration descriptor, not all %u: begin the capture before the "
			   "device is plugged in",
			   name, bus, address, c->len, c->len >= 4 ? get16(c->p + 2) : 0);
	else if (t->descriptor[4] == 0x09 && !as_is) /* --mutate makes any class of another one */
		trawl_fail(err, TRAWL_CANNOT,
			   "%s: cannot replay %u:%u: it is a hub, behind which vhci_hcd can plug in "
			   "nothing: name a device that was behind it by --device",
			   name, bus, address);
	else
		return true;
	return false;
}

/* Reports why a capture cannot be played before anything is plugged in. */
int standard_check(const struct tape *t, const char *name, bool as_is, struct trawl_error *err)
{
	if (!is_described(t, name, as_is, err))
		return -1;
	if (*t->verdict)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: is not replayable: %s; capture it again without that", name,
				  t->verdict);
	for (uint32_t i = 0; t->cut && i < t->n; i++) {
		struct trawl_error what;
		const struct tape_entry *e = &t->entries[i];
		struct out o;

		if (!e->cut)
			continue;
		out_memory(&o);
		tape_entry_text(t, e, &o);
		trawl_fail(&what, TRAWL_CANNOT, "%.*s", (int)(o.len < 200 ? o.len : 200), o.data);
		out_free(&o);
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: is not replayable: the data of %llu transfers is not "
				  "complete in the capture, the first is transfer %llu (%s); "
				  "capture without -s",
				  name, (unsigned long long)t->cut, (unsigned long long)e->item,
				  what.text);
	}
	return 0;
}

/* ---- descriptors ---------------------------------------------------------------------------- */

static const struct tape_answer *recorded(const struct tape *t, uint8_t type, uint16_t value,
					  uint16_t index, bool any_index)
{
	const struct tape_answer *other = NULL;

	for (uint32_t i = 0; i < t->nanswers; i++) {
		const struct tape_answer *a = &t->answers[i];

		if (a->setup[0] != type || get16(a->setup + 2) != value)
			continue;
		if (get16(a->setup + 4) == index)
			return a;
		if (any_index && !a->refused)
			other = a;
	}
	return other;
}

/* Decodes the next UTF-8 character and advances *text; '?' for a malformed one. */
static uint32_t character(const char **text)
{
	const unsigned char *p = (const unsigned char *)*text;
	size_t bad, n = utf8_length(p, strlen(*text), &bad);
	uint32_t c = n ? p[0] & 0xffu >> (n > 1 ? n + 1 : n) : '?';

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 63u);
	*text += n ? n : bad;
	return c;
}

#define STRING_MAX 254 /* bytes of a string descriptor: its length is even */

/* Makes a string descriptor, in UTF-16, of UTF-8 text from sysfs. */
static int make_string(struct standard *s, const char *text, const uint8_t **data, size_t *n)
{
	size_t len = 2;

	while (*text) {
		uint32_t c = character(&text);

		if (len + (c > 0xffff ? 4 : 2) > STRING_MAX)
			break;
		if (c > 0xffff) {
			put16(s->answer + len, (uint16_t)(0xd800 | (c - 0x10000) >> 10));
			c = 0xdc00 | (c & 0x3ff);
			len += 2;
		}
		put16(s->answer + len, (uint16_t)c);
		len += 2;
	}
	s->answer[0] = (uint8_t)len;
	s->answer[1] = DESC_STRING;
	*data = s->answer;
	*n = len;
	return 0;
}

static int get_string(struct standard *s, const struct control_request *r, const uint8_t **data,
		      size_t *n)
{
	const struct tape *t = s->tape;
	uint8_t index = (uint8_t)r->value;

	if (!index) {
		memcpy(s->answer, "\4\3\x09\4", 4);
		*data = s->answer;
		*n = 4;
		return 0;
	}
	for (unsigned int i = 0; i < 3; i++)
		if (t->descriptor[14 + i] == index && *t->strings[i])
			return make_string(s, t->strings[i], data, n);
	return -EPIPE;
}

/* Finds an interface's class descriptor (HID) inside the configuration descriptor. */
static int get_within(const struct tape *t, uint8_t type, uint16_t interface,
		      const uint8_t **data, size_t *n)
{
	const struct usb_config *c = tape_config(t);
	struct descriptor_walk w = descriptor_walk(c->p, c->len);
	struct descriptor d;
	uint16_t now = UINT16_MAX;

	while (descriptor_next(&w, &d)) {
		if (d.type == DESC_INTERFACE && d.room >= 3)
			now = d.p[2];
		if (d.type != type || now != interface)
			continue;
		*data = d.p;
		*n = d.room;
		return 0;
	}
	return -EPIPE;
}

/* Length of an interface's report descriptor by its HID descriptor; 0 if there is none. */
static size_t report_size(const struct tape *t, uint16_t interface)
{
	const uint8_t *p;
	size_t n;

	if (get_within(t, DESC_HID, interface, &p, &n) || n < 9 || p[6] != DESC_HID_REPORT)
		return 0;
	return get16(p + 7);
}

/*
 * USBPcap's requests for a report descriptor may all name interface 0: the decoder finds the
 * interface that an answer belongs to. An answer that it gave to none counts only if its length is
 * that of the interface's.
 */
static int get_report(const struct tape *t, uint16_t interface, const uint8_t **data, size_t *n)
{
	const struct tape_answer *a = recorded(t, 0x81, DESC_HID_REPORT << 8, interface, false);
	size_t size = report_size(t, interface);

	for (unsigned int i = 0; i < t->nreports; i++) {
		if (t->reports[i].number != interface)
			continue;
		*data = t->reports[i].report;
		*n = t->reports[i].length;
		return 0;
	}
	if (!a || a->refused || (size && a->length != size))
		return -EPIPE;
	*data = store_at(&t->store, a->data);
	*n = a->length;
	return 0;
}

static int get_config(const struct tape *t, uint8_t index, const uint8_t **data, size_t *n)
{
	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++) {
		if (!t->configs[i].p || index--)
			continue;
		*data = t->configs[i].p;
		*n = t->configs[i].len;
		return 0;
	}
	return -EPIPE;
}

static int get_descriptor(struct standard *s, const struct control_request *r, const uint8_t **data,
			  size_t *n)
{
	const struct tape *t = s->tape;
	uint8_t type = (uint8_t)(r->value >> 8);
	const struct tape_answer *a;

	if (type == DESC_DEVICE && control_recipient(r) == SETUP_DEVICE) {
		*data = s->descriptor;
		*n = sizeof(s->descriptor);
		return 0;
	}
	if (type == DESC_CONFIG && !get_config(t, (uint8_t)r->value, data, n))
		return 0;
	if (type == DESC_HID_REPORT && control_recipient(r) == SETUP_INTERFACE)
		return get_report(t, r->index, data, n);
	a = recorded(t, r->type, r->value, r->index, type == DESC_STRING);
	if (a && a->refused)
		return -EPIPE;
	if (a) {
		*data = store_at(&t->store, a->data);
		*n = a->length;
		return 0;
	}
	if (type == DESC_STRING)
		return get_string(s, r, data, n);
	if (type == DESC_HID && control_recipient(r) == SETUP_INTERFACE)
		return get_within(t, type, r->index, data, n);
	if (type == DESC_BOS && t->bos) {
		*data = t->bos;
		*n = t->bos_len;
		return 0;
	}
	return -EPIPE;
}

/* Bytes of an interface's report descriptor that the capture has, at most `size`. */
static size_t report_length(const struct tape *t, uint16_t interface, size_t size)
{
	const struct tape_answer *a = recorded(t, 0x81, DESC_HID_REPORT << 8, interface, false);
	const uint8_t *data;
	size_t n = 0;

	if (a && a->refused)
		return size; /* the driver did without it in the capture, too */
	get_report(t, interface, &data, &n);
	return n < size ? n : size;
}

enum { CLASS_HID = 0x03 };

/* Writes the i-th remark on a report descriptor. Returns false after the last one. */
static bool report_note(const struct tape *t, unsigned int i, char *text, size_t room)
{
	const struct usb_config *c = tape_config(t);
	struct descriptor_walk w = descriptor_walk(c->p, c->len);
	struct descriptor d;
	int now = -1; /* the HID interface */
	size_t size, n;

	while (descriptor_next(&w, &d)) {
		if (d.type == DESC_INTERFACE && d.room >= 8)
			now = d.p[3] || d.p[5] != CLASS_HID ? -1 : d.p[2];
		if (d.type != DESC_HID || d.room < 9 || d.p[6] != DESC_HID_REPORT || now < 0)
			continue;
		size = get16(d.p + 7);
		n = report_length(t, (uint16_t)now, size);
		if (n == size || i--)
			continue;
		snprintf(text, room,
			 "the capture has %zu of the %zu bytes of the report descriptor of "
			 "interface %d: a HID driver will refuse it; begin the capture before the "
			 "device is plugged in, or capture with trawl on Linux",
			 n, size, now);
		return true;
	}
	return false;
}

bool standard_note(const struct standard *s, unsigned int i, char *text, size_t room)
{
	const struct tape *t = s->tape;

	if (s->descriptor[17] < t->descriptor[17] && !i--) {
		snprintf(text, room,
			 "the capture has %u of the device's %u configurations: hosts see no others",
			 s->descriptor[17], t->descriptor[17]);
		return true;
	}
	return report_note(t, i, text, room);
}

/* ---- state ----------------------------------------------------------------------------------- */

static const struct usb_config *config_called(const struct tape *t, uint8_t value)
{
	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++)
		if (t->configs[i].p && t->configs[i].len > 5 && t->configs[i].p[5] == value)
			return &t->configs[i];
	return NULL;
}

/*
 * Whether the current configuration, or the first one if none is set, has this alternate setting of
 * an interface.
 */
static bool has_alternate(const struct standard *s, uint16_t interface, uint16_t alternate)
{
	const struct usb_config *c = config_called(s->tape, s->configuration);
	struct descriptor_walk w;
	struct descriptor d;

	if (!c)
		c = tape_config(s->tape);
	w = descriptor_walk(c->p, c->len);
	while (descriptor_next(&w, &d))
		if (d.type == DESC_INTERFACE && d.room >= 8 && d.p[2] == interface &&
		    d.p[3] == alternate)
			return true;
	return false;
}

static int small_answer(struct standard *s, unsigned int value, size_t bytes, const uint8_t **data,
			size_t *n)
{
	put16(s->answer, (uint16_t)value);
	*data = s->answer;
	*n = bytes;
	return 0;
}

static int get_status(struct standard *s, const struct control_request *r, const uint8_t **data,
		      size_t *n)
{
	const struct usb_config *c = config_called(s->tape, s->configuration);
	bool self_powered = c && c->len > 7 && c->p[7] & 0x40;

	return small_answer(s, control_recipient(r) == SETUP_DEVICE && self_powered, 2, data, n);
}

int standard_answer(struct standard *s, const struct control_request *r, const uint8_t **data,
		    size_t *n)
{
	const struct usb_config *chosen;

	*data = s->answer;
	*n = 0;
	switch (r->request) {
	case REQ_GET_DESCRIPTOR:
		return get_descriptor(s, r, data, n);
	case REQ_GET_STATUS:
		return get_status(s, r, data, n);
	case REQ_GET_CONFIGURATION:
		return small_answer(s, s->configuration, 1, data, n);
	case REQ_GET_INTERFACE:
		return small_answer(s, s->alternate[r->index % USBDEV_INTERFACES], 1, data, n);
	case REQ_SET_CONFIGURATION:
		chosen = config_called(s->tape, (uint8_t)r->value);
		if (r->value && !chosen)
			return -EPIPE;
		s->configuration = (uint8_t)r->value;
		/* 0 is none, but some devices number their configuration 0, and hosts set it. */
		s->configured |= chosen != NULL;
		memset(s->alternate, 0, sizeof(s->alternate));
		return 0;
	case REQ_SET_INTERFACE:
		if (!has_alternate(s, r->index, r->value))
			return -EPIPE;
		s->alternate[r->index % USBDEV_INTERFACES] = (uint8_t)r->value;
		return 0;
	default:
		/*
		 * CLEAR_FEATURE, SET_FEATURE, SET_SEL and SET_ISOCH_DELAY have no visible effect.
		 */
		return control_in(r) ? -EPIPE : 0;
	}
}
