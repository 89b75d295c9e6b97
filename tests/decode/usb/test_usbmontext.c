/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "decode/usb/usbmontext.h"

static bool parse(const char *line, struct urb *u)
{
	static uint8_t record[USBMONTEXT_RECORD];
	struct usbmontext_error e;
	size_t n = usbmontext_parse(line, strlen(line), record, &e);

	return n && urb_parse(u, record, n);
}

/* Returns the line as it is written after reading it. */
static const char *back(const char *line)
{
	static struct out o;
	struct urb u;

	out_free(&o);
	out_memory(&o);
	if (parse(line, &u))
		usbmontext_write(&u, &o);
	out_char(&o, '\0');
	if (o.len > 1)
		o.data[o.len - 2] = '\0';
	return o.data;
}

#define SAME(line) cr_expect_str_eq(back(line), line)

/* The first four are examples in the kernel's documentation. */
Test(usbmontext, lines_come_back_as_they_were)
{
	SAME("d5ea89a0 3575914555 S Ci:1:001:0 s a3 00 0000 0003 0004 4 <");
	SAME("d5ea89a0 3575914560 C Ci:1:001:0 0 4 = 01050000");
	SAME("dd65f0e8 4128379752 S Bo:1:005:2 -115 31 = 55534243 5e000000 00000000 00000600 "
	     "00000000 00000000 00000000 000000");
	SAME("dd65f0e8 4128379808 C Bo:1:005:2 0 31 >");
	SAME("ffff888012345678 1 S Ii:2:003:1 -115:8 8 <");
	SAME("ffff888012345678 2 C Ii:2:003:1 0:8 3 = 010203");
	SAME("ff00 3 S Zo:1:004:1 -115:1:100 3 -18:0:192 -18:192:192 -18:384:192 576 = "
	     "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000");
	SAME("ff00 4 C Zi:1:004:2 0:1:104:1 8 0:0:192 -71:192:0 0:384:58 0:576:192 0:768:192 "
	     "826 = 01020304");
	SAME("ff00 5 S Zi:1:004:2 -115:1:0 0 0");
	SAME("ff00 6 E Bo:1:005:2 -19 0");
	SAME("ff00 7 E Zo:1:005:1 -19 0");
	SAME("ff00 8 S Bo:1:005:2 -115 4096 D");
	SAME("ff00 9 C Bi:1:005:1 0 512 Z");
	SAME("ff00 10 S Co:1:005:0 Z __ __ ____ ____ ____ 0");
	SAME("ff00 11 C Ci:1:005:0 -32 0");
	SAME("ff00 12 S Bo:1:005:2 -115 0");
	SAME("ff00 4095999999 C Bi:1:127:15 -2 0");
}

Test(usbmontext, fields)
{
	struct urb u;

	cr_assert(parse("d5ea89a0 3575914555 S Ci:1:001:0 s a3 00 0000 0003 0004 4 <", &u));
	cr_expect_eq(u.id, 0xd5ea89a0);
	cr_expect_eq(u.time, 3575914555000);
	cr_expect(u.has_setup);
	cr_expect_arr_eq(u.setup, "\xa3\0\0\0\x03\0\x04\0", 8);
	cr_expect_eq(u.endpoint, 0x80);
	cr_expect_eq(u.status, -115);
	cr_expect_eq(u.flag_data, '<');
	cr_assert(parse("ff00 4 C Zi:1:004:2 0:1:104:1 8 0:0:192 -71:192:0 0:384:58 0:576:192 "
			"0:768:192 826 = 01020304", &u));
	cr_expect_eq(u.interval, 1);
	cr_expect_eq(u.start_frame, 104);
	cr_expect_eq(u.iso_errors, 1);
	cr_expect_eq(u.iso_packets, 8, "the count may be larger than what the line has");
	cr_expect_eq(u.ndesc, 5);
	cr_expect_eq(urb_packet(&u, 1).status, -71);
	cr_expect_eq(u.data_len, 4);
}

Test(usbmontext, the_old_form_has_no_bus)
{
	struct urb u;

	cr_assert(parse("d5ea89a0 3575914555 S Ci:001:00 s a3 00 0000 0003 0004 4 <", &u));
	cr_expect_eq(u.bus, 0);
	cr_expect_eq(u.device, 1);
	cr_assert(parse("ff 1 C Ii:003:01 0 8 = 00000000 00000000", &u));
	cr_expect_eq(u.endpoint, 0x81);
	cr_expect_eq(u.data_len, 8);
	/* This form has no packets of isochronous transfers either. */
	cr_assert(parse("ff 1 S Zo:003:01 -115 192 = 00000000", &u));
	cr_expect_eq(u.ndesc, 0);
	cr_expect_eq(u.length, 192);
	cr_assert(parse("ff 1 C Zo:003:01 0 192 >", &u));
	cr_expect_eq(u.flag_data, '>');
}

static void bad(const char *line, const char *what, size_t at)
{
	uint8_t record[USBMONTEXT_RECORD];
	struct usbmontext_error e;

	cr_expect_eq(usbmontext_parse(line, strlen(line), record, &e), 0, "%s", line);
	cr_expect_str_eq(e.what ? e.what : "", what, "%s: %s", line, e.what ? e.what : "");
	cr_expect_eq(e.at, at, "%s: %zu", line, e.at);
}

Test(usbmontext, what_is_wrong_and_where)
{
	bad("", "the URB tag is missing", 0);
	bad("xyz 1 S Bo:1:001:1 0 0", "a number is missing", 0);
	bad("ff 99999999999 S Bo:1:001:1 0 0", "this number is too large", 12);
	bad("ff 1 Q Bo:1:001:1 0 0", "usbmon never writes this letter here", 5);
	bad("ff 1 S Bx:1:001:1 0 0", "usbmon never writes this letter here", 8);
	bad("ff 1 S Bo:1:200:1 0 0", "the device or endpoint number is out of range", 17);
	bad("ff 1 S Bo:1:001:16 0 0", "the device or endpoint number is out of range", 18);
	bad("ff 1 S Bo:1:001:1", "the status is missing", 17);
	bad("ff 1 S Bo:1:001:1 s 00 00 0000 0000 0000 0", 
	    "this is neither a status nor a setup packet", 18);
	bad("ff 1 S Co:1:001:0 s 00 00 0000", "the setup packet ends early", 30);
	bad("ff 1 S Bo:1:001:1 0", "the data length is missing", 19);
	bad("ff 1 S Bo:1:001:1 0 4 = 0102030", "expected two hex digits", 30);
	bad("ff 1 S Bo:1:001:1 0 4 ! 01", "usbmon never writes this letter here", 22);
	bad("ff 1 S Bo:1:001:1 0 4 < 01", "unexpected text after the end of the event", 24);
	bad("ff 1 C Zi:1:001:1 0:1:0:0 3 0:0:1 5 = 00",
	    "a colon is missing", 35);
}

Test(usbmontext, more_data_than_a_line_holds)
{
	char line[256] = "ff 1 S Bo:1:001:1 -115 99 =";

	for (int i = 0; i < 9; i++)
		strcat(line, " 00112233");
	bad(line, "there are more than 32 bytes of data", 100);
}

/* Records in files may have flags that no kernel sets, and bytes that would end the line. */
Test(usbmontext, flags_become_letters_of_usbmon)
{
	static const char flags[] = "<>ZDLEN\n\033x";
	struct urb u, again;
	struct out o;

	for (const char *f = flags; *f; f++) {
		parse("ff 2 S Bo:2:003:1 -115 3 D", &u);
		u.flag_data = *f;
		out_memory(&o);
		usbmontext_write(&u, &o);
		out_char(&o, '\0');
		o.data[o.len - 2] = '\0'; /* the end of the line */
		cr_expect(parse(o.data, &again), "%s", o.data);
		cr_expect_eq(again.flag_data, f < flags + 6 ? *f : 'D');
		out_free(&o);
	}
	parse("ff 2 S Co:2:003:0 s 00 09 0001 0000 0000 0", &u);
	u.flag_setup = '\n';
	u.type = '\n';
	out_memory(&o);
	usbmontext_brief(&u, false, &o);
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, "? Co:2:003:0 Z __ __ ____ ____ ____ 0");
	out_free(&o);
}

Test(usbmontext, masked)
{
	struct out o;
	struct urb u;

	parse("ff 2 C Ii:2:003:1 0:8 3 = 010203", &u);
	out_memory(&o);
	usbmontext_brief(&u, true, &o);
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, "C Ii:2:003:1 0:8 3 = (masked)");
	out_free(&o);
}

Test(usbmontext, probe)
{
	static const char good[] = "ff 1 S Bo:1:001:1 -115 0\nff 2 C Bo:1:001:1 0 0\n";
	static const char remarked[] = "#\n# a scan\n\nff 1 S Bo:1:001:1 -115 0\n";

	cr_expect(usbmontext_probe(good, sizeof(good) - 1));
	cr_expect(usbmontext_probe(remarked, sizeof(remarked) - 1));
	cr_expect_not(usbmontext_probe("# no lines\n\n", 12));
	cr_expect_not(usbmontext_probe("hello\n", 6));
	cr_expect_not(usbmontext_probe("", 0));
}
