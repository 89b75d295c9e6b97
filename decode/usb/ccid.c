/* SPDX-License-Identifier: MIT */
/* Smart card readers. Sources: CCID 1.1; ISO 7816-4 for the names of instructions. */
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/codename.h"
#include "decode/usb/layout.h"

enum { HEADER = 10, XFR_BLOCK = 0x6f, DATA_BLOCK = 0x80, SLOT_CHANGE = 0x50 };

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

/* Bytes 7 to 9 of the header, by message, and what follows it where that has a form of its own. */
static const struct specific {
	uint8_t message;
	layout header, data;
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

/* Of protocols T=0 and T=1. */
static const layout parameters[] = {
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
	for (size_t i = 0; i < sizeof(specifics) / sizeof(specifics[0]); i++)
		if (specifics[i].message == message)
			return &specifics[i];
	return NULL;
}

/* Requests have these bytes at 7; answers have status and error there first. */
static const uint8_t *specific_bytes(const uint8_t *p)
{
	return p + (p[0] >= DATA_BLOCK ? 9 : 7);
}

static layout data_of(const uint8_t *p)
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

static void apdu_tree(const uint8_t *p, size_t n, struct tree *t)
{
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
		layout_tree(s->header, value_name, at, (size_t)(p + HEADER - at), t);
	if (data_of(p))
		layout_tree(data_of(p), value_name, p + HEADER, n - HEADER, t);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const uint8_t *p = d->data;

	tree_object(t, "ccid");
	if (d->urb.xfer == URB_INTERRUPT && d->data_len && p[0] == SLOT_CHANGE) {
		tree_str(t, "message", "NotifySlotChange");
		slots_tree(d, t);
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
		if (p[0] == XFR_BLOCK)
			apdu_tree(p + HEADER, d->data_len - HEADER, t);
		if (p[0] == DATA_BLOCK && d->data_len >= HEADER + 2)
			tree_printf(t, "sw", "%02x%02x", p[d->data_len - 2], p[d->data_len - 1]);
	}
	tree_close(t);
}

static bool notification_brief(const struct usb_detail *d, struct out *o)
{
	out_str(o, "CCID");
	if (!d->data_len || d->data[0] != SLOT_CHANGE)
		return false;
	out_str(o, " NotifySlotChange");
	for (unsigned int i = 0; i < (d->data_len - 1) * 4 && i < 256; i++)
		if (d->data[1 + i / 4] >> i % 4 * 2 & 2)
			out_printf(o, " slot %u %s", i,
				   d->data[1 + i / 4] >> i % 4 * 2 & 1 ? "present" : "empty");
	return true;
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const uint8_t *p = d->data;
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
	if (p[0] == XFR_BLOCK && d->data_len >= HEADER + 4) {
		name = CODE_NAME(instructions, p[HEADER + 1]);
		out_printf(o, " %s (%02x %02x %02x %02x)", name ? name : "APDU", p[HEADER],
			   p[HEADER + 1], p[HEADER + 2], p[HEADER + 3]);
	}
	if (p[0] == DATA_BLOCK && d->data_len >= HEADER + 2)
		out_printf(o, " SW %02x%02x", p[d->data_len - 2], p[d->data_len - 1]);
	if (data_of(p))
		return layout_brief(data_of(p), value_name, p + HEADER, d->data_len - HEADER, o);
	return d->data_len <= HEADER + 2 || (p[0] == XFR_BLOCK && d->data_len <= HEADER + 5);
}

/* VERIFY, CHANGE REFERENCE DATA, RESET RETRY COUNTER: PINs. By T=1 the command is in a block. */
static bool has_pin(const uint8_t *p, size_t n)
{
	enum { T1_PROLOGUE = 3 };

	if (n > T1_PROLOGUE + 5 && !(p[1] & 0x80) && p[2] == n - T1_PROLOGUE - 1) {
		p += T1_PROLOGUE;
		n -= T1_PROLOGUE + 1;
	}
	return n > 5 && p[0] != 0xff && (p[1] == 0x20 || p[1] == 0x24 || p[1] == 0x2c);
}

static const char *secret(const struct usb_detail *d)
{
	if (d->urb.xfer != URB_BULK || d->data_len < HEADER || d->data[0] != XFR_BLOCK)
		return NULL;
	return has_pin(d->data + HEADER, d->data_len - HEADER) ? "PIN of a card" : NULL;
}

static const char *const names[] = {
	"apdu", "bError", "bMessageType", "bSeq", "bSlot", "bStatus", "card", "ccid", "changed",
	"cla", "dwLength", "ins", "instruction", "message", "p1", "p2", "present", "slot", "slots",
	"sw", NULL,
};

static bool has_name(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(specifics) / sizeof(specifics[0]); i++)
		if ((specifics[i].header && layout_has(specifics[i].header, name, n)) ||
		    (specifics[i].data && layout_has(specifics[i].data, name, n)))
			return true;
	return layout_has(parameters[0], name, n) || layout_has(parameters[1], name, n);
}

const struct usb_class usb_ccid_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.secret = secret,
	.names = names,
	.has_name = has_name,
};
