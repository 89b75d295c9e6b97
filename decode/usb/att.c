/* SPDX-License-Identifier: MIT */
/* The Attribute Protocol of Bluetooth. Source: Bluetooth Core 5.3, volume 3, part F, 3.4. */
#include "decode/usb/btprotocol.h"
#include "decode/usb/class.h"

#define LAYOUT(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}
#define VALUE "value", "b0"
#define RANGE "starting_handle", "x2", "ending_handle", "x2"

LAYOUT(error_,
       "request_opcode", "e1O", "request", "handle", "x2", "error_code", "e1E", "error_name");
LAYOUT(client_, "client_mtu", "u2");
LAYOUT(server_, "server_mtu", "u2");
LAYOUT(range_, RANGE);
LAYOUT(typevalue_, RANGE, "uuid", "e2U", "uuid_name", VALUE);
LAYOUT(handle_, "handle", "x2");
LAYOUT(value_, VALUE);
LAYOUT(blob_, "handle", "x2", "offset", "u2");
LAYOUT(handles_, "handles", "b0");
LAYOUT(assign_, "handle", "x2", VALUE);
LAYOUT(part_, "handle", "x2", "offset", "u2", VALUE);
LAYOUT(execute_, "execute", "e1X", "execute_name");

/* Codes whose form is not a layout: they end with a UUID, or are a list. */
enum {
	FIND_INFORMATION = 0x05,
	FIND_BY_TYPE = 0x07,
	READ_BY_TYPE_REQUEST = 0x08,
	READ_BY_TYPE = 0x09,
	READ_BY_GROUP_REQUEST = 0x10,
	READ_BY_GROUP = 0x11,
};

static const struct bt_message messages[] = {
	{0x01, "Error Response", error_},
	{0x02, "Exchange MTU Request", client_},
	{0x03, "Exchange MTU Response", server_},
	{0x04, "Find Information Request", range_},
	{FIND_INFORMATION, "Find Information Response", NULL},
	{0x06, "Find By Type Value Request", typevalue_},
	{FIND_BY_TYPE, "Find By Type Value Response", NULL},
	{READ_BY_TYPE_REQUEST, "Read By Type Request", range_},
	{READ_BY_TYPE, "Read By Type Response", NULL},
	{0x0a, "Read Request", handle_},
	{0x0b, "Read Response", value_},
	{0x0c, "Read Blob Request", blob_},
	{0x0d, "Read Blob Response", value_},
	{0x0e, "Read Multiple Request", handles_},
	{0x0f, "Read Multiple Response", value_},
	{READ_BY_GROUP_REQUEST, "Read By Group Type Request", range_},
	{READ_BY_GROUP, "Read By Group Type Response", NULL},
	{0x12, "Write Request", assign_},
	{0x13, "Write Response", NULL},
	{0x16, "Prepare Write Request", part_},
	{0x17, "Prepare Write Response", part_},
	{0x18, "Execute Write Request", execute_},
	{0x19, "Execute Write Response", NULL},
	{0x1b, "Handle Value Notification", assign_},
	{0x1d, "Handle Value Indication", assign_},
	{0x1e, "Handle Value Confirmation", NULL},
	{0x20, "Read Multiple Variable Request", handles_},
	{0x21, "Read Multiple Variable Response", value_},
	{0x23, "Multiple Handle Value Notification", value_},
	{0x52, "Write Command", assign_},
	{0xd2, "Signed Write Command", assign_},
	{0},
};

static const struct code_name errors[] = {
	{0x01, "Invalid Handle"}, {0x02, "Read Not Permitted"}, {0x03, "Write Not Permitted"},
	{0x04, "Invalid PDU"}, {0x05, "Insufficient Authentication"},
	{0x06, "Request Not Supported"}, {0x07, "Invalid Offset"},
	{0x08, "Insufficient Authorization"}, {0x09, "Prepare Queue Full"},
	{0x0a, "Attribute Not Found"}, {0x0b, "Attribute Not Long"},
	{0x0c, "Encryption Key Size Too Short"}, {0x0d, "Invalid Attribute Value Length"},
	{0x0e, "Unlikely Error"}, {0x0f, "Insufficient Encryption"},
	{0x10, "Unsupported Group Type"}, {0x11, "Insufficient Resources"},
	{0x12, "Database Out Of Sync"}, {0x13, "Value Not Allowed"},
	{0xfc, "Write Request Rejected"}, {0xfd, "CCCD Improperly Configured"},
	{0xfe, "Procedure Already in Progress"}, {0xff, "Out of Range"},
};

static const char *name_of(char kind, uint64_t v)
{
	const struct bt_message *m;

	switch (kind) {
	case 'O':
		m = bt_message(messages, (uint8_t)v);
		return m ? m->name : NULL;
	case 'E':
		return CODE_NAME(errors, (uint32_t)v);
	case 'X':
		return v == 0 ? "cancel" : v == 1 ? "write" : NULL;
	default:
		return bt_uuid_name((uint32_t)v);
	}
}

/* Appends a UUID that is stored with its least significant byte first; n: 2 or 16. */
static void uuid_text(const uint8_t *p, size_t n, struct out *o)
{
	uint8_t turned[16];

	for (size_t i = 0; i < n; i++)
		turned[i] = p[n - 1 - i];
	bt_uuid_text(turned, n, o);
}

static void uuid_tree(const uint8_t *p, size_t n, struct tree *t)
{
	struct out text;

	out_memory(&text);
	uuid_text(p, n, &text);
	if (n == 2)
		tree_hex(t, "uuid", get16(p), 4);
	tree_text(t, n == 2 ? "uuid_name" : "uuid", text.data, text.len);
	out_free(&text);
}

/* A list of attributes: entries of one size, of which each has a handle first. */
struct list {
	const uint8_t *p;
	size_t entry, count;
	bool has_end;          /* then the last handle of a group */
	bool of_uuids;         /* the rest is a UUID, else a value */
};

static bool is_list(uint8_t opcode)
{
	return opcode == FIND_INFORMATION || opcode == FIND_BY_TYPE || opcode == READ_BY_TYPE ||
	       opcode == READ_BY_GROUP;
}

/* Returns false if this frame is no list, or not a whole number of entries, at least one. */
static bool list_of(const struct bt_frame *f, struct list *l)
{
	size_t head = f->p[0] == FIND_BY_TYPE ? 1 : 2;

	if (!is_list(f->p[0]) || f->n <= head)
		return false;
	*l = (struct list){.p = f->p + head};
	l->has_end = f->p[0] == FIND_BY_TYPE || f->p[0] == READ_BY_GROUP;
	l->of_uuids = f->p[0] == FIND_INFORMATION;
	l->entry = f->p[0] == FIND_BY_TYPE ? 4 :
		   !l->of_uuids ? f->p[1] : f->p[1] == 1 ? 4 : f->p[1] == 2 ? 18 : 0;
	if (l->entry < (l->has_end ? 4 : 2))
		return false;
	l->count = (f->n - head) / l->entry;
	return l->count && !((f->n - head) % l->entry);
}

static void list_brief(const struct list *l, struct out *o)
{
	enum { LISTED = 4, BYTES = 16 };
	size_t head = l->has_end ? 4 : 2, rest = l->entry - head;

	for (size_t i = 0; i < l->count && i < LISTED; i++) {
		const uint8_t *p = l->p + i * l->entry;

		out_printf(o, "%s0x%04x", i ? ", " : " ", get16(p));
		if (l->has_end)
			out_printf(o, "-0x%04x", get16(p + 2));
		out_str(o, rest ? " " : "");
		if (l->of_uuids || (l->has_end && (rest == 2 || rest == 16)))
			uuid_text(p + head, rest, o);
		else
			for (size_t k = 0; k < rest && k < BYTES; k++)
				out_printf(o, "%02x", p[head + k]);
		out_str(o, rest > BYTES ? "..." : "");
	}
	if (l->count > LISTED)
		out_printf(o, " and %zu more", l->count - LISTED);
}

static void list_tree(const struct list *l, struct tree *t)
{
	size_t head = l->has_end ? 4 : 2, rest = l->entry - head;

	tree_list(t, "attributes");
	for (size_t i = 0; i < l->count; i++) {
		const uint8_t *p = l->p + i * l->entry;

		tree_object(t, "attributes");
		tree_hex(t, "handle", get16(p), 4);
		if (l->has_end)
			tree_hex(t, "group_end_handle", get16(p + 2), 4);
		if (l->of_uuids || (l->has_end && (rest == 2 || rest == 16)))
			uuid_tree(p + head, rest, t);
		else if (rest)
			tree_bytes(t, "value", p + head, rest);
		tree_close(t);
	}
	tree_close(t);
}

/* Whether the frame ends with the UUID of the attributes that are wanted, behind its range. */
static bool has_type(const struct bt_frame *f)
{
	return (f->p[0] == READ_BY_TYPE_REQUEST || f->p[0] == READ_BY_GROUP_REQUEST) &&
	       (f->n == 7 || f->n == 21);
}

static bool brief(const struct bt_frame *f, struct out *o)
{
	const struct bt_message *m = bt_message(messages, f->p[0]);
	struct list l;

	if (!m)
		return out_printf(o, " opcode 0x%02x", f->p[0]), f->n == 1;
	out_printf(o, " %s", m->name);
	if (list_of(f, &l))
		return list_brief(&l, o), false;
	if (!has_type(f))
		return bt_message_brief(m, name_of, f, f->p + 1, f->n - 1, o);
	bt_message_brief(m, name_of, f, f->p + 1, 4, o);
	out_str(o, ", ");
	uuid_text(f->p + 5, f->n - 5, o);
	return true;
}

static void tree(const struct bt_frame *f, struct tree *t)
{
	const struct bt_message *m = bt_message(messages, f->p[0]);
	struct list l;

	tree_hex(t, "opcode", f->p[0], 2);
	if (!m)
		return;
	tree_str(t, "command", m->name);
	if (list_of(f, &l))
		list_tree(&l, t);
	else
		bt_message_tree(m, name_of, f, f->p + 1, f->n - 1, t);
	if (has_type(f))
		uuid_tree(f->p + 5, f->n - 5, t);
}

static bool has_name(const char *name, size_t n)
{
	static const char *const names[] = {
		"attributes", "group_end_handle", "uuid", "uuid_name", NULL,
	};

	return usb_names_have(names, name, n) || bt_message_has(messages, name, n);
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	/* a UUID without a name is printed as digits */
	if (strcmp(member, "uuid_name"))
		bt_message_words(messages, name_of, member, fn, arg);
}

const struct bt_protocol bt_att = {"ATT", "att", brief, tree, has_name, words};
