/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "decode/usb/ftdi.h"
#include "decode/usb/control.h"
#include "decode/usb/hci.h"
#include "decode/usb/netmessage.h"

/* Returns the phrase of a request. */
static const char *brief(const char *bytes, const struct control_target *to)
{
	static struct out o;
	struct control_request s;

	out_free(&o);
	out_memory(&o);
	control_parse(&s, (const uint8_t *)bytes);
	control_request_brief(&s, to, &o);
	out_char(&o, '\0');
	return o.data;
}

static const struct control_target nothing;

Test(setup, standard_requests)
{
	cr_expect_str_eq(brief("\x80\x06\x00\x01\x00\x00\x12\x00", &nothing),
			 "GET_DESCRIPTOR device");
	cr_expect_str_eq(brief("\x80\x06\x02\x03\x09\x04\xff\x00", &nothing),
			 "GET_DESCRIPTOR string 2");
	cr_expect_str_eq(brief("\x00\x05\x07\x00\x00\x00\x00\x00", &nothing), "SET_ADDRESS 7");
	cr_expect_str_eq(brief("\x00\x09\x01\x00\x00\x00\x00\x00", &nothing),
			 "SET_CONFIGURATION 1");
	cr_expect_str_eq(brief("\x01\x0b\x02\x00\x01\x00\x00\x00", &nothing),
			 "SET_INTERFACE 1 alternate 2");
	cr_expect_str_eq(brief("\x02\x01\x00\x00\x81\x00\x00\x00", &nothing),
			 "CLEAR_FEATURE ENDPOINT_HALT endpoint 0x81");
	cr_expect_str_eq(brief("\x00\x03\x30\x00\x00\x00\x00\x00", &nothing),
			 "SET_FEATURE U1_ENABLE");
}

Test(setup, class_requests_need_the_class)
{
	struct control_target hid = {.class = 3}, cdc = {.class = 2, .subclass = 2};
	struct control_target storage = {.class = 8}, audio = {.class = 1, .subclass = 2};
	struct control_target audio2 = {.class = 1, .subclass = 1, .protocol = 0x20};

	cr_expect_str_eq(brief("\x21\x09\x00\x02\x00\x00\x01\x00", &nothing),
			 "class request 0x09 value 0x0200 index 0x0000 interface");
	cr_expect_str_eq(brief("\x21\x09\x00\x02\x00\x00\x01\x00", &hid),
			 "SET_REPORT output id 0 interface 0");
	cr_expect_str_eq(brief("\x21\x0a\x00\x7d\x01\x00\x00\x00", &hid),
			 "SET_IDLE 500 ms interface 1");
	cr_expect_str_eq(brief("\x21\x0a\x00\x00\x01\x00\x00\x00", &hid),
			 "SET_IDLE indefinite interface 1");
	cr_expect_str_eq(brief("\x21\x22\x01\x00\x00\x00\x00\x00", &cdc),
			 "SET_CONTROL_LINE_STATE dtr=1 rts=0 interface 0");
	cr_expect_str_eq(brief("\xa1\xfe\x00\x00\x00\x00\x01\x00", &storage),
			 "GET_MAX_LUN interface 0");
	cr_expect_str_eq(brief("\x21\x01\x00\x02\x00\x05\x02\x00", &audio),
			 "SET_CUR selector 2 entity 5 interface 0");
	cr_expect_str_eq(brief("\xa1\x02\x00\x01\x00\x29\x02\x00", &audio2),
			 "RANGE selector 1 entity 41 interface 0");
}

Test(setup, hub_requests_are_told_by_their_port)
{
	cr_expect_str_eq(brief("\x23\x03\x04\x00\x03\x00\x00\x00", &nothing),
			 "SET_FEATURE PORT_RESET port 3");
	cr_expect_str_eq(brief("\xa3\x00\x00\x00\x02\x00\x04\x00", &nothing), "GET_STATUS port 2");
	cr_expect_str_eq(brief("\x23\x01\x10\x00\x02\x00\x00\x00", &nothing),
			 "CLEAR_FEATURE C_PORT_CONNECTION port 2");
	cr_expect_str_eq(brief("\xa0\x06\x00\x29\x00\x00\x0f\x00", &nothing), "GET_DESCRIPTOR hub");
}

Test(setup, vendor_requests)
{
	struct control_target ftdi = {.vendor = 0x0403, .product = 0x6001};

	cr_expect_str_eq(brief("\x40\x03\x1a\x00\x00\x00\x00\x00", &nothing),
			 "vendor request 0x03 value 0x001a index 0x0000 device");
	cr_expect_str_eq(brief("\x40\x03\x38\x41\x00\x00\x00\x00", &ftdi),
			 "FTDI_SET_BAUDRATE 9600");
	cr_expect_str_eq(brief("\x40\x04\x08\x01\x00\x00\x00\x00", &ftdi), "FTDI_SET_DATA 8O1");
}

Test(setup, values_that_mean_nothing_are_shown_as_numbers)
{
	cr_expect_str_eq(brief("\x80\x06\x00\xee\x00\x00\x12\x00", &nothing),
			 "GET_DESCRIPTOR type 0xee");
	cr_expect_str_eq(brief("\x60\xff\xff\xff\xff\xff\xff\xff", &nothing),
			 "reserved request 0xff value 0xffff index 0xffff device");
}

Test(ftdi, baud_rates)
{
	cr_expect_eq(ftdi_baud(0x6001, 0x0000, 0), 3000000);
	cr_expect_eq(ftdi_baud(0x6001, 0x0001, 0), 2000000);
	cr_expect_eq(ftdi_baud(0x6001, 0x4138, 0), 9600, "312.5");
	cr_expect_eq(ftdi_baud(0x6001, 0x001a, 0), 115385);
	cr_expect_eq(ftdi_baud(0x6001, 0x001a, 1), 113744, "26.375");
}

/*
 * Requests as the kernel's ftdi_sio sends them: the port in the low byte, bits 16 and 17 of the
 * divisor in the high byte.
 */
Test(ftdi, baud_rates_of_chips_with_ports)
{
	struct control_target quad = {.vendor = 0x0403, .product = 0x6011};

	cr_expect_eq(ftdi_baud(0x6010, 0x4138, 0x0001), 9600, "FT2232C, port A: 312.5");
	cr_expect_eq(ftdi_baud(0x6010, 0x4138, 0x0002), 9600, "FT2232C, port B");
	cr_expect_eq(ftdi_baud(0x6010, 0x001a, 0x0101), 113744, "26.375");
	cr_expect_eq(ftdi_baud(0x6010, 0xc068, 0x0201), 115246, "FT2232H: 12 MHz / 104.125");
	cr_expect_eq(ftdi_baud(0x6014, 0x0000, 0x0200), 12000000, "FT232H");
	cr_expect_eq(ftdi_baud(0x6014, 0x0001, 0x0200), 8000000, "FT232H: 12 MHz / 1.5");
	cr_expect_str_eq(brief("\x40\x03\x68\xc0\x04\x02\x00\x00", &quad),
			 "FTDI_SET_BAUDRATE 115246 channel D");
}

Test(ftdi, status_bytes_are_taken_out_of_each_packet)
{
	uint8_t text[16];
	size_t n = ftdi_strip((const uint8_t *)"\1\2ab\1\2cd\1\2e\1", 12, 4, text);

	cr_expect_eq(n, 6);
	cr_expect(!memcmp(text, "abcde\1", 6));
	cr_expect_eq(ftdi_strip((const uint8_t *)"\1", 1, 0, text), 0);
}

Test(setup, rndis_over_a_wireless_controller_is_no_bluetooth)
{
	static const struct control_target rndis = {.class = 0xe0, .subclass = 1, .protocol = 3};
	static const struct control_target hci = {.class = 0xe0, .subclass = 1, .protocol = 1};

	cr_expect_str_eq(brief("\x21\x00\x00\x00\x00\x00\x18\x00", &rndis),
			 "SEND_ENCAPSULATED_COMMAND interface 0");
	cr_expect_str_eq(brief("\x20\x00\x00\x00\x00\x00\x03\x00", &hci), "HCI_COMMAND");
}

Test(setup, a_break_of_65535_ends_by_one_of_0)
{
	static const struct control_target acm = {.class = 2, .subclass = 2};

	cr_expect_str_eq(brief("\x21\x23\xff\xff\x00\x00\x00\x00", &acm),
			 "SEND_BREAK on interface 0");
	cr_expect_str_eq(brief("\x21\x23\x00\x00\x00\x00\x00\x00", &acm),
			 "SEND_BREAK off interface 0");
	cr_expect_str_eq(brief("\x21\x23\xfa\x00\x00\x00\x00\x00", &acm),
			 "SEND_BREAK 250 ms interface 0");
}

Test(setup, an_endpoint_has_no_entity)
{
	static const struct control_target stream = {.class = 1, .subclass = 2};

	cr_expect_str_eq(brief("\x22\x01\x00\x01\x81\x00\x03\x00", &stream),
			 "SET_CUR selector 1 endpoint 0x81");
}

static const char *mbim(const char *bytes, size_t n)
{
	static struct out o;

	out_free(&o);
	out_memory(&o);
	mbim_message_brief((const uint8_t *)bytes, n, (const uint8_t *)bytes, n, false, &o);
	out_char(&o, '\0');
	return o.data;
}

Test(mbim, a_fragment_that_is_not_the_first_names_no_service)
{
	char m[64] = "\3\0\0\x80\x40\0\0\0\7\0\0\0\2\0\0\0";

	memset(m + 20, 0x55, sizeof(m) - 20);
	cr_expect_str_eq(mbim(m, 20), "COMMAND complete id 7");
	m[16] = 1;
	cr_expect_str_eq(mbim(m, sizeof(m)), "COMMAND complete id 7 fragment 2 of 2");
}

Test(hci, an_advertising_report_ends_with_its_strength)
{
	static const uint8_t report[] = {1, 0, 0, 1, 2, 3, 4, 5, 6, 3, 2, 1, 6, 0xc4};
	struct out o;

	out_memory(&o);
	cr_expect(byte_layout_brief(hci_le_event(2)->parameters, hci_name, report, sizeof(report),
				    &o));
	out_char(&o, '\0');
	cr_expect_str_eq(strstr(o.data, "data_length"),
			 "data_length 3, advertising_data 020106, rssi -60");
	o.len = 0;
	cr_expect_not(byte_layout_brief(hci_le_event(2)->parameters, hci_name, report, 12, &o),
		      "data that is cut");
	out_free(&o);
}
