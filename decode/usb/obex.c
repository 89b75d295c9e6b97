/* SPDX-License-Identifier: MIT */
#include "decode/usb/obex.h"

#include "decode/base/escape.h"
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/codename.h"
#include "decode/usb/descriptor.h"

enum { HEADER = 3, CONNECT = 0x80, SUCCESS = 0xa0, SET_PATH = 0x85, VERSION = 0x10 };

static const struct code_name codes[] = {
	{CONNECT, "Connect"}, {0x81, "Disconnect"}, {0x02, "Put"}, {0x82, "Put, final"},
	{0x03, "Get"}, {0x83, "Get, final"}, {SET_PATH, "Set Path"}, {0x86, "Action"},
	{0x87, "Session"}, {0xff, "Abort"}, {0x90, "Continue"}, {SUCCESS, "Success"},
	{0xa1, "Created"}, {0xa2, "Accepted"}, {0xa3, "Non-Authoritative Information"},
	{0xa4, "No Content"}, {0xa5, "Reset Content"}, {0xa6, "Partial Content"},
	{0xb0, "Multiple Choices"}, {0xb4, "Not Modified"}, {0xc0, "Bad Request"},
	{0xc1, "Unauthorized"}, {0xc3, "Forbidden"}, {0xc4, "Not Found"},
	{0xc5, "Method Not Allowed"}, {0xc6, "Not Acceptable"}, {0xc8, "Request Timeout"},
	{0xc9, "Conflict"}, {0xcc, "Precondition Failed"}, {0xcd, "Request Entity Too Large"},
	{0xcf, "Unsupported Media Type"}, {0xd0, "Internal Server Error"},
	{0xd1, "Not Implemented"}, {0xd3, "Service Unavailable"}, {0xe0, "Database Full"},
	{0xe1, "Database Locked"},
};

static const struct code_name headers[] = {
	{0xc0, "Count"}, {0x01, "Name"}, {0x42, "Type"}, {0xc3, "Length"}, {0x44, "Time"},
	{0xc4, "Time (4 bytes)"}, {0x05, "Description"}, {0x46, "Target"}, {0x47, "HTTP"},
	{0x48, "Body"}, {0x49, "End of Body"}, {0x4a, "Who"}, {0xcb, "Connection Id"},
	{0x4c, "Application Parameters"}, {0x4d, "Authentication Challenge"},
	{0x4e, "Authentication Response"}, {0xcf, "Creator Id"}, {0x50, "WAN UUID"},
	{0x51, "Object Class"}, {0x52, "Session Parameters"}, {0x93, "Session Sequence Number"},
	{0x94, "Action Id"}, {0x15, "Destination Name"}, {0xd6, "Permissions"},
	{0x97, "Single Response Mode"}, {0x98, "Single Response Mode Parameters"},
};

struct header {
	uint8_t id;
	const char *name;      /* NULL: unknown */
	const uint8_t *p;
	size_t n, whole;       /* bytes that are there, and that it has */
};

struct input {
	const uint8_t *p;
	size_t n;
};

static bool take(struct input *in, struct header *h)
{
	size_t head = 1;

	if (!in->n)
		return false;
	h->id = in->p[0];
	h->name = CODE_NAME(headers, h->id);
	if (h->id >> 6 < 2) {
		head = 3;
		if (in->n < 3 || get_be16(in->p + 1) < 3)
			return false;
		h->whole = get_be16(in->p + 1) - 3u;
	} else {
		h->whole = h->id >> 6 == 2 ? 1 : 4;
	}
	if (in->n < head)
		return false;
	h->n = h->whole < in->n - head ? h->whole : in->n - head;
	h->p = in->p + head;
	in->p += head + h->n;
	in->n -= head + h->n;
	return true;
}

/* Whether these are the code, version and packet length of a connection. */
static bool connects(const uint8_t *p, size_t n)
{
	return n >= 7 && (p[0] == CONNECT || p[0] == SUCCESS) && p[3] == VERSION;
}

/* Returns the packet's headers, which follow its code, length and perhaps other fields. */
static struct input headers_of(const uint8_t *p, size_t n)
{
	size_t at = connects(p, n) ? 7 : p[0] == SET_PATH ? 5 : HEADER;

	at = at < n ? at : n;
	return (struct input){p + at, n - at};
}

/*
 * A packet may continue in further frames, whose bytes may look like one. So a header that is cut
 * has to end with the packet, as bodies do.
 */
bool obex_fits(const uint8_t *p, size_t n)
{
	struct input in;
	struct header h;

	if (n < HEADER || !CODE_NAME(codes, p[0]) || get_be16(p + 1) < n)
		return false;
	in = headers_of(p, n);
	if (!in.n)
		return get_be16(p + 1) == n;
	while (take(&in, &h))
		if (!h.name ||
		    (h.n < h.whole && (size_t)(h.p - p) + h.whole != get_be16(p + 1)))
			return false;
	return !in.n;
}

/* Whether n bytes of UTF-16, of which more follow, end within a character. */
static bool ends_within(const uint8_t *p, size_t n)
{
	return (p[n - 2] & 0xfc) == 0xd8;
}

/* Appends a header's text, which is UTF-16 with the most significant byte first. */
static void text_of(const struct header *h, struct out *o)
{
	size_t n = h->n, part;
	const uint8_t *p = h->p;
	uint8_t turned[128];

	if (n >= 2 && n == h->whole && !get16(p + n - 2))
		n -= 2;
	for (; n; p += part, n -= part) {
		part = n < sizeof(turned) ? n : sizeof(turned);
		if (part < n && ends_within(p, part))
			part -= 2;
		for (size_t i = 0; i < part; i++)
			turned[i] = p[(i ^ 1) < part ? i ^ 1 : i];
		descriptor_utf16(turned, part, o);
	}
}

static bool is_text(const struct header *h)
{
	return h->id == 0x42 || h->id == 0x44;
}

static void header_brief(const struct header *h, struct out *o)
{
	struct out text;

	if (h->name)
		out_printf(o, ", %s", h->name);
	else
		out_printf(o, ", header 0x%02x", h->id);
	out_char(o, ' ');
	if (!(h->id >> 6)) {
		out_memory(&text);
		text_of(h, &text);
		out_quoted(o, text.data, text.len);
		out_free(&text);
	} else if (is_text(h) && h->n == h->whole) {
		out_quoted(o, h->p, strnlen((const char *)h->p, h->n));
	} else if (h->id >> 6 > 1 && h->n == h->whole) {
		out_printf(o, "%u", (unsigned int)get_be(h->p, h->n));
	} else {
		out_printf(o, "%zu bytes", h->whole);
	}
	if (h->n < h->whole)
		out_printf(o, " (%zu of them here)", h->n);
}

bool obex_brief(const uint8_t *p, size_t n, struct out *o)
{
	struct input in = headers_of(p, n);
	struct header h;
	bool all = get_be16(p + 1) == n;

	out_printf(o, " %s", CODE_NAME(codes, p[0]));
	if (connects(p, n))
		out_printf(o, ", version %u.%u, packets of %u bytes", p[3] >> 4, p[3] & 0xf,
			   get_be16(p + 5));
	while (take(&in, &h)) {
		header_brief(&h, o);
		all = all && h.name && (h.id >> 6 != 1 || is_text(&h));
	}
	if (get_be16(p + 1) > n)
		out_printf(o, ", %zu of %u bytes", n, get_be16(p + 1));
	return all && !in.n;
}

static void header_tree(const struct header *h, struct tree *t)
{
	struct out text;

	tree_object(t, "headers");
	tree_hex(t, "header", h->id, 2);
	tree_str(t, "header_name", h->name);
	if (h->n < h->whole || h->id >> 6 == 1)
		tree_uint(t, "header_length", h->whole);
	if (!(h->id >> 6)) {
		out_memory(&text);
		text_of(h, &text);
		tree_text(t, "value", text.data, text.len);
		out_free(&text);
	} else if (is_text(h)) {
		tree_text(t, "value", h->p, strnlen((const char *)h->p, h->n));
	} else if (h->id >> 6 > 1 && h->n == h->whole) {
		tree_uint(t, "value", get_be(h->p, h->n));
	} else {
		tree_bytes(t, "value", h->p, h->n);
	}
	tree_close(t);
}

void obex_tree(const uint8_t *p, size_t n, struct tree *t)
{
	struct input in = headers_of(p, n);
	struct header h;

	tree_hex(t, "opcode", p[0], 2);
	tree_str(t, "command", CODE_NAME(codes, p[0]));
	tree_uint(t, "packet_length", get_be16(p + 1));
	if (connects(p, n)) {
		tree_hex(t, "version", p[3], 2);
		tree_hex(t, "flags", p[4], 2);
		tree_uint(t, "max_packet_length", get_be16(p + 5));
	} else if (p[0] == SET_PATH && n >= 4) {
		tree_hex(t, "flags", p[3], 2);
	}
	tree_list(t, "headers");
	while (take(&in, &h))
		header_tree(&h, t);
	tree_close(t);
}

bool obex_has_name(const char *name, size_t n)
{
	static const char *const names[] = {
		"header", "header_length", "header_name", "headers", "max_packet_length",
		"packet_length", NULL,
	};

	return usb_names_have(names, name, n);
}

void obex_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "command"))
		CODE_WORDS(codes, fn, arg);
	else if (!strcmp(member, "header_name"))
		CODE_WORDS(headers, fn, arg);
}
