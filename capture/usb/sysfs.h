/* SPDX-License-Identifier: MIT */
/*
 * USB devices as sysfs and the kernel's uevents describe them, without any traffic on the bus.
 *
 * root: /sys/bus/usb/devices, or a folder that a test has made.
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

/* What filters choose devices by. */
struct usb_identity {
	char name[USBSYS_NAME]; /* port path: "1-2.3"; "usb1" for a root hub */
	uint16_t bus, vid, pid;
	uint8_t dev;
	char serial[USBSYS_SERIAL]; /* "" if it has none */
	bool keyboard; /* an interface of it is one by its class codes */
};

/* Reads one device. Returns false if it is no USB device, or was removed meanwhile. */
bool usbsys_identity(const char *root, const char *name, struct usb_identity *id);

/*
 * Describes a device for people: "Logitech USB Receiver at port 1-2, address 1:3, serial 42,
 * 12 Mb/s, driver usbhid". What it does not have is left out.
 */
void usbsys_describe(const char *root, const struct usb_identity *id, char what[USBSYS_WHAT]);

/* The same for programs: members bus, dev, port, vid, pid, serial, product, speed and drivers. */
void usbsys_members(const char *root, const struct usb_identity *id, struct json *j);

/*
 * Lists the devices for which is() returns true: "VID:PID at 1-2 serial 42, ...", as many as fit,
 * or "none". is NULL: all but root hubs. Returns how many there are.
 */
size_t usbsys_list(const char *root, bool (*is)(const struct usb_identity *id, const void *arg),
		   const void *arg, char *list, size_t size);

/* Calls each() for every device; stops at and returns its first non-zero result. */
int usbsys_each(const char *root, int (*each)(const struct usb_identity *id, void *arg), void *arg);

/*
 * Writes a device as one JSON object: ids, strings, speed, drivers, power state, and descriptors in
 * hex (docs/format.md, "usb/PORTPATH"). Returns false, with nothing written, if it is gone.
 */
bool usbsys_snapshot(const char *root, const char *name, struct json *j);

/* A uevent about a USB device or an interface of one. */
struct usb_uevent {
	enum { USB_ADD, USB_REMOVE, USB_CHANGE } action; /* CHANGE: (un)bind, of interfaces too */
	char name[USBSYS_NAME]; /* of the device, also for its interfaces */
	uint16_t bus;           /* 0: the event does not have it */
	uint8_t dev;
};

/* Returns a socket of uevents, to poll; the caller closes it. -1 with *err. */
int usbsys_uevents(struct trawl_error *err);

/*
 * Reads the next event about USB. Returns 1; 0: there is none now. Sets *overrun if the kernel
 * dropped events: then all devices must be read again.
 */
int usbsys_uevent(int fd, struct usb_uevent *ev, bool *overrun);

/* Parses the text of one uevent (NUL-separated, from the kernel): is it about USB? */
bool usbsys_parse(const char *text, size_t len, struct usb_uevent *ev);

#endif
