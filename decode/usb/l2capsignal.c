/* SPDX-License-Identifier: MIT */
/* Signals of L2CAP: channels are opened, configured and closed. Core 5.3, volume 3, part A, 4. */
#include "decode/usb/btprotocol.h"
#include "decode/usb/class.h"
#include "decode/usb/l2cap.h"

enum { HEADER = 4, CONFIGURE_REQUEST = 4, CONFIGURE_RESPONSE = 5 };

#define LAYOUT(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

LAYOUT(reject_, "reason", "e2J", "reason_name", "reject_data", "b0");
LAYOUT(connect_, "psm", "e2P", "psm_name", "scid", "x2");
LAYOUT(connected_,
       "dcid", "x2", "scid", "x2", "result", "e2C", "result_name", "status", "e2D",
       "status_name");
LAYOUT(configure_, "dcid", "x2", "flags", "x2");
LAYOUT(configured_, "scid", "x2", "flags", "x2", "result", "e2F", "result_name");
LAYOUT(disconnect_, "dcid", "x2", "scid", "x2");
LAYOUT(echo_, "echo_data", "b0");
LAYOUT(ask_, "info_type", "e2I", "info_type_name");
LAYOUT(told_, "info_type", "e2I", "info_type_name", "result", "e2N", "result_name", "info", "b0");
LAYOUT(update_,
       "interval_min", "u2", "interval_max", "u2", "peripheral_latency", "u2",
       "timeout_multiplier", "u2");
LAYOUT(updated_, "result", "e2U", "result_name");
LAYOUT(credit_,
       "spsm", "e2P", "spsm_name", "scid", "x2", "mtu", "u2", "mps", "u2", "initial_credits",
       "u2");
LAYOUT(credited_,
       "dcid", "x2", "mtu", "u2", "mps", "u2", "initial_credits", "u2", "result", "e2L",
       "result_name");
LAYOUT(more_, "cid", "x2", "credits", "u2");
LAYOUT(several_,
       "spsm", "e2P", "spsm_name", "mtu", "u2", "mps", "u2", "initial_credits", "u2", "scids",
       "b0");
LAYOUT(severally_,
       "mtu", "u2", "mps", "u2", "initial_credits", "u2", "result", "e2L", "result_name",
       "dcids", "b0");

static const struct bt_message messages[] = {
	{0x01, "Command Reject", reject_},
	{0x02, "Connection Request", connect_},
	{0x03, "Connection Response", connected_},
	{CONFIGURE_REQUEST, "Configure Request", configure_},
	{CONFIGURE_RESPONSE, "Configure Response", configured_},
	{0x06, "Disconnection Request", disconnect_},
	{0x07, "Disconnection Response", disconnect_},
	{0x08, "Echo Request", echo_},
	{0x09, "Echo Response", echo_},
	{0x0a, "Information Request", ask_},
	{0x0b, "Information Response", told_},
	{0x12, "Connection Parameter Update Request", update_},
	{0x13, "Connection Parameter Update Response", updated_},
	{0x14, "LE Credit Based Connection Request", credit_},
	{0x15, "LE Credit Based Connection Response", credited_},
	{0x16, "Flow Control Credit", more_},
	{0x17, "Credit Based Connection Request", several_},
	{0x18, "Credit Based Connection Response", severally_},
	{0},
};

LAYOUT(mtu_, "mtu", "u2");
LAYOUT(flush_, "flush_timeout", "u2");
LAYOUT(quality_,
       "qos_flags", "x1", "service_type", "u1", "token_rate", "u4", "token_bucket_size", "u4",
       "peak_bandwidth", "u4", "access_latency", "u4", "delay_variation", "u4");
LAYOUT(retransmission_,
       "mode", "e1M", "mode_name", "tx_window", "u1", "max_transmit", "u1",
       "retransmission_timeout", "u2", "monitor_timeout", "u2", "mps", "u2");
LAYOUT(checksum_, "fcs_type", "u1");

static const struct bt_message options[] = {
	{0x01, "MTU", mtu_}, {0x02, "flush timeout", flush_}, {0x03, "QoS", quality_},
	{0x04, "retransmission", retransmission_}, {0x05, "FCS", checksum_}, {0},
};

static const struct code_name rejections[] = {
	{0, "command not understood"}, {1, "signaling MTU exceeded"}, {2, "invalid CID"},
};
static const struct code_name connections[] = {
	{0, "success"}, {1, "pending"}, {2, "PSM not supported"}, {3, "security block"},
	{4, "no resources"}, {6, "invalid source CID"}, {7, "source CID already allocated"},
};
static const struct code_name reasons[] = {
	{1, "authentication pending"}, {2, "authorization pending"},
};
static const struct code_name configurations[] = {
	{0, "success"}, {1, "unacceptable parameters"}, {2, "rejected"}, {3, "unknown options"},
	{4, "pending"}, {5, "flow specification rejected"},
};
static const struct code_name infos[] = {
	{1, "connectionless MTU"}, {2, "extended features"}, {3, "fixed channels"},
};
static const struct code_name modes[] = {
	{0, "basic"}, {1, "retransmission"}, {2, "flow control"}, {3, "enhanced retransmission"},
	{4, "streaming"},
};
static const struct code_name credits[] = {
	{0, "success"}, {2, "SPSM not supported"}, {4, "no resources"},
	{5, "insufficient authentication"}, {6, "insufficient authorization"},
	{7, "encryption key size too short"}, {8, "insufficient encryption"},
	{9, "invalid source CID"}, {10, "source CID already allocated"},
	{11, "unacceptable parameters"},
};

static const char *name_of(char kind, uint64_t v)
{
	uint32_t code = (uint32_t)v;

	switch (kind) {
	case 'J':
		return CODE_NAME(rejections, code);
	case 'P':
		return l2cap_psm_name((uint16_t)code);
	case 'C':
		return CODE_NAME(connections, code);
	case 'D':
		return CODE_NAME(reasons, code);
	case 'F':
		return CODE_NAME(configurations, code);
	case 'I':
		return CODE_NAME(infos, code);
	case 'M':
		return CODE_NAME(modes, code);
	case 'L':
		return CODE_NAME(credits, code);
	case 'N':
		return code == 0 ? "success" : code == 1 ? "not supported" : NULL;
	default:
		return code == 0 ? "accepted" : code == 1 ? "rejected" : NULL;
	}
}

/* Returns the offset of a command's configuration options; n if it has none. */
static size_t options_at(uint8_t code, size_t n)
{
	size_t at = code == CONFIGURE_REQUEST ? 4 : code == CONFIGURE_RESPONSE ? 6 : n;

	return at < n ? at : n;
}

static bool options_brief(const struct bt_frame *f, const uint8_t *p, size_t n, struct out *o)
{
	bool all = true;

	while (n >= 2 && p[1] + 2u <= n) {
		/* the first bit only says that the option may be ignored */
		const struct bt_message *m = bt_message(options, p[0] & 0x7f);

		out_char(o, ',');
		if (m)
			all &= bt_message_brief(m, name_of, f, p + 2, p[1], o);
		else
			out_printf(o, " option 0x%02x", p[0]);
		all = all && m;
		n -= p[1] + 2u;
		p += p[1] + 2u;
	}
	return all && !n;
}

static void options_tree(const struct bt_frame *f, const uint8_t *p, size_t n, struct tree *t)
{
	tree_list(t, "options");
	while (n >= 2 && p[1] + 2u <= n) {
		const struct bt_message *m = bt_message(options, p[0] & 0x7f);

		tree_object(t, "options");
		tree_hex(t, "option", p[0], 2);
		if (m)
			bt_message_tree(m, name_of, f, p + 2, p[1], t);
		else
			tree_bytes(t, "value", p + 2, p[1]);
		tree_close(t);
		n -= p[1] + 2u;
		p += p[1] + 2u;
	}
	tree_close(t);
}

/* Returns the bytes of the command at p that are there, without its header. */
static size_t present(const uint8_t *p, size_t n)
{
	size_t length = get16(p + 2);

	return length < n - HEADER ? length : n - HEADER;
}

static bool brief(const struct bt_frame *f, struct out *o)
{
	const uint8_t *p = f->p;
	size_t left = f->n;
	bool all = true;

	for (bool first = true; left >= HEADER; first = false) {
		const struct bt_message *m = bt_message(messages, p[0]);
		size_t n = present(p, left), at = options_at(p[0], n);

		out_str(o, first ? " " : "; ");
		if (m)
			out_str(o, m->name);
		else
			out_printf(o, "code 0x%02x", p[0]);
		all &= m && bt_message_brief(m, name_of, f, p + HEADER, at, o);
		all &= options_brief(f, p + HEADER + at, n - at, o);
		left -= HEADER + n;
		p += HEADER + n;
	}
	return all && !left;
}

static void tree(const struct bt_frame *f, struct tree *t)
{
	const uint8_t *p = f->p;
	size_t left = f->n;

	tree_list(t, "commands");
	while (left >= HEADER) {
		const struct bt_message *m = bt_message(messages, p[0]);
		size_t n = present(p, left), at = options_at(p[0], n);

		tree_object(t, "commands");
		tree_hex(t, "code", p[0], 2);
		tree_str(t, "command", m ? m->name : NULL);
		tree_uint(t, "identifier", p[1]);
		tree_uint(t, "command_length", get16(p + 2));
		if (m)
			bt_message_tree(m, name_of, f, p + HEADER, at, t);
		if (at < n)
			options_tree(f, p + HEADER + at, n - at, t);
		tree_close(t);
		left -= HEADER + n;
		p += HEADER + n;
	}
	tree_close(t);
}

static bool has_name(const char *name, size_t n)
{
	static const char *const names[] = {
		"command_length", "commands", "identifier", "option", "options", NULL,
	};

	return usb_names_have(names, name, n) || bt_message_has(messages, name, n) ||
	       bt_message_has(options, name, n);
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	bt_message_words(messages, name_of, member, fn, arg);
	if (strcmp(member, "command"))
		bt_message_words(options, name_of, member, fn, arg);
}

const struct bt_protocol bt_signal = {"L2CAP", "l2cap", brief, tree, has_name, words};
