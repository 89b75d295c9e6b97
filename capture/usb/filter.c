/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "capture/usb/filter.h"
#include "common/caret.h"

/* Writes an error with the text and a caret under `at`. Returns -1. */
static int bad(const char *text, const char *at, const char *what, struct trawl_error *err)
{
	char shown[512];

	snprintf(shown, sizeof(shown), "usb:%s", text);
	return caret_fail(err, TRAWL_USAGE, shown, (size_t)(at - text) + 4, "usb: %s", what);
}

/* Parses all of [at, end) as a number of at most max. */
static bool whole(const char *at, const char *end, int base, unsigned long max, unsigned long *n)
{
	char *stop;

	if (at == end || !isxdigit((unsigned char)*at))
		return false;
	*n = strtoul(at, &stop, base);
	return stop == end && *n <= max;
}

static bool hex4(const char *at, uint16_t *n)
{
	int i;

	for (i = 0; i < 4; i++) {
		if (!isxdigit((unsigned char)at[i]))
			return false;
	}
	*n = (uint16_t)strtoul((char[5]){ at[0], at[1], at[2], at[3] }, NULL, 16);
	return true;
}

/* Parses VID:PID or VID:*. */
static bool ids(struct usbfilter_term *t, const char *at, const char *end)
{
	if (end - at < 6 || !hex4(at, &t->vid) || at[4] != ':')
		return false;
	t->has_vid = true;
	if (end - at == 6 && at[5] == '*')
		return true;
	t->has_pid = true;
	return end - at == 9 && hex4(at + 5, &t->pid);
}

static bool endpoint(struct usbfilter_term *t, const char *at, const char *end)
{
	unsigned long n;

	t->has_endpoint = true;
	t->direction = -1;
	if (end - at > 2 && !strncmp(end - 2, "in", 2)) {
		t->direction = 0x80;
		end -= 2;
	} else if (end - at > 3 && !strncmp(end - 3, "out", 3)) {
		t->direction = 0;
		end -= 3;
	}
	if (!whole(at, end, 0, 0x8f, &n) || (n & 0x70))
		return false;
	if (n & 0x80) {
		if (t->direction == 0)
			return false;
		t->direction = 0x80;
	}
	t->endpoint = n & 0xf;
	return true;
}

static bool address(struct usbfilter_term *t, const char *at, const char *end)
{
	const char *colon = memchr(at, ':', (size_t)(end - at));
	unsigned long bus, dev;

	if (!colon || !whole(at, colon, 10, USBFILTER_BUSES - 1, &bus) ||
	    !whole(colon + 1, end, 10, USBFILTER_DEVS - 1, &dev) || !bus || !dev)
		return false;
	t->bus = (uint16_t)bus;
	t->dev = (uint8_t)dev;
	return true;
}

static bool copy(char *to, size_t size, const char *at, const char *end)
{
	if (at == end || (size_t)(end - at) >= size)
		return false;
	memcpy(to, at, (size_t)(end - at));
	to[end - at] = '\0';
	return true;
}

static bool bus(struct usbfilter_term *t, const char *at, const char *end)
{
	unsigned long n;

	if (!whole(at, end, 10, USBFILTER_BUSES - 1, &n) || !n)
		return false;
	t->bus = (uint16_t)n;
	return true;
}

/* Skips a port number, which has no leading zero; NULL if there is none. */
static const char *port_number(const char *at)
{
	return *at >= '1' && *at <= '9' ? at + strspn(at, "0123456789") : NULL;
}

/* Whether it is BUS-PORT[.PORT...], or usbBUS, a root hub. */
static bool is_port(const char *at)
{
	bool root = !strncmp(at, "usb", 3);
	char before = '-';

	for (at = port_number(root ? at + 3 : at); at && *at == before && !root; before = '.')
		at = port_number(at + 1);
	return at && !*at && (root || before == '.');
}

static unsigned long port_bus(const struct usbfilter_term *t)
{
	return strtoul(t->port + strcspn(t->port, "0123456789"), NULL, 10);
}

static bool port(struct usbfilter_term *t, const char *at, const char *end)
{
	return copy(t->port, sizeof(t->port), at, end) && is_port(t->port);
}

static bool serial(struct usbfilter_term *t, const char *at, const char *end)
{
	return copy(t->serial, sizeof(t->serial), at, end);
}

enum { BUS, IDS, PORT, SERIAL, ADDRESS, ENDPOINT, PARTS };

static const struct part {
	const char *key;
	bool (*read)(struct usbfilter_term *t, const char *at, const char *end);
	const char *expected;
} parts[PARTS] = {
	[BUS] = { "bus", bus, "a bus is a number from 1 to 127" },
	[IDS] = { "", ids, "a device is VID:PID, four hex digits each (or VID:*)" },
	[PORT] = { "port", port, "a port path is BUS-PORT[.PORT...], like 1-2.3" },
	[SERIAL] = { "serial", serial, "a serial number is expected" },
	[ADDRESS] = { "dev", address, "an address is BUS:DEV, two decimal numbers" },
	[ENDPOINT] = { "ep", endpoint, "an endpoint is 0 to 15, with \"in\" or \"out\" after it "
				       "for one direction (0x81 is 1in)" },
};

/* Returns the kind of the part [at, end) and its value in *v. PARTS: there is no such kind. */
static unsigned int kind_of(const char *at, const char *end, const char **v)
{
	const char *equal = memchr(at, '=', (size_t)(end - at));
	size_t key = equal ? (size_t)(equal - at) : 0;
	unsigned int k;

	*v = equal ? equal + 1 : at;
	if (!equal)
		return memchr(at, ':', (size_t)(end - at)) ? IDS : BUS;
	for (k = 0; k < PARTS; k++) {
		if (key && key == strlen(parts[k].key) && !strncmp(at, parts[k].key, key))
			break;
	}
	return k;
}

/* Writes the error for an invalid part of kind k: what is expected, or what was probably meant. */
static int wrong(unsigned int k, const char *text, const char *v, const char *end,
		 struct trawl_error *err)
{
	struct usbfilter_term t = { 0 };
	int n = (int)(end - v);
	char what[160];

	if (!n && (k == BUS || k == IDS))
		snprintf(what, sizeof(what), "a part is missing here: BUS, VID:PID, port=, "
			 "serial=, dev= or ep=");
	else if (k == IDS && address(&t, v, end))
		snprintf(what, sizeof(what), "%s; the device at this address is usb:dev=%.*s",
			 parts[k].expected, n, v);
	else if (k == BUS && n == 4 && hex4(v, &t.vid))
		snprintf(what, sizeof(what), "%s; all devices of this vendor are usb:%.*s:*",
			 parts[k].expected, n, v);
	else
		snprintf(what, sizeof(what), "%s", parts[k].expected);
	return bad(text, v, what, err);
}

/* Adds one part to a term; *seen has a bit for each kind of part that the term has. */
static int part(struct usbfilter_term *t, unsigned int *seen, const char *text, const char *at,
		const char *end, struct trawl_error *err)
{
	uint16_t before = t->bus;
	const char *v;
	unsigned int k = kind_of(at, end, &v);

	if (k == PARTS)
		return bad(text, at, "not one of bus=, port=, serial=, dev=, ep=", err);
	if (!parts[k].read(t, v, end))
		return wrong(k, text, v, end, err);
	if (*seen & 1u << k)
		return bad(text, at, "a filter has one of each kind, because all parts must hold; "
				     "give alternatives as further -i usb:...", err);
	*seen |= 1u << k;
	return (before && t->bus != before) || (t->bus && *t->port && port_bus(t) != t->bus) ?
	       bad(text, at, "this bus differs from the one before it", err) : 0;
}

static bool is_of_bus_only(const struct usbfilter_term *t)
{
	return !t->dev && !t->has_vid && !t->has_endpoint && !*t->port && !*t->serial;
}

int usbfilter_add(struct usbfilter *f, const char *text, struct trawl_error *err)
{
	struct usbfilter_term *t = &f->terms[f->count];
	const char *at = text, *end;
	unsigned int seen = 0;

	if (f->count == USBFILTER_TERMS)
		return trawl_fail(err, TRAWL_USAGE, "usb: more than %d filters", USBFILTER_TERMS);
	memset(t, 0, sizeof(*t));
	if (*text) {
		do {
			end = at + strcspn(at, ",");
			if (part(t, &seen, text, at, end, err) < 0)
				return -1;
			at = end + 1;
		} while (*end);
	}
	if (is_of_bus_only(t) && (!f->every || !t->bus)) {
		f->every = true;
		f->every_bus = t->bus;
	}
	f->count++;
	return 0;
}

uint16_t usbfilter_bus(const struct usbfilter *f)
{
	uint16_t bus = f->count ? f->terms[0].bus : 0;
	uint32_t i;

	for (i = 1; i < f->count; i++) {
		if (f->terms[i].bus != bus)
			return 0;
	}
	return bus;
}

/* Whether a device matches a term, apart from bus, address and endpoint. */
static bool fulfils(const struct usbfilter_term *t, const struct usb_identity *id)
{
	return (!t->has_vid || t->vid == id->vid) && (!t->has_pid || t->pid == id->pid) &&
	       (!*t->port || !strcmp(t->port, id->name)) &&
	       (!*t->serial || !strcmp(t->serial, id->serial));
}

/* Whether a bus and address match a term. */
static bool reaches(const struct usbfilter_term *t, uint16_t bus, uint8_t dev)
{
	return (!t->bus || t->bus == bus) && (!t->dev || t->dev == dev);
}

bool usbfilter_is(const struct usbfilter_term *t, const struct usb_identity *id)
{
	return fulfils(t, id) && reaches(t, id->bus, id->dev);
}

bool usbfilter_learn(struct usbfilter *f, const struct usb_identity *id)
{
	uint32_t i, mask = 0;

	if (id->bus >= USBFILTER_BUSES || id->dev >= USBFILTER_DEVS)
		return false;
	for (i = 0; i < f->count; i++) {
		if (!fulfils(&f->terms[i], id))
			continue;
		mask |= 1u << i;
		if (reaches(&f->terms[i], id->bus, id->dev))
			f->met |= 1u << i;
	}
	f->known[id->bus][id->dev] = true;
	f->fulfils[id->bus][id->dev] = mask;
	return usbfilter_wanted(f, id->bus, id->dev);
}

bool usbfilter_wanted(const struct usbfilter *f, uint16_t bus, uint8_t dev)
{
	uint32_t i;

	if (bus >= USBFILTER_BUSES || dev >= USBFILTER_DEVS || !f->known[bus][dev])
		return false;
	for (i = 0; i < f->count; i++) {
		if ((f->fulfils[bus][dev] & 1u << i) && reaches(&f->terms[i], bus, dev))
			return true;
	}
	return false;
}

bool usbfilter_partial(const struct usbfilter *f)
{
	uint32_t i;

	for (i = 0; i < f->count; i++) {
		if (f->terms[i].has_endpoint)
			return true;
	}
	return false;
}

void usbfilter_forget(struct usbfilter *f, uint16_t bus, uint8_t dev)
{
	if (bus < USBFILTER_BUSES && dev < USBFILTER_DEVS)
		f->known[bus][dev] = false;
}

enum usbfilter_verdict usbfilter_judge(const struct usbfilter *f, const struct usbmon_header *h)
{
	bool in_table = h->busnum < USBFILTER_BUSES && h->devnum < USBFILTER_DEVS;
	bool known = in_table && f->known[h->busnum][h->devnum];
	uint32_t i, mask = known ? f->fulfils[h->busnum][h->devnum] : UINT32_MAX;
	enum usbfilter_verdict verdict = USBFILTER_DROP;

	for (i = 0; i < f->count; i++) {
		const struct usbfilter_term *t = &f->terms[i];

		if (!(mask & 1u << i) || !reaches(t, h->busnum, h->devnum))
			continue;
		if (t->has_endpoint &&
		    (t->endpoint != (h->epnum & 0x7f) ||
		     (t->direction >= 0 && t->direction != (h->epnum & 0x80))))
			continue;
		if (known || !(t->has_vid || *t->port || *t->serial))
			return USBFILTER_KEEP;
		verdict = USBFILTER_UNDECIDED;
	}
	return verdict;
}
