/* SPDX-License-Identifier: MIT */
/*
 * USB devices and their transfers for umockdev-run, which lets programs use them without hardware.
 */
#ifndef TRAWL_DECODE_EXPORT_UMOCKDEV_H
#define TRAWL_DECODE_EXPORT_UMOCKDEV_H

#include "decode/export/export.h"

/*
 * Writes a tar archive. usb.umockdev describes every device except root hubs (sysfs attributes,
 * udev properties, descriptors). usb.pcap contains the transfers that umockdev can replay: failed
 * submissions and isochronous transfers are omitted. Like export_format.run.
 */
int umockdev_export(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err);

#endif
