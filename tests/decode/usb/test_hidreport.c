/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "decode/usb/hidreport.h"
#include "decode/usb/hidusage.h"

static const char *brief(const struct hid_report *h, enum hid_kind kind, const char *p, size_t n,
			 bool show_keys)
{
	static struct out o;

	out_free(&o);
	out_memory(&o);
	hid_brief(h, kind, (const uint8_t *)p, n, show_keys, &o);
	out_char(&o, '\0');
	return o.data;
}

Test(hid, boot_keyboard)
{
	struct hid_report h;

	cr_assert(hid_boot_keyboard(&h));
	cr_expect_null(h.damage);
	cr_expect(h.keyboard);
	cr_expect_str_eq(brief(&h, HID_INPUT, "\x02\0\x04\x05\0\0\0\0", 8, true),
			 " keys LeftShift+A+B");
	cr_expect_str_eq(brief(&h, HID_INPUT, "\x02\0\x04\x05\0\0\0\0", 8, false),
			 " 3 keys down");
	cr_expect_str_eq(brief(&h, HID_INPUT, "\0\0\0\0\0\0\0\0", 8, true), " keys none");
	cr_expect(hid_is_secret(&h, HID_INPUT, (const uint8_t *)"\0\0\0\0\0\0\0\0", 8));
	cr_expect_not(hid_is_secret(&h, HID_OUTPUT, (const uint8_t *)"\1", 1), "lamps are none");
	cr_expect_str_eq(brief(&h, HID_OUTPUT, "\x02", 1, false),
			 " NumLock=0 CapsLock=1 ScrollLock=0 Compose=0 Kana=0");
	hid_free(&h);
}

/* Two reports with ids: consumer keys as an array, and a relative 12-bit pointer. */
static const uint8_t with_ids[] = {
	0x05, 0x0c, 0x09, 0x01, 0xa1, 0x01, 0x85, 0x01, 0x15, 0x00, 0x26, 0x80, 0x02, 0x19, 0x00,
	0x2a, 0x80, 0x02, 0x75, 0x10, 0x95, 0x01, 0x81, 0x00, 0xc0,
	0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x85, 0x02, 0x09, 0x30, 0x09, 0x31, 0x16, 0x01, 0xf8,
	0x26, 0xff, 0x07, 0x75, 0x0c, 0x95, 0x02, 0x81, 0x06, 0xc0,
};

/* Returns the fields of a report descriptor, as in --fields all. */
static const char *fields_of(const struct hid_report *h)
{
	static struct out o;
	struct tree t;

	tree_init(&t);
	out_free(&o);
	out_memory(&o);
	hid_descriptor_tree(h, &t);
	tree_line(&t, 0, t.count, &o);
	out_char(&o, '\0');
	tree_free(&t);
	return o.data;
}

Test(hid, every_value_of_a_field)
{
	static const uint8_t constant[] = {
		0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x75, 0x08, 0x95, 0x03, 0x81, 0x03, 0xc0,
	};
	struct hid_report h;

	cr_assert(hid_parse(&h, with_ids, sizeof(with_ids)));
	cr_expect_str_eq(fields_of(&h),
			 "application=\"ConsumerControl\" keyboard=false reports=["
			 "{kind=\"input\" report_id=1 bit=0 bits=16 count=1 form=\"array\" relative=false "
			 "min=0 max=640 usages=[\"000c:0000..000c:0280\"]} "
			 "{kind=\"input\" report_id=2 bit=0 bits=12 count=2 form=\"variable\" relative=true "
			 "min=-2047 max=2047 usages=[\"X\" \"Y\"]}]");
	hid_free(&h);
	cr_assert(hid_parse(&h, constant, sizeof(constant)));
	cr_expect_str_eq(fields_of(&h), "application=\"Mouse\" keyboard=false reports=["
			 "{kind=\"input\" bit=0 bits=8 count=3 constant=true}]");
	hid_free(&h);
}

/* Physical range, unit and flags; Pop restores the first three. */
Test(hid, physical_range_and_unit)
{
	static const uint8_t d[] = {
		0x05, 0x0d, 0x09, 0x02, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x7f, 0x75, 0x10, 0x95,
		0x01, 0xa4, 0x05, 0x01, 0x35, 0xf6, 0x46, 0x10, 0x27, 0x55, 0x0d, 0x65, 0x13, 0x09,
		0x30, 0x81, 0x7a, 0x55, 0xfe, 0x66, 0x21, 0xe1, 0x09, 0x31, 0xb2, 0x82, 0x01, 0xb4,
		0x09, 0x30, 0x81, 0x02, 0xc0,
	};
	struct hid_report h;

	cr_assert(hid_parse(&h, d, sizeof(d)));
	cr_expect_str_eq(
		fields_of(&h),
		"application=\"Pen\" keyboard=false reports=["
		"{kind=\"input\" bit=0 bits=16 count=1 form=\"variable\" relative=false min=0 max=32767 "
		"physical_min=-10 physical_max=10000 unit_code=0x00000013 unit=\"in\" unit_exponent=-3 "
		"wrap=true nonlinear=true no_preferred=true null_state=true usages=[\"X\"]} "
		"{kind=\"feature\" bit=0 bits=16 count=1 form=\"variable\" relative=false min=0 "
		"max=32767 physical_min=-10 physical_max=10000 unit_code=0x0000e121 "
		"unit=\"cm^2 g s^-2\" unit_exponent=-2 volatile=true buffered=true usages=[\"Y\"]} "
		"{kind=\"input\" bit=16 bits=16 count=1 form=\"variable\" relative=false min=0 "
		"max=32767 usages=[\"TipPressure\"]}]");
	hid_free(&h);
}

Test(hid, report_ids_and_odd_sizes)
{
	struct hid_report h;

	cr_assert(hid_parse(&h, with_ids, sizeof(with_ids)));
	cr_expect_null(h.damage);
	cr_expect(h.ids);
	cr_expect_not(h.keyboard);
	cr_expect_str_eq(brief(&h, HID_INPUT, "\x01\xe9\x00", 3, false), " report 1 VolumeUp");
	cr_expect_str_eq(brief(&h, HID_INPUT, "\x02\xff\x5f\x00", 4, false), " report 2 X=-1 Y=5");
	cr_expect_str_eq(brief(&h, HID_INPUT, "\x02\xff", 2, false), " report 2",
			 "a report that ends early");
	cr_expect_str_eq(brief(&h, HID_INPUT, "", 0, false), " report 0");
	hid_free(&h);
}

/* A usage page applies to the main item, even after its usages, as in some keyboards. */
Test(hid, a_page_behind_its_usages)
{
	static const uint8_t keyboard[] = {
		0x09, 0x06, 0x05, 0x01, 0xa1, 0x01, /* keyboard, on the generic desktop */
		0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08,
		0x19, 0xe0, 0x29, 0xe7, 0x05, 0x07, 0x81, 0x02,
		0x05, 0x01, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x02,
		0x19, 0x00, 0x05, 0x07, 0x29, 0xff, 0x81, 0x00, /* between minimum and maximum */
		0xc0,
	};
	struct hid_report h;

	cr_assert(hid_parse(&h, keyboard, sizeof(keyboard)));
	cr_expect_null(h.damage);
	cr_expect_eq(h.application, 0x10006);
	cr_expect(h.keyboard, "its reports are to be masked");
	cr_expect_str_eq(brief(&h, HID_INPUT, "\x02\x04\x05", 3, true), " keys LeftShift+A+B");
	cr_expect_str_eq(brief(&h, HID_INPUT, "\x02\x04\x05", 3, false), " 3 keys down");
	hid_free(&h);
}

/* Several pages before one main item: each usage has its own; one of 4 bytes contains its page. */
Test(hid, pages_in_turn)
{
	static const uint8_t turns[] = {
		0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x15, 0x00, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x02,
		0x05, 0x09, 0x09, 0x01, 0x05, 0x01, 0x09, 0x30, 0x81, 0x02, /* button 1, X */
		0x0b, 0x31, 0x00, 0x01, 0x00, 0x09, 0x02, 0x05, 0x09, 0x81, 0x02, /* Y, button 2 */
		0xc0,
	};
	struct hid_report h;

	cr_assert(hid_parse(&h, turns, sizeof(turns)));
	cr_expect_null(h.damage);
	cr_assert_eq(h.nfields, 2);
	cr_expect_eq(h.usages[h.fields[0].usages].first, 0x90001);
	cr_expect_eq(h.usages[h.fields[0].usages + 1].first, 0x10030);
	cr_expect_eq(h.usages[h.fields[1].usages].first, 0x10031);
	cr_expect_eq(h.usages[h.fields[1].usages + 1].last, 0x90002);
	hid_free(&h);
}

static const char *damage(const char *bytes, size_t n)
{
	struct hid_report h;
	const char *what;

	cr_assert(hid_parse(&h, (const uint8_t *)bytes, n));
	what = h.damage ? h.damage : "";
	hid_free(&h);
	return what;
}

Test(hid, descriptors_that_lie)
{
	char deep[300];

	cr_expect_str_eq(damage("\x05", 1), "the descriptor ends inside an item");
	cr_expect_str_eq(damage("\xfe\x20\x00", 3), "the descriptor ends inside an item");
	cr_expect_str_eq(damage("\xc0", 1), "end of a collection without its beginning");
	cr_expect_str_eq(damage("\xa1\x01", 2), "a collection is not ended");
	cr_expect_str_eq(damage("\xb4", 1), "there is a Pop item without a Push");
	cr_expect_str_eq(damage("\x19\x20\x29\x10\x81\x02", 6),
			 "a usage maximum is below its minimum");
	cr_expect_str_eq(damage("\x77\xff\xff\xff\xff\x97\xff\xff\xff\xff\x81\x02", 12),
			 "a report is longer than 64 KiB");
	cr_expect_str_eq(damage("\x75\x01\x96\x01\x30\x81\x02", 7),
			 "a field has more than 12,288 elements");
	for (size_t i = 0; i < sizeof(deep); i += 2)
		memcpy(deep + i, "\xa1\x01", 2);
	cr_expect_str_eq(damage(deep, sizeof(deep)), "collections are nested too deeply");
	memset(deep, 0xa4, sizeof(deep));
	cr_expect_str_eq(damage(deep, sizeof(deep)), "there are too many Push items");
}

/* Each of its elements would be searched among all usages, for each report. */
Test(hid, a_field_of_too_many_elements_is_passed_over)
{
	static const uint8_t bytes[] = {0x05, 0x01, 0x09, 0x30, 0x75, 0x01, 0x96, 0x01, 0x30, 0x81,
					0x02, 0x09, 0x31, 0x75, 0x07, 0x95, 0x01, 0x81, 0x02};
	struct hid_report h;

	cr_assert(hid_parse(&h, bytes, sizeof(bytes)));
	cr_assert_eq(h.nfields, 1);
	cr_expect_eq(h.fields[0].at, 12289, "what follows it is where it was");
	hid_free(&h);
}

Test(hid, a_wide_field_is_no_number)
{
	static const uint8_t wide[] = {0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x09, 0x02, 0x75,
				       0x08, 0x95, 0x40, 0x81, 0x02, 0xc0};
	struct hid_report h;

	cr_assert(hid_parse(&h, wide, sizeof(wide)));
	cr_expect_eq(h.nfields, 1);
	cr_expect_eq(h.fields[0].count, 64);
	cr_expect_str_eq(brief(&h, HID_INPUT, "abcdefgh", 8, false), "");
	hid_free(&h);
}

Test(hid, names)
{
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0x04), "A");
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0x27), "0");
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0x28), "Enter");
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0x39), "CapsLock");
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0x45), "F12");
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0x52), "Up");
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0x65), "Application");
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0x73), "F24");
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0x81), "VolumeDown");
	cr_expect_str_eq(hid_usage_name(HID_KEYBOARD << 16 | 0xe6), "RightAlt");
	cr_expect_null(hid_usage_name(HID_KEYBOARD << 16 | 0xffff));
}
