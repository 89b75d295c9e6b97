/* SPDX-License-Identifier: MIT */
/* Smart card readers. Sources: CCID 1.1; ISO 7816-4 for the names of card commands. */
#include "common/array.h"
#include "common/search.h"
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/codename.h"
#include "decode/usb/bytelayout.h"

enum {
	HEADER = 10,
	SLOT_CHANGE = 0x50,
	HARDWARE_ERROR = 0x51,
	XFR_BLOCK = 0x6f,
	DATA_BLOCK = 0x80,
};

static const struct code_name messages[] = {
	{0x61, "SetParameters"}, {0x62, "IccPowerOn"}, {0x63, "IccPowerOff"},
	{0x65, "GetSlotStatus"}, {0x69, "Secure"}, {0x6a, "T0APDU"}, {0x6b, "Escape"},
	{0x6c, "GetParameters"}, {0x6d, "ResetParameters"}, {0x6e, "IccClock"},
	{0x6f, "XfrBlock"}, {0x71, "Mechanical"}, {0x72, "Abort"},
	{0x73, "SetDataRateAndClockFrequency"}, {0x80, "DataBlock"}, {0x81, "SlotStatus"},
	{0x82, "Parameters"}, {0x83, "Escape"}, {0x84, "DataRateAndClockFrequency"},
};

static const struct code_name instructions[] = {
	{0x20, "VERIFY"}, {0x22, "MANAGE SECURITY ENVIRONMENT"}, {0x24, "CHANGE REFERENCE DATA"},
	{0x2a, "PERFORM SECURITY OPERATION"}, {0x2c, "RESET RETRY COUNTER"},
	{0x47, "GENERATE KEY PAIR"}, {0x82, "EXTERNAL AUTHENTICATE"}, {0x84, "GET CHALLENGE"},
	{0x86, "GENERAL AUTHENTICATE"}, {0x87, "GENERAL AUTHENTICATE"},
	{0x88, "INTERNAL AUTHENTICATE"}, {0xa4, "SELECT"}, {0xb0, "READ BINARY"},
	{0xb2, "READ RECORD"}, {0xc0, "GET RESPONSE"}, {0xca, "GET DATA"}, {0xcb, "GET DATA"},
	{0xd6, "UPDATE BINARY"}, {0xda, "PUT DATA"}, {0xdb, "PUT DATA"}, {0xdc, "UPDATE RECORD"},
};

/*
 * Bytes 7 to 9 of the header, by message type, and the data after the header if it has a known
 * layout.
 */
static const struct specific {
	uint8_t message;
	byte_layout header, data;
} specifics[] = {
#define LAYOUT(...) ((const char *const[]){__VA_ARGS__, NULL})
	{0x61, LAYOUT("bProtocolNum", "u1"), NULL},
	{0x62, LAYOUT("bPowerSelect", "e1V", "power"), NULL},
	{0x69, LAYOUT("bBWI", "u1", "wLevelParameter", "x2"), NULL},
	{0x6a, LAYOUT("bmChanges", "x1", "bClassGetResponse", "x1", "bClassEnvelope", "x1"), NULL},
	{0x6e, LAYOUT("bClockCommand", "u1"), NULL},
	{0x6f, LAYOUT("bBWI", "u1", "wLevelParameter", "x2"), NULL},
	{0x71, LAYOUT("bFunction", "u1"), NULL},
	{0x73, NULL, LAYOUT("dwClockFrequency", "u4", "dwDataRate", "u4")},
	{0x81, LAYOUT("bClockStatus", "e1C", "clock"), NULL},
	{0x82, LAYOUT("bProtocolNum", "u1"), NULL},
	{0x84, NULL, LAYOUT("dwClockFrequency", "u4", "dwDataRate", "u4")},
	{0x80, LAYOUT("bChainParameter", "x1"), NULL},
};

/* The protocol data structures of T=0 and T=1. */
static const byte_layout parameters[] = {
	LAYOUT("bmFindexDindex", "x1", "bmTCCKST0", "x1", "bGuardTimeT0", "u1",
	       "bWaitingIntegerT0", "u1", "bClockStop", "u1"),
	LAYOUT("bmFindexDindex", "x1", "bmTCCKST1", "x1", "bGuardTimeT1", "u1",
	       "bmWaitingIntegersT1", "x1", "bClockStop", "u1", "bIFSC", "u1", "bNadValue", "x1"),
};
#undef LAYOUT

static const char *value_name(char kind, uint64_t v)
{
	static const char *const power[] = {"automatic", "5.0 V", "3.0 V", "1.8 V"};
	static const char *const clock[] = {"running", "stopped low", "stopped high", "stopped"};

	if (v > 3)
		return NULL;
	return kind == 'V' ? power[v] : clock[v];
}

static const struct specific *specific_of(uint8_t message)
{
	return find_by(specifics, message, message);
}

/*
 * The message-specific bytes: requests have three, from offset 7; in answers, status and error come
 * first.
 */
static const uint8_t *specific_bytes(const uint8_t *p)
{
	return p + (p[0] >= DATA_BLOCK ? 9 : 7);
}

static byte_layout data_of(const uint8_t *p)
{
	const struct specific *s = specific_of(p[0]);

	if (p[0] == 0x61 || p[0] == 0x82)
		return *specific_bytes(p) < 2 ? parameters[*specific_bytes(p)] : NULL;
	return s ? s->data : NULL;
}

static bool fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x0b &&
	       (d->urb.xfer == URB_BULK || d->urb.xfer == URB_INTERRUPT);
}

static const char *icc_status(uint8_t status)
{
	static const char *const names[] = {"card active", "card inactive", "no card", "reserved"};

	return names[status & 3];
}

static const char *command_status(uint8_t status)
{
	static const char *const names[] = {"ok", "failed", "time extension", "reserved"};

	return names[status >> 6];
}

enum { T1_PROLOGUE = 3, T1_OVERHEAD = 4, T1_NO_INFORMATION = 0x80, T1_MORE = 0x20 };

/*
 * Whether the bytes are a T=1 block: its length must match, and the exclusive or of all its bytes,
 * including the check byte, must be 0.
 */
static bool is_t1(const uint8_t *p, size_t n)
{
	uint8_t check = 0;

	for (size_t i = 0; i < n; i++)
		check ^= p[i];
	return !check && n >= T1_OVERHEAD && p[2] == n - T1_OVERHEAD;
}

/* Returns the command in a T=1 block and sets *n to its length, 0 if the block holds none. */
static const uint8_t *command_of(const uint8_t *p, size_t *n)
{
	if (!is_t1(p, *n))
		return p;
	*n = p[1] & T1_NO_INFORMATION ? 0 : p[2];
	return p + T1_PROLOGUE;
}

/* Like command_of(), but also accepts T=1 blocks that are damaged or use a CRC. */
static const uint8_t *carried(const uint8_t *p, size_t *n)
{
	/*
	 * With a wrong check byte, or a two-byte CRC, only the bits N(S) and M (more data) may be
	 * set in the PCB.
	 */
	bool unchecked = *n > T1_OVERHEAD && p[2] && !(p[1] & 0x9f) &&
			 (p[2] == *n - T1_OVERHEAD || p[2] == *n - T1_OVERHEAD - 1);

	if (!unchecked && !is_t1(p, *n))
		return p;
	*n = p[1] & T1_NO_INFORMATION ? 0 : p[2];
	return p + T1_PROLOGUE;
}

/*
 * Whether the bytes are a command with a PIN, or the header of one: VERIFY, CHANGE REFERENCE DATA,
 * RESET RETRY COUNTER.
 */
static bool has_pin(const uint8_t *p, size_t n)
{
	return n > 4 && p[0] != 0xff && (p[1] == 0x20 || p[1] == 0x24 || p[1] == 0x2c);
}

static bool is_command(const struct usb_detail *d)
{
	return d->urb.xfer == URB_BULK && !urb_in(&d->urb) && d->data_len >= HEADER &&
	       d->data[0] == XFR_BLOCK;
}

/* Whether the block of this message continues the command of the preceding message. */
static bool continues(const struct usb_card_chain *c, const struct usb_detail *d)
{
	const unsigned int level = get16(d->data + 8);
	size_t n = d->data_len - HEADER;

	if (c->bytes)
		return n == c->bytes;
	if (level == 2 || level == 3)
		return c->have;
	return c->more;
}

/*
 * Tracks commands that span several messages: by chaining of T=1 or of CCID, or by T=0's procedure,
 * which sends the data after the header.
 */
static bool follow(struct usb_detail *d)
{
	struct usb_card_chain *c = d->interface ? &d->interface->card : NULL;
	const uint8_t *p = d->data + HEADER, *inner;
	size_t n, inside;
	unsigned int level;
	bool t1, part;

	if (!c || !is_command(d))
		return true;
	inside = n = d->data_len - HEADER;
	inner = carried(p, &inside);
	t1 = inner != p;
	/* An R-block or S-block requests the next block or controls the transmission. */
	if (t1 && !inside)
		return true;
	part = continues(c, d);
	if (!part)
		*c = (struct usb_card_chain){.pin = has_pin(inner, inside)};
	d->before = part ? c->have : 0;
	c->have += (uint32_t)inside;
	level = get16(d->data + 8);
	c->more = level == 1 || level == 3 || (t1 && p[1] & T1_MORE);
	c->bytes = !part && !t1 && !c->more && n == 5 ? p[4] : 0;
	return true;
}

static void apdu_tree(const uint8_t *p, size_t n, struct tree *t)
{
	p = command_of(p, &n);
	if (n < 4)
		return;
	tree_object(t, "apdu");
	tree_hex(t, "cla", p[0], 2);
	tree_hex(t, "ins", p[1], 2);
	tree_str(t, "instruction", CODE_NAME(instructions, p[1]));
	tree_hex(t, "p1", p[2], 2);
	tree_hex(t, "p2", p[3], 2);
	tree_close(t);
}

/*
 * Returns the status words SW1 SW2 of a card's answer, or NULL if the block has none. It has none
 * if it is an answer to reset (ISO 7816-3: it begins with 3b or 3f), a part that is continued in
 * another block (bChainParameter), or a T=1 block other than the last one of an answer. is_t1()
 * recognises T=1 blocks.
 */
static const uint8_t *status_words(const uint8_t *p, size_t len)
{
	enum { LAST_PART = 2 };
	const uint8_t *body = p + HEADER;
	size_t n = len - HEADER;

	if (n < 2 || n != get32(p + 1) || (p[9] && p[9] != LAST_PART) || body[0] == 0x3b ||
	    body[0] == 0x3f)
		return NULL;
	if (!is_t1(body, n))
		return body + n - 2;
	if (body[1] & (T1_NO_INFORMATION | T1_MORE) || body[2] < 2)
		return NULL;
	return body + n - 3;
}

static void slots_tree(const struct usb_detail *d, struct tree *t)
{
	tree_list(t, "slots");
	for (unsigned int i = 0; i < (d->data_len - 1) * 4 && i < 256; i++) {
		unsigned int bits = d->data[1 + i / 4] >> i % 4 * 2;

		if (!(bits & 3))
			continue;
		tree_object(t, "slot");
		tree_uint(t, "slot", i);
		tree_bool(t, "present", bits & 1);
		tree_bool(t, "changed", bits & 2);
		tree_close(t);
	}
	tree_close(t);
}

static void specific_tree(const uint8_t *p, size_t n, struct tree *t)
{
	const struct specific *s = specific_of(p[0]);
	const uint8_t *at = specific_bytes(p);

	if (s && s->header)
		byte_layout_tree(s->header, value_name, at, (size_t)(p + HEADER - at), t);
	if (data_of(p))
		byte_layout_tree(data_of(p), value_name, p + HEADER, n - HEADER, t);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const uint8_t *p = d->data, *sw;

	tree_object(t, "ccid");
	if (d->urb.xfer == URB_INTERRUPT && d->data_len && p[0] == SLOT_CHANGE) {
		tree_str(t, "message", "NotifySlotChange");
		slots_tree(d, t);
	} else if (d->urb.xfer == URB_INTERRUPT && d->data_len > 3 && p[0] == HARDWARE_ERROR) {
		tree_str(t, "message", "HardwareError");
		tree_uint(t, "bSlot", p[1]);
		tree_uint(t, "bSeq", p[2]);
		tree_hex(t, "bHardwareErrorCode", p[3], 2);
		tree_bool(t, "overcurrent", p[3] & 1);
	} else if (d->urb.xfer == URB_BULK && d->data_len >= HEADER) {
		tree_hex(t, "bMessageType", p[0], 2);
		tree_str(t, "message", CODE_NAME(messages, p[0]));
		tree_uint(t, "dwLength", get32(p + 1));
		tree_uint(t, "bSlot", p[5]);
		tree_uint(t, "bSeq", p[6]);
		if (p[0] >= DATA_BLOCK) {
			tree_hex(t, "bStatus", p[7], 2);
			tree_str(t, "card", icc_status(p[7]));
			tree_str(t, "status_name", command_status(p[7]));
			tree_hex(t, "bError", p[8], 2);
		}
		specific_tree(p, d->data_len, t);
		if (d->before)
			tree_uint(t, "continues", d->before);
		else if (p[0] == XFR_BLOCK)
			apdu_tree(p + HEADER, d->data_len - HEADER, t);
		sw = p[0] == DATA_BLOCK ? status_words(p, d->data_len) : NULL;
		if (sw)
			tree_printf(t, "sw", "%02x%02x", sw[0], sw[1]);
	}
	tree_close(t);
}

static bool notification_brief(const struct usb_detail *d, struct out *o)
{
	out_str(o, "CCID");
	if (d->data_len > 3 && d->data[0] == HARDWARE_ERROR) {
		out_printf(o, " HardwareError slot %u seq %u code 0x%02x%s", d->data[1], d->data[2],
			   d->data[3], d->data[3] & 1 ? " overcurrent" : "");
		return true;
	}
	if (!d->data_len || d->data[0] != SLOT_CHANGE)
		return false;
	out_str(o, " NotifySlotChange");
	for (unsigned int i = 0; i < (d->data_len - 1) * 4 && i < 256; i++)
		if (d->data[1 + i / 4] >> i % 4 * 2 & 2)
			out_printf(o, " slot %u %s", i,
				   d->data[1 + i / 4] >> i % 4 * 2 & 1 ? "present" : "empty");
	return true;
}

static void apdu_brief(const uint8_t *p, size_t n, struct out *o)
{
	const char *name;

	p = command_of(p, &n);
	if (n < 4)
		return;
	name = CODE_NAME(instructions, p[1]);
	out_printf(o, " %s (%02x %02x %02x %02x)", name ? name : "APDU", p[0], p[1], p[2], p[3]);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const uint8_t *p = d->data, *sw;
	const char *name;

	if (d->urb.xfer == URB_INTERRUPT)
		return notification_brief(d, o);
	out_str(o, "CCID ");
	if (d->data_len < HEADER)
		return !d->data_len;
	name = CODE_NAME(messages, p[0]);
	if (name)
		out_str(o, name);
	else
		out_printf(o, "message 0x%02x", p[0]);
	out_printf(o, " slot %u seq %u", p[5], p[6]);
	if (p[0] >= DATA_BLOCK)
		out_printf(o, " %s, %s", icc_status(p[7]), command_status(p[7]));
	if (d->before)
		out_str(o, ", next part of the command");
	else if (p[0] == XFR_BLOCK)
		apdu_brief(p + HEADER, d->data_len - HEADER, o);
	sw = p[0] == DATA_BLOCK ? status_words(p, d->data_len) : NULL;
	if (sw)
		out_printf(o, " SW %02x%02x", sw[0], sw[1]);
	if (data_of(p))
		return byte_layout_brief(data_of(p), value_name, p + HEADER, d->data_len - HEADER,
					 o);
	return d->data_len <= HEADER + (sw ? 2 : 0) ||
	       (p[0] == XFR_BLOCK && d->data_len <= HEADER + 5);
}

/* With T=1 the command is inside a block. A header without data contains no PIN. */
static const char *secret(const struct usb_detail *d)
{
	const struct usb_card_chain *c = d->interface ? &d->interface->card : NULL;
	const uint8_t *p = d->data + HEADER, *inner;
	size_t inside;
	bool pin;

	if (!is_command(d))
		return NULL;
	inside = d->data_len - HEADER;
	inner = carried(p, &inside);
	/* A submission without its completion is printed before follow() processes the transfer. */
	if (c && (d->transfer ? d->before > 0 : continues(c, d)))
		pin = c->pin;
	else
		pin = inside > 5 && has_pin(inner, inside);
	return pin ? "PIN of a card" : NULL;
}

static const char *const names[] = {
	"apdu", "bError", "bHardwareErrorCode", "bMessageType", "bSeq", "bSlot", "bStatus", "card",
	"ccid", "changed", "cla", "continues", "dwLength", "ins", "instruction", "message",
	"overcurrent", "p1", "p2", "present", "slot", "slots", "sw", NULL,
};

static bool has_name(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(specifics); i++)
		if ((specifics[i].header && byte_layout_has(specifics[i].header, name, n)) ||
		    (specifics[i].data && byte_layout_has(specifics[i].data, name, n)))
			return true;
	return byte_layout_has(parameters[0], name, n) || byte_layout_has(parameters[1], name, n);
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "status_name"))
		CODE_PROBE(command_status, UINT8_MAX, fn, arg);
}

const struct usb_class usb_ccid_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.follow = follow,
	.secret = secret,
	.names = names,
	.has_name = has_name,
	.words = words,
};
