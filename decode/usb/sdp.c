/* SPDX-License-Identifier: MIT */
/* The Service Discovery Protocol of Bluetooth. Source: Bluetooth Core 5.3, volume 3, part B. */
#include "decode/base/number.h"
#include "decode/base/escape.h"
#include "decode/usb/btprotocol.h"
#include "decode/usb/class.h"

enum {
	HEADER = 5,
	ERROR_RESPONSE = 1, SEARCH_REQUEST, SEARCH_RESPONSE, ATTRIBUTE_REQUEST,
	ATTRIBUTE_RESPONSE, BOTH_REQUEST, BOTH_RESPONSE,
	DEPTH = 8,             /* lists in lists that are shown */
	LISTED = 4,            /* attributes that are on a line */
};

static const struct code_name pdus[] = {
	{ERROR_RESPONSE, "Error Response"},
	{SEARCH_REQUEST, "Service Search Request"},
	{SEARCH_RESPONSE, "Service Search Response"},
	{ATTRIBUTE_REQUEST, "Service Attribute Request"},
	{ATTRIBUTE_RESPONSE, "Service Attribute Response"},
	{BOTH_REQUEST, "Service Search Attribute Request"},
	{BOTH_RESPONSE, "Service Search Attribute Response"},
};

static const struct code_name errors[] = {
	{1, "Unsupported SDP Version"}, {2, "Invalid Service Record Handle"},
	{3, "Invalid Request Syntax"}, {4, "Invalid PDU Size"},
	{5, "Invalid Continuation State"}, {6, "Insufficient Resources"},
};

static const struct code_name attributes[] = {
	{0x0000, "ServiceRecordHandle"}, {0x0001, "ServiceClassIDList"},
	{0x0002, "ServiceRecordState"}, {0x0003, "ServiceID"},
	{0x0004, "ProtocolDescriptorList"}, {0x0005, "BrowseGroupList"},
	{0x0006, "LanguageBaseAttributeIDList"}, {0x0007, "ServiceInfoTimeToLive"},
	{0x0008, "ServiceAvailability"}, {0x0009, "BluetoothProfileDescriptorList"},
	{0x000a, "DocumentationURL"}, {0x000b, "ClientExecutableURL"}, {0x000c, "IconURL"},
	{0x000d, "AdditionalProtocolDescriptorLists"}, {0x0100, "ServiceName"},
	{0x0101, "ServiceDescription"}, {0x0102, "ProviderName"},
};

/* ---- data elements ------------------------------------------------------------------------ */

enum kind { NIL, UNSIGNED, SIGNED, UUID, TEXT, BOOLEAN, SEQUENCE, ALTERNATIVE, URL };

struct element {
	enum kind kind;
	const uint8_t *p;
	size_t n;              /* of a list that a continuation cuts, what is there */
};

/* Bytes of which data elements are read. */
struct input {
	const uint8_t *p;
	size_t n;
};

/* Whether elements of the kind may have this size index; from 5 on, a length follows. */
static bool is_size(enum kind kind, unsigned int size)
{
	switch (kind) {
	case NIL:
	case BOOLEAN:
		return size == 0;
	case UNSIGNED:
	case SIGNED:
		return size <= 4;
	case UUID:
		return size == 1 || size == 2 || size == 4;
	case TEXT:
	case SEQUENCE:
	case ALTERNATIVE:
	case URL:
		return size >= 5;
	}
	return false;
}

/* Returns false, and takes nothing, if no element of the specification begins there. */
static bool take(struct input *in, struct element *e)
{
	size_t head = 1, n;

	if (!in->n || !is_size(in->p[0] >> 3, in->p[0] & 7))
		return false;
	e->kind = in->p[0] >> 3;
	n = e->kind == NIL ? 0 : (size_t)1 << (in->p[0] & 7);
	if ((in->p[0] & 7) > 4) {
		head += (size_t)1 << ((in->p[0] & 7) - 5);
		if (in->n < head)
			return false;
		n = (size_t)get_be(in->p + 1, head - 1);
	}
	if (n > in->n - head) {
		if (e->kind != SEQUENCE && e->kind != ALTERNATIVE)
			return false;
		n = in->n - head;
	}
	e->p = in->p + head;
	e->n = n;
	in->p += head + n;
	in->n -= head + n;
	return true;
}

static bool is_list(const struct element *e)
{
	return e->kind == SEQUENCE || e->kind == ALTERNATIVE;
}

/* Takes the id of an attribute, of 2 bytes, or a range of them, of 4. */
static bool take_id(struct input *in, uint32_t *v, size_t *size)
{
	struct input after = *in;
	struct element e;

	if (!take(&after, &e) || e.kind != UNSIGNED || (e.n != 2 && e.n != 4))
		return false;
	*v = (uint32_t)get_be(e.p, e.n);
	*size = e.n;
	*in = after;
	return true;
}

static bool take_attribute(struct input *in, uint32_t *id, struct element *value)
{
	struct input after = *in;
	size_t size;

	if (!take_id(&after, id, &size) || size != 2 || !take(&after, value))
		return false;
	*in = after;
	return true;
}

static int64_t signed_of(const struct element *e)
{
	unsigned int shift = 64 - 8 * (unsigned int)e->n;

	return (int64_t)(get_be(e->p, e->n) << shift) >> shift;
}

static bool element_brief(const struct element *e, unsigned int depth, struct out *o);

/* Returns whether all of the list is shown. */
static bool list_brief(struct input in, unsigned int depth, struct out *o)
{
	struct element member;
	bool all = true;

	out_char(o, '[');
	for (bool first = true; depth < DEPTH && take(&in, &member); first = false) {
		out_str(o, first ? "" : " ");
		all &= element_brief(&member, depth + 1, o);
	}
	out_str(o, in.n ? "...]" : "]");
	return all && !in.n;
}

static bool element_brief(const struct element *e, unsigned int depth, struct out *o)
{
	switch (e->kind) {
	case SEQUENCE:
	case ALTERNATIVE:
		return list_brief((struct input){e->p, e->n}, depth, o);
	case UUID:
		bt_uuid_text(e->p, e->n, o);
		break;
	case TEXT:
	case URL:
		out_quoted(o, e->p, e->n);
		break;
	case BOOLEAN:
		out_str(o, *e->p ? "true" : "false");
		break;
	case SIGNED:
	case UNSIGNED:
		if (e->n <= 8 && e->kind == SIGNED)
			out_printf(o, "%lld", (long long)signed_of(e));
		else if (e->n <= 8)
			out_printf(o, "0x%0*llx", (int)(2 * e->n),
				   (unsigned long long)get_be(e->p, e->n));
		else
			out_hexbytes(o, e->p, e->n);
		break;
	default:
		out_str(o, "nil");
	}
	return true;
}

static void uuid_tree(const struct element *e, const char *name, struct tree *t)
{
	struct out text;

	out_memory(&text);
	bt_uuid_text(e->p, e->n, &text);
	tree_text(t, name, text.data, text.len);
	out_free(&text);
}

static void element_tree(const struct element *e, const char *name, unsigned int depth,
			 struct tree *t)
{
	struct input in = {e->p, e->n};
	struct element member;

	if (is_list(e) && depth < DEPTH) {
		tree_list(t, name);
		while (take(&in, &member))
			element_tree(&member, name, depth + 1, t);
		tree_close(t);
	} else if (e->kind == UUID) {
		uuid_tree(e, name, t);
	} else if (e->kind == TEXT || e->kind == URL) {
		tree_text(t, name, e->p, e->n);
	} else if (e->kind == BOOLEAN) {
		tree_bool(t, name, *e->p);
	} else if (e->kind == SIGNED && e->n <= 8) {
		tree_int(t, name, signed_of(e));
	} else if (e->kind == UNSIGNED && e->n <= 8) {
		tree_uint(t, name, get_be(e->p, e->n));
	} else {
		tree_bytes(t, name, e->p, e->n);
	}
}

/* ---- parts of PDUs ------------------------------------------------------------------------ */

/* The parameters of a PDU, in their order. */
struct parts {
	struct element pattern; /* requests: services that are searched */
	struct element wanted;  /* requests: ids of attributes */
	struct element found;   /* responses: attributes, or lists of them */
	bool has_pattern, has_wanted, has_found;
	uint64_t handle, maximum; /* maximum: of records, or of bytes */
	struct input records;   /* handles of records */
	struct input rest;      /* the continuation state, with its length */
};

static uint64_t number(struct input *in, size_t n)
{
	uint64_t v;

	n = n < in->n ? n : in->n;
	v = get_be(in->p, n);
	in->p += n;
	in->n -= n;
	return v;
}

/*
 * Takes the list of a response, which the byte count before it limits. False if it is only the
 * continuation of a list, which begins anywhere in it.
 */
static bool take_found(struct input *in, uint8_t pdu, struct element *e)
{
	enum kind first = pdu == ATTRIBUTE_RESPONSE ? UNSIGNED : SEQUENCE;
	size_t count = (size_t)number(in, 2);
	struct input part = {in->p, count < in->n ? count : in->n};

	in->p += part.n;
	in->n -= part.n;
	return take(&part, e) && e->kind == SEQUENCE && !part.n && (!e->n || *e->p >> 3 == first);
}

static bool has_state(const struct input *rest)
{
	return rest->n > 1 && rest->p[0] == rest->n - 1;
}

static struct parts parts_of(const struct bt_frame *f)
{
	struct parts a = {.rest = {f->p + HEADER, f->n - HEADER}};
	struct input *in = &a.rest;
	uint8_t pdu = f->p[0];

	if (pdu == SEARCH_REQUEST || pdu == BOTH_REQUEST)
		a.has_pattern = take(in, &a.pattern);
	if (pdu == ATTRIBUTE_REQUEST)
		a.handle = number(in, 4);
	if (pdu == SEARCH_REQUEST || pdu == ATTRIBUTE_REQUEST || pdu == BOTH_REQUEST)
		a.maximum = number(in, 2);
	if (pdu == ATTRIBUTE_REQUEST || pdu == BOTH_REQUEST)
		a.has_wanted = take(in, &a.wanted);
	if (pdu == ATTRIBUTE_RESPONSE || pdu == BOTH_RESPONSE)
		a.has_found = take_found(in, pdu, &a.found);
	if (pdu == SEARCH_RESPONSE) {
		size_t count;

		a.maximum = number(in, 2);
		count = 4 * (size_t)number(in, 2);
		a.records = (struct input){in->p, count < in->n ? count : in->n};
		in->p += a.records.n;
		in->n -= a.records.n;
	}
	return a;
}

/* ---- the line ----------------------------------------------------------------------------- */

static void attribute_name(uint32_t id, struct out *o)
{
	const char *name = CODE_NAME(attributes, id);

	if (name)
		out_str(o, name);
	else
		out_printf(o, "0x%04x", id);
}

/* Attributes are wanted one by one, or from the first to the last of 4 bytes. */
static bool wanted_brief(const struct element *e, struct out *o)
{
	struct input in = {e->p, e->n};
	uint32_t id;
	size_t size;

	for (const char *before = ": "; take_id(&in, &id, &size); before = ", ") {
		out_str(o, before);
		if (size == 4)
			out_printf(o, "0x%04x-0x%04x", id >> 16, id & 0xffff);
		else
			attribute_name(id, o);
	}
	return !in.n;
}

/* Appends the attributes of a list, after *n others, which it counts. Whether all are shown. */
static bool found_brief(const struct element *e, unsigned int *n, struct out *o)
{
	struct input in = {e->p, e->n};
	struct element value;
	bool all = true;
	uint32_t id;

	while (take_attribute(&in, &id, &value)) {
		if (++*n > LISTED)
			continue;
		out_str(o, *n > 1 ? ", " : ": ");
		attribute_name(id, o);
		out_char(o, ' ');
		all &= element_brief(&value, 0, o);
	}
	return all && !in.n;
}

/* Returns whether all attributes are shown. */
static bool all_found_brief(uint8_t pdu, const struct element *e, struct out *o)
{
	struct input in = {e->p, e->n};
	struct element record;
	unsigned int n = 0;
	bool all = true;

	if (pdu == ATTRIBUTE_RESPONSE) {
		all = found_brief(e, &n, o);
	} else {
		while (take(&in, &record))
			all &= record.kind == SEQUENCE && found_brief(&record, &n, o);
		all = all && !in.n;
	}
	if (n > LISTED)
		out_printf(o, " and %u more", n - LISTED);
	return all && n <= LISTED;
}

static bool brief(const struct bt_frame *f, struct out *o)
{
	const char *name = CODE_NAME(pdus, f->p[0]);
	bool all = true;
	struct parts a;

	if (!name || f->n < HEADER)
		return out_printf(o, " PDU 0x%02x", f->p[0]), f->n == 1;
	out_printf(o, " %s %u", name, get_be16(f->p + 1));
	if (f->p[0] == ERROR_RESPONSE && f->n >= HEADER + 2) {
		name = CODE_NAME(errors, get_be16(f->p + HEADER));
		out_printf(o, ": %s", name ? name : "unknown error");
		return name && f->n == HEADER + 2;
	}
	a = parts_of(f);
	if (a.has_pattern) {
		out_char(o, ' ');
		all &= element_brief(&a.pattern, 0, o);
	}
	if (f->p[0] == ATTRIBUTE_REQUEST)
		out_printf(o, " of record 0x%08x", (unsigned int)a.handle);
	if (a.has_wanted)
		all &= wanted_brief(&a.wanted, o);
	for (size_t i = 0; i + 4 <= a.records.n; i += 4)
		out_printf(o, " 0x%08x", get_be32(a.records.p + i));
	if (f->p[0] == SEARCH_RESPONSE && !a.records.n)
		out_str(o, " none");
	if (a.has_found) {
		all = all_found_brief(f->p[0], &a.found, o);
	} else if (f->p[0] == ATTRIBUTE_RESPONSE || f->p[0] == BOTH_RESPONSE) {
		out_str(o, ", part of a list");
		all = false;
	}
	if (has_state(&a.rest))
		out_str(o, ", continued");
	return all && a.rest.n == 1 && !a.rest.p[0];
}

/* ---- the object --------------------------------------------------------------------------- */

static void wanted_tree(const struct element *e, struct tree *t)
{
	struct input in = {e->p, e->n};
	uint32_t id;
	size_t size;

	tree_list(t, "wanted");
	while (take_id(&in, &id, &size)) {
		tree_object(t, "wanted");
		tree_hex(t, "attribute", size == 4 ? id >> 16 : id, 4);
		if (size == 4)
			tree_hex(t, "last_attribute", id & 0xffff, 4);
		else
			tree_str(t, "attribute_name", CODE_NAME(attributes, id));
		tree_close(t);
	}
	tree_close(t);
}

static void found_tree(const struct element *e, struct tree *t)
{
	struct input in = {e->p, e->n};
	struct element value;
	uint32_t id;

	tree_list(t, "attributes");
	while (take_attribute(&in, &id, &value)) {
		tree_object(t, "attributes");
		tree_hex(t, "attribute", id, 4);
		tree_str(t, "attribute_name", CODE_NAME(attributes, id));
		element_tree(&value, "value", 0, t);
		tree_close(t);
	}
	tree_close(t);
}

static void all_found_tree(uint8_t pdu, const struct element *e, struct tree *t)
{
	struct input in = {e->p, e->n};
	struct element record;

	if (pdu == ATTRIBUTE_RESPONSE) {
		found_tree(e, t);
		return;
	}
	tree_list(t, "records");
	while (take(&in, &record) && record.kind == SEQUENCE) {
		tree_object(t, "records");
		found_tree(&record, t);
		tree_close(t);
	}
	tree_close(t);
}

static void records_tree(const struct parts *a, struct tree *t)
{
	tree_uint(t, "total_records", a->maximum);
	tree_list(t, "record_handles");
	for (size_t i = 0; i + 4 <= a->records.n; i += 4)
		tree_hex(t, "record_handles", get_be32(a->records.p + i), 8);
	tree_close(t);
}

static void tree(const struct bt_frame *f, struct tree *t)
{
	struct parts a;

	tree_hex(t, "pdu", f->p[0], 2);
	tree_str(t, "pdu_name", CODE_NAME(pdus, f->p[0]));
	if (f->n < HEADER)
		return;
	tree_uint(t, "transaction", get_be16(f->p + 1));
	tree_uint(t, "parameter_length", get_be16(f->p + 3));
	if (f->p[0] == ERROR_RESPONSE && f->n >= HEADER + 2) {
		tree_hex(t, "error_code", get_be16(f->p + HEADER), 4);
		tree_str(t, "error_name", CODE_NAME(errors, get_be16(f->p + HEADER)));
		return;
	}
	a = parts_of(f);
	if (a.has_pattern)
		element_tree(&a.pattern, "pattern", 0, t);
	if (f->p[0] == ATTRIBUTE_REQUEST)
		tree_hex(t, "record_handle", a.handle, 8);
	if (f->p[0] == SEARCH_REQUEST)
		tree_uint(t, "maximum_records", a.maximum);
	else if (f->p[0] == ATTRIBUTE_REQUEST || f->p[0] == BOTH_REQUEST)
		tree_uint(t, "maximum_bytes", a.maximum);
	else if (f->p[0] == SEARCH_RESPONSE)
		records_tree(&a, t);
	if (a.has_wanted)
		wanted_tree(&a.wanted, t);
	if (a.has_found)
		all_found_tree(f->p[0], &a.found, t);
	if (has_state(&a.rest))
		tree_bytes(t, "continuation", a.rest.p + 1, a.rest.n - 1);
}

static bool has_name(const char *name, size_t n)
{
	static const char *const names[] = {
		"attribute", "attribute_name", "attributes", "continuation", "error_code",
		"error_name", "last_attribute", "maximum_bytes", "maximum_records",
		"parameter_length", "pattern", "pdu", "pdu_name", "record_handle",
		"record_handles", "records", "total_records", "transaction", "value", "wanted",
		NULL,
	};

	return usb_names_have(names, name, n);
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "attribute_name"))
		CODE_WORDS(attributes, fn, arg);
	else if (!strcmp(member, "pdu_name"))
		CODE_WORDS(pdus, fn, arg);
	else if (!strcmp(member, "error_name"))
		CODE_WORDS(errors, fn, arg);
}

const struct bt_protocol bt_sdp = {"SDP", "sdp", brief, tree, has_name, words};
