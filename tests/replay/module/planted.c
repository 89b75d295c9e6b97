/* SPDX-License-Identifier: MIT */
/*
 * A driver of a fictional device, with a planted fault, for the tests of trawl-replay vm. At its
 * start it requests a table, "count, count times (offset, value)", and stores the values at their
 * offsets.
 *
 * FAULT 0: none. 1: it requests another version of the table than the recorded driver did. 2: it
 * does not check the offsets.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/usb.h>

#define ROOM 64

static int planted_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
	struct usb_device *dev = interface_to_usbdev(interface);
	u8 *table = kzalloc(ROOM, GFP_KERNEL), *values = kzalloc(ROOM, GFP_KERNEL);
	int n = -ENOMEM, i;

	if (!table || !values)
		goto out;
	n = usb_control_msg(dev, usb_rcvctrlpipe(dev, 0), 1,
			    USB_DIR_IN | USB_TYPE_VENDOR | USB_RECIP_DEVICE, FAULT == 1 ? 2 : 0, 0,
			    table, ROOM, 1000);
	for (i = 1; n > 0 && i + 1 < n && i < 2 * table[0]; i += 2) {
		if (FAULT == 2)
			WARN(table[i] >= ROOM, "planted: offset %u of %u\n", table[i], ROOM);
		if (table[i] < ROOM)
			values[table[i]] = table[i + 1];
	}
	if (n > 0)
		dev_info(&interface->dev, "planted: %u values\n", table[0]);
	n = n < 0 ? n : 0;
out:
	kfree(table);
	kfree(values);
	return n;
}

static void planted_disconnect(struct usb_interface *interface)
{
}

static const struct usb_device_id planted_ids[] = {{USB_DEVICE(0x1209, 0x0001)}, {}};
MODULE_DEVICE_TABLE(usb, planted_ids);

static struct usb_driver planted_driver = {
	.name = "planted",
	.id_table = planted_ids,
	.probe = planted_probe,
	.disconnect = planted_disconnect,
};
module_usb_driver(planted_driver);
MODULE_DESCRIPTION("A driver with a planted fault");
MODULE_LICENSE("Dual MIT/GPL");
