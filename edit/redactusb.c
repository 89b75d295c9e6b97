/* SPDX-License-Identifier: MIT */
/* What the data of USB transfers are, by the descriptors of their devices, and what of it stays. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/usbtypes.h"
#include "decode/base/jdoc.h"
#include "edit/redact.h"

enum { CLASS_HID = 3, CLASS_STORAGE = 8, CLASS_HUB = 9, PROTOCOL_UAS = 0x62, MOUSE = 2 };

/* An endpoint of a device. */
struct role {
	uint32_t section; /* of the file: another one may be of another machine */
	uint16_t bus;
	uint8_t device, endpoint;
	uint8_t class, protocol, pipe;
};

/* A setup packet or SCSI command that is under way. */
struct pending {
	uint64_t key;
	uint8_t bytes[16];
};

enum { PENDING = 4096 };

struct usb_roles {
	struct role *roles;
	size_t n;
	struct pending setups[PENDING], commands[PENDING]; /* by hash of URB id; of bus and
							    * device */
	bool failed;    /* memory ran out */
	char *products; /* texts of makers and products that are kept, each after a NUL */
	size_t products_len;
};

/* ---- descriptors -------------------------------------------------------------------------- */

static uint8_t digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

/* strlen(hex) / 2 bytes, malloc'd. */
static uint8_t *from_hex(const char *hex)
{
	size_t n = strlen(hex) / 2;
	uint8_t *to = malloc(n + 1);

	for (size_t i = 0; to && i < n; i++)
		to[i] = (uint8_t)(digit(hex[2 * i]) << 4 | (digit(hex[2 * i + 1]) & 15));
	return to;
}

static void add_role(struct usb_roles *u, struct role r)
{
	if (array_grow(u->roles, u->n))
		u->roles[u->n++] = r;
	else
		u->failed = true;
}

static void read_descriptors(struct usb_roles *u, const uint8_t *p, size_t n, struct role r)
{
	for (size_t at = 0; at + 2 <= n && p[at] >= 2 && p[at] <= n - at; at += p[at]) {
		const uint8_t *d = p + at;

		if (d[1] == 4 && d[0] >= 9) { /* interface */
			r.class = d[5];
			r.protocol = d[7];
		} else if (d[1] == 5 && d[0] >= 7) { /* endpoint */
			r.endpoint = d[2];
			r.pipe = 0;
			add_role(u, r);
		} else if (d[1] == 0x24 && d[0] >= 4 && u->n) { /* pipe usage of UAS */
			u->roles[u->n - 1].pipe = d[2];
		}
	}
}

static void add_product(struct usb_roles *u, const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;

	if (n < 2)
		return;
	if (!array_resize(&u->products, u->products_len + n, 1)) {
		u->failed = true;
		return;
	}
	memcpy(u->products + u->products_len, text, n);
	u->products_len += n;
}

void usb_roles_free(struct usb_roles *u)
{
	if (!u)
		return;
	free(u->roles);
	free(u->products);
	free(u);
}

/* What one device tells of itself. */
static void add_device(struct usb_roles *u, const struct trawl_meta *m)
{
	struct json_object *j = jdoc_parse(m->data, m->len);
	const char *hex = jdoc_string(j, "descriptors");
	uint8_t *bytes;

	u->failed |= !j && errno == ENOMEM;
	bytes = from_hex(hex);
	if (bytes)
		read_descriptors(u, bytes, strlen(hex) / 2, (struct role){
			.section = m->section,
			.bus = (uint16_t)jdoc_uint(j, "busnum", 0),
			.device = (uint8_t)jdoc_uint(j, "devnum", 0) });
	else
		u->failed = true;
	free(bytes);
	add_product(u, jdoc_string(j, "manufacturer"));
	add_product(u, jdoc_string(j, "product"));
	json_object_put(j);
}

struct usb_roles *usb_roles_new(const struct trawl_reader *r)
{
	struct usb_roles *u = calloc(1, sizeof(*u));

	for (size_t i = 0; u && i < trawl_meta_count(r); i++)
		if (!strncmp(trawl_meta_at(r, i)->name, "usb/", 4))
			add_device(u, trawl_meta_at(r, i));
	if (u && u->failed) {
		usb_roles_free(u);
		u = NULL;
	}
	return u;
}

static bool is_of(const struct role *r, uint32_t section, const struct usbmon_header *h)
{
	return r->section == section && r->bus == h->busnum && r->device == h->devnum;
}

/*
 * What is known of the endpoint. Addresses come again, and an interface has alternates: where
 * devices of one address are of different classes, it is of none, and nothing of it is kept.
 */
static const struct role *role_of(const struct usb_roles *u, uint32_t section,
				  const struct usbmon_header *h)
{
	static const struct role mixed = { .class = 0xff };
	const struct role *found = NULL;

	for (size_t i = u->n; i-- > 0;) {
		const struct role *r = &u->roles[i];

		if (!is_of(r, section, h) || r->endpoint != h->epnum)
			continue;
		if (found && (r->class != found->class ||
			      (r->class == CLASS_HID && r->protocol != found->protocol)))
			return &mixed;
		found = found ? found : r;
	}
	return found;
}

static bool is_hub(const struct usb_roles *u, uint32_t section, const struct usbmon_header *h)
{
	bool any = false;

	for (size_t i = u->n; i-- > 0;)
		if (is_of(&u->roles[i], section, h)) {
			any = true;
			if (u->roles[i].class != CLASS_HUB)
				return false;
		}
	return any || h->devnum == 1;
}

bool usb_is_product(const struct usb_roles *u, const uint8_t *p, size_t n)
{
	for (size_t at = 0; at < u->products_len; at += strlen(u->products + at) + 1) {
		const char *text = u->products + at;
		size_t i;

		for (i = 0; i < n / 2 && text[i] && p[2 * i] == (uint8_t)text[i] && !p[2 * i + 1];)
			i++;
		if (i == n / 2)
			return true; /* or its beginning: asked for in pieces */
	}
	return false;
}

/* ---- data --------------------------------------------------------------------------------- */

static struct pending *pending(struct pending *table, uint64_t key)
{
	return &table[key * UINT64_C(0x9E3779B97F4A7C15) >> 52];
}

/* A string descriptor: who made it and what it is stays, a serial number does not. */
static void string_descriptor(struct redact *x, const uint8_t *setup, uint8_t *p, size_t n)
{
	char text[256];
	size_t chars;

	if (!setup[2] || n <= 2 || usb_is_product(x->usb, p + 2, n - 2))
		return;
	chars = (n - 2) / 2 < sizeof(text) ? (n - 2) / 2 : sizeof(text);
	for (size_t i = 0; i < chars; i++)
		text[i] = p[3 + 2 * i] ? '?' : (char)p[2 + 2 * i];
	redact_text(x, SECRET_SERIALS, text, chars);
	for (size_t i = 0; redact_drops(x, SECRET_SERIALS) && i < chars; i++) {
		p[2 + 2 * i] = (uint8_t)text[i];
		p[3 + 2 * i] = 0;
	}
	if (n > 2 + 2 * chars && redact_drops(x, SECRET_SERIALS))
		memset(p + 2 + 2 * chars, 0, n - 2 - 2 * chars);
}

/* Of a BOS descriptor the container id, which no two devices share. */
static void bos_descriptor(struct redact *x, uint8_t *p, size_t n)
{
	for (size_t at = 5; at + 3 <= n && p[at] >= 3 && p[at] <= n - at; at += p[at])
		if (p[at + 1] == 0x10 && p[at + 2] == 4 && p[at] >= 20)
			redact_zero(x, SECRET_IDENTITY, p + at + 4, 16);
}

static void control_data(struct redact *x, uint32_t section, const struct usbmon_header *h,
			 const uint8_t *setup, uint8_t *p, size_t n)
{
	uint8_t kind = setup[0] >> 5 & 3, request = setup[1];

	if (kind == 0 && request == 6 && setup[3] == 3) {
		string_descriptor(x, setup, p, n);
	} else if (kind == 0 && request == 6 && setup[3] == 15) {
		bos_descriptor(x, p, n);
	} else if (kind == 0) {
		return;
	} else if (kind == 1 && (is_hub(x->usb, section, h) || request == 0xfe ||
				 (request >= 0x20 && request <= 0x22 && n <= 7))) {
		return; /* ports of hubs, number of units, settings of a serial line */
	} else if (kind == 1 && (request == 1 || request == 9) && (setup[0] & 0x1f) == 1) {
		redact_zero(x, SECRET_KEYSTROKES, p, n); /* reports of HID */
	} else {
		redact_zero(x, SECRET_PAYLOAD, p, n);
	}
}

/* What a command answers that is no content: what the unit is, how large, what went wrong. */
static size_t answer_kept(const uint8_t *cdb)
{
	switch (cdb[0]) {
	case 0x12:
		return cdb[1] & 1 ? 0 : 36; /* after that its maker may have put a serial number */
	case 0x03: case 0x25: case 0x23: case 0x1a: case 0x5a: case 0xa0:
		return SIZE_MAX;
	case 0x9e:
		return (cdb[1] & 31) == 16 ? SIZE_MAX : 0;
	default:
		return 0;
	}
}

/*
 * A device has one way by one alternate and the other by another, at the same endpoints: which one
 * is chosen the data tell. Blocks of storage are not so short.
 */
static bool is_uas_unit(const struct role *role, const uint8_t *p, size_t n)
{
	return role->protocol == PROTOCOL_UAS && n < 512 &&
	       ((role->pipe == 1 && (p[0] == 1 || p[0] == 5)) ||
		(role->pipe == 2 && (p[0] == 3 || p[0] == 4 || p[0] == 6 || p[0] == 7)));
}

static void storage_data(struct redact *x, uint32_t section, const struct usbmon_header *h,
			 const struct role *role, uint8_t *p, size_t n)
{
	uint64_t key = (uint64_t)section << 32 | (uint64_t)h->busnum << 8 | h->devnum;
	struct pending *c = pending(x->usb->commands, key);
	size_t kept = 0;

	if (is_uas_unit(role, p, n)) {
		if (role->pipe == 1 && n >= 32) {
			c->key = key;
			memcpy(c->bytes, p + 16, 16);
		}
		return;
	}
	if (n == 31 && !memcmp(p, "USBC", 4)) {
		c->key = key;
		memcpy(c->bytes, p + 15, 16);
		return;
	}
	if (n == 13 && !memcmp(p, "USBS", 4))
		return;
	if (c->key == key)
		kept = answer_kept(c->bytes);
	if (n > kept)
		redact_zero(x, SECRET_SECTORS, p + kept, n - kept);
}

static void transfer_data(struct redact *x, uint32_t section, const struct usbmon_header *h,
			  uint8_t *p, size_t n)
{
	const struct role *role = role_of(x->usb, section, h);
	enum { INTERRUPT = 1 };

	if (role && role->class == CLASS_STORAGE)
		storage_data(x, section, h, role, p, n);
	else if (h->xfer_type == INTERRUPT &&
		 (role ? role->class == CLASS_HUB : h->devnum == 1))
		return;
	else if (role && role->class == CLASS_HID)
		redact_zero(x, role->protocol == MOUSE ? SECRET_POINTER : SECRET_KEYSTROKES, p, n);
	else if (!role && h->xfer_type == INTERRUPT)
		redact_zero(x, SECRET_KEYSTROKES, p, n); /* nobody knows of what */
	else
		redact_zero(x, SECRET_PAYLOAD, p, n);
}

void redact_usb(struct redact *x, const struct trawl_event *ev, uint8_t *record)
{
	const size_t head = sizeof(struct usbmon_header);
	struct usbmon_header h;
	struct pending *setup;
	size_t iso, n;
	uint8_t *p;

	if (strcmp(ev->source->kind, "usbmon") || ev->len < head) {
		n = ev->type->size < ev->len ? ev->len - ev->type->size : 0;
		redact_zero(x, SECRET_PAYLOAD, record + ev->len - n, n);
		return;
	}
	memcpy(&h, record, head);
	iso = h.xfer_type == 0 && h.ndesc <= (ev->len - head) / 16 ? (size_t)h.ndesc * 16 : 0;
	p = record + head + iso;
	n = ev->len - head - iso;
	setup = pending(x->usb->setups, h.id);
	if (h.xfer_type == 2 && h.type == 'S' && !h.flag_setup) {
		setup->key = h.id;
		memcpy(setup->bytes, h.setup, 8);
	}
	if (!n)
		return;
	if (h.type != 'S' && h.type != 'C' && h.type != 'E')
		redact_zero(x, SECRET_PAYLOAD, p, n);
	else if (h.xfer_type == 2 && setup->key == h.id && h.id)
		control_data(x, ev->section, &h, setup->bytes, p, n);
	else if (h.xfer_type == 2)
		redact_zero(x, SECRET_PAYLOAD, p, n);
	else
		transfer_data(x, ev->section, &h, p, n);
}
