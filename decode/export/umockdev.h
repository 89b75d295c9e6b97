/* SPDX-License-Identifier: MIT */
/* USB devices and their transfers for umockdev-run, whose programs meet them without a kernel's
 * USB. */
#ifndef TRAWL_DECODE_EXPORT_UMOCKDEV_H
#define TRAWL_DECODE_EXPORT_UMOCKDEV_H

#include "decode/export/export.h"

/*
 * Writes a tar archive: usb.umockdev describes every device but root hubs (sysfs attributes, udev
 * properties, descriptors), usb.pcap has the transfers in the form that umockdev replays: none that
 * failed to be submitted, none isochronous. As export_format.run.
 */
int umockdev_export(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err);

#endif
