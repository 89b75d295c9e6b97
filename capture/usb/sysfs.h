/* SPDX-License-Identifier: MIT */
/*
 * USB devices as sysfs and the kernel's uevents tell of them, without any traffic on the bus.
 *
 * `root` is the folder of /sys/bus/usb/devices, so that tests can bring their own.
 */
#ifndef TRAWL_CAPTURE_USB_SYSFS_H
#define TRAWL_CAPTURE_USB_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/json.h"
#include "format/trawl.h"

#define USBSYS_ROOT "/sys/bus/usb/devices"

enum { USBSYS_NAME = 64, USBSYS_SERIAL = 256, USBSYS_WHAT = 800 };

/* What filters go by. */
struct usb_identity {
	char name[USBSYS_NAME]; /* port path: "1-2.3"; "usb1" for a root hub */
	uint16_t bus, vid, pid;
	uint8_t dev;
	char serial[USBSYS_SERIAL]; /* "" if it has none */
	bool keyboard; /* an interface of it is one by its class codes */
};

/* Reads one device. False: it is no USB device, or gone while being read. */
bool usbsys_identity(const char *root, const char *name, struct usb_identity *id);

/*
 * What a device is, for people: "Logitech USB Receiver at port 1-2, address 1:3, serial 42,
 * 12 Mb/s, driver usbhid"; what it does not have is left out.
 */
void usbsys_describe(const char *root, const struct usb_identity *id, char what[USBSYS_WHAT]);

/* The same for programs: members bus, dev, port, vid, pid, serial, product, speed and drivers. */
void usbsys_members(const char *root, const struct usb_identity *id, struct json *j);

/*
 * "VID:PID at 1-2 serial 42, ..." of the devices for which is(), as much as fits; "none". NULL: of
 * all but root hubs. Returns how many there are.
 */
size_t usbsys_list(const char *root, bool (*is)(const struct usb_identity *id, const void *arg),
		   const void *arg, char *list, size_t size);

/* Calls each() for every device; stops at and returns its first non-zero result. */
int usbsys_each(const char *root, int (*each)(const struct usb_identity *id, void *arg), void *arg);

/*
 * All that a later reader may want to know of a device, as one JSON object: ids, strings, speed,
 * drivers, power state, and descriptors in hex: docs/format.md, "usb/PORTPATH".
 */
bool usbsys_snapshot(const char *root, const char *name, struct json *j);

/* A uevent about a USB device or an interface of one. */
struct usb_uevent {
	enum { USB_ADD, USB_REMOVE, USB_CHANGE } action; /* CHANGE: (un)bind, of interfaces too */
	char name[USBSYS_NAME]; /* of the device, also for its interfaces */
	uint16_t bus;           /* 0 if not told */
	uint8_t dev;
};

/* A socket to poll and read uevents from, or -1. */
int usbsys_uevents(struct trawl_error *err);

/*
 * The next event about USB: 1, 0 when there is none now. *overrun is set when the kernel had to
 * drop some: what is there must then be read anew.
 */
int usbsys_uevent(int fd, struct usb_uevent *ev, bool *overrun);

/* Parses the text of one uevent (NUL-separated, from the kernel): is it about USB? */
bool usbsys_parse(const char *text, size_t len, struct usb_uevent *ev);

#endif
