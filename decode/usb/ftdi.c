/* SPDX-License-Identifier: MIT */
#include "decode/usb/ftdi.h"
#include "common/array.h"

enum {
	FT232R = 0x6001, /* and the older FT232A and B */
	FT2232 = 0x6010,
	FT4232H = 0x6011,
	FT232H = 0x6014,
	FT_X = 0x6015,
};

bool ftdi_is(uint16_t vendor, uint16_t product)
{
	return vendor == 0x0403 && (product == FT232R || (product >= FT2232 && product <= FT_X));
}

enum {
	FTDI_RESET = 0,
	FTDI_MODEM_CTRL = 1,
	FTDI_SET_FLOW_CTRL = 2,
	FTDI_SET_BAUDRATE = 3,
	FTDI_SET_DATA = 4,
	FTDI_SET_LATENCY = 9,
};

const char *ftdi_request(uint8_t request)
{
	static const char *const names[] = {
		"FTDI_RESET", "FTDI_MODEM_CTRL", "FTDI_SET_FLOW_CTRL", "FTDI_SET_BAUDRATE",
		"FTDI_SET_DATA", "FTDI_GET_MODEM_STATUS", "FTDI_SET_EVENT_CHAR",
		"FTDI_SET_ERROR_CHAR", NULL, "FTDI_SET_LATENCY_TIMER", "FTDI_GET_LATENCY_TIMER",
		"FTDI_SET_BITMODE", "FTDI_READ_PINS",
	};

	if (request == 0x90)
		return "FTDI_READ_EEPROM";
	return request < ARRAY_SIZE(names) ? names[request] : NULL;
}

unsigned int ftdi_baud(uint16_t product, uint16_t value, uint16_t index)
{
	/* The fraction in eighths for each encoding that the chip uses. */
	static const uint8_t eighths[8] = {0, 4, 2, 1, 3, 5, 6, 7};
	bool ports = product == FT2232 || product == FT4232H || product == FT232H;
	unsigned int high = ports ? index >> 8 : index;
	unsigned int clock = high & 2 ? 12000000 : 3000000;
	unsigned int divisor = (value & 0x3fffu) * 8 + eighths[value >> 14 | (high & 1) << 2];

	/* Special cases: 0 means a divisor of 1, and 1 means a divisor of 1.5. */
	if (divisor == 0)
		return clock;
	if (divisor == 8)
		return clock / 3 * 2;
	return (clock * 8 + divisor / 2) / divisor;
}

static char parity(uint16_t value)
{
	static const char letters[8] = {'N', 'O', 'E', 'M', 'S', '?', '?', '?'};

	return letters[value >> 8 & 7];
}

static const char *stop_bits(uint16_t value)
{
	static const char *const names[4] = {"1", "1.5", "2", "?"};

	return names[value >> 11 & 3];
}

void ftdi_setup_tree(const struct control_request *s, uint16_t product, struct tree *t)
{
	switch (s->request) {
	case FTDI_RESET:
		tree_str(t, "reset", s->value == 0 ? "all" : s->value == 1 ? "rx" : "tx");
		break;
	case FTDI_MODEM_CTRL:
		if (s->value & 0x100)
			tree_bool(t, "dtr", s->value & 1);
		if (s->value & 0x200)
			tree_bool(t, "rts", s->value & 2);
		break;
	case FTDI_SET_BAUDRATE:
		tree_uint(t, "baud", ftdi_baud(product, s->value, s->index));
		break;
	case FTDI_SET_DATA:
		tree_printf(t, "format", "%u%c%s", s->value & 0xffu, parity(s->value),
			    stop_bits(s->value));
		tree_bool(t, "break", s->value & 0x4000);
		break;
	case FTDI_SET_LATENCY:
		tree_uint(t, "latency_timer_ms", s->value & 0xff);
		break;
	default:
		break;
	}
}

void ftdi_setup_brief(const struct control_request *s, uint16_t product, struct out *o)
{
	switch (s->request) {
	case FTDI_MODEM_CTRL:
		if (s->value & 0x100)
			out_printf(o, " dtr=%u", s->value & 1u);
		if (s->value & 0x200)
			out_printf(o, " rts=%u", s->value >> 1 & 1u);
		break;
	case FTDI_SET_BAUDRATE:
		out_printf(o, " %u", ftdi_baud(product, s->value, s->index));
		break;
	case FTDI_SET_DATA:
		out_printf(o, " %u%c%s", s->value & 0xffu, parity(s->value), stop_bits(s->value));
		break;
	case FTDI_SET_LATENCY:
		out_printf(o, " %u ms", s->value & 0xffu);
		break;
	default:
		break;
	}
}

size_t ftdi_strip(const uint8_t *data, size_t n, unsigned int packet, uint8_t *text)
{
	size_t used = 0;

	if (packet <= FTDI_STATUS_BYTES)
		packet = 64;
	for (size_t at = 0; at < n; at += packet) {
		size_t part = n - at < packet ? n - at : packet;

		if (part <= FTDI_STATUS_BYTES)
			continue;
		memcpy(text + used, data + at + FTDI_STATUS_BYTES, part - FTDI_STATUS_BYTES);
		used += part - FTDI_STATUS_BYTES;
	}
	return used;
}
