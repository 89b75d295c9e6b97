/* SPDX-License-Identifier: MIT */
/*
 * What is known of the devices on the buses: their descriptors, and which class each endpoint
 * belongs to.
 *
 * There are two sources of information: the control transfers of the capture, and the
 * "usb/PORTPATH" metadata, which are snapshots of sysfs (docs/format.md). Both change over time: an
 * address is assigned to another device, or another configuration or alternate setting is selected.
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

/* Commands to a smart card that span several blocks. */
struct usb_card_chain {
	bool more, pin;        /* the next block continues the command; the command has a PIN */
	/* T=0: length of the block with the command's data, which comes next; 0: none */
	uint8_t bytes;
	uint32_t have;         /* bytes of the command so far */
};

/* The system exclusive messages of MIDI that are open. */
struct usb_sysex {
	/* of each cable; index 0: OUT, 1: IN */
	struct usb_sysex_open {
		uint32_t have; /* bytes so far; 0: no message is open */
		bool cut;      /* some of them were not recorded */
		uint8_t *bytes; /* the first of them */
		uint32_t len, room;
	} open[2][16];
	/* those that the current transfer's first message had before it */
	uint8_t *before;
	uint32_t before_len, before_room;
};

void usb_sysex_free(struct usb_sysex *x);

struct usb_interface {
	uint8_t number, alternate, class, subclass, protocol;
	bool hid_known;        /* hid comes from the device's own descriptor and is not a guess */
	struct hid_report hid;
	uint8_t *report;       /* the bytes of the HID report descriptor; NULL: unknown */
	uint16_t report_len;
	uint16_t report_described; /* its length according to the HID descriptor; 0: unknown */
	struct usb_card_chain card;
	struct usb_sysex *sysex; /* MIDI; allocated at the first message that continues */
	struct msc *msc;       /* state of mass storage; allocated at the first transfer */
};

struct usb_endpoint {
	bool known;
	uint8_t interface;     /* index into usb_device.interfaces */
	uint8_t attributes;
	uint8_t pipe;          /* UAS: bPipeID; 0 for other endpoints */
	uint16_t packet;       /* wMaxPacketSize */
};

struct usb_config {
	uint8_t *p;            /* the configuration descriptor and its subordinate descriptors */
	uint16_t len;
};

/*
 * Whether all reports so far, of an endpoint without descriptors, look like boot keyboard reports.
 */
enum usb_form { FORM_UNSEEN, FORM_BOOT_KEYBOARD, FORM_OTHER };

/* An HCI event of a Bluetooth controller, which may span several transfers. */
struct usb_event_bytes {
	/* bytes received and total length; want == 0: no event is in progress */
	uint16_t have, want;
	uint8_t bytes[257];
};

/* Progress of an ACL data packet of a Bluetooth controller, in bytes. */
struct usb_acl_bytes {
	uint32_t have, want;
};

/* A channel of L2CAP between a Bluetooth controller and another device. */
struct usb_l2cap_channel {
	uint16_t handle;       /* of the connection */
	uint16_t cid[2];       /* of its packets, index 0: OUT, 1: IN; 0: not known */
	uint16_t psm;          /* what it carries; 0: not known */
	uint8_t mode[2];       /* of its packets; other than 0: they have fields of that mode */
};

/* The channels that were opened last. */
struct usb_l2cap {
	struct usb_l2cap_channel channels[32];
	uint8_t next;          /* the one that is replaced next */
};

/* A PTP data phase in progress. */
struct usb_ptp_data {
	/* bytes transferred and total length; want == 0: no data phase is in progress */
	uint32_t have, want;
	uint16_t code;       /* of the operation */
};

/*
 * A USB3 Vision camera: its last command, the last leader of its stream, and the addresses of its
 * register maps (0: unknown).
 */
struct usb_vision {
	bool has_command, write; /* a command was seen; it is a write */
	uint16_t id;           /* of the command */
	uint64_t address;      /* address that the command reads or writes */
	bool has_leader;       /* a leader was seen */
	uint16_t payload_type; /* payload type in the leader */
	uint64_t block_id;     /* block id in the leader */
	uint64_t sbrm, sirm, eirm;
};

/* A message of a modem (MBIM) in one direction that comes in fragments, so far. */
struct usb_fragments {
	uint32_t id, next;     /* of the message; number of the fragment that is to come */
	uint8_t *bytes;        /* without the later fragments' headers; NULL: none */
	uint32_t len, room;    /* bytes that it has, and that there is room for */
};

/* A colorimeter: its last command, and the EEPROM range that the command reads. */
struct usb_colorimeter {
	bool has_command;
	uint16_t code, offset;
	uint8_t length;        /* in bytes; 0: nothing */
};

/* Position in the MPSSE command stream (mpsse.c) between two transfers. */
struct usb_mpsse_held {
	uint32_t rest;         /* bytes of the last command's data that are still to come */
	/* or the first n bytes of a command whose arguments are incomplete */
	uint8_t bytes[3], n;
};

#define USB_FTDI_CHANNELS 4

/* The MPSSE of one channel of an FTDI chip. */
struct usb_mpsse {
	bool on;               /* the channel is in MPSSE mode */
	struct usb_mpsse_held now, next; /* position before and after the current transfer */
};

struct usb_device {
	uint16_t bus;
	uint8_t address;
	/* Number of the event that showed another device at this address; 0: none did. */
	uint64_t since;
	bool known;            /* device[] holds a device descriptor */
	uint8_t device[18];
	struct usb_config configs[USBDEV_CONFIGS];
	uint8_t *bos;          /* BOS descriptor from the snapshot; NULL: none */
	size_t bos_len;
	uint8_t config;        /* bConfigurationValue in use; 0: unknown */
	uint8_t ninterfaces;
	struct usb_interface interfaces[USBDEV_INTERFACES];
	struct usb_endpoint endpoints[32]; /* index: endpoint number, plus 16 for IN */
	struct usb_event_bytes event;
	struct usb_acl_bytes acl[2]; /* index 0: OUT, 1: IN */
	struct usb_l2cap l2cap;
	struct usb_ptp_data ptp;
	struct usb_vision vision;
	struct usb_colorimeter colorimeter;
	struct usb_fragments fragments[2]; /* index 0: OUT, 1: IN */
	struct usb_mpsse mpsse[USB_FTDI_CHANNELS];
	enum usb_form forms[16];           /* of IN endpoints, by endpoint number */
	bool gone;             /* unplugged; the address has not been used since */
	bool captured;         /* the capture contains the device's descriptors */
	bool storage;          /* without descriptors, but Bulk-Only Transport was recognised */
	/* port and name were searched in later snapshots, and set if one was found */
	bool later_searched;
	bool later_with_descriptor;   /* the same, after the device descriptor became known */
	char port[64];         /* "1-2.3"; "" if unknown */
	char name[128];        /* manufacturer and product; "" if unknown */
	struct usb_device *next;
};

struct usb_devices {
	struct usb_device *table[256]; /* hash table by bus and address */
	uint64_t event;                /* number of the event that is decoded, or was last */
	size_t count;
};

#define USBDEV_MAX 4096 /* limit on followed addresses: a hostile file may name 65536 buses */

/* Frees all entries; the table is empty then. */
void usbdev_free_all(struct usb_devices *d);

/*
 * Returns the device at an address and creates the entry if necessary. NULL: out of memory, or
 * USBDEV_MAX is reached.
 */
struct usb_device *usbdev_at(struct usb_devices *d, uint16_t bus, uint8_t address);
/* Returns the device at an address, or NULL if nothing is known of it. */
struct usb_device *usbdev_find(const struct usb_devices *d, uint16_t bus, uint8_t address);

/*
 * Updates the device from a successful control transfer: `s` is its setup packet, and the n bytes
 * at p are the data that was transferred. SET_ADDRESS to device 0 discards what was known of the
 * new address.
 */
void usbdev_learn(struct usb_devices *d, struct usb_device *dev, const struct control_request *s,
		  const uint8_t *p, size_t n);

/*
 * Updates the devices from one "usb/PORTPATH" snapshot, which may also say that a device is gone.
 * Returns false if the JSON is not such a snapshot.
 */
bool usbdev_snapshot(struct usb_devices *d, const void *json, size_t len);

/*
 * Prefix of the snapshots' metadata names. "usb/verdict" describes the capture and is no snapshot.
 */
#define USBDEV_META "usb/"
#define USBDEV_VERDICT USBDEV_META "verdict"
static inline bool usbdev_is_meta(const struct trawl_meta *m)
{
	return !strncmp(m->name, USBDEV_META, strlen(USBDEV_META)) &&
	       strcmp(m->name, USBDEV_VERDICT) != 0;
}

/*
 * Sets port and name from a snapshot that stands later in the file, if it describes the same
 * device.
 */
void usbdev_name_later(struct usb_device *dev, const void *json, size_t len);
/* Whether the port of the device is unknown and a later snapshot should be looked for. */
static inline bool usbdev_lacks_name(const struct usb_device *dev)
{
	return dev->later_searched ? dev->known && !dev->later_with_descriptor : !*dev->port;
}

/* The endpoint with this number (bit 7 set for IN), or NULL if it is unknown. dev may be NULL. */
const struct usb_endpoint *usbdev_endpoint(const struct usb_device *dev, uint8_t endpoint);
struct usb_interface *usbdev_interface(struct usb_device *dev, uint8_t endpoint);
/* Records that a command block wrapper was seen on a device without known descriptors. */
void usbdev_guess_storage(struct usb_device *dev);
struct usb_interface *usbdev_interface_number(struct usb_device *dev, uint8_t number);
/*
 * Returns the control interface that belongs to a CDC data interface. A composite device has
 * several; by convention each stands before its data interface, so the nearest preceding one is
 * returned, or any if none precedes. Returns `data` itself if it is not a data interface, and NULL
 * if the device has no control interface.
 */
const struct usb_interface *usbdev_control_interface(const struct usb_device *dev,
						     const struct usb_interface *data);

/*
 * Returns the interface that the n bytes at p, the answer to GET_DESCRIPTOR for a HID report
 * descriptor, describe; NULL: unknown. It need not be the one in wIndex (reportowner.c).
 */
struct usb_interface *usbdev_report_owner(struct usb_device *dev, const struct control_request *s,
					  const uint8_t *p, size_t n);

/* The class and ids of the recipient of a control request. */
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
