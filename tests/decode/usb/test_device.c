/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "decode/usb/device.h"

/* A keyboard with a second interface: a configuration of 59 bytes. */
static const uint8_t config[] = {
	9, 2, 59, 0, 2, 1, 0, 0xa0, 50,
	9, 4, 0, 0, 1, 3, 1, 1, 0, 9, 0x21, 0x11, 1, 0, 1, 0x22, 63, 0, 7, 5, 0x81, 3, 8, 0, 10,
	9, 4, 1, 0, 1, 8, 6, 0x50, 0, 9, 0x21, 0, 0, 0, 0, 0, 0, 0, 7, 5, 0x82, 2, 0, 2, 0,
};
static const uint8_t device[] = {
	18, 1, 0, 2, 0, 0, 0, 64, 0x27, 0x06, 0x01, 0, 0, 0, 1, 2, 3, 1,
};

static void ask(struct usb_devices *d, struct usb_device *dev, const char *setup, const void *p,
		size_t n)
{
	struct control_request s;

	control_parse(&s, (const uint8_t *)setup);
	usbdev_learn(d, dev, &s, p, n);
}

Test(usbdev, learns_from_the_descriptors_in_a_capture)
{
	struct usb_devices d = {0};
	struct usb_device *dev = usbdev_at(&d, 1, 5);
	struct control_target to;
	struct control_request s;

	ask(&d, dev, "\x80\x06\x00\x01\0\0\x12\0", device, sizeof(device));
	ask(&d, dev, "\x80\x06\x00\x02\0\0\x09\0", config, 9);
	cr_expect_null(usbdev_interface(dev, 0x81), "nine bytes tell no endpoint");
	ask(&d, dev, "\x80\x06\x00\x02\0\0\xff\0", config, sizeof(config));
	cr_assert_not_null(usbdev_interface(dev, 0x81));
	cr_expect_eq(usbdev_interface(dev, 0x81)->class, 3);
	cr_expect(usbdev_interface(dev, 0x81)->hid.keyboard,
		  "a boot keyboard until better is known");
	cr_expect_eq(usbdev_interface(dev, 0x82)->class, 8);
	cr_expect_eq(usbdev_endpoint(dev, 0x82)->packet, 512);
	cr_expect_null(usbdev_interface(dev, 0x02));
	cr_expect_eq(usbdev_vendor(dev), 0x0627);
	control_parse(&s, (const uint8_t *)"\x21\x0a\0\0\0\0\0\0");
	to = usbdev_target(dev, &s);
	cr_expect_eq(to.class, 3, "the class of the interface that is asked");
	cr_expect_not(to.super, "64 bytes of endpoint 0 are of high speed");
	ask(&d, dev, "\x80\x06\x00\x02\0\0\x09\0", config, 9);
	cr_expect_not_null(usbdev_interface(dev, 0x81), "a shorter answer does not undo a longer");
	usbdev_free_all(&d);
}

Test(usbdev, superspeed_is_told_by_the_size_of_endpoint_0)
{
	struct usb_devices d = {0};
	struct usb_device *dev = usbdev_at(&d, 1, 5);
	uint8_t super[18];
	struct control_request s;

	memcpy(super, device, 18);
	super[7] = 9; /* 2^9 */
	ask(&d, dev, "\x80\x06\x00\x01\0\0\x12\0", super, sizeof(super));
	control_parse(&s, (const uint8_t *)"\x80\x06\x00\x02\0\0\x09\0");
	cr_expect(usbdev_target(dev, &s).super);
	usbdev_free_all(&d);
}

Test(usbdev, another_device_at_the_same_address)
{
	struct usb_devices d = {0};
	struct usb_device *dev = usbdev_at(&d, 1, 5);
	uint8_t other[18];

	ask(&d, dev, "\x80\x06\x00\x01\0\0\x12\0", device, sizeof(device));
	ask(&d, dev, "\x80\x06\x00\x02\0\0\xff\0", config, sizeof(config));
	memcpy(other, device, 18);
	other[8] = 0x99;
	ask(&d, dev, "\x80\x06\x00\x01\0\0\x12\0", other, sizeof(other));
	cr_expect_null(usbdev_interface(dev, 0x81));
	ask(&d, dev, "\x80\x06\x00\x02\0\0\xff\0", config, sizeof(config));
	cr_expect_not_null(usbdev_interface(dev, 0x81));
	ask(&d, usbdev_at(&d, 1, 0), "\x00\x05\x05\0\0\0\0\0", "", 0);
	cr_expect_null(usbdev_interface(dev, 0x81), "SET_ADDRESS gives the address away");
	cr_expect_not(dev->known);
	usbdev_free_all(&d);
}

#define HEX_DEVICE "120100020000004027060100000001020301"
#define HEX_CONFIG "09023b00020100a032" "090400000103010100" "092111010001223f00" "0705810308000a" \
	"090401000108065000" "092100000000000000" "07058202000200"

Test(usbdev, learns_from_a_snapshot)
{
	static const char json[] =
		"{\"path\":\"1-2.3\",\"busnum\":1,\"devnum\":5,\"vid\":1575,\"manufacturer\":\"Q\","
		"\"product\":\"Keys\",\"configuration\":1,\"descriptors\":\"" HEX_DEVICE HEX_CONFIG
		"\",\"interfaces\":[{\"number\":0,\"alternate\":0,\"hid_report\":"
		"\"05010902a1010930750895018106c0\"}]}";
	struct usb_devices d = {0};
	struct usb_device *dev;

	cr_assert(usbdev_snapshot(&d, json, sizeof(json) - 1));
	dev = usbdev_find(&d, 1, 5);
	cr_assert_not_null(dev);
	cr_expect_str_eq(dev->port, "1-2.3");
	cr_expect_str_eq(dev->name, "Q Keys");
	cr_expect(dev->known);
	cr_expect_not(dev->captured);
	cr_assert_not_null(usbdev_interface(dev, 0x81));
	cr_expect(usbdev_interface(dev, 0x81)->hid_known);
	cr_expect_not(usbdev_interface(dev, 0x81)->hid.keyboard, "the report descriptor decides");
	usbdev_free_all(&d);
}

Test(usbdev, a_second_snapshot_does_not_interrupt)
{
	/* a disk of one interface: vendor 46f4 in both, product 2 in the other */
	static const char *const json[] = {
		"{\"busnum\":1,\"devnum\":5,\"configuration\":1,\"descriptors\":"
		"\"12010002000000400f464f0100000102030109021900010100800009040000010806620007058102"
		"000200\"}",
		"{\"busnum\":1,\"devnum\":5,\"configuration\":1,\"descriptors\":"
		"\"12010002000000400f465f0100000102030109021900010100800009040000010806620007058102"
		"000200\"}",
	};
	struct usb_devices d = {0};
	struct usb_interface *f;
	struct msc *msc;

	cr_assert(usbdev_snapshot(&d, json[0], strlen(json[0])));
	f = usbdev_interface(usbdev_find(&d, 1, 5), 0x81);
	cr_assert(f);
	f->msc = msc = calloc(1, sizeof(*f->msc));
	cr_assert(usbdev_snapshot(&d, json[0], strlen(json[0])));
	cr_assert_eq(usbdev_interface(usbdev_find(&d, 1, 5), 0x81)->msc, msc, "the same device");
	/* A reset ends with the configuration that was there, and with no command open. */
	ask(&d, usbdev_find(&d, 1, 5), "\x00\x09\x01\0\0\0\0\0", "", 0);
	cr_expect_null(usbdev_interface(usbdev_find(&d, 1, 5), 0x81)->msc, "configured again");
	f = usbdev_interface(usbdev_find(&d, 1, 5), 0x81);
	f->msc = calloc(1, sizeof(*f->msc));
	ask(&d, usbdev_find(&d, 1, 5), "\x01\x0b\0\0\0\0\0\0", "", 0);
	cr_expect_null(f->msc, "the same alternate setting again");
	f->msc = calloc(1, sizeof(*f->msc));
	cr_assert(usbdev_snapshot(&d, json[1], strlen(json[1])));
	cr_assert_null(usbdev_interface(usbdev_find(&d, 1, 5), 0x81)->msc, "another device");
	usbdev_free_all(&d);
}

Test(usbdev, snapshots_that_are_none)
{
	static const char *const bad[] = {
		"", "{", "[]", "{\"busnum\":1,\"devnum\":5}",
		"{\"busnum\":1,\"devnum\":500,\"descriptors\":\"" HEX_DEVICE "\"}",
		"{\"busnum\":1,\"devnum\":5,\"descriptors\":\"zz" HEX_DEVICE "\"}",
		"{\"busnum\":1,\"devnum\":5,\"descriptors\":\"1201\"}",
		"{\"busnum\":1,\"devnum\":5,\"descriptors\":[1]}",
	};
	struct usb_devices d = {0};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_not(usbdev_snapshot(&d, bad[i], strlen(bad[i])), "%s", bad[i]);
	usbdev_free_all(&d);
}

Test(usbdev, the_verdict_of_a_capture_is_no_snapshot)
{
	struct trawl_meta verdict = {.name = "usb/verdict"}, device = {.name = "usb/1-2"};

	cr_expect_not(usbdev_is_meta(&verdict));
	cr_expect(usbdev_is_meta(&device));
}

Test(usbdev, a_file_of_many_buses_takes_bounded_memory)
{
	struct usb_devices d = {0};
	unsigned int made = 0;

	for (unsigned int bus = 0; bus < 65536; bus++)
		made += usbdev_at(&d, (uint16_t)bus, 1) != NULL;
	cr_expect_eq(made, USBDEV_MAX);
	usbdev_free_all(&d);
}
