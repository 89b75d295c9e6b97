/* SPDX-License-Identifier: MIT */
#include "decode/usb/scsiinquiry.h"
#include "common/array.h"
#include "common/search.h"
#include "decode/base/bytes.h"
#include "decode/base/escape.h"
#include "decode/usb/bitlayout.h"
#include "decode/usb/codename.h"

#include <string.h>

enum { PAGES = 0x00, SERIAL = 0x80, IDENTIFICATION = 0x83, HEADER = 4 };

static const struct bit_field standard[] = {
	{"lu_cong", 1, 6, 1}, {"normaca", 3, 5, 1}, {"hisup", 3, 4, 1},
	{"response_data_format", 3, 0, 4}, {"additional_length", 4, 0, 8}, {"sccs", 5, 7, 1},
	{"acc", 5, 6, 1}, {"tpgs", 5, 4, 2}, {"tpc", 5, 3, 1}, {"protect", 5, 0, 1},
	{"bque", 6, 7, 1}, {"encserv", 6, 6, 1}, {"multip", 6, 4, 1}, {"mchngr", 6, 3, 1},
	{"addr16", 6, 0, 1}, {"wbus16", 7, 5, 1}, {"sync", 7, 4, 1}, {"cmdque", 7, 1, 1}, {0},
};

static const struct bit_field block_limits[] = {
	{"wsnz", 4, 0, 1}, {"maximum_compare_and_write_length", 5, 0, 8},
	{"optimal_transfer_length_granularity", 6, 0, 16}, {"maximum_transfer_length", 8, 0, 32},
	{"optimal_transfer_length", 12, 0, 32}, {"maximum_prefetch_length", 16, 0, 32},
	{"maximum_unmap_lba_count", 20, 0, 32}, {"maximum_unmap_descriptor_count", 24, 0, 32},
	{"optimal_unmap_granularity", 28, 0, 32}, {"ugavalid", 32, 7, 1},
	{"maximum_write_same_length", 36, 0, 64}, {0},
};

static const struct bit_field characteristics[] = {
	{"medium_rotation_rate", 4, 0, 16}, {"product_type", 6, 0, 8},
	{"wabereq", 7, 6, 2}, {"wacereq", 7, 4, 2}, {"nominal_form_factor", 7, 0, 4},
	{"fuab", 8, 1, 1}, {"vbuls", 8, 0, 1}, {0},
};

static const struct bit_field provisioning[] = {
	{"threshold_exponent", 4, 0, 8}, {"lbpu", 5, 7, 1}, {"lbpws", 5, 6, 1},
	{"lbpws10", 5, 5, 1}, {"lbprz", 5, 2, 1}, {"anc_sup", 5, 1, 1}, {"dp", 5, 0, 1},
	{"provisioning_type", 6, 0, 3}, {0},
};

static const struct vpd {
	uint8_t code;
	const char *name;
	bit_layout fields;
} vpds[] = {
	{PAGES, "supported pages", NULL},
	{SERIAL, "unit serial number", NULL},
	{IDENTIFICATION, "device identification", NULL},
	{0x84, "software interface identification", NULL},
	{0x85, "management network addresses", NULL},
	{0x86, "extended INQUIRY data", NULL},
	{0x87, "mode page policy", NULL},
	{0x88, "SCSI ports", NULL},
	{0x89, "ATA information", NULL},
	{0xb0, "block limits", block_limits},
	{0xb1, "block device characteristics", characteristics},
	{0xb2, "logical block provisioning", provisioning},
};

static const struct vpd *find(uint8_t code)
{
	return find_by(vpds, code, code);
}

static bool named(const char *const *names, size_t count, const char *name, size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return true;
	return false;
}

bool scsi_inquiry_has_name(const char *name, size_t n)
{
	static const char *const others[] = {
		"association", "code_set", "designator", "designator_type", "designators",
		"page_name", "page_length", "peripheral_qualifier", "piv", "supported_pages",
	};

	if (bit_layout_has(standard, name, n) || named(others, ARRAY_SIZE(others), name, n))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(vpds); i++)
		if (vpds[i].fields && bit_layout_has(vpds[i].fields, name, n))
			return true;
	return false;
}

/* Fields of INQUIRY are padded with blanks. */
static size_t trimmed(const uint8_t *p, size_t n)
{
	while (n && (p[n - 1] == ' ' || p[n - 1] == 0))
		n--;
	return n;
}

static const char *device_type(uint8_t type)
{
	static const char *const names[32] = {
		[0x00] = "disk", [0x01] = "tape", [0x02] = "printer", [0x03] = "processor",
		[0x04] = "write-once", [0x05] = "cd/dvd", [0x07] = "optical memory",
		[0x08] = "media changer", [0x0c] = "storage array", [0x0d] = "enclosure services",
		[0x0e] = "simplified disk", [0x0f] = "optical card", [0x11] = "object storage",
		[0x14] = "zoned disk", [0x1e] = "well-known logical unit", [0x1f] = "unknown",
	};

	return names[type & 0x1f];
}

void scsi_inquiry_tree(const uint8_t *p, size_t n, struct tree *t)
{
	if (n < 5)
		return;
	tree_uint(t, "device_type", p[0] & 0x1f);
	tree_str(t, "device_type_name", device_type(p[0]));
	tree_uint(t, "peripheral_qualifier", p[0] >> 5);
	tree_bool(t, "removable", p[1] & 0x80);
	tree_uint(t, "version", p[2]);
	bit_layout_tree(standard, p, n, t);
	if (n < 36)
		return;
	tree_text(t, "vendor", p + 8, trimmed(p + 8, 8));
	tree_text(t, "product", p + 16, trimmed(p + 16, 16));
	tree_text(t, "revision", p + 32, trimmed(p + 32, 4));
}

bool scsi_inquiry_brief(const uint8_t *p, size_t n, struct out *o)
{
	static const struct { uint8_t at, size; } texts[] = {{8, 8}, {16, 16}, {32, 4}};

	if (n < 36)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		out_char(o, ' ');
		out_safe(o, p + texts[i].at, trimmed(p + texts[i].at, texts[i].size));
	}
	return true;
}

/* ---- vital product data --------------------------------------------------------------------- */

struct designator {
	const uint8_t *p; /* its header of 4 bytes */
	size_t n;         /* bytes after the header */
};

static bool next_designator(const uint8_t *p, size_t n, size_t *at, struct designator *d)
{
	if (n - *at < 4 || n - *at - 4 < p[*at + 3])
		return false;
	*d = (struct designator){p + *at, p[*at + 3]};
	*at += 4u + d->n;
	return true;
}

/* Code sets 2 and 3 are texts, in ASCII and UTF-8. */
static bool is_text(const struct designator *d)
{
	return (d->p[0] & 15) == 2 || (d->p[0] & 15) == 3;
}

static const char *designator_type(const struct designator *d)
{
	static const char *const names[16] = {
		"vendor-specific", "T10 vendor id", "EUI-64", "NAA", "relative target port",
		"target port group", "logical unit group", "MD5", "SCSI name string", "protocol",
		"UUID",
	};

	return names[d->p[1] & 15];
}

static void designators_tree(const uint8_t *p, size_t n, struct tree *t)
{
	struct designator d;
	size_t at = HEADER;

	tree_list(t, "designators");
	while (at < n && next_designator(p, n, &at, &d)) {
		tree_object(t, "");
		tree_uint(t, "code_set", d.p[0] & 15);
		tree_bool(t, "piv", d.p[1] & 0x80);
		tree_uint(t, "association", d.p[1] >> 4 & 3);
		tree_str(t, "designator_type", designator_type(&d));
		if (is_text(&d))
			tree_text(t, "designator", d.p + 4, trimmed(d.p + 4, d.n));
		else
			tree_bytes(t, "designator", d.p + 4, d.n);
		tree_close(t);
	}
	tree_close(t);
	if (at < n)
		tree_bytes(t, "page_data", p + at, n - at);
}

void scsi_vpd_tree(const uint8_t *p, size_t n, struct tree *t)
{
	const struct vpd *v;

	if (n < HEADER)
		return;
	v = find(p[1]);
	tree_hex(t, "page", p[1], 2);
	tree_str(t, "page_name", v ? v->name : NULL);
	tree_uint(t, "page_length", get_be16(p + 2));
	if (n - HEADER > get_be16(p + 2))
		n = HEADER + get_be16(p + 2);
	if (p[1] == SERIAL) {
		tree_text(t, "serial", p + HEADER, trimmed(p + HEADER, n - HEADER));
	} else if (p[1] == PAGES) {
		tree_list(t, "supported_pages");
		for (size_t i = HEADER; i < n; i++)
			tree_hex(t, "", p[i], 2);
		tree_close(t);
	} else if (p[1] == IDENTIFICATION) {
		designators_tree(p, n, t);
	} else if (v && v->fields) {
		bit_layout_tree(v->fields, p, n, t);
	} else {
		tree_bytes(t, "page_data", p + HEADER, n - HEADER);
	}
}

/* Returns whether the designators cover the page. */
static bool designators_brief(const uint8_t *p, size_t n, struct out *o)
{
	struct designator d;
	size_t at = HEADER;

	for (bool first = true; at < n && next_designator(p, n, &at, &d); first = false) {
		const char *type = designator_type(&d);

		out_printf(o, "%s %s ", first ? ":" : ",", type ? type : "designator");
		if (is_text(&d))
			out_safe(o, d.p + 4, trimmed(d.p + 4, d.n));
		for (size_t i = 0; i < d.n && !is_text(&d); i++)
			out_printf(o, "%02x", d.p[4 + i]);
	}
	return at == n;
}

bool scsi_vpd_brief(const uint8_t *p, size_t n, struct out *o)
{
	const struct vpd *v = n >= HEADER ? find(p[1]) : NULL;

	if (!v)
		return false;
	if (n - HEADER > get_be16(p + 2))
		n = HEADER + get_be16(p + 2);
	out_printf(o, " %s", v->name);
	if (p[1] == SERIAL) {
		out_char(o, ' ');
		out_safe(o, p + HEADER, trimmed(p + HEADER, n - HEADER));
	} else if (p[1] == PAGES) {
		for (size_t i = HEADER; i < n; i++)
			out_printf(o, " 0x%02x", p[i]);
	} else if (p[1] == IDENTIFICATION) {
		return designators_brief(p, n, o);
	} else {
		if (v->fields)
			bit_layout_brief(v->fields, p, n, o);
		return n == HEADER;
	}
	return true;
}

void scsi_inquiry_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "device_type_name"))
		CODE_PROBE(device_type, 0x1f, fn, arg);
	for (size_t i = 0; !strcmp(member, "page_name") && i < ARRAY_SIZE(vpds); i++)
		fn(arg, vpds[i].name);
}
