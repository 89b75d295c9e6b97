/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "decode/usb/descriptor.h"

/* Returns the answer as one line; --fields all prints it on several lines. */
static const char *line(uint8_t type, uint8_t index, uint8_t class, const void *p, size_t n)
{
	struct descriptor_request r = {.type = type, .index = index, .to.class = class};
	static struct out o;
	struct tree t;

	tree_init(&t);
	out_free(&o);
	out_memory(&o);
	descriptor_tree(&r, p, n, &t);
	tree_line(&t, 0, t.count, &o);
	out_char(&o, '\0');
	tree_free(&t);
	return o.data;
}

#define LINE(type, index, class, text) line(type, index, class, text, sizeof(text) - 1)

static const char *brief(uint8_t type, bool super, const void *p, size_t n)
{
	struct descriptor_request r = {.type = type,
				       .index = type == DESC_STRING,
				       .to.super = super};
	static struct out o;

	out_free(&o);
	out_memory(&o);
	descriptor_brief(&r, p, n, &o);
	out_char(&o, '\0');
	return o.data;
}

#define BRIEF(type, super, text) brief(type, super, text, sizeof(text) - 1)

Test(descriptor, in_a_phrase)
{
	static const char config[] = "\x09\x02\x19\x00\x01\x01\x00\xa0\x32"
				     "\x09\x04\x00\x00\x01\x03\x01\x01\x00"
				     "\x07\x05\x81\x03\x08\x00\x0a";

	cr_expect_str_eq(BRIEF(1, false, "\x12\x01\x10\x02\x09\x00\x01\x40\x6b\x1d\x02\x00"
					 "\x01\x06\x03\x02\x01\x01"),
			 "1d6b:0002 usb 2.10 hub");
	cr_expect_str_eq(BRIEF(2, false, config), "25 bytes, 1 interface, 100 mA: HID");
	cr_expect_str_eq(BRIEF(2, true, config), "25 bytes, 1 interface, 400 mA: HID");
	cr_expect_str_eq(BRIEF(3, false, "\x06\x03h\0i\0"), "\"hi\"");
	cr_expect_str_eq(BRIEF(0x29, false, "\x09\x29\x04\x00\x00"), "4 ports");
	cr_expect_str_eq(BRIEF(0x29, false, "\x09\x29\x01\x00\x00"), "1 port");
	cr_expect_str_eq(BRIEF(0x0f, true, "\x05\x0f\x2a\x00\x03"), "3 capabilities");
	cr_expect_str_eq(BRIEF(0x0f, true, "\x05\x0f\x0c\x00\x01"), "1 capability");
	cr_expect_str_eq(BRIEF(2, false, "\x09\x02\x19"), "", "cut too short to say anything");
}

Test(descriptor, device)
{
	cr_expect_str_eq(LINE(1, 0, 0, "\x12\x01\x10\x02\x09\x00\x01\x40\x6b\x1d\x02\x00\x01\x06"
				       "\x03\x02\x01\x01"),
			 "descriptors=[{descriptor=\"device\" bLength=18 bDescriptorType=0x01 "
			 "bcdUSB=\"2.10\" bDeviceClass=0x09 bDeviceSubClass=0x00 "
			 "bDeviceProtocol=0x01 bMaxPacketSize0=64 idVendor=1d6b idProduct=0002 "
			 "bcdDevice=\"6.01\" iManufacturer=3 iProduct=2 iSerialNumber=1 "
			 "bNumConfigurations=1 class_name=\"hub\"}]");
}

Test(descriptor, a_cut_answer_shows_what_is_there)
{
	cr_expect_str_eq(LINE(1, 0, 0, "\x12\x01\x00\x02\x00\x00\x00\x08"),
			 "descriptors=[{descriptor=\"device\" bLength=18 bDescriptorType=0x01 "
			 "bcdUSB=\"2.00\" bDeviceClass=0x00 bDeviceSubClass=0x00 "
			 "bDeviceProtocol=0x00 bMaxPacketSize0=8 cut=true}]");
}

Test(descriptor, endpoints)
{
	const char *s = LINE(5, 0, 0, "\x07\x05\x81\x05\x00\x14\x04");

	cr_expect(strstr(s, "xfer=\"iso\" synchronisation=\"asynchronous\" usage=\"data\""),
		  "%s", s);
	cr_expect(strstr(s, "packet_size=1024 packets_per_microframe=3"), "%s", s);
}

Test(descriptor, class_descriptors_belong_to_the_interface_before_them)
{
	static const char config[] = "\x09\x04\x00\x00\x01\x03\x01\x01\x00"
				     "\x09\x21\x11\x01\x00\x01\x22\x3f\x00"
				     "\x09\x04\x01\x00\x01\xfe\x01\x02\x00"
				     "\x09\x21\x0b\xff\x00\x00\x08\x10\x01"
				     "\x09\x04\x02\x00\x00\x01\x01\x00\x00"
				     "\x09\x24\x01\x00\x01\x09\x00\x01\x03";
	const char *s = LINE(2, 0, 0, config);

	cr_expect(strstr(s, "descriptor=\"HID\""), "%s", s);
	cr_expect(strstr(s, "wDescriptorLength=63"), "%s", s);
	cr_expect(strstr(s, "descriptor=\"DFU functional\""), "%s", s);
	cr_expect(strstr(s, "wTransferSize=2048"), "%s", s);
	cr_expect(strstr(s, "descriptor=\"audio control header\""), "%s", s);
	cr_expect(strstr(s, "baInterfaceNr=[3]"), "%s", s);
}

Test(descriptor, strings)
{
	cr_expect_str_eq(LINE(3, 1, 0, "\x08\x03h\0\xe9\0!\0"),
			 "descriptors=[{descriptor=\"string\" bLength=8 bDescriptorType=0x03 "
			 "bString=\"h\xc3\xa9!\"}]");
	cr_expect_str_eq(LINE(3, 1, 0, "\x06\x03\x3d\xd8\x00\xde"),
			 "descriptors=[{descriptor=\"string\" bLength=6 bDescriptorType=0x03 "
			 "bString=\"\xf0\x9f\x98\x80\"}]");
	cr_expect(strstr(LINE(3, 1, 0, "\x04\x03\x3d\xd8"), "bString=\"\xef\xbf\xbd\""),
		  "half of a pair is no character");
	cr_expect(strstr(LINE(3, 1, 0, "\x05\x03h\0!"), "bString=\"h\xef\xbf\xbd\""),
		  "half of a character at the end");
	/*
	 * U+D7FF and U+E000 are characters; half of a surrogate pair, or a pair in the wrong order,
	 * is not.
	 */
	cr_expect(strstr(LINE(3, 1, 0, "\x04\x03\xff\xd7"), "bString=\"\xed\x9f\xbf\""));
	cr_expect(strstr(LINE(3, 1, 0, "\x04\x03\x00\xe0"), "bString=\"\xee\x80\x80\""));
	cr_expect(strstr(LINE(3, 1, 0, "\x04\x03\xff\xdf"), "bString=\"\xef\xbf\xbd\""));
	cr_expect(strstr(LINE(3, 1, 0, "\x06\x03\xff\xdb\xff\xdf"), "bString=\"\xf4\x8f\xbf\xbf\""),
		  "the last character");
	cr_expect(strstr(LINE(3, 1, 0, "\x06\x03\x00\xd8\x00\xe0"),
			 "bString=\"\xef\xbf\xbd\xee\x80\x80\""));
	cr_expect(strstr(LINE(3, 0, 0, "\x06\x03\x09\x04\x07\x04"), "wLANGID=[0x0409 0x0407]"));
}

Test(descriptor, capabilities)
{
	const char *s = LINE(0x0f, 0, 0, "\x05\x0f\x16\x00\x02\x07\x10\x02\x06\x00\x00\x00"
					 "\x0a\x10\x03\x00\x0e\x00\x01\x0a\xff\x07");

	cr_expect(strstr(s, "descriptor=\"USB 2.0 extension\""), "%s", s);
	cr_expect(strstr(s, "wSpeedsSupported=0x000e"), "%s", s);
	cr_expect(strstr(s, "wU2DevExitLat=2047"), "%s", s);
}

Test(descriptor, lengths_that_lie)
{
	cr_expect(strstr(LINE(2, 0, 0, "\x09\x02\xff\xff\x01\x01\x00\x80\x32\x00\x04\x01"),
			 "damage=\"a descriptor says that it is 0 bytes long, 3 bytes are left\""));
	cr_expect(strstr(LINE(2, 0, 0, "\x09\x02\xff\xff\x01\x01\x00\x80\x32\xff\x05\x81"),
			 "bLength=255"));
	cr_expect(strstr(LINE(1, 0, 0, "\x04\x01\x00\x02"), "bcdUSB=\"2.00\""));
	/* A count of 255 units in a descriptor of nine bytes. */
	cr_expect(strstr(LINE(2, 0, 0, "\x09\x04\x00\x00\x00\x01\x01\x00\x00"
				       "\x08\x24\x05\x01\xff\x01\x02\x03"),
			 "baSourceID=[1 2 3] short=true"));
	cr_expect_str_eq(LINE(1, 0, 0, "\x12"), "descriptors=[]");
}

Test(descriptor, walking_always_advances_and_stays_inside)
{
	uint8_t bytes[64];

	for (unsigned int length = 0; length < 256; length++) {
		struct descriptor_walk w = descriptor_walk(bytes, sizeof(bytes));
		struct descriptor d;
		size_t steps = 0, total = 0;

		memset(bytes, (int)length, sizeof(bytes));
		while (descriptor_next(&w, &d)) {
			cr_assert(d.p >= bytes && d.p + d.room <= bytes + sizeof(bytes));
			total += d.room;
			cr_assert_lt(steps++, sizeof(bytes));
		}
		cr_assert_leq(total, sizeof(bytes));
		cr_expect_eq(w.stuck, length < 2);
	}
}

Test(descriptor, names)
{
	struct control_target hid = {.class = 3}, dfu = {.class = 0xfe, .subclass = 1}, none = {0};

	cr_expect_str_eq(descriptor_name(0x21, &hid), "HID");
	cr_expect_str_eq(descriptor_name(0x21, &dfu), "DFU functional");
	cr_expect_str_eq(descriptor_name(0x02, &none), "configuration");
	cr_expect_null(descriptor_name(0xee, &none));
	cr_expect_str_eq(usb_class_name(8), "mass storage");
	cr_expect_null(usb_class_name(0x42));
}

/* Audio 2.0 has two bits for a control, and other names of channels; a jack has two of each pin. */
Test(descriptor, audio_controls_channels_and_jacks)
{
	const char *s = LINE(2, 0, 0,
			     "\x09\x02\x00\x01\x01\x01\x00\xa0\x32"
			     "\x09\x04\x00\x00\x00\x01\x01\x20\x00"
			     "\x11\x24\x02\x01\x01\x01\x00\x07\x02\x03\x00\x00\x84\x00\x1d\x00\x00"
			     "\x08\x24\x0a\x07\x02\x07\x00\x00"
			     "\x09\x04\x01\x00\x00\x01\x03\x00\x00"
			     "\x0b\x24\x03\x01\x02\x02\x01\x09\x04\x08\x05"
			     "\x09\x24\x03\x01\x02\x02\x01\x09\x04");

	cr_expect(strstr(s, "\"front right\" \"back right of center\" \"raw data\"]"), "%s", s);
	cr_expect(strstr(s, "bmControls_set=[\"copy protection (read-only)\" \"connector\" "
			    "\"overload (read-only)\"]"),
		  "%s", s);
	cr_expect(strstr(s, "bmControls_set=[\"frequency\" \"validity (read-only)\"]"), "%s", s);
	cr_expect(strstr(s, "baSourceID=[1 4] baSourcePin=[9 8] iJack=5"), "%s", s);
	cr_expect_null(strstr(s, "iJack=4"), "a descriptor that is too short: %s", s);
}

Test(descriptor, a_compressed_audio_stream_has_a_bit_rate)
{
	static const char stream[] = "\x09\x04\1\1\0\1\2\0\0"
				     "\x0c\x24\2\2\x80\1\x00\6\1\x80\xbb\0"
				     "\x0b\x24\2\1\2\2\x10\1\x80\xbb\0";
	const char *text = LINE(2, 0, 0, stream);

	cr_expect(strstr(text, "wMaxBitRate=384 wSamplesPerFrame=1536 bSamFreqType=1"), "%s", text);
	cr_expect(strstr(text, "bNrChannels=2 bSubframeSize=2 bBitResolution=16"), "%s", text);
}
