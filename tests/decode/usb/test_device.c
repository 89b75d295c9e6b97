/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "common/array.h"
#include "decode/usb/class.h"
#include "decode/usb/device.h"
#include "decode/usb/entity.h"

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
	ask(&d, dev, "\x80\x06\x02\x03\x09\x04\xff", "\x0a\x03K\0e\0y\0s\0", 10);
	cr_expect_str_eq(dev->name, "Q Keys", "the product alone says less");
	ask(&d, dev, "\x80\x06\x02\x03\x09\x04\xff", "\x08\x03N\0e\0w\0", 8);
	cr_expect_str_eq(dev->name, "New");
	usbdev_free_all(&d);
}

Test(usbdev, a_second_snapshot_does_not_interrupt)
{
	/* a disk with one interface: vendor 46f4 in both, product 2 in the second */
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
	/* After a reset the configuration is the same, and no command is open. */
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

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
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

/*
 * Two functions of a camera, each with its own unit 2; a printer behind a vendor-specific scanner.
 */
static const uint8_t composite[] = {
	9, 2, 66, 0, 4, 1, 0, 0xa0, 50,
	9, 4, 0, 0, 0, 0x0e, 1, 0, 0, 8, 0x24, 4, 2, 1, 1, 0, 0,
	9, 4, 1, 0, 0, 0x0e, 1, 0, 0, 8, 0x24, 5, 2, 1, 0, 0, 0,
	9, 4, 2, 0, 0, 0xff, 0, 0, 0, 9, 4, 3, 0, 0, 7, 1, 2, 0, 5, 0x24, 0, 0, 0,
};

Test(usbdev, each_function_numbers_its_own_units)
{
	struct usb_devices d = {0};
	struct usb_detail of = {.device = usbdev_at(&d, 1, 5)};
	const uint8_t *p;
	size_t n;

	ask(&d, of.device, "\x80\x06\x00\x01\0\0\x12\0", device, sizeof(device));
	ask(&d, of.device, "\x80\x06\x00\x02\0\0\xff\0", composite, sizeof(composite));
	of.setup.index = 0x0200;
	p = entity_descriptor(&of, 0x0e, &n);
	cr_assert_not_null(p);
	cr_expect_eq(p[2], 4);
	of.setup.index = 0x0201;
	p = entity_descriptor(&of, 0x0e, &n);
	cr_assert_not_null(p);
	cr_expect_eq(p[2], 5);
	of.setup.index = 0x0202;
	cr_expect_null(entity_descriptor(&of, 0x0e, &n));
	usbdev_free_all(&d);
}

Test(usbdev, the_id_of_a_printer_is_asked_with_the_interface_in_the_high_byte)
{
	struct usb_devices d = {0};
	struct usb_device *dev = usbdev_at(&d, 1, 5);
	struct control_request s;

	ask(&d, dev, "\x80\x06\x00\x01\0\0\x12\0", device, sizeof(device));
	ask(&d, dev, "\x80\x06\x00\x02\0\0\xff\0", composite, sizeof(composite));
	control_parse(&s, (const uint8_t *)"\xa1\0\0\0\0\3\0\4");
	cr_expect_eq(usbdev_target(dev, &s).class, 7);
	control_parse(&s, (const uint8_t *)"\xa1\1\0\0\3\0\1\0");
	cr_expect_eq(usbdev_target(dev, &s).class, 7, "GET_PORT_STATUS has it in the low byte");
	usbdev_free_all(&d);
}

/* Returns how an answer about a feature unit's control is shown. */
static const char *audio(const char *setup, uint8_t protocol, const void *p, size_t n)
{
	/* configuration of one audio control interface with feature unit 2 and input terminal 1 */
	static const uint8_t units[] = {
		9, 2, 34, 0, 1, 1, 0, 0xa0, 50, 9, 4, 0, 0, 0, 1, 1, 0x20, 0,
		8, 0x24, 6, 2, 1, 0, 0, 0, 8, 0x24, 2, 1, 0, 0, 0, 0,
	};
	struct usb_devices d = {0};
	struct usb_detail of = {.device = usbdev_at(&d, 1, 5), .data = p, .data_len = (uint32_t)n};
	static struct out o;

	out_free(&o);
	out_memory(&o);
	ask(&d, of.device, "\x80\x06\x00\x01\0\0\x12\0", device, sizeof(device));
	ask(&d, of.device, "\x80\x06\x00\x02\0\0\xff\0", units, sizeof(units));
	control_parse(&of.setup, (const uint8_t *)setup);
	of.target = (struct control_target){.class = 1, .subclass = 1, .protocol = protocol};
	usb_audio_class.request_brief(NULL, &of, &o);
	out_char(&o, '\0');
	usbdev_free_all(&d);
	return o.data;
}

Test(audio, ranges_that_were_not_asked_for_are_not_made_of_others)
{
	static const char two[] = "\2\0" "\0\x81\0\0\0\1" "\0\1\0\2\0\1";

	cr_expect_str_eq(audio("\xa1\2\0\2\0\2\x0e\0", 0x20, two, 14),
			 " VOLUME -127.00 dB to 0.00 dB, 1.00 dB to 2.00 dB, feature unit 2");
	cr_expect_str_eq(audio("\xa1\2\0\2\0\2\x08\0", 0x20, two, 8),
			 " VOLUME -127.00 dB to 0.00 dB and 1 more, feature unit 2");
}

Test(audio, units_of_values)
{
	cr_expect_str_eq(audio("\xa1\1\0\x08\0\2\4\0", 0x20, "\0\0\x40\0", 4),
			 " DELAY 1.00 ms, feature unit 2", "1/4194304 ms in Audio 2.0");
	cr_expect_str_eq(audio("\xa1\x81\0\x08\0\2\2\0", 0, "\x40\0", 2),
			 " DELAY 1.00 ms, feature unit 2", "1/64 ms in Audio 1.0");
	cr_expect_str_eq(audio("\xa1\x81\0\1\0\1\1\0", 0, "\2", 1),
			 " COPY_PROTECT 2, input terminal 1", "a level, no switch");
}
