/* SPDX-License-Identifier: MIT */
/*
 * The colorimeter X-Rite i1 Display Pro: HID reports of 64 bytes, each a command or its answer. The
 * protocol is undocumented; the meanings of the fields follow ArgyllCMS and Wireshark, and were
 * checked with public captures.
 */
#include "common/array.h"
#include "common/search.h"
#include "decode/base/bytes.h"
#include "decode/base/escape.h"
#include "decode/usb/class.h"
#include "decode/usb/codename.h"
#include "decode/usb/bytelayout.h"

enum {
	XRITE = 0x0765,
	I1_DISPLAY_PRO = 0x5020,
	REPORT = 64,
	DIFFUSER = 0x9400,
	UNLOCK_RESPONSE = 0x9a00,
	READ_INTERNAL = 0x0800,
	MEASURE_PERIODS = 0x0200,
	READ_EXTERNAL = 0x1200,
	CYCLES = 12000000, /* cycles of the colorimeter's clock in one second */
};

/* layout of the request after the first byte of the command, and of the answer */
static const struct command {
	uint16_t code;
	const char *name;
	byte_layout request, answer;
} commands[] = {
#define LAYOUT(...) ((const char *const[]){__VA_ARGS__, NULL})
	{0x0000, "get information", NULL, LAYOUT("", "-2", "information", "t0")},
	{0x0001, "get status", NULL, LAYOUT("", "-2", "device_status", "m3")},
	{0x0010, "get product name", NULL, LAYOUT("", "-2", "product", "t0")},
	{0x0011, "get product type", NULL, LAYOUT("", "-3", "product_type", "m2")},
	{0x0012, "get firmware version", NULL, LAYOUT("", "-2", "firmware", "t0")},
	{0x0013, "get firmware date", NULL, LAYOUT("", "-2", "firmware_date", "t0")},
	{0x0020, "get lock state", NULL, LAYOUT("", "-2", "locked", "m2")},
	{0x0100, "measure edges", LAYOUT("integration_cycles", "u4"),
	 LAYOUT("", "-2", "red_edges", "u4", "green_edges", "u4", "blue_edges", "u4")},
	{MEASURE_PERIODS, "measure periods",
	 LAYOUT("red_edges_asked", "u2", "green_edges_asked", "u2", "blue_edges_asked", "u2"),
	 LAYOUT("", "-2", "red_cycles", "u4", "green_cycles", "u4", "blue_cycles", "u4")},
	{READ_INTERNAL, "read internal EEPROM",
	 LAYOUT("internal_offset", "u1", "internal_length", "u1"), NULL},
	{READ_EXTERNAL, "read external EEPROM",
	 LAYOUT("external_offset", "m2", "external_length", "u1"), NULL},
	{0x2100, "set LED",
	 LAYOUT("led_mode", "e1M", "led", "off_time", "u1", "on_time", "u1", "pulses", "u1"), NULL},
	{DIFFUSER, "get diffuser position", NULL, LAYOUT("", "-1", "diffuser", "e1D", "position")},
	{0x9900, "get unlock challenge", NULL,
	 LAYOUT("", "-2", "encode_key", "x1", "decode_key", "x1", "", "-31", "challenge", "b8")},
	{UNLOCK_RESPONSE, "answer unlock challenge", LAYOUT("", "-23", "challenge_response", "b16"),
	 LAYOUT("", "-2", "unlock_result", "e1U", "unlocked")},
	{0x9b00, "lock", NULL, NULL},
#undef LAYOUT
};

static const struct code_name leds[] = {{1, "blink"}, {3, "blink, fade on"}};
static const struct code_name positions[] = {{0, "display"}, {1, "ambient"}};
static const struct code_name unlocks[] = {{0x77, "yes"}};

static const char *value_name(char kind, uint64_t v)
{
	switch (kind) {
	case 'M':
		return CODE_NAME(leds, v);
	case 'D':
		return CODE_NAME(positions, v);
	default:
		return CODE_NAME(unlocks, v);
	}
}

static const struct command *command_of(uint16_t code)
{
	return find_by(commands, code, code);
}

static bool fits(const struct usb_detail *d)
{
	return d->device && d->device->known && d->urb.xfer == URB_INTERRUPT &&
	       usbdev_vendor(d->device) == XRITE &&
	       usbdev_product(d->device) == I1_DISPLAY_PRO && d->data_len >= REPORT;
}

/* Returns the command code: the first byte, or the second byte if the first is 0. */
static uint16_t code_of(const uint8_t *p)
{
	return (uint16_t)(p[0] ? p[0] << 8 : p[1]);
}

static bool follow(struct usb_detail *d)
{
	struct usb_colorimeter *c = &d->device->colorimeter;

	if (urb_in(&d->urb))
		return true;
	*c = (struct usb_colorimeter){.has_command = true, .code = code_of(d->data)};
	if (c->code == READ_INTERNAL) {
		c->offset = d->data[1];
		c->length = d->data[2];
	} else if (c->code == READ_EXTERNAL) {
		c->offset = get_be16(d->data + 1);
		c->length = d->data[3];
	}
	return true;
}

/*
 * Whether the second byte of the answer is the position of the diffuser, and not the echoed
 * command.
 */
static bool is_position(const struct usb_colorimeter *c, const struct usb_detail *d)
{
	return c->has_command && c->code == DIFFUSER && !d->data[0];
}

/*
 * Returns the state with the command that an answer belongs to, or NULL. All answers but one repeat
 * the first byte of their command.
 */
static const struct usb_colorimeter *asked(const struct usb_detail *d)
{
	const struct usb_colorimeter *c = &d->device->colorimeter;

	return c->has_command && (is_position(c, d) || c->code >> 8 == d->data[1]) ? c : NULL;
}

/* Returns the EEPROM contents in an answer, or NULL if it has none. */
static const uint8_t *eeprom(const struct usb_detail *d, const struct usb_colorimeter *c)
{
	/* after the status, the command's first byte, the offset (1 or 2 bytes), the length */
	size_t at = c->code == READ_INTERNAL ? 4 : 5;

	return c->length && at + c->length <= d->data_len ? d->data + at : NULL;
}

/* Returns the length of the error text in the answer to a command that failed. */
static size_t error_length(const struct usb_detail *d)
{
	return strnlen((const char *)d->data + 2, d->data_len - 2);
}

static void request_tree(const struct usb_detail *d, struct tree *t)
{
	const struct command *c = command_of(code_of(d->data));

	tree_hex(t, "command", code_of(d->data), 4);
	tree_str(t, "command_name", c ? c->name : NULL);
	if (c && c->request)
		byte_layout_tree(c->request, value_name, d->data + 1, d->data_len - 1, t);
}

static void answer_tree(const struct usb_detail *d, struct tree *t)
{
	const struct usb_colorimeter *request = asked(d);
	const struct command *c = request ? command_of(request->code) : NULL;
	const uint8_t *data = request ? eeprom(d, request) : NULL;

	if (request) {
		tree_hex(t, "command", request->code, 4);
		tree_str(t, "command_name", c ? c->name : NULL);
	}
	tree_hex(t, "response", d->data[0], 2);
	if (d->data[0]) {
		tree_text(t, "error", d->data + 2, error_length(d));
		return;
	}
	if (!request || !is_position(request, d))
		tree_hex(t, request ? "echoed" : "unasked", d->data[1], 2);
	if (c && c->answer)
		byte_layout_tree(c->answer, value_name, d->data, d->data_len, t);
	if (data && request->code == READ_INTERNAL) {
		tree_uint(t, "internal_offset", request->offset);
		tree_uint(t, "internal_length", request->length);
		tree_bytes(t, "internal_eeprom", data, request->length);
	} else if (data) {
		tree_uint(t, "external_offset", request->offset);
		tree_uint(t, "external_length", request->length);
		tree_bytes(t, "external_eeprom", data, request->length);
	}
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	tree_object(t, "colorimeter");
	if (urb_in(&d->urb))
		answer_tree(d, t);
	else
		request_tree(d, t);
	tree_close(t);
}

static void name_brief(uint16_t code, const struct command *c, struct out *o)
{
	if (c)
		out_str(o, c->name);
	else
		out_printf(o, "command 0x%04x", code);
}

static bool is_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

static bool request_brief(const struct usb_detail *d, struct out *o)
{
	const struct command *c = command_of(code_of(d->data));

	name_brief(code_of(d->data), c, o);
	if (c && c->request)
		byte_layout_brief(c->request, value_name, d->data + 1, d->data_len - 1, o);
	return c && c->code != UNLOCK_RESPONSE &&
	       (c->request || is_zero(d->data + 2, d->data_len - 2));
}

/* Durations are transmitted in clock cycles; the line shows seconds. */
static void seconds_brief(const struct usb_detail *d, struct out *o)
{
	enum { AT = 2, COLOURS = 3 };

	out_str(o, " (");
	for (unsigned int i = 0; i < COLOURS; i++)
		out_printf(o, "%s%.6f", i ? ", " : "",
			   get32(d->data + AT + 4 * i) / (double)CYCLES);
	out_str(o, " s)");
}

static bool answer_brief(const struct usb_detail *d, struct out *o)
{
	const struct usb_colorimeter *request = asked(d);
	const struct command *c = request ? command_of(request->code) : NULL;

	if (request)
		name_brief(request->code, c, o);
	else
		out_printf(o, "answer to 0x%02x", d->data[1]);
	if (d->data[0]) {
		out_printf(o, " failed (0x%02x): ", d->data[0]);
		out_quoted(o, d->data + 2, error_length(d));
		return is_zero(d->data + 2 + error_length(d), d->data_len - 2 - error_length(d));
	}
	out_str(o, ":");
	if (c && c->answer)
		byte_layout_brief(c->answer, value_name, d->data, d->data_len, o);
	else if (request && eeprom(d, request))
		out_printf(o, " %u bytes at %u", request->length, request->offset);
	else
		out_str(o, " done");
	if (c && c->code == MEASURE_PERIODS)
		seconds_brief(d, o);
	return c && c->answer && c->code != UNLOCK_RESPONSE;
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	out_str(o, "colorimeter ");
	return urb_in(&d->urb) ? answer_brief(d, o) : request_brief(d, o);
}

static const char *const names[] = {
	"colorimeter", "command", "command_name", "echoed", "error", "external_eeprom",
	"internal_eeprom", "response", "unasked", NULL,
};

static bool has_name(const char *name, size_t n)
{
	for (size_t i = 0; n && i < ARRAY_SIZE(commands); i++)
		if ((commands[i].request && byte_layout_has(commands[i].request, name, n)) ||
		    (commands[i].answer && byte_layout_has(commands[i].answer, name, n)))
			return true;
	return false;
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; !strcmp(member, "command_name") && i < ARRAY_SIZE(commands); i++)
		fn(arg, commands[i].name);
}

const struct usb_class usb_colorimeter_class = {
	.fits = fits,
	.follow = follow,
	.tree = tree,
	.brief = brief,
	.names = names,
	.has_name = has_name,
	.words = words,
};
