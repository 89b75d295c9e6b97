/* SPDX-License-Identifier: MIT */
#include "edit/usbroles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/usbtypes.h"
#include "decode/base/bytes.h"
#include "decode/base/jdoc.h"

uint8_t *hex_bytes(const char *hex)
{
	size_t n = strlen(hex) / 2;
	uint8_t *to = malloc(n + 1);

	for (size_t i = 0; to && i < n; i++)
		to[i] = (uint8_t)(hex_digit(hex[2 * i]) << 4 |
				  (hex_digit(hex[2 * i + 1]) & 15));
	return to;
}

static void add_role(struct usb_roles *u, struct usb_role r)
{
	if (array_grow(u->roles, u->n))
		u->roles[u->n++] = r;
	else
		u->failed = true;
}

static void read_descriptors(struct usb_roles *u, const uint8_t *p, size_t n, struct usb_role r)
{
	for (size_t at = 0; at + 2 <= n && p[at] >= 2 && p[at] <= n - at; at += p[at]) {
		const uint8_t *d = p + at;

		if (d[1] == 4 && d[0] >= 9) { /* interface descriptor */
			r.class = d[5];
			r.protocol = d[7];
		} else if (d[1] == 5 && d[0] >= 7) { /* endpoint descriptor */
			r.endpoint = d[2];
			r.pipe = 0;
			add_role(u, r);
		} else if (d[1] == 0x24 && d[0] >= 4 && u->n) { /* UAS pipe usage descriptor */
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
	free(u->names);
	free(u->products);
	out_free(&u->kept);
	free(u);
}

/* Reads the descriptors and names of one device. */
static void add_device(struct usb_roles *u, const struct trawl_meta *m)
{
	struct json_object *j = jdoc_parse(m->data, m->len);
	const char *hex = jdoc_string(j, "descriptors");
	uint8_t *bytes;

	u->failed |= !j && errno == ENOMEM;
	bytes = hex_bytes(hex);
	if (bytes)
		read_descriptors(u, bytes, strlen(hex) / 2, (struct usb_role){
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

	if (u)
		out_memory(&u->kept);
	for (size_t i = 0; u && i < trawl_meta_count(r); i++)
		if (!strncmp(trawl_meta_at(r, i)->name, "usb/", 4))
			add_device(u, trawl_meta_at(r, i));
	if (u && u->failed) {
		usb_roles_free(u);
		u = NULL;
	}
	if (u)
		u->nmeta = u->n;
	return u;
}

static bool is_of(const struct usb_role *r, uint32_t section, const struct usbmon_header *h)
{
	return r->section == section && r->bus == h->busnum && r->device == h->devnum;
}

const struct usb_role *usb_role_of(const struct usb_roles *u, uint32_t section,
				  const struct usbmon_header *h)
{
	static const struct usb_role mixed = { .class = 0xff };
	const struct usb_role *found = NULL;

	for (size_t i = u->n; i-- > 0;) {
		const struct usb_role *r = &u->roles[i];

		if (!is_of(r, section, h) || r->endpoint != h->epnum)
			continue;
		if (found && (r->class != found->class ||
			      (r->class == CLASS_HID && r->protocol != found->protocol)))
			return &mixed;
		found = found ? found : r;
	}
	return found;
}

bool usb_roles_is_root_hub(const struct trawl_event *ev, const struct usbmon_header *h)
{
	return h->devnum == 1 && ev->source->linktype == LINKTYPE_USB_LINUX_MMAPPED &&
	       !usbtypes_is_usbpcap(ev->type->id);
}

bool usb_roles_is_hub(const struct usb_roles *u, const struct trawl_event *ev,
		   const struct usbmon_header *h)
{
	bool any = false;

	for (size_t i = u->n; i-- > 0;)
		if (is_of(&u->roles[i], ev->section, h)) {
			any = true;
			if (u->roles[i].class != CLASS_HUB)
				return false;
		}
	return any || usb_roles_is_root_hub(ev, h);
}

bool usb_roles_is_product(const struct usb_roles *u, const uint8_t *p, size_t n)
{
	for (size_t at = 0; at < u->products_len; at += strlen(u->products + at) + 1) {
		const char *text = u->products + at;
		size_t i;

		for (i = 0; i < n / 2 && text[i] && p[2 * i] == (uint8_t)text[i] && !p[2 * i + 1];)
			i++;
		if (i == n / 2)
			return true; /* or its beginning, if the host read it in pieces */
	}
	return false;
}

/* ---- devices of imported files, which only the tape describes ------------------------------- */

static bool in_metadata(const struct usb_roles *u, uint32_t section, const struct usbmon_header *h)
{
	for (size_t i = 0; i < u->nmeta; i++)
		if (is_of(&u->roles[i], section, h))
			return true;
	return false;
}

static struct usb_names *names_of(const struct usb_roles *u, uint32_t section,
			      const struct usbmon_header *h)
{
	for (size_t i = 0; i < u->nnames; i++)
		if (u->names[i].section == section && u->names[i].bus == h->busnum &&
		    u->names[i].device == h->devnum)
			return &u->names[i];
	return NULL;
}

/* Which strings are names. A serial number with the index of a name is a serial number. */
static void learn_names(struct usb_roles *u, uint32_t section, const struct usbmon_header *h,
			const uint8_t *p)
{
	enum { MANUFACTURER = 14, PRODUCT = 15, SERIAL = 16 };
	struct usb_names *names = names_of(u, section, h);

	if (!names && !array_grow(u->names, u->nnames)) {
		u->failed = true;
		return;
	}
	names = names ? names : &u->names[u->nnames++];
	*names = (struct usb_names){
		.section = section, .bus = h->busnum, .device = h->devnum,
		.manufacturer = p[MANUFACTURER] == p[SERIAL] ? 0 : p[MANUFACTURER],
		.product = p[PRODUCT] == p[SERIAL] ? 0 : p[PRODUCT],
	};
}

void usb_roles_learn(struct usb_roles *u, uint32_t section, const struct usbmon_header *h,
		  const uint8_t *setup, const uint8_t *p, size_t n)
{
	enum { DEVICE = 1, CONFIGURATION = 2, DEVICE_SIZE = 18, CONFIGURATION_SIZE = 9 };
	size_t kept = u->nmeta;

	if (h->type != 'C' || !h->devnum || in_metadata(u, section, h))
		return;
	if (setup[3] == DEVICE && n >= DEVICE_SIZE)
		learn_names(u, section, h, p);
	if (setup[3] != CONFIGURATION || n <= CONFIGURATION_SIZE)
		return;
	for (size_t i = kept; i < u->n; i++)
		if (!is_of(&u->roles[i], section, h))
			u->roles[kept++] = u->roles[i];
	u->n = kept;
	read_descriptors(u, p, n, (struct usb_role){ .section = section, .bus = h->busnum,
						 .device = h->devnum });
}

bool usb_roles_is_name(const struct usb_roles *u, uint32_t section, const struct usbmon_header *h,
		    uint8_t index)
{
	const struct usb_names *names = names_of(u, section, h);

	return names && index && (index == names->manufacturer || index == names->product);
}

void usb_roles_restart(struct usb_roles *u)
{
	u->n = u->nmeta;
	u->nnames = 0;
	memset(u->setups, 0, sizeof(u->setups));
	memset(u->commands, 0, sizeof(u->commands));
}
