/* SPDX-License-Identifier: MIT */
/*
 * Industrial cameras, USB3 Vision. Registers are read and written by GenCP commands on one pair of
 * endpoints; events have their own endpoint. In the stream, which also has its own, each image is
 * enclosed by a leader and a trailer. Sources: USB3 Vision 1.1, GenICam GenCP 1.3 and PFNC 2.4.
 */
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/base/escape.h"
#include "decode/usb/class.h"
#include "decode/usb/codename.h"
#include "decode/usb/bytelayout.h"
#include "decode/usb/visionregister.h"

enum { CONTROL, EVENTS, STREAM }; /* bInterfaceProtocol */
enum {
	HEADER = 12,
	READ = 0x0800,
	READ_ACK,
	WRITE,
	WRITE_ACK,
	PENDING_ACK = 0x0805,
	EVENT = 0x0c00,
	ACK = 1
};
enum { LEADER = 20, TRAILER = 28, IMAGE = 0x0001, EXTENDED = 0x4001 };

#define PREFIX(c) ('U' | '3' << 8 | 'V' << 16 | (c) << 24)

static const struct code_name commands[] = {
	{READ, "READMEM_CMD"},	     {READ_ACK, "READMEM_ACK"},	   {WRITE, "WRITEMEM_CMD"},
	{WRITE_ACK, "WRITEMEM_ACK"}, {PENDING_ACK, "PENDING_ACK"}, {EVENT, "EVENT_CMD"},
	{EVENT | ACK, "EVENT_ACK"},
};

static const struct code_name statuses[] = {
	{0x0000, "success"},
	{0x8001, "not implemented"},
	{0x8002, "invalid parameter"},
	{0x8003, "invalid address"},
	{0x8004, "write-protected"},
	{0x8005, "bad alignment"},
	{0x8006, "access denied"},
	{0x8007, "busy"},
	{0x800b, "timed out"},
	{0x800e, "invalid header"},
	{0x800f, "wrong configuration"},
	{0x8fff, "error"},
	{0xa001, "resend not supported"},
	{0xa002, "stream endpoint halted"},
	{0xa003, "payload size not aligned"},
	{0xa004, "stream registers inconsistent"},
	{0xa100, "data discarded"},
	{0xa101, "data overrun"},
};

static const struct code_name payload_types[] = {
	{IMAGE, "image"},
	{EXTENDED, "image with chunks"},
	{0x4000, "chunks"},
};

static const struct code_name pixel_formats[] = {
	{0x01080001, "Mono8"},	       {0x01100003, "Mono10"},	   {0x010a0046, "Mono10p"},
	{0x01100005, "Mono12"},	       {0x010c0047, "Mono12p"},	   {0x01100025, "Mono14"},
	{0x01100007, "Mono16"},	       {0x01080008, "BayerGR8"},   {0x01080009, "BayerRG8"},
	{0x0108000a, "BayerGB8"},      {0x0108000b, "BayerBG8"},   {0x0110000c, "BayerGR10"},
	{0x0110000d, "BayerRG10"},     {0x0110000e, "BayerGB10"},  {0x0110000f, "BayerBG10"},
	{0x010a0056, "BayerGR10p"},    {0x010a0058, "BayerRG10p"}, {0x010a0054, "BayerGB10p"},
	{0x010a0052, "BayerBG10p"},    {0x01100010, "BayerGR12"},  {0x01100011, "BayerRG12"},
	{0x01100012, "BayerGB12"},     {0x01100013, "BayerBG12"},  {0x010c0057, "BayerGR12p"},
	{0x010c0059, "BayerRG12p"},    {0x010c0055, "BayerGB12p"}, {0x010c0053, "BayerBG12p"},
	{0x0110002e, "BayerGR16"},     {0x0110002f, "BayerRG16"},  {0x01100030, "BayerGB16"},
	{0x01100031, "BayerBG16"},     {0x02180014, "RGB8"},	   {0x02180015, "BGR8"},
	{0x02200016, "RGBa8"},	       {0x02200017, "BGRa8"},	   {0x02100032, "YUV422_8"},
	{0x0210001f, "YUV422_8_UYVY"}, {0x02180020, "YUV8_UYV"},   {0x0210003b, "YCbCr422_8"},
};

static const char *const image[] = {
	"timestamp", "u8", "pixel_format", "e4P", "pixel_format_name", "width", "u4",
	"height",    "u4", "offset_x",	   "u4",  "offset_y",	       "u4",	"padding_x",
	"u2",	     NULL,
};

static const char *vision_name(char kind, uint64_t v)
{
	return kind == 'P' && v <= UINT32_MAX ? CODE_NAME(pixel_formats, (uint32_t)v) : NULL;
}

static bool fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0xef && d->interface->subclass == 0x05 &&
	       d->interface->protocol <= STREAM && d->urb.xfer == URB_BULK;
}

/*
 * A GenCP message. flags: of a command, or the status of an acknowledgement. n: bytes present at p.
 */
struct message {
	uint16_t flags, command, length, id;
	const uint8_t *p;
	size_t n;
};

static bool take_message(const struct usb_detail *d, struct message *m)
{
	char kind = d->interface->protocol == CONTROL ? 'C' : 'E';

	if (d->interface->protocol == STREAM || d->data_len < HEADER ||
	    get32(d->data) != (uint32_t)PREFIX(kind))
		return false;
	*m = (struct message){get16(d->data + 4),  get16(d->data + 6), get16(d->data + 8),
			      get16(d->data + 10), d->data + HEADER,   d->data_len - HEADER};
	if (m->n > m->length)
		m->n = m->length;
	return true;
}

static bool is_access(const struct message *m)
{
	return ((m->command == READ && m->n >= 12) || (m->command == WRITE && m->n >= 8));
}

/*
 * Stores the address that a message accesses. An acknowledgement has none: its address is that of
 * the preceding command with the same request id.
 */
static bool address_of(const struct usb_detail *d, const struct message *m, uint64_t *address)
{
	const struct usb_vision *v = d->device ? &d->device->vision : NULL;

	if (is_access(m)) {
		*address = get64(m->p);
		return true;
	}
	if (!v || !v->has_command || v->id != m->id ||
	    (m->command != (v->write ? WRITE_ACK : READ_ACK) && m->command != PENDING_ACK))
		return false;
	*address = v->address;
	return true;
}

static bool is_part(const struct usb_detail *d, char kind, size_t least)
{
	return d->interface->protocol == STREAM && d->data_len >= least &&
	       get32(d->data) == (uint32_t)PREFIX(kind);
}

static bool is_image(unsigned int payload_type)
{
	return payload_type == IMAGE || payload_type == EXTENDED;
}

/* Stores the height of an image in lines, from its trailer; the leader announces only a maximum. */
static bool lines_of(const struct usb_detail *d, uint32_t *lines)
{
	const struct usb_vision *v = d->device ? &d->device->vision : NULL;

	if (!v || !v->has_leader || v->block_id != get64(d->data + 8) ||
	    !is_image(v->payload_type) || d->data_len < TRAILER + 4)
		return false;
	*lines = get32(d->data + TRAILER);
	return true;
}

static void follow_message(struct usb_vision *v, const struct usb_detail *d,
			   const struct message *m)
{
	uint64_t address;

	if (!address_of(d, m, &address))
		return;
	if (is_access(m)) {
		v->has_command = true;
		v->write = m->command == WRITE;
		v->id = m->id;
		v->address = address;
	} else if (m->command == READ_ACK && !m->flags) {
		vision_learn(v, address, m->p, m->n);
	}
}

static bool follow(struct usb_detail *d)
{
	struct usb_vision *v = d->device ? &d->device->vision : NULL;
	struct message m;

	if (v && take_message(d, &m)) {
		follow_message(v, d, &m);
	} else if (v && is_part(d, 'L', LEADER)) {
		v->has_leader = true;
		v->block_id = get64(d->data + 8);
		v->payload_type = get16(d->data + 18);
	}
	return true;
}

/*
 * Returns the size of the register value in a message, in bytes; 0 if it is absent or incomplete.
 */
static size_t value_of(const struct message *m, const uint8_t **p)
{
	size_t skipped = m->command == WRITE ? 8 : 0;

	if ((m->command != WRITE && m->command != READ_ACK) || m->n < m->length || m->n <= skipped)
		return 0;
	*p = m->p + skipped;
	return m->n - skipped;
}

static const struct vision_register *register_of(const struct usb_detail *d, uint64_t address)
{
	return d->device ? vision_register(&d->device->vision, address) : NULL;
}

/*
 * ---- JSON -------------------------------------------------------------------------------------
 */

static void value_tree(const struct vision_register *r, const uint8_t *p, size_t n, struct tree *t)
{
	if (r && r->size == TEXT_REGISTER && n == r->size)
		tree_text(t, "text", p, strnlen((const char *)p, n));
	else if (n == 4 || n == 8)
		tree_uint(t, "value", n == 4 ? get32(p) : get64(p));
}

static void message_tree(const struct usb_detail *d, const struct message *m, struct tree *t)
{
	const struct vision_register *r = NULL;
	const uint8_t *p;
	uint64_t address;
	size_t n;

	tree_hex(t, "command", m->command, 4);
	tree_str(t, "command_name", CODE_NAME(commands, m->command));
	tree_uint(t, "request_id", m->id);
	tree_uint(t, "payload_length", m->length);
	if (m->command & ACK) {
		tree_hex(t, "status", m->flags, 4);
		tree_str(t, "status_name", CODE_NAME(statuses, m->flags));
	} else {
		tree_hex(t, "flags", m->flags, 4);
	}
	if (address_of(d, m, &address)) {
		r = register_of(d, address);
		tree_hex(t, "address", address, 8);
		tree_str(t, "register", r ? r->name : NULL);
	}
	if (m->command == READ && m->n >= 12)
		tree_uint(t, "count", get16(m->p + 10));
	if (m->command == WRITE_ACK && m->n >= 4)
		tree_uint(t, "written", get16(m->p + 2));
	if (m->command == PENDING_ACK && m->n >= 4)
		tree_uint(t, "timeout_ms", get16(m->p + 2));
	if (m->command == EVENT && m->n >= 12) {
		tree_hex(t, "event_id", get16(m->p + 2), 4);
		tree_uint(t, "timestamp", get64(m->p + 4));
	}
	n = value_of(m, &p);
	if (n)
		value_tree(r, p, n, t);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	struct message m;
	uint32_t lines;

	tree_object(t, "vision");
	if (take_message(d, &m)) {
		message_tree(d, &m, t);
	} else if (is_part(d, 'L', LEADER)) {
		tree_str(t, "part", "leader");
		tree_uint(t, "block_id", get64(d->data + 8));
		tree_hex(t, "payload_type", get16(d->data + 18), 4);
		tree_str(t, "payload_type_name", CODE_NAME(payload_types, get16(d->data + 18)));
		if (is_image(get16(d->data + 18)))
			byte_layout_tree(image, vision_name, d->data + LEADER,
					 d->data_len - LEADER, t);
	} else if (is_part(d, 'T', TRAILER)) {
		tree_str(t, "part", "trailer");
		tree_uint(t, "block_id", get64(d->data + 8));
		tree_hex(t, "block_status", get16(d->data + 16), 4);
		tree_str(t, "block_status_name", CODE_NAME(statuses, get16(d->data + 16)));
		tree_uint(t, "valid_payload_size", get64(d->data + 20));
		if (lines_of(d, &lines))
			tree_uint(t, "height", lines);
	} else if (d->interface->protocol == STREAM && d->data_len) {
		tree_str(t, "part", "payload");
	}
	tree_close(t);
}

/*
 * ---- text -------------------------------------------------------------------------------------
 */

static void status_brief(uint16_t status, struct out *o)
{
	const char *name = CODE_NAME(statuses, status);

	if (status && name)
		out_printf(o, ", failed: %s", name);
	else if (status)
		out_printf(o, ", failed: status 0x%04x", status);
}

static bool value_brief(const struct vision_register *r, const uint8_t *p, size_t n, struct out *o)
{
	if (r && r->size == TEXT_REGISTER && n == r->size) {
		out_char(o, ' ');
		out_quoted(o, (const char *)p, strnlen((const char *)p, n));
		return true;
	}
	if (n == 4)
		out_printf(o, " 0x%x", get32(p));
	else if (n == 8)
		out_printf(o, " 0x%llx", (unsigned long long)get64(p));
	return n == 4 || n == 8;
}

/* Returns whether the text covers the whole payload of the message. */
static bool message_brief(const struct usb_detail *d, const struct message *m, struct out *o)
{
	const char *name = CODE_NAME(commands, m->command);
	const struct vision_register *r = NULL;
	const uint8_t *p;
	uint64_t address;
	bool shown = true;
	size_t n;

	if (name)
		out_printf(o, " %s", name);
	else
		out_printf(o, " command 0x%04x", m->command);
	out_printf(o, " %u", m->id);
	if (address_of(d, m, &address)) {
		r = register_of(d, address);
		if (r)
			out_printf(o, " %s", r->name);
		else
			out_printf(o, " 0x%08llx", (unsigned long long)address);
	}
	if (m->command & ACK)
		status_brief(m->flags, o);
	n = value_of(m, &p);
	if (n)
		shown = value_brief(r, p, n, o);
	else if (m->command == READ && m->n >= 12)
		out_printf(o, " %u bytes", get16(m->p + 10));
	else if (m->command == WRITE_ACK && m->n >= 4)
		out_printf(o, " %u bytes", get16(m->p + 2));
	else if (m->command == PENDING_ACK && m->n >= 4)
		out_printf(o, " within %u ms", get16(m->p + 2));
	else if (m->command == EVENT && m->n >= 12)
		out_printf(o, " event 0x%04x at %llu", get16(m->p + 2),
			   (unsigned long long)get64(m->p + 4));
	return shown && name && m->n == m->length && m->n == d->data_len - HEADER &&
	       (m->command != EVENT || m->n <= 12);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	struct message m;
	uint32_t lines;

	out_str(o, "U3V");
	if (take_message(d, &m))
		return message_brief(d, &m, o);
	if (is_part(d, 'L', LEADER)) {
		const char *type = CODE_NAME(payload_types, get16(d->data + 18));

		out_printf(o, " leader of block %llu", (unsigned long long)get64(d->data + 8));
		if (type)
			out_printf(o, ", %s", type);
		else
			out_printf(o, ", payload type 0x%04x", get16(d->data + 18));
		if (is_image(get16(d->data + 18)))
			byte_layout_brief(image, vision_name, d->data + LEADER,
					  d->data_len - LEADER, o);
		return type && is_image(get16(d->data + 18));
	}
	if (is_part(d, 'T', TRAILER)) {
		out_printf(o, " trailer of block %llu, %llu bytes of payload",
			   (unsigned long long)get64(d->data + 8),
			   (unsigned long long)get64(d->data + 20));
		if (lines_of(d, &lines))
			out_printf(o, ", height %u", lines);
		status_brief(get16(d->data + 16), o);
		return true;
	}
	out_str(o, d->interface->protocol == STREAM ? " payload" : " data");
	return !d->data_len;
}

static const char *const names[] = {
	"address",
	"block_id",
	"block_status",
	"block_status_name",
	"command",
	"command_name",
	"count",
	"event_id",
	"flags",
	"part",
	"payload_length",
	"payload_type",
	"payload_type_name",
	"register",
	"request_id",
	"status",
	"status_name",
	"text",
	"timeout_ms",
	"timestamp",
	"valid_payload_size",
	"value",
	"vision",
	"written",
	NULL,
};

static bool has_name(const char *name, size_t n)
{
	return byte_layout_has(image, name, n);
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "command_name"))
		CODE_WORDS(commands, fn, arg);
	else if (!strcmp(member, "status_name"))
		CODE_WORDS(statuses, fn, arg);
	else if (!strcmp(member, "block_status_name"))
		CODE_WORDS(statuses, fn, arg);
	else if (!strcmp(member, "payload_type_name"))
		CODE_WORDS(payload_types, fn, arg);
	else if (!strcmp(member, "pixel_format_name"))
		CODE_WORDS(pixel_formats, fn, arg);
}

const struct usb_class usb_vision_class = {
	.fits = fits,
	.follow = follow,
	.tree = tree,
	.brief = brief,
	.names = names,
	.has_name = has_name,
	.words = words,
};
