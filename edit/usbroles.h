/* SPDX-License-Identifier: MIT */
/*
 * The roles of USB endpoints: the class of the interface that each belongs to, by the descriptors
 * in the metadata and, of imported files, on the tape.
 */
#ifndef TRAWL_EDIT_USBROLES_H
#define TRAWL_EDIT_USBROLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/usbtypes.h"
#include "decode/base/output.h"
#include "format/trawl.h"

enum { CLASS_HID = 3, CLASS_STORAGE = 8, CLASS_HUB = 9, PROTOCOL_UAS = 0x62, MOUSE = 2 };
enum { USB_PENDING = 4096 };

/* An endpoint and the class of its interface. */
struct usb_role {
	uint32_t section; /* section of the file: another one may be of another machine */
	uint16_t bus;
	uint8_t device, endpoint;
	uint8_t class, protocol, pipe;
};

/* A setup packet or SCSI command whose data has not come yet. */
struct usb_pending {
	uint64_t key;
	uint8_t bytes[16];
};

/* The strings of a device that its descriptor calls names of manufacturer and product. */
struct usb_names {
	uint32_t section;
	uint16_t bus;
	uint8_t device, manufacturer, product;
};

struct usb_roles {
	/* from metadata, then those that descriptors on the tape gave so far */
	struct usb_role *roles;
	size_t n, nmeta;
	struct usb_names *names; /* from the tape */
	size_t nnames;
	/* hash tables: by URB id; by bus and device */
	struct usb_pending setups[USB_PENDING], commands[USB_PENDING];
	bool failed;    /* memory ran out */
	struct out kept; /* kept descriptors; the same bytes are not secret elsewhere */
	/* names of manufacturers and products, which are kept; each ends with a NUL */
	char *products;
	size_t products_len;
};

/* The roles according to the metadata. NULL: out of memory. */
struct usb_roles *usb_roles_new(const struct trawl_reader *r);
void usb_roles_free(struct usb_roles *u);
/* Forgets the requests seen so far, because the file is read from its beginning again. */
void usb_roles_restart(struct usb_roles *u);

/*
 * Returns the role of an endpoint, or NULL if it is unknown. Addresses are reused, and an interface
 * has alternate settings: if devices with the same address have different classes, the result is a
 * role without a class, and none of its data is kept.
 */
const struct usb_role *usb_role_of(const struct usb_roles *u, uint32_t section,
				   const struct usbmon_header *h);
/* In Linux a root hub has address 1; in captures of other systems that may be a keyboard. */
bool usb_roles_is_root_hub(const struct trawl_event *ev, const struct usbmon_header *h);
/* Whether the device is a hub and nothing else. */
bool usb_roles_is_hub(const struct usb_roles *u, const struct trawl_event *ev,
		      const struct usbmon_header *h);
/* Whether the UTF-16 text is a kept name of a manufacturer or product, or the beginning of one. */
bool usb_roles_is_product(const struct usb_roles *u, const uint8_t *p, size_t n);
/* Whether the string descriptor of this index is such a name, according to the tape. */
bool usb_roles_is_name(const struct usb_roles *u, uint32_t section, const struct usbmon_header *h,
		       uint8_t index);
/*
 * Learns from a device's answer to GET_DESCRIPTOR. The newest answer counts: an address is given to
 * the next device when one is unplugged.
 */
void usb_roles_learn(struct usb_roles *u, uint32_t section, const struct usbmon_header *h,
		     const uint8_t *setup, const uint8_t *p, size_t n);

/* Decodes hex digits to strlen(hex) / 2 bytes, which the caller frees; NULL without memory. */
uint8_t *hex_bytes(const char *hex);

#endif
