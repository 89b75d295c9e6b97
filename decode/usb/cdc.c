/* SPDX-License-Identifier: MIT */
#include "decode/usb/cdc.h"
#include "decode/base/bytes.h"

#define LINE_CODING 7
#define NOTIFICATION 8

static const char *stop_bits(uint8_t v)
{
	static const char *const names[] = {"1", "1.5", "2"};

	return v < 3 ? names[v] : "?";
}

static const char *parity_name(uint8_t v)
{
	static const char *const names[] = {"none", "odd", "even", "mark", "space"};

	return v < 5 ? names[v] : NULL;
}

void cdc_line_coding_tree(const uint8_t *p, size_t n, struct tree *t)
{
	if (n < LINE_CODING)
		return;
	tree_object(t, "line_coding");
	tree_uint(t, "dwDTERate", get32(p));
	tree_uint(t, "bCharFormat", p[4]);
	tree_str(t, "stop_bits", stop_bits(p[4]));
	tree_uint(t, "bParityType", p[5]);
	tree_str(t, "parity", parity_name(p[5]));
	tree_uint(t, "bDataBits", p[6]);
	tree_close(t);
}

void cdc_line_coding_brief(const uint8_t *p, size_t n, struct out *o)
{
	static const char letters[] = "NOEMS";

	if (n < LINE_CODING)
		return;
	out_printf(o, "%u %u%c%s", get32(p), p[6], p[5] < 5 ? letters[p[5]] : '?',
		   stop_bits(p[4]));
}

enum {
	NETWORK_CONNECTION = 0x00,
	RESPONSE_AVAILABLE = 0x01,
	SERIAL_STATE = 0x20,
	CONNECTION_SPEED_CHANGE = 0x2a,
};

static const char *notification_name(uint8_t code)
{
	switch (code) {
	case NETWORK_CONNECTION:
		return "NETWORK_CONNECTION";
	case RESPONSE_AVAILABLE:
		return "RESPONSE_AVAILABLE";
	case 0x08:
		return "AUX_JACK_HOOK_STATE";
	case 0x09:
		return "RING_DETECT";
	case SERIAL_STATE:
		return "SERIAL_STATE";
	case CONNECTION_SPEED_CHANGE:
		return "CONNECTION_SPEED_CHANGE";
	default:
		return NULL;
	}
}

static const char *const line_bits[] = {
	"dcd", "dsr", "break", "ring", "framing-error", "parity-error", "overrun",
};

void cdc_notification_tree(const uint8_t *p, size_t n, struct tree *t)
{
	if (n < NOTIFICATION)
		return;
	tree_object(t, "notification");
	tree_hex(t, "bNotificationCode", p[1], 2);
	tree_str(t, "notification", notification_name(p[1]));
	tree_uint(t, "interface", get16(p + 4));
	if (p[1] == NETWORK_CONNECTION)
		tree_bool(t, "connected", p[2]);
	if (p[1] == SERIAL_STATE && n >= NOTIFICATION + 2) {
		tree_list(t, "serial_state");
		for (unsigned int i = 0; i < 7; i++)
			if (p[8] >> i & 1)
				tree_str(t, "bit", line_bits[i]);
		tree_close(t);
	}
	if (p[1] == CONNECTION_SPEED_CHANGE && n >= NOTIFICATION + 8) {
		tree_uint(t, "downstream_bps", get32(p + 8));
		tree_uint(t, "upstream_bps", get32(p + 12));
	}
	tree_close(t);
}

void cdc_notification_brief(const uint8_t *p, size_t n, struct out *o)
{
	const char *name;

	if (n < NOTIFICATION)
		return;
	name = notification_name(p[1]);
	if (name)
		out_str(o, name);
	else
		out_printf(o, "notification 0x%02x", p[1]);
	if (p[1] == NETWORK_CONNECTION)
		out_str(o, p[2] ? " up" : " down");
	if (p[1] == SERIAL_STATE && n >= NOTIFICATION + 2)
		for (unsigned int i = 0; i < 7; i++)
			if (p[8] >> i & 1)
				out_printf(o, " %s", line_bits[i]);
	if (p[1] == CONNECTION_SPEED_CHANGE && n >= NOTIFICATION + 8)
		out_printf(o, " %u/%u bit/s", get32(p + 8), get32(p + 12));
}
