/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "common/usbtypes.h"
#include "decode/base/bytes.h"
#include "decode/usb/urb.h"
#include "decode/usb/status.h"

/* Answer to GET_DESCRIPTOR of device 3 on bus 1, from a real capture. */
static const uint8_t answer[] = {
	0x00, 0x10, 0x00, 0x00, 0x80, 0x88, 0xff, 0xff, 'C', 2, 0x80, 3, 1, 0, '-', 0,
	0x00, 0xf1, 0x53, 0x65, 0, 0, 0, 0, 0x40, 0xe2, 0x01, 0, 0, 0, 0, 0,
	4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0,
	0x12, 0x01, 0x00, 0x02,
};

Test(urb, every_field_of_a_header)
{
	struct urb u;

	cr_assert(urb_parse(&u, answer, sizeof(answer)));
	cr_expect_eq(u.id, 0xffff888000001000);
	cr_expect_eq(u.type, 'C');
	cr_expect_eq(u.xfer, URB_CONTROL);
	cr_expect(urb_in(&u));
	cr_expect_eq(urb_endpoint_number(&u), 0);
	cr_expect_eq(u.device, 3);
	cr_expect_eq(u.bus, 1);
	cr_expect_eq(u.time, 1700000000123456000);
	cr_expect_eq(u.length, 4);
	cr_expect_eq(u.data_len, 4);
	cr_expect_eq(u.data[3], 2);
	cr_expect_eq(u.flags, 0x200);
	cr_expect_not(u.has_setup);
	cr_expect_eq(urb_missing(&u), 0);
}

Test(urb, a_captured_length_may_count_the_header)
{
	uint8_t record[sizeof(answer)];
	struct urb u;

	/* as QEMU writes it, of a record without data, too */
	memcpy(record, answer, sizeof(record));
	put32(record + 36, sizeof(record));
	cr_expect(urb_parse_event(&u, USB_COMPLETE, false, record, sizeof(record)));
	cr_expect_eq(u.captured, 4);
	cr_expect_eq(u.data_len, 4);
	put32(record + 32, 0);
	put32(record + 36, 64);
	cr_expect(urb_parse_event(&u, USB_COMPLETE, false, record, 64));
	cr_expect_eq(u.captured, 0);
	put32(record + 36, sizeof(record) - 1);
	cr_expect_not(urb_parse_event(&u, USB_COMPLETE, false, record, sizeof(record)));
}

Test(urb, a_header_comes_back_byte_by_byte)
{
	uint8_t header[URB_HEADER];
	struct urb u;

	urb_parse(&u, answer, sizeof(answer));
	memset(header, 0xee, sizeof(header));
	urb_header(&u, header);
	cr_expect_arr_eq(header, answer, URB_HEADER);
}

Test(urb, any_length_is_safe)
{
	uint8_t *exact;
	struct urb u;

	for (size_t n = 0; n < sizeof(answer); n++) {
		exact = malloc(n ? n : 1);
		memcpy(exact, answer, n);
		cr_expect_not(urb_parse(&u, exact, n));
		cr_expect_eq(u.data_len, n > URB_HEADER ? n - URB_HEADER : 0);
		free(exact);
	}
}

/* An isochronous completion of three packets, the second of which failed. */
static size_t iso(uint8_t *r)
{
	static const uint32_t packets[3][3] = {
		{0, 0, 192}, {(uint32_t)-71, 192, 0}, {0, 384, 58},
	};

	memset(r, 0, 1024);
	r[8] = 'C';
	r[9] = URB_ISO;
	r[10] = 0x82;
	r[14] = '-';
	put32(r + 32, 250);
	put32(r + 36, 3 * URB_ISO_SIZE + 442);
	put32(r + 40, 1);
	put32(r + 44, 3);
	put32(r + 60, 3);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			put32(r + URB_HEADER + i * URB_ISO_SIZE + k * 4, packets[i][k]);
	memset(r + URB_HEADER + 3 * URB_ISO_SIZE + 384, 7, 58);
	return URB_HEADER + 3 * URB_ISO_SIZE + 442;
}

Test(urb, isochronous_packets_lie_at_their_offsets)
{
	uint8_t r[1024];
	size_t n = iso(r);
	struct urb u;

	cr_assert(urb_parse(&u, r, n));
	cr_expect_eq(u.ndesc, 3);
	cr_expect_eq(u.iso_errors, 1);
	cr_expect_eq(u.iso_packets, 3);
	cr_expect_eq(urb_packet(&u, 1).status, -71);
	cr_expect_eq(urb_missing(&u), 0);
	cr_expect_not(urb_parse(&u, r, n - 8));
	cr_expect_eq(urb_missing(&u), 8);
}

Test(urb, descriptor_counts_that_lie_are_cut)
{
	uint8_t r[1024];
	size_t n = iso(r);
	struct urb u;

	put32(r + 60, 0x10000001);
	cr_expect_not(urb_parse(&u, r, n));
	cr_expect(u.damage & URB_BAD_ISO);
	cr_expect_eq(u.ndesc, (n - URB_HEADER) / URB_ISO_SIZE);
	/*
	 * An offset beyond the data: the transfer has the stated length, but the data is missing.
	 */
	put32(r + 60, 3);
	put32(r + URB_HEADER + 4, 0xfffffff0);
	put32(r + URB_HEADER + 8, 0x7fffffff);
	urb_parse(&u, r, n);
	cr_expect_eq(urb_wanted(&u), UINT64_C(0xfffffff0) + 0x7fffffff);
	cr_expect_eq(urb_missing(&u), urb_wanted(&u) - u.data_len);
	/* Other transfers have no descriptors, even if the header states a number. */
	r[9] = URB_BULK;
	urb_parse(&u, r, n);
	cr_expect_eq(u.ndesc, 0);
	cr_expect(u.damage & URB_BAD_ISO);
}

Test(urb, what_is_no_event_is_told)
{
	uint8_t r[URB_HEADER] = {0};
	struct urb u;

	r[8] = '@';
	r[9] = 9;
	urb_parse(&u, r, sizeof(r));
	cr_expect_eq(u.damage, URB_BAD_TYPE | URB_BAD_XFER);
	cr_expect_str_eq(urb_xfer_name(u.xfer), "unknown");
}

Test(urb, missing_data_counts_where_it_should_be)
{
	uint8_t r[URB_HEADER + 4] = {0};
	struct urb u;

	r[8] = 'S';
	r[9] = URB_BULK;
	r[10] = 0x02;
	put32(r + 32, 4096);
	put32(r + 36, 4);
	urb_parse(&u, r, sizeof(r));
	cr_expect_eq(urb_missing(&u), 4092, "a submission going out carries data");
	r[10] = 0x82;
	urb_parse(&u, r, sizeof(r));
	cr_expect_eq(urb_missing(&u), 0, "one coming in does not");
	r[8] = 'E';
	urb_parse(&u, r, sizeof(r));
	cr_expect_eq(urb_missing(&u), 0);
}

Test(usberr, names)
{
	cr_expect_str_eq(usb_status_name(0), "ok");
	cr_expect_str_eq(usb_status_name(-32), "stall");
	cr_expect_str_eq(usb_status_errno(-32), "EPIPE");
	cr_expect_str_eq(usb_status_name(-75), "babble");
	cr_expect_str_eq(usb_status_name(-2), "unlinked");
	cr_expect_str_eq(usb_status_name(-12345), "error");
	cr_expect_str_eq(usb_status_errno(-12345), "");
	cr_expect_not(usb_status_is_problem(-2), "the driver's own doing");
	cr_expect(usb_status_is_problem(-71));
	cr_expect(usb_status_is_problem(-12345));
}
