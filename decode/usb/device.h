/* SPDX-License-Identifier: MIT */
/*
 * What is known of the devices on the buses: their descriptors, and from these what each endpoint
 * speaks.
 *
 * Two sources: the control transfers in the capture itself, and the "usb/PORTPATH" metadata, a
 * snapshot of sysfs (docs/format.md). Both change over time: an address is given to another device,
 * another configuration or alternate setting is chosen.
 */
#ifndef TRAWL_DECODE_USB_DEVICE_H
#define TRAWL_DECODE_USB_DEVICE_H

#include "decode/usb/descriptor.h"
#include "decode/usb/hidreport.h"
#include "decode/usb/msc.h"
#include "decode/usb/control.h"
#include "format/trawl.h"

#define USBDEV_INTERFACES 32
#define USBDEV_CONFIGS 8

struct usb_interface {
	uint8_t number, alternate, class, subclass, protocol;
	bool hid_known;        /* hid comes from the device, and is not a guess */
	struct hid_report hid;
	uint8_t *report;       /* the report descriptor itself; NULL: not known */
	uint16_t report_len;
	struct msc *msc;       /* made at the first transfer */
};

struct usb_endpoint {
	bool known;
	uint8_t interface;     /* index into usb_device.interfaces */
	uint8_t attributes;
	uint8_t pipe;          /* UAS: bPipeID; else 0 */
	uint16_t packet;       /* wMaxPacketSize */
};

struct usb_config {
	uint8_t *p;            /* the configuration descriptor and all that follows it */
	uint16_t len;
};

/* What the reports of an endpoint look like that no descriptor tells of. */
enum usb_form { FORM_UNSEEN, FORM_BOOT_KEYBOARD, FORM_OTHER };

/* An event of a Bluetooth controller, which comes in several transfers. */
struct usb_event_bytes {
	uint16_t have, want;   /* want 0: none has begun */
	uint8_t bytes[257];
};

/* A packet of data of such a controller, likewise: how much of it there was. */
struct usb_acl_bytes {
	uint32_t have, want;
};

/* A data phase of PTP that is not over. */
struct usb_ptp_data {
	uint32_t have, want; /* want 0: none */
	uint16_t code;       /* of the operation */
};

struct usb_device {
	uint16_t bus;
	uint8_t address;
	bool known;            /* device[] holds a device descriptor */
	uint8_t device[18];
	struct usb_config configs[USBDEV_CONFIGS];
	uint8_t *bos;          /* of the snapshot; NULL: none */
	size_t bos_len;
	uint8_t config;        /* bConfigurationValue in use; 0: not known */
	uint8_t ninterfaces;
	struct usb_interface interfaces[USBDEV_INTERFACES];
	struct usb_endpoint endpoints[32]; /* number, + 16 for IN */
	struct usb_event_bytes event;
	struct usb_acl_bytes acl[2]; /* out, in */
	struct usb_ptp_data ptp;
	enum usb_form forms[16];           /* of IN endpoints, by number */
	bool gone;             /* unplugged, and nothing else has come to this address since */
	bool captured;         /* descriptors were in the capture itself */
	bool storage;          /* nothing is known but that it speaks Bulk-Only Transport */
	bool foreseen;         /* port and name are of a snapshot still to come, if any is */
	bool foreseen_known;   /* and the device descriptor was compared with it */
	char port[64];         /* "1-2.3"; "" if not known */
	char name[128];        /* manufacturer and product; "" if not known */
	struct usb_device *next;
};

struct usb_devices {
	struct usb_device *table[256]; /* by bus and address */
	size_t count;
};

#define USBDEV_MAX 4096 /* addresses that are followed; a hostile file names 65536 buses */

void usbdev_free_all(struct usb_devices *d);

/* The device at an address, made if it is new. NULL: out of memory, or too many. */
struct usb_device *usbdev_at(struct usb_devices *d, uint16_t bus, uint8_t address);
/* The same, NULL if nothing is known of it. */
struct usb_device *usbdev_find(const struct usb_devices *d, uint16_t bus, uint8_t address);

/*
 * Learns from a control transfer that succeeded: its setup packet, and the data that went over the
 * bus (`n` bytes). SET_ADDRESS of device 0 resets what was known of the address.
 */
void usbdev_learn(struct usb_devices *d, struct usb_device *dev, const struct control_request *s,
		  const uint8_t *p, size_t n);

/* Learns from one "usb/PORTPATH" snapshot, maybe that the device is gone; false: none of these. */
bool usbdev_snapshot(struct usb_devices *d, const void *json, size_t len);

/* Metadata of this kind: "usb/PORTPATH"; "usb/verdict" is of the capture, and no snapshot. */
#define USBDEV_META "usb/"
#define USBDEV_VERDICT USBDEV_META "verdict"
static inline bool usbdev_is_meta(const struct trawl_meta *m)
{
	return !strncmp(m->name, USBDEV_META, strlen(USBDEV_META)) &&
	       strcmp(m->name, USBDEV_VERDICT) != 0;
}

/* Takes port and name of a snapshot that is still to come, if it is of the same device. */
void usbdev_foresee(struct usb_device *dev, const void *json, size_t len);
/* No snapshot has told where it is, and it is worth to ask one that is still to come. */
static inline bool usbdev_is_nameless(const struct usb_device *dev)
{
	return dev->foreseen ? dev->known && !dev->foreseen_known : !*dev->port;
}

/* The endpoint by the header's number (bit 7: IN); NULL if it is not known. dev may be NULL. */
const struct usb_endpoint *usbdev_endpoint(const struct usb_device *dev, uint8_t endpoint);
struct usb_interface *usbdev_interface(struct usb_device *dev, uint8_t endpoint);
/* A command block was seen on a device whose descriptors are not known. */
void usbdev_guess_storage(struct usb_device *dev);
struct usb_interface *usbdev_interface_number(struct usb_device *dev, uint8_t number);
/*
 * The control interface of a communication device's data interface: the last one before it, as all
 * devices have them; any there is, if none is before it; itself, if it is no data interface. NULL:
 * there is none. A composite device has several.
 */
const struct usb_interface *usbdev_control_interface(const struct usb_device *dev,
						     const struct usb_interface *data);

/* The recipient of a control request. */
struct control_target usbdev_target(struct usb_device *dev, const struct control_request *s);

static inline uint16_t usbdev_vendor(const struct usb_device *dev)
{
	return (uint16_t)(dev->device[8] | dev->device[9] << 8);
}

static inline uint16_t usbdev_product(const struct usb_device *dev)
{
	return (uint16_t)(dev->device[10] | dev->device[11] << 8);
}

#endif
