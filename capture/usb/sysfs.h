/* SPDX-License-Identifier: MIT */
/*
 * Describes USB devices from sysfs and the kernel's uevents, which causes no traffic on the bus.
 *
 * root: /sys/bus/usb/devices, or a folder made by a test.
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

/* The properties by which filters select a device. */
struct usb_identity {
	char name[USBSYS_NAME]; /* port path: "1-2.3"; "usb1" for a root hub */
	uint16_t bus, vid, pid;
	uint8_t dev;
	char serial[USBSYS_SERIAL]; /* "" if it has none */
	bool keyboard; /* it has an interface with the class codes of a keyboard */
};

/* Reads one device. Returns false if it is no USB device, or was removed meanwhile. */
bool usbsys_identity(const char *root, const char *name, struct usb_identity *id);

/*
 * Writes a description for users: "Logitech USB Receiver at port 1-2, address 1:3, serial 42, 12
 * Mb/s, driver usbhid", without the parts that a device does not have.
 */
void usbsys_describe(const char *root, const struct usb_identity *id, char what[USBSYS_WHAT]);

/* The same as JSON members: bus, dev, port, vid, pid, serial, product, speed and drivers. */
void usbsys_members(const char *root, const struct usb_identity *id, struct json *j);

/*
 * Lists the devices for which is() returns true: "VID:PID at 1-2 serial 42, ...", as many as fit,
 * or "none". is NULL: all but root hubs. Returns how many there are.
 */
size_t usbsys_list(const char *root, bool (*is)(const struct usb_identity *id, const void *arg),
		   const void *arg, char *list, size_t size);

/* Calls each() for every device until it returns non-zero. Returns that, or 0. */
int usbsys_each(const char *root, int (*each)(const struct usb_identity *id, void *arg), void *arg);

/*
 * Writes a device as one JSON object: IDs, strings, speed, drivers, power state, and descriptors in
 * hex (format: docs/format.md, "usb/PORTPATH"). Returns false, and writes nothing, if the device
 * was removed.
 */
bool usbsys_snapshot(const char *root, const char *name, struct json *j);

/* A uevent about a USB device or an interface of one. */
struct usb_uevent {
	enum { USB_ADD, USB_REMOVE, USB_CHANGE } action; /* CHANGE: bind or unbind, also of an
							  * interface */
	char name[USBSYS_NAME]; /* of the device, also for its interfaces */
	uint16_t bus;           /* 0: not in the event */
	uint8_t dev;
};

/* Returns a socket of uevents, to poll; the caller closes it. -1 with *err. */
int usbsys_uevents(struct trawl_error *err);

/*
 * Reads the next uevent about USB. Returns 1, or 0 if there is none now. Sets *overrun if the
 * kernel dropped uevents: all devices must be read again.
 */
int usbsys_uevent(int fd, struct usb_uevent *ev, bool *overrun);

/*
 * Parses the text of a uevent of the kernel: strings that end with NUL. Returns whether it is about
 * USB.
 */
bool usbsys_parse(const char *text, size_t len, struct usb_uevent *ev);

#endif
