/* SPDX-License-Identifier: MIT */
/*
 * The metadata usb/NAME of recorded devices: written when a device is selected, again when its
 * drivers have been bound, and when it was removed.
 */
#ifndef TRAWL_CAPTURE_USB_DEVICES_H
#define TRAWL_CAPTURE_USB_DEVICES_H

#include "capture/session.h"
#include "capture/usb/filter.h"
#include "capture/usb/sysfs.h"
#include "common/json.h"

enum { USBDEVICES_REWRITES = 32 }; /* limit of the devices whose drivers are being bound */

struct usbdevices {
	struct session *session;
	struct usbfilter *filter; /* of the source, which owns it */
	bool warned[USBFILTER_BUSES][USBFILTER_DEVS]; /* a warning was printed for the keyboard at
						       * this address */
	struct usbdevices_rewrite {
		char name[USBSYS_NAME];
		uint64_t due; /* mono_ms() */
	} rewrites[USBDEVICES_REWRITES];
	size_t nrewrites;
};

/* Called before the first device: keeps the session and the filter, which outlive *d. */
void usbdevices_start(struct usbdevices *d, struct session *session, struct usbfilter *filter);

/*
 * Writes the metadata of a device, if it is selected and was not removed. These return 0, or -1
 * with *err.
 */
int usbdevices_write(struct usbdevices *d, const char *name, struct trawl_error *err);
int usbdevices_write_removed(struct usbdevices *d, const struct usb_uevent *ev,
			     struct trawl_error *err);

/* Schedules another write of a device's metadata: drivers are bound some time after it appears. */
void usbdevices_rewrite_later(struct usbdevices *d, const char *name);

/* Does the scheduled writes that are due, or all. */
int usbdevices_rewrite(struct usbdevices *d, bool all, struct trawl_error *err);

/* Writes *j as the metadata usb/NAME and frees it. */
int usbdevices_write_json(struct usbdevices *d, const char *name, struct json *j,
			  struct trawl_error *err);

#endif
