/* SPDX-License-Identifier: MIT */
/* RFCOMM: serial lines over Bluetooth. Source: RFCOMM 1.2, which refers to 3GPP TS 27.010. */
#include "decode/usb/btprotocol.h"
#include "decode/usb/class.h"
#include "decode/usb/obex.h"

enum { SABM = 0x2f, UA = 0x63, DM = 0x0f, DISC = 0x43, UI = 0x03, UIH = 0xef, POLL = 0x10 };
enum { NEGOTIATION = 0x20, MODEM = 0x38 };

static const struct code_name kinds[] = {
	{SABM, "SABM"}, {UA, "UA"}, {DM, "DM"}, {DISC, "DISC"}, {UI, "UI"}, {UIH, "UIH"},
};

static const struct code_name commands[] = {
	{0x04, "NSC"}, {0x08, "TEST"}, {0x14, "RLS"}, {0x18, "FCoff"}, {NEGOTIATION, "PN"},
	{0x24, "RPN"}, {0x28, "FCon"}, {MODEM, "MSC"},
};

static const char *const signals[] = {
	NULL, "FC", "RTC", "RTR", NULL, NULL, "IC", "DV",
};

struct frame {
	uint8_t dlci, control; /* control without its P/F bit */
	bool command, poll, has_credits;
	uint8_t credits;
	const uint8_t *data;
	size_t n, length;      /* of the data that is there; by the header */
	const uint8_t *fcs;    /* NULL: not there */
	bool fcs_wrong;
	bool ends;             /* nothing follows the fcs */
};

/* The check sequence over the header: x^8 + x^2 + x + 1, least significant bit first. */
static uint8_t check_of(const uint8_t *p, size_t n)
{
	unsigned int crc = 0xff;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xe0 : crc >> 1;
	}
	return (uint8_t)~crc;
}

static bool parse(const uint8_t *p, size_t n, struct frame *f)
{
	size_t head = 3;

	if (n < 3 || (!(p[2] & 1) && n < 4))
		return false;
	*f = (struct frame){.dlci = p[0] >> 2, .command = p[0] & 2, .poll = p[1] & POLL};
	f->control = p[1] & ~POLL;
	f->length = p[2] >> 1;
	if (!(p[2] & 1))
		f->length |= (size_t)p[head++] << 7;
	if (f->control == UIH && f->poll && f->dlci && n > head) {
		f->has_credits = true;
		f->credits = p[head++];
	}
	f->data = p + head;
	f->n = f->length < n - head ? f->length : n - head;
	if (n > head + f->length) {
		size_t checked = f->control == UIH ? 2 : p[2] & 1 ? 3 : 4;

		f->fcs = f->data + f->length;
		f->fcs_wrong = *f->fcs != check_of(p, checked);
		f->ends = n == head + f->length + 1;
	}
	return true;
}

/* A command of the multiplexer, in a frame of DLCI 0. */
struct command {
	uint8_t code;
	bool asks;
	const uint8_t *p;
	size_t n;
};

static bool command_of(const struct frame *f, struct command *c)
{
	if (f->dlci || f->control != UIH || f->n < 2 || !(f->data[1] & 1))
		return false;
	c->code = f->data[0] >> 2;
	c->asks = f->data[0] & 2;
	c->p = f->data + 2;
	c->n = f->data[1] >> 1;
	if (c->n > f->n - 2)
		c->n = f->n - 2;
	return true;
}

static void command_brief(const struct command *c, struct out *o)
{
	const char *name = CODE_NAME(commands, c->code);

	out_printf(o, ", %s %s", name ? name : "multiplexer command", c->asks ? "command" : "response");
	if (c->code == NEGOTIATION && c->n >= 8) {
		out_printf(o, " channel %u, frames of %u bytes, %u credits", (c->p[0] & 0x3f) >> 1,
			   get16(c->p + 4), c->p[7] & 7);
	} else if (c->code == MODEM && c->n >= 2) {
		out_printf(o, " channel %u", c->p[0] >> 3);
		for (unsigned int i = 0; i < ARRAY_SIZE(signals); i++)
			if (c->p[1] >> i & 1 && signals[i])
				out_printf(o, " %s", signals[i]);
	}
}

static void command_tree(const struct command *c, struct tree *t)
{
	tree_object(t, "multiplexer");
	tree_hex(t, "code", c->code, 2);
	tree_str(t, "command", CODE_NAME(commands, c->code));
	tree_bool(t, "asks", c->asks);
	if (c->code == NEGOTIATION && c->n >= 8) {
		tree_uint(t, "dlci", c->p[0] & 0x3f);
		tree_uint(t, "frame_type", c->p[1] & 0xf);
		tree_uint(t, "convergence_layer", c->p[1] >> 4);
		tree_uint(t, "priority", c->p[2] & 0x3f);
		tree_uint(t, "acknowledgement_timer", c->p[3]);
		tree_uint(t, "max_frame_size", get16(c->p + 4));
		tree_uint(t, "max_retransmissions", c->p[6]);
		tree_uint(t, "initial_credits", c->p[7] & 7);
	} else if (c->code == MODEM && c->n >= 2) {
		tree_uint(t, "dlci", c->p[0] >> 2);
		tree_hex(t, "signals", c->p[1], 2);
		tree_list(t, "signals_set");
		for (unsigned int i = 0; i < ARRAY_SIZE(signals); i++)
			if (c->p[1] >> i & 1)
				tree_str(t, "signals_set", signals[i]);
		tree_close(t);
	} else if (c->n) {
		tree_bytes(t, "parameters", c->p, c->n);
	}
	tree_close(t);
}

static bool brief(const struct bt_frame *b, struct out *o)
{
	const char *name;
	struct command c;
	struct frame f;
	bool all;

	if (!parse(b->p, b->n, &f))
		return false;
	name = CODE_NAME(kinds, f.control);
	out_printf(o, " channel %u %s", f.dlci >> 1, name ? name : "frame");
	all = name && !f.n && f.ends;
	if (f.has_credits)
		out_printf(o, ", %u credits", f.credits);
	if (command_of(&f, &c)) {
		command_brief(&c, o);
	} else if (f.dlci && f.control == UIH && obex_fits(f.data, f.n)) {
		out_str(o, ", OBEX");
		all = obex_brief(f.data, f.n, o) && f.ends;
	} else if (f.length) {
		out_printf(o, ", %zu bytes", f.length);
	}
	if (f.fcs_wrong)
		out_str(o, ", check sequence wrong");
	return all;
}

static void tree(const struct bt_frame *b, struct tree *t)
{
	struct command c;
	struct frame f;

	if (!parse(b->p, b->n, &f))
		return;
	tree_uint(t, "dlci", f.dlci);
	tree_uint(t, "channel", f.dlci >> 1);
	tree_bool(t, "command_response", f.command);
	tree_hex(t, "control", f.control, 2);
	tree_str(t, "frame", CODE_NAME(kinds, f.control));
	tree_bool(t, "poll_final", f.poll);
	tree_uint(t, "frame_length", f.length);
	if (f.has_credits)
		tree_uint(t, "credits", f.credits);
	if (command_of(&f, &c)) {
		command_tree(&c, t);
	} else if (f.dlci && f.control == UIH && obex_fits(f.data, f.n)) {
		tree_object(t, "obex");
		obex_tree(f.data, f.n, t);
		tree_close(t);
	} else if (f.n) {
		tree_bytes(t, "frame_data", f.data, f.n);
	}
	if (f.fcs)
		tree_hex(t, "fcs", *f.fcs, 2);
	if (f.fcs_wrong)
		tree_bool(t, "fcs_wrong", true);
}

static bool has_name(const char *name, size_t n)
{
	static const char *const names[] = {
		"acknowledgement_timer", "asks", "channel", "code", "command_response", "control",
		"convergence_layer", "credits", "dlci", "fcs", "fcs_wrong", "frame", "frame_data",
		"frame_length", "frame_type", "initial_credits", "max_frame_size",
		"max_retransmissions", "multiplexer", "obex", "parameters", "poll_final",
		"priority", "signals", "signals_set", NULL,
	};

	return usb_names_have(names, name, n) || obex_has_name(name, n);
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "command"))
		CODE_WORDS(commands, fn, arg);
	obex_words(member, fn, arg);
}

const struct bt_protocol bt_rfcomm = {"RFCOMM", "rfcomm", brief, tree, has_name, words};
