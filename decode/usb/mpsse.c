/* SPDX-License-Identifier: MIT */
/*
 * The serial engine of FTDI chips (MPSSE): commands that clock bits for JTAG, SPI or I2C and set
 * pins. A channel uses this protocol after SET_BITMODE with mode 2. Source: FTDI AN_108, "Command
 * Processor for MPSSE and MCU Host Bus Emulation Modes".
 *
 * Commands form a byte stream: a command may begin in one transfer and end in the next.
 */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/ftdi.h"

enum {
	/* bits of the commands below 0x80, which shift data */
	WRITE_FALLING = 0x01, /* write on the falling edge of the clock */
	BITS = 0x02,          /* the length counts bits */
	READ_FALLING = 0x04,
	LSB_FIRST = 0x08,
	WRITE_TDI = 0x10,
	READ_TDO = 0x20,
	WRITE_TMS = 0x40,
	OTHER = 0x80,

	BAD_COMMAND = 0xfa,   /* begins the answer to an invalid command */
	SHOWN = 4,            /* maximum number of commands in a line */
	BYTES_SHOWN = 8,      /* maximum number of bytes of an answer in a line */
	LISTED = 1000,        /* maximum number of commands in JSON */
};

enum form { FORM_NONE, FORM_PINS, FORM_DIVISOR, FORM_BITS, FORM_BYTES, FORM_ADDRESS, FORM_DRAIN };

static const struct other {
	uint8_t code;
	uint8_t arguments; /* number of bytes */
	enum form form;
	const char *name;
} others[] = {
	{0x80, 2, FORM_PINS, "set low pins"},
	{0x81, 0, FORM_NONE, "read low pins"},
	{0x82, 2, FORM_PINS, "set high pins"},
	{0x83, 0, FORM_NONE, "read high pins"},
	{0x84, 0, FORM_NONE, "loopback on"},
	{0x85, 0, FORM_NONE, "loopback off"},
	{0x86, 2, FORM_DIVISOR, "clock divisor"},
	{0x87, 0, FORM_NONE, "send immediately"},
	{0x88, 0, FORM_NONE, "wait for I/O high"},
	{0x89, 0, FORM_NONE, "wait for I/O low"},
	{0x8a, 0, FORM_NONE, "clock 60 MHz"},
	{0x8b, 0, FORM_NONE, "clock 12 MHz"},
	{0x8c, 0, FORM_NONE, "3-phase clocking on"},
	{0x8d, 0, FORM_NONE, "3-phase clocking off"},
	{0x8e, 1, FORM_BITS, "clock without data"},
	{0x8f, 2, FORM_BYTES, "clock without data"},
	{0x90, 1, FORM_ADDRESS, "CPU read"},
	{0x91, 2, FORM_ADDRESS, "CPU read"},
	{0x92, 2, FORM_ADDRESS, "CPU write"},
	{0x93, 3, FORM_ADDRESS, "CPU write"},
	{0x94, 0, FORM_NONE, "clock until I/O high"},
	{0x95, 0, FORM_NONE, "clock until I/O low"},
	{0x96, 0, FORM_NONE, "adaptive clocking on"},
	{0x97, 0, FORM_NONE, "adaptive clocking off"},
	{0x9c, 2, FORM_BYTES, "clock until I/O high"},
	{0x9d, 2, FORM_BYTES, "clock until I/O low"},
	{0x9e, 2, FORM_DRAIN, "open drain"},
};

enum { FT2232D = 0x0500, FT2232H = 0x0700, FT4232H = 0x0800 }; /* bcdDevice */

/*
 * Whether a chip has a command. FT2232D does not know what the faster chips have in addition, and
 * open drain is only in those with one channel. release: the device's bcdDevice; 0: unknown.
 */
static bool has_command(uint16_t release, uint8_t code)
{
	if (release == FT2232D)
		return code < 0x8a || (code >= 0x90 && code <= 0x93);
	return code != 0x9e || (release != FT2232H && release != FT4232H);
}

static const char shift_name[] = "shift";

static const struct other *other_of(uint16_t release, uint8_t code)
{
	const struct other *o = find_by(others, code, code);

	return o && has_command(release, code) ? o : NULL;
}

static bool is_shift(uint8_t code)
{
	return !(code & OTHER) && code & (WRITE_TDI | READ_TDO | WRITE_TMS) &&
	       (!(code & WRITE_TMS) || (code & BITS && !(code & WRITE_TDI)));
}

/* ---- the byte stream ------------------------------------------------------------------------- */

/* A command, as far as this transfer contains it. */
struct command {
	uint8_t code;
	const struct other *other; /* NULL: a shift command, or an invalid one */
	uint8_t arguments[3];
	uint32_t length;           /* number of bits or bytes that are shifted or clocked */
	const uint8_t *data;       /* data that is shifted out */
	size_t have, want;         /* bytes of data in this transfer, and in all */
};

/* Reads the commands of a transfer, starting with argument bytes held from the previous one. */
struct walk {
	const struct usb_mpsse_held *held;
	uint16_t release; /* the device's bcdDevice; 0: unknown */
	const uint8_t *p;
	size_t n, at; /* `at` counts the held bytes as well */
};

static struct walk walk_of(const struct usb_detail *d, const struct usb_mpsse_held *held)
{
	size_t rest = held->rest < d->data_len ? held->rest : d->data_len;

	return (struct walk){.held = held, .p = d->data + rest, .n = d->data_len - rest,
			     .release = get16(d->device->device + 12)};
}

static uint8_t byte_at(const struct walk *w, size_t i)
{
	return i < w->held->n ? w->held->bytes[i] : w->p[i - w->held->n];
}

static size_t left(const struct walk *w)
{
	return w->held->n + w->n - w->at;
}

/* Stores the next command in *c. Returns false at the end, and if its arguments are incomplete. */
static bool next(struct walk *w, struct command *c)
{
	size_t n;

	if (!left(w))
		return false;
	*c = (struct command){.code = byte_at(w, w->at)};
	c->other = other_of(w->release, c->code);
	n = c->other ? c->other->arguments : !is_shift(c->code) ? 0 : c->code & BITS ? 1 : 2;
	if (left(w) < 1 + n)
		return false;
	for (size_t i = 0; i < n; i++)
		c->arguments[i] = byte_at(w, w->at + 1 + i);
	w->at += 1 + n;
	c->length = 1u + c->arguments[0] + (n > 1 ? c->arguments[1] << 8 : 0);
	if (is_shift(c->code) && c->code & (WRITE_TDI | WRITE_TMS))
		c->want = c->code & BITS ? 1 : c->length;
	/* The arguments end in this transfer, so the data begins behind the held bytes. */
	c->data = w->p + (w->at - w->held->n);
	c->have = c->want < left(w) ? c->want : left(w);
	w->at += c->have;
	return true;
}

/* ---- the class ------------------------------------------------------------------------------- */

/* Each channel has two endpoints: those of A are 0x02 and 0x81. */
static unsigned int channel_of(const struct usb_detail *d)
{
	return (((d->urb.endpoint & 15u) - 1) / 2) % USB_FTDI_CHANNELS;
}

static struct usb_mpsse *engine(const struct usb_detail *d)
{
	return &d->device->mpsse[channel_of(d)];
}

static bool fits(const struct usb_detail *d)
{
	return usb_ftdi_class.fits(d) && engine(d)->on;
}

static bool follow(struct usb_detail *d)
{
	struct usb_mpsse *m = engine(d);
	struct usb_mpsse_held next_held = {0};
	struct command c = {0};
	struct walk w;

	if (urb_in(&d->urb))
		return true;
	m->now = m->next;
	w = walk_of(d, &m->now);
	while (next(&w, &c))
		next_held.rest = (uint32_t)(c.want - c.have);
	if (m->now.rest > d->data_len)
		next_held.rest = m->now.rest - d->data_len;
	for (; left(&w) && next_held.n < sizeof(next_held.bytes); w.at++)
		next_held.bytes[next_held.n++] = byte_at(&w, w.at);
	m->next = next_held;
	return true;
}

static void shift_tree(const struct command *c, struct tree *t)
{
	tree_str(t, "shift", c->code & WRITE_TMS && c->code & READ_TDO ? "TMS, TDO"
		 : c->code & WRITE_TMS ? "TMS"
		 : c->code & WRITE_TDI && c->code & READ_TDO ? "TDI, TDO"
		 : c->code & WRITE_TDI ? "TDI" : "TDO");
	tree_str(t, "first_bit", c->code & LSB_FIRST ? "least significant" : "most significant");
	if (c->code & (WRITE_TDI | WRITE_TMS))
		tree_str(t, "write_edge", c->code & WRITE_FALLING ? "falling" : "rising");
	if (c->code & READ_TDO)
		tree_str(t, "read_edge", c->code & READ_FALLING ? "falling" : "rising");
	tree_uint(t, c->code & BITS ? "bits" : "bytes", c->length);
	if (c->want)
		tree_bytes(t, "data_out", c->data, c->have);
	if (c->have < c->want)
		tree_uint(t, "following_bytes", c->want - c->have);
}

/* Lists the pins whose bits are set. */
static void pins_tree(const char *name, bool high, uint8_t bits, struct tree *t)
{
	static const char *const names[2][8] = {
		{"TCK/SK", "TDI/DO", "TDO/DI", "TMS/CS", "GPIOL0", "GPIOL1", "GPIOL2", "GPIOL3"},
		{"GPIOH0", "GPIOH1", "GPIOH2", "GPIOH3", "GPIOH4", "GPIOH5", "GPIOH6", "GPIOH7"},
	};

	tree_list(t, name);
	for (unsigned int i = 0; i < 8; i++)
		if (bits >> i & 1)
			tree_str(t, "pin", names[high][i]);
	tree_close(t);
}

static void other_tree(const struct command *c, struct tree *t)
{
	const uint8_t *a = c->arguments;
	bool high = c->code & 2; /* set high pins */
	/* CPU read or write: the address has two bytes, the high byte first */
	bool wide = c->code & 1;

	switch (c->other->form) {
	case FORM_PINS:
		tree_hex(t, "value", a[0], 2);
		pins_tree("value_set", high, a[0], t);
		tree_hex(t, "direction", a[1], 2);
		pins_tree("direction_set", high, a[1], t);
		break;
	case FORM_DIVISOR:
		tree_uint(t, "divisor", c->length - 1);
		break;
	case FORM_BITS:
		tree_uint(t, "bits", c->length);
		break;
	case FORM_BYTES:
		tree_uint(t, "bytes", c->length);
		break;
	case FORM_ADDRESS:
		if (wide)
			tree_hex(t, "address", get_be16(a), 4);
		else
			tree_hex(t, "address", a[0], 2);
		if (c->code & 2)
			tree_hex(t, "value", a[wide ? 2 : 1], 2);
		break;
	case FORM_DRAIN:
		tree_hex(t, "low_pins", a[0], 2);
		pins_tree("low_pins_set", false, a[0], t);
		tree_hex(t, "high_pins", a[1], 2);
		pins_tree("high_pins_set", true, a[1], t);
		break;
	case FORM_NONE:
		break;
	}
}

static void commands_tree(const struct usb_detail *d, struct tree *t)
{
	struct walk w = walk_of(d, &engine(d)->now);
	struct command c;
	uint32_t n = 0;

	if (w.held->rest)
		tree_uint(t, "continued_bytes", d->data_len - w.n);
	tree_list(t, "commands");
	while (next(&w, &c)) {
		if (++n > LISTED)
			continue;
		tree_object(t, "commands");
		tree_hex(t, "command", c.code, 2);
		tree_str(t, "command_name", c.other ? c.other->name
			 : is_shift(c.code) ? shift_name : NULL);
		if (c.other)
			other_tree(&c, t);
		else if (is_shift(c.code))
			shift_tree(&c, t);
		tree_close(t);
	}
	tree_close(t);
	if (n > LISTED)
		tree_uint(t, "more_commands", n - LISTED);
	if (left(&w))
		tree_uint(t, "begun_bytes", left(&w));
}

static void command_brief(const struct command *c, struct out *o)
{
	const uint8_t *a = c->arguments;

	if (is_shift(c->code)) {
		out_printf(o, "%s %u %s%s", c->code & WRITE_TMS ? "TMS" : c->code & WRITE_TDI
			   ? c->code & READ_TDO ? "write and read" : "write" : "read", c->length,
			   c->code & BITS ? "bit" : "byte", c->length == 1 ? "" : "s");
		return;
	}
	if (!c->other) {
		out_printf(o, "unknown 0x%02x", c->code);
		return;
	}
	out_str(o, c->other->name);
	if (c->other->form == FORM_PINS)
		out_printf(o, " 0x%02x direction 0x%02x", a[0], a[1]);
	else if (c->other->form == FORM_DIVISOR)
		out_printf(o, " %u", c->length - 1);
	else if (c->other->form == FORM_BITS || c->other->form == FORM_BYTES)
		out_printf(o, " %u %s", c->length, c->other->form == FORM_BITS ? "bits" : "bytes");
}

static void commands_brief(const struct usb_detail *d, struct out *o)
{
	struct walk w = walk_of(d, &engine(d)->now);
	size_t continued = d->data_len - w.n;
	const char *separator = "";
	struct command c;
	uint32_t n = 0;

	if (continued) {
		out_printf(o, "%zu byte%s of the command before", continued,
			   continued == 1 ? "" : "s");
		separator = ", ";
	}
	while (next(&w, &c)) {
		if (++n > SHOWN)
			continue;
		out_str(o, separator);
		command_brief(&c, o);
		separator = ", ";
	}
	if (n > SHOWN)
		out_printf(o, " and %u more", n - SHOWN);
	if (left(&w))
		out_printf(o, "%sa command's begin", separator);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	uint8_t *bytes;
	size_t n;

	tree_object(t, "mpsse");
	if (urb_in(&d->urb)) {
		bytes = usb_serial_text(d, &n);
		if (bytes)
			tree_bytes(t, "data_in", bytes, n);
		if (n == 2 && bytes[0] == BAD_COMMAND)
			tree_hex(t, "bad_command", bytes[1], 2);
		free(bytes);
	} else {
		commands_tree(d, t);
	}
	tree_close(t);
	if (urb_in(&d->urb))
		ftdi_status_tree(d->data, d->data_len, usb_ftdi_packet(d), t);
}

static void answer_brief(const uint8_t *bytes, size_t n, struct out *o)
{
	if (n == 2 && bytes[0] == BAD_COMMAND) {
		out_printf(o, "no such command: 0x%02x", bytes[1]);
		return;
	}
	out_printf(o, "%zu byte%s in%s", n, n == 1 ? "" : "s", n && n <= BYTES_SHOWN ? ":" : "");
	for (size_t i = 0; n <= BYTES_SHOWN && i < n; i++)
		out_printf(o, " %02x", bytes[i]);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	uint8_t *bytes;
	size_t n;

	out_str(o, "MPSSE ");
	if (!urb_in(&d->urb)) {
		commands_brief(d, o);
		return false;
	}
	bytes = usb_serial_text(d, &n);
	answer_brief(bytes, n, o);
	ftdi_status_brief(d->data, d->data_len, usb_ftdi_packet(d), o);
	free(bytes);
	return n <= BYTES_SHOWN;
}

static const char *const names[] = {
	"address", "bad_command", "begun_bytes", "bits", "bytes", "command", "command_name",
	"commands", "continued_bytes", "data_in", "data_out", "direction", "direction_set",
	"divisor", "first_bit", "following_bytes", "high_pins", "high_pins_set", "low_pins",
	"low_pins_set", "more_commands", "mpsse", "read_edge", "shift", "value", "value_set",
	"write_edge", NULL,
};

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (strcmp(member, "command_name"))
		return;
	fn(arg, shift_name);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		fn(arg, others[i].name);
}

const struct usb_class usb_mpsse_class = {
	.fits = fits,
	.follow = follow,
	.tree = tree,
	.brief = brief,
	.names = names,
	.words = words,
};
