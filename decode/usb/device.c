/* SPDX-License-Identifier: MIT */
#include "decode/usb/device.h"
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/base/jdoc.h"
#include "decode/base/output.h"
#include "decode/usb/ftdi.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the hash table -------------------------------------------------------------------------- */

static struct usb_device **place_of(const struct usb_devices *d, uint16_t bus, uint8_t address)
{
	struct usb_device **at = (struct usb_device **)&d->table[(bus * 31u + address) % 256];

	while (*at && ((*at)->bus != bus || (*at)->address != address))
		at = &(*at)->next;
	return at;
}

struct usb_device *usbdev_find(const struct usb_devices *d, uint16_t bus, uint8_t address)
{
	return *place_of(d, bus, address);
}

struct usb_device *usbdev_at(struct usb_devices *d, uint16_t bus, uint8_t address)
{
	struct usb_device **at = place_of(d, bus, address);

	if (*at || d->count == USBDEV_MAX)
		return *at;
	*at = calloc(1, sizeof(**at));
	if (*at) {
		(*at)->bus = bus;
		(*at)->address = address;
		d->count++;
	} else {
		out_lack_memory();
	}
	return *at;
}

static void forget_interfaces(struct usb_device *dev)
{
	for (unsigned int i = 0; i < dev->ninterfaces; i++) {
		hid_free(&dev->interfaces[i].hid);
		free(dev->interfaces[i].report);
		free(dev->interfaces[i].msc);
		usb_sysex_free(dev->interfaces[i].sysex);
	}
	memset(dev->interfaces, 0, sizeof(dev->interfaces));
	memset(dev->endpoints, 0, sizeof(dev->endpoints));
	dev->ninterfaces = 0;
}

/* Discards everything but the address. */
static void reset(struct usb_device *dev)
{
	struct usb_device *next = dev->next;
	uint16_t bus = dev->bus;
	uint8_t address = dev->address;

	forget_interfaces(dev);
	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++)
		free(dev->configs[i].p);
	free(dev->bos);
	for (unsigned int i = 0; i < 2; i++)
		free(dev->fragments[i].bytes);
	memset(dev, 0, sizeof(*dev));
	dev->next = next;
	dev->bus = bus;
	dev->address = address;
}

/* Another device has this address now. What was submitted before was for the one that had it. */
static void begin_anew(const struct usb_devices *d, struct usb_device *dev)
{
	reset(dev);
	dev->since = d->event;
}

void usbdev_free_all(struct usb_devices *d)
{
	for (unsigned int i = 0; i < 256; i++) {
		while (d->table[i]) {
			struct usb_device *dev = d->table[i];

			d->table[i] = dev->next;
			reset(dev);
			free(dev);
		}
	}
	d->count = 0;
}

/* ---- configurations ------------------------------------------------------------------------- */

static const struct usb_config *config_in_use(const struct usb_device *dev)
{
	const struct usb_config *first = NULL;

	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++) {
		const struct usb_config *c = &dev->configs[i];

		if (!c->p)
			continue;
		if (c->len > 5 && c->p[5] == dev->config)
			return c;
		if (!first)
			first = c;
	}
	return first;
}

struct usb_interface *usbdev_interface_number(struct usb_device *dev, uint8_t number)
{
	for (unsigned int i = 0; dev && i < dev->ninterfaces; i++)
		if (dev->interfaces[i].number == number)
			return &dev->interfaces[i];
	return NULL;
}

static bool is_communication(const struct usb_interface *f)
{
	return f->class == 0x02 || is_rndis_class(f->class, f->subclass, f->protocol);
}

const struct usb_interface *usbdev_control_interface(const struct usb_device *dev,
						     const struct usb_interface *data)
{
	const struct usb_interface *before = NULL, *any = NULL;

	if (!dev || !data || data->class != 0x0a)
		return data;
	for (unsigned int i = 0; i < dev->ninterfaces; i++) {
		const struct usb_interface *f = &dev->interfaces[i];

		if (!is_communication(f))
			continue;
		any = any ? any : f;
		if (f->number < data->number && (!before || f->number > before->number))
			before = f;
	}
	return before ? before : any;
}

static void guess_hid(struct usb_interface *f)
{
	if (f->class == 0x03 && f->subclass == 0x01 && f->protocol == 0x01 && !f->hid_known &&
	    !f->hid.fields && !hid_boot_keyboard(&f->hid))
		out_lack_memory();
}

static struct usb_interface *take_interface(struct usb_device *dev, const struct descriptor *d)
{
	struct usb_interface *f = usbdev_interface_number(dev, d->p[2]);

	if (!f) {
		if (dev->ninterfaces == USBDEV_INTERFACES)
			return NULL;
		f = &dev->interfaces[dev->ninterfaces++];
		f->number = d->p[2];
	} else if (d->p[3] != f->alternate) {
		return f;
	}
	f->class = d->p[5];
	f->subclass = d->p[6];
	f->protocol = d->p[7];
	guess_hid(f);
	return f;
}

static unsigned int index_of(uint8_t endpoint)
{
	return (endpoint & 15) | (endpoint & 0x80 ? 16 : 0);
}

/*
 * Reads the interfaces and endpoints of the configuration in use. An endpoint is taken from the
 * alternate setting that is selected. If none is known to be selected, other settings are used as
 * well, because SET_INTERFACE may have been sent before the capture began.
 */
static void apply_config(struct usb_device *dev)
{
	const struct usb_config *c = config_in_use(dev);
	struct descriptor_walk w;
	struct usb_interface *now = NULL;
	struct usb_endpoint *last = NULL;
	bool chosen = false;
	struct descriptor d;

	memset(dev->endpoints, 0, sizeof(dev->endpoints));
	if (!c)
		return;
	dev->storage = false;
	w = descriptor_walk(c->p, c->len);
	while (descriptor_next(&w, &d)) {
		if (d.type == DESC_INTERFACE && d.room >= 8) {
			now = take_interface(dev, &d);
			chosen = now && now->alternate == d.p[3];
			last = NULL;
		} else if (d.type == DESC_ENDPOINT && d.room >= 6 && now) {
			struct usb_endpoint *e = &dev->endpoints[index_of(d.p[2])];

			last = NULL;
			if (e->known && !chosen)
				continue;
			*e = (struct usb_endpoint){
				.known = true,
				.interface = (uint8_t)(now - dev->interfaces),
				.attributes = d.p[3],
				.packet = get16(d.p + 4),
			};
			last = e;
		} else if (d.type == DESC_CS_INTERFACE && d.room >= 3 && last && now &&
			   now->class == 0x08) {
			last->pipe = d.p[2];
		} else if (d.type == DESC_HID && d.room >= 9 && chosen && now->class == 0x03 &&
			   d.p[6] == DESC_HID_REPORT) {
			now->report_described = get16(d.p + 7);
		}
	}
}

/* Replaces the n bytes at *to by a copy of those at p. */
static bool copy_to(uint8_t **to, const uint8_t *p, size_t n)
{
	if (!array_resize(to, n, 1)) {
		out_lack_memory();
		return false;
	}
	memcpy(*to, p, n);
	return true;
}

static void add_config(struct usb_device *dev, const uint8_t *p, size_t n)
{
	struct usb_config *c = NULL;

	if (n < 9 || n > UINT16_MAX)
		return;
	for (unsigned int i = 0; i < USBDEV_CONFIGS && !c; i++)
		if (!dev->configs[i].p || dev->configs[i].p[5] == p[5])
			c = &dev->configs[i];
	/*
	 * Hosts often read the first nine bytes before the whole configuration, to learn its
	 * length.
	 */
	if (!c || (c->p && c->len > n))
		return;
	if (!copy_to(&c->p, p, n))
		return;
	c->len = (uint16_t)n;
	apply_config(dev);
}

static void set_hid(struct usb_interface *f, const uint8_t *p, size_t n)
{
	if (!n || n > UINT16_MAX || !copy_to(&f->report, p, n))
		return;
	f->report_len = (uint16_t)n;
	hid_free(&f->hid);
	f->hid_known = hid_parse(&f->hid, p, n);
	if (!f->hid_known)
		out_lack_memory();
}

/* ---- learning from the capture -------------------------------------------------------------- */

static void learn_descriptor(const struct usb_devices *d, struct usb_device *dev,
			     const struct control_request *s, const uint8_t *p, size_t n)
{
	struct usb_interface *f;
	uint8_t type = (uint8_t)(s->value >> 8);

	if (type == DESC_DEVICE && n >= sizeof(dev->device) && p[1] == DESC_DEVICE) {
		/*
		 * Other ids at the same address: another device, whose SET_ADDRESS was not
		 * captured.
		 */
		if (dev->known && memcmp(dev->device + 8, p + 8, 4))
			begin_anew(d, dev);
		memcpy(dev->device, p, sizeof(dev->device));
		dev->known = true;
		dev->captured = true;
	} else if (type == DESC_CONFIG && n >= 2 && p[1] == DESC_CONFIG) {
		add_config(dev, p, n);
	} else if (type == DESC_HID_REPORT && control_recipient(s) == SETUP_INTERFACE) {
		f = usbdev_report_owner(dev, s, p, n);
		if (f)
			set_hid(f, p, n);
	}
}

/* String 0 is the list of languages; the product string provides the name of the device. */
static bool ends_with(const char *name, const char *end, size_t n)
{
	size_t len = strlen(name);

	return len > n && name[len - n - 1] == ' ' && !memcmp(name + len - n, end, n);
}

static void learn_string(struct usb_device *dev, const struct control_request *s, const uint8_t *p,
			 size_t n)
{
	struct out text;

	if (!dev->known || !dev->device[15] || (s->value & 0xff) != dev->device[15] || n < 4)
		return;
	out_memory(&text);
	descriptor_utf16(p + 2, (p[0] < n ? p[0] : n) - 2, &text);
	/* a name taken from a snapshot also contains the manufacturer */
	if (!text.error && !ends_with(dev->name, text.data, text.len))
		snprintf(dev->name, sizeof(dev->name), "%.*s", (int)text.len, text.data);
	out_free(&text);
}

/* Discards open commands, as the device does: they will not be completed. */
static void abort_commands(struct usb_interface *f)
{
	free(f->msc);
	f->msc = NULL;
}

/* Updates the channel of an FTDI chip. Index 1 is channel A; chips with a single channel use 0. */
static void learn_ftdi(struct usb_device *dev, const struct control_request *s)
{
	unsigned int channel = s->index & 0xff ? (s->index & 0xffu) - 1 : 0;
	uint8_t mode;

	if (ftdi_sets_mode(s, &mode) && channel < USB_FTDI_CHANNELS)
		dev->mpsse[channel] = (struct usb_mpsse){.on = mode == FTDI_MODE_MPSSE};
}

void usbdev_learn(struct usb_devices *d, struct usb_device *dev, const struct control_request *s,
		  const uint8_t *p, size_t n)
{
	struct usb_interface *f;

	if (control_kind(s) == SETUP_VENDOR && ftdi_is(usbdev_vendor(dev), usbdev_product(dev)))
		learn_ftdi(dev, s);
	if (control_kind(s) != SETUP_STANDARD)
		return;
	switch (s->request) {
	case REQ_SET_ADDRESS:
		dev = usbdev_find(d, dev->bus, (uint8_t)s->value);
		if (dev)
			begin_anew(d, dev);
		break;
	case REQ_GET_DESCRIPTOR:
		if (s->value >> 8 == DESC_STRING && n >= 2 && p[0] >= 2)
			learn_string(dev, s, p, n);
		else
			learn_descriptor(d, dev, s, p, n);
		break;
	/* selecting the same configuration again also resets the interfaces */
	case REQ_SET_CONFIGURATION:
		for (unsigned int i = 0; i < dev->ninterfaces; i++)
			abort_commands(&dev->interfaces[i]);
		if (dev->config != (uint8_t)s->value) {
			forget_interfaces(dev);
			dev->config = (uint8_t)s->value;
		}
		apply_config(dev);
		break;
	case REQ_SET_INTERFACE:
		f = usbdev_interface_number(dev, (uint8_t)s->index);
		if (!f)
			break;
		abort_commands(f);
		if (f->alternate != (uint8_t)s->value) {
			f->alternate = (uint8_t)s->value;
			apply_config(dev);
		}
		break;
	default:
		break;
	}
}

/* ---- learning from a snapshot --------------------------------------------------------------- */

/*
 * Decodes a member that holds hex digits; the caller frees the result. Returns NULL if the member
 * is missing or malformed.
 */
static uint8_t *hex_member(const struct json_object *o, const char *key, size_t *n)
{
	const char *hex = jdoc_string(o, key);
	size_t len = strlen(hex);
	uint8_t *p;

	*n = 0;
	if (len < 2 || len % 2)
		return NULL;
	p = malloc(len / 2);
	if (!p)
		out_lack_memory();
	for (size_t i = 0; p && i < len; i += 2) {
		unsigned int high = hex_digit(hex[i]), low = hex_digit(hex[i + 1]);

		if (high > 15 || low > 15) {
			free(p);
			return NULL;
		}
		p[i / 2] = (uint8_t)(high << 4 | low);
	}
	*n = p ? len / 2 : 0;
	return p;
}

/*
 * Reads the contents of the sysfs file "descriptors": the device descriptor, then each
 * configuration with wTotalLength bytes.
 */
static bool take_descriptors(struct usb_device *dev, const uint8_t *p, size_t n)
{
	if (n < 18 || p[1] != DESC_DEVICE)
		return false;
	memcpy(dev->device, p, 18);
	dev->known = true;
	for (p += 18, n -= 18; n >= 9 && p[1] == DESC_CONFIG;) {
		size_t total = get16(p + 2);

		if (total < 9 || total > n)
			total = n;
		add_config(dev, p, total);
		p += total;
		n -= total;
	}
	return true;
}

static void take_interfaces(struct usb_device *dev, const struct json_object *o)
{
	const struct json_object *list = jdoc_get(o, "interfaces");

	for (size_t k = 0; k < jdoc_count(list); k++) {
		const struct json_object *i = json_object_array_get_idx(list, k);
		struct usb_interface *f =
			usbdev_interface_number(dev, (uint8_t)jdoc_uint(i, "number", 0xff));
		uint8_t *report;
		size_t n;

		if (!f)
			continue;
		f->alternate = (uint8_t)jdoc_uint(i, "alternate", 0);
		report = hex_member(i, "hid_report", &n);
		if (report)
			set_hid(f, report, n);
		free(report);
	}
	/* The selected alternate settings are known only now. */
	apply_config(dev);
}

/*
 * Whether a text is a kernel's name of a place: "1-2.3", "usb1". Exports make paths of it, which
 * must not lead out of the folder that they are for.
 */
static bool is_port(const char *text)
{
	static const char digits[] = "0123456789";
	bool root = !strncmp(text, "usb", 3);
	const char *rest = root ? text + 3 : text;

	return strspn(rest, digits) && !rest[strspn(rest, root ? digits : "0123456789-.")] &&
	       !strstr(rest, "..");
}

static void take_names(struct usb_device *dev, const struct json_object *o)
{
	const char *port = jdoc_string(o, "path");
	const char *maker = jdoc_string(o, "manufacturer"), *product = jdoc_string(o, "product");

	snprintf(dev->port, sizeof(dev->port), "%s", is_port(port) ? port : "");
	snprintf(dev->name, sizeof(dev->name), "%s%s%s", maker, *maker && *product ? " " : "",
		 product);
}

/*
 * The state of the storage commands of all interfaces. Applying a snapshot of a device that is
 * already known must not discard commands in progress: the state is saved before, and restored
 * afterwards if the device is still the same.
 */
struct saved_commands {
	uint8_t device[18];
	struct msc *msc[USBDEV_INTERFACES];
};

static struct saved_commands save_commands(struct usb_device *dev)
{
	struct saved_commands t;

	memcpy(t.device, dev->device, sizeof(t.device));
	for (unsigned int i = 0; i < USBDEV_INTERFACES; i++) {
		t.msc[i] = dev->interfaces[i].msc;
		dev->interfaces[i].msc = NULL;
	}
	return t;
}

static void restore_commands(struct usb_device *dev, struct saved_commands *t)
{
	bool same = !memcmp(t->device, dev->device, sizeof(t->device));

	for (unsigned int i = 0; i < USBDEV_INTERFACES; i++) {
		if (same && i < dev->ninterfaces)
			dev->interfaces[i].msc = t->msc[i];
		else
			free(t->msc[i]);
	}
}

void usbdev_name_later(struct usb_device *dev, const void *json, size_t len)
{
	struct json_object *o = jdoc_parse(json, len);
	size_t n = 0;
	uint8_t *p = hex_member(o, "descriptors", &n);

	*dev->port = *dev->name = '\0';
	/*
	 * A snapshot without descriptors means that this device was unplugged, so its port stays
	 * unknown.
	 */
	if (p && n >= 18 && (!dev->known || !memcmp(dev->device + 8, p + 8, 6)))
		take_names(dev, o);
	free(p);
	json_object_put(o);
}

bool usbdev_snapshot(struct usb_devices *d, const void *json, size_t len)
{
	struct json_object *o = jdoc_parse(json, len);
	uint64_t bus = jdoc_uint(o, "busnum", 0), address = jdoc_uint(o, "devnum", 0);
	struct usb_device *dev;
	struct saved_commands saved;
	uint64_t since;
	uint8_t *p = NULL;
	bool good = false;
	size_t n;

	if (!bus || bus > UINT16_MAX || !address || address > 127)
		goto out;
	dev = usbdev_at(d, (uint16_t)bus, (uint8_t)address);
	good = dev && json_object_get_boolean(jdoc_get(o, "gone"));
	if (good) {
		dev->gone = true;
		goto out;
	}
	p = hex_member(o, "descriptors", &n);
	if (!dev || !p || n < 18)
		goto out;
	saved = save_commands(dev);
	since = dev->known && memcmp(dev->device + 8, p + 8, 4) ? d->event + 1 : dev->since;
	reset(dev);
	dev->since = since;
	dev->config = (uint8_t)jdoc_uint(o, "configuration", 0);
	good = take_descriptors(dev, p, n);
	take_interfaces(dev, o);
	restore_commands(dev, &saved);
	take_names(dev, o);
	dev->bos = hex_member(o, "bos", &dev->bos_len);
out:
	free(p);
	json_object_put(o);
	return good;
}

/* ---- lookup --------------------------------------------------------------------------------- */

const struct usb_endpoint *usbdev_endpoint(const struct usb_device *dev, uint8_t endpoint)
{
	const struct usb_endpoint *e;

	if (!dev)
		return NULL;
	e = &dev->endpoints[index_of(endpoint)];
	return e->known ? e : NULL;
}

struct usb_interface *usbdev_interface(struct usb_device *dev, uint8_t endpoint)
{
	const struct usb_endpoint *e = usbdev_endpoint(dev, endpoint);

	if (e)
		return &dev->interfaces[e->interface];
	return dev && dev->storage ? &dev->interfaces[0] : NULL;
}

void usbdev_guess_storage(struct usb_device *dev)
{
	if (dev->ninterfaces)
		return;
	dev->storage = true;
	dev->ninterfaces = 1;
	dev->interfaces[0] = (struct usb_interface){
		.class = 0x08, .subclass = 0x06, .protocol = 0x50,
	};
}

/*
 * The interface that wIndex addresses. Only GET_DEVICE_ID of printers has the interface in the high
 * byte and the alternate setting in the low byte (Printer 1.1, 4.2.1).
 */
static const struct usb_interface *requested_interface(struct usb_device *dev,
						       const struct control_request *s)
{
	const struct usb_interface *low = usbdev_interface_number(dev, (uint8_t)s->index);
	const struct usb_interface *high = usbdev_interface_number(dev, (uint8_t)(s->index >> 8));

	return control_kind(s) == SETUP_CLASS && control_in(s) && !s->request && high &&
			       high->class == 0x07
		       ? high
		       : low;
}

struct control_target usbdev_target(struct usb_device *dev, const struct control_request *s)
{
	struct control_target to = {0};
	const struct usb_interface *f = NULL;

	/* The recipient "other" is only used by hubs, for their ports. */
	if (control_kind(s) == SETUP_CLASS && control_recipient(s) == SETUP_OTHER &&
	    (!dev || !dev->known))
		to.class = 0x09;
	if (!dev)
		return to;
	if (control_recipient(s) == SETUP_INTERFACE)
		f = requested_interface(dev, s);
	else if (control_recipient(s) == SETUP_ENDPOINT)
		f = usbdev_interface(dev, (uint8_t)s->index);
	if (dev->known) {
		to.vendor = usbdev_vendor(dev);
		to.product = usbdev_product(dev);
		/*
		 * At SuperSpeed, bMaxPacketSize0 is an exponent and always 9 (512 bytes), which is
		 * not a valid size at lower speeds.
		 */
		to.super = dev->device[7] == 9;
		to.class = dev->device[4];
		to.subclass = dev->device[5];
		to.protocol = dev->device[6];
	}
	if (f) {
		to.class = f->class;
		to.subclass = f->subclass;
		to.protocol = f->protocol;
	} else if (control_recipient(s) == SETUP_INTERFACE && !dev->ninterfaces) {
		to.class = to.subclass = to.protocol = 0;
	}
	return to;
}
