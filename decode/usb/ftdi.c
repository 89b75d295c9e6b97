/* SPDX-License-Identifier: MIT */
#include "decode/usb/ftdi.h"
#include "common/array.h"
#include "decode/usb/codename.h"

enum {
	FT232R = 0x6001, /* and the older FT232A and B */
	FT2232 = 0x6010,
	FT4232H = 0x6011,
	FT232H = 0x6014,
	FT_X = 0x6015,
	/* an analyser with a FT2232H */
	OPENVIZSLA_FTDI = 0xcc4d,
	OPENMOKO = 0x1d50,
	OPENVIZSLA = 0x607c,
	FTDI = 0x0403,
};

bool ftdi_is(uint16_t vendor, uint16_t product)
{
	return (vendor == FTDI && (product == FT232R || product == OPENVIZSLA_FTDI ||
				   (product >= FT2232 && product <= FT_X))) ||
	       (vendor == OPENMOKO && product == OPENVIZSLA);
}

static bool has_ports(uint16_t product)
{
	return product == FT2232 || product == FT4232H || product == FT232H ||
	       product == OPENVIZSLA_FTDI || product == OPENVIZSLA;
}

enum {
	FTDI_RESET = 0,
	FTDI_MODEM_CTRL = 1,
	FTDI_SET_FLOW_CTRL = 2,
	FTDI_SET_BAUDRATE = 3,
	FTDI_SET_DATA = 4,
	FTDI_GET_STATUS = 5,
	FTDI_SET_EVENT_CHAR = 6,
	FTDI_SET_ERROR_CHAR = 7,
	FTDI_SET_LATENCY = 9,
	FTDI_GET_LATENCY = 10,
	FTDI_SET_BITMODE = 11,
	FTDI_READ_PINS = 12,
};

static const struct code_name modes[] = {
	{0x00, "reset"}, {0x01, "bit-bang"}, {0x02, "MPSSE"}, {0x04, "synchronous bit-bang"},
	{0x08, "MCU host bus"}, {0x10, "fast serial"}, {0x20, "CBUS bit-bang"},
	{0x40, "synchronous FIFO"},
};
static const struct code_name flows[] = {
	{0, "none"}, {1, "RTS/CTS"}, {2, "DTR/DSR"}, {4, "XON/XOFF"},
};
/* The bits of the two status bytes at the start of each packet. */
static const struct status_bit { uint8_t bit; const char *name; bool error; } modem_bits[] = {
	{0x10, "CTS", false}, {0x20, "DSR", false}, {0x40, "RI", false}, {0x80, "DCD", false},
};
static const struct status_bit line_bits[] = {
	{0x02, "overrun", true}, {0x04, "parity error", true}, {0x08, "framing error", true},
	{0x10, "break", true}, {0x20, "holding register empty", false},
	{0x40, "transmitter empty", false},
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

void ftdi_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "request"))
		CODE_PROBE(ftdi_request, UINT8_MAX, fn, arg);
	else if (!strcmp(member, "flow_name"))
		CODE_WORDS(flows, fn, arg);
	else if (!strcmp(member, "mode_name"))
		CODE_WORDS(modes, fn, arg);
}

bool ftdi_sets_mode(const struct control_request *s, uint8_t *mode)
{
	*mode = (uint8_t)(s->value >> 8);
	return s->request == FTDI_SET_BITMODE && !control_in(s);
}

unsigned int ftdi_baud(uint16_t product, uint16_t value, uint16_t index)
{
	/* The fraction in eighths for each encoding that the chip uses. */
	static const uint8_t eighths[8] = {0, 4, 2, 1, 3, 5, 6, 7};
	unsigned int high = has_ports(product) ? index >> 8 : index;
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

/* Channels are numbered from 1 and named from A to D. */
static char port_letter(unsigned int port)
{
	return port >= 1 && port <= 4 ? (char)('A' + port - 1) : '?';
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
	case FTDI_SET_FLOW_CTRL:
		tree_hex(t, "flow", s->index >> 8, 2);
		tree_str(t, "flow_name", CODE_NAME(flows, s->index >> 8));
		if (s->index >> 8 & 4) {
			tree_hex(t, "xon", s->value & 0xff, 2);
			tree_hex(t, "xoff", s->value >> 8, 2);
		}
		break;
	case FTDI_SET_EVENT_CHAR:
	case FTDI_SET_ERROR_CHAR:
		tree_hex(t, "character", s->value & 0xff, 2);
		tree_bool(t, "enabled", s->value >> 8);
		break;
	case FTDI_SET_BITMODE:
		tree_hex(t, "pins", s->value & 0xff, 2);
		tree_hex(t, "mode", s->value >> 8, 2);
		tree_str(t, "mode_name", CODE_NAME(modes, s->value >> 8));
		break;
	default:
		break;
	}
	if (has_ports(product) && s->index & 0xff)
		tree_printf(t, "channel", "%c", port_letter(s->index & 0xff));
}

static void name_brief(const char *name, unsigned int code, struct out *o)
{
	if (name)
		out_printf(o, " %s", name);
	else
		out_printf(o, " 0x%02x", code);
}

/* Returns the packet size; an unknown one is taken to be that of Full Speed. */
static unsigned int packet_size(unsigned int packet)
{
	return packet > FTDI_STATUS_BYTES ? packet : 64;
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
	case FTDI_SET_FLOW_CTRL:
		name_brief(CODE_NAME(flows, s->index >> 8), s->index >> 8, o);
		break;
	case FTDI_SET_EVENT_CHAR:
	case FTDI_SET_ERROR_CHAR:
		out_printf(o, " 0x%02x %s", s->value & 0xffu, s->value >> 8 ? "on" : "off");
		break;
	case FTDI_SET_BITMODE:
		name_brief(CODE_NAME(modes, s->value >> 8), s->value >> 8, o);
		out_printf(o, " pins 0x%02x", s->value & 0xffu);
		break;
	default:
		break;
	}
	if (has_ports(product) && s->index & 0xff)
		out_printf(o, " channel %c", port_letter(s->index & 0xff));
}

static void bits_tree(const struct status_bit *bits, size_t n, uint8_t status, const char *list,
		      struct tree *t)
{
	tree_list(t, list);
	for (size_t i = 0; i < n; i++)
		if (status & bits[i].bit)
			tree_str(t, list, bits[i].name);
	tree_close(t);
}

static void modem_tree(uint8_t status, struct tree *t)
{
	tree_hex(t, "modem_status", status, 2);
	bits_tree(modem_bits, ARRAY_SIZE(modem_bits), status, "modem_set", t);
}

static void line_tree(uint8_t status, struct tree *t)
{
	tree_hex(t, "line_status", status, 2);
	bits_tree(line_bits, ARRAY_SIZE(line_bits), status, "line_set", t);
}

/* Returns how many packets, from offset `at` on, begin with the same status. */
static unsigned int same_status(const uint8_t *data, size_t n, size_t at, unsigned int packet)
{
	unsigned int count = 1;

	for (size_t next = at + packet; next + FTDI_STATUS_BYTES <= n; next += packet, count++)
		if (memcmp(data + at, data + next, FTDI_STATUS_BYTES) != 0)
			break;
	return count;
}

void ftdi_status_tree(const uint8_t *data, size_t n, unsigned int packet, struct tree *t)
{
	unsigned int count;

	packet = packet_size(packet);
	if (n < FTDI_STATUS_BYTES)
		return;
	tree_list(t, "packets");
	for (size_t at = 0; at + FTDI_STATUS_BYTES <= n; at += (size_t)count * packet) {
		count = same_status(data, n, at, packet);
		tree_object(t, "packets");
		tree_uint(t, "count", count);
		modem_tree(data[at], t);
		line_tree(data[at + 1], t);
		tree_close(t);
	}
	tree_close(t);
}

/* Appends the names of errors, the first after `separator`, the others after ", ". */
static void errors_brief(uint8_t line, const char *separator, struct out *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(line_bits); i++) {
		if (!line_bits[i].error || !(line & line_bits[i].bit))
			continue;
		out_printf(o, "%s%s", separator, line_bits[i].name);
		separator = ", ";
	}
}

static void lines_brief(uint8_t modem, const char *separator, struct out *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(modem_bits); i++) {
		if (!(modem & modem_bits[i].bit))
			continue;
		out_printf(o, "%s%s", separator, modem_bits[i].name);
		separator = " ";
	}
}

void ftdi_status_brief(const uint8_t *data, size_t n, unsigned int packet, struct out *o)
{
	uint8_t line = 0;

	packet = packet_size(packet);
	for (size_t at = 0; at + FTDI_STATUS_BYTES <= n; at += packet)
		line |= data[at + 1];
	errors_brief(line, ", ", o);
	if (n == FTDI_STATUS_BYTES)
		lines_brief(data[0], ", ", o);
}

bool ftdi_answers(uint8_t request)
{
	return request == FTDI_GET_STATUS || request == FTDI_GET_LATENCY ||
	       request == FTDI_READ_PINS;
}

void ftdi_answer_tree(uint8_t request, const uint8_t *data, size_t n, struct tree *t)
{
	if (!n)
		return;
	if (request == FTDI_GET_LATENCY) {
		tree_uint(t, "latency_timer_ms", data[0]);
	} else if (request == FTDI_READ_PINS) {
		tree_hex(t, "pins", data[0], 2);
	} else {
		modem_tree(data[0], t);
		if (n > 1)
			line_tree(data[1], t);
	}
}

bool ftdi_answer_brief(uint8_t request, const uint8_t *data, size_t n, struct out *o)
{
	if (!n)
		return false;
	if (request == FTDI_GET_LATENCY)
		out_printf(o, " %u ms", data[0]);
	else if (request == FTDI_READ_PINS)
		out_printf(o, " pins 0x%02x", data[0]);
	else
		lines_brief(data[0], " ", o);
	return n <= FTDI_STATUS_BYTES;
}

size_t ftdi_strip(const uint8_t *data, size_t n, unsigned int packet, uint8_t *text)
{
	size_t used = 0;

	packet = packet_size(packet);
	for (size_t at = 0; at < n; at += packet) {
		size_t part = n - at < packet ? n - at : packet;

		if (part <= FTDI_STATUS_BYTES)
			continue;
		memcpy(text + used, data + at + FTDI_STATUS_BYTES, part - FTDI_STATUS_BYTES);
		used += part - FTDI_STATUS_BYTES;
	}
	return used;
}
