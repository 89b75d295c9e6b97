/* SPDX-License-Identifier: MIT */
#include "decode/usb/digitech.h"
#include "decode/base/bytes.h"
#include "decode/usb/codename.h"

#include <stdlib.h>
#include <string.h>

enum procedure {
	REQUEST_IDENTITY = 0x01,
	IDENTITY = 0x02,
	REQUEST_PRESET_NAMES = 0x21,
	PRESET_NAMES = 0x22,
	REQUEST_PRESET = 0x2a,
	PRESET_START = 0x2b,
	PRESET_PARAMETERS = 0x2d,
	REQUEST_VALUE = 0x40,
	VALUE = 0x41,
	ACK = 0x7e,
	NACK = 0x7f,
};

static const struct code_name procedures[] = {
	{REQUEST_IDENTITY, "Request WhoAmI"},
	{IDENTITY, "Receive WhoAmI"},
	{0x08, "Request Device Configuration"},
	{0x09, "Receive Device Configuration"},
	{0x10, "Request Global Parameters"},
	{0x11, "Receive Global Parameters"},
	{0x18, "Request Bulk Dump"},
	{0x19, "Receive Bulk Dump Start"},
	{0x1b, "Receive Bulk Dump End"},
	{0x20, "Receive User Preset Index Table"},
	{REQUEST_PRESET_NAMES, "Request Preset Names"},
	{PRESET_NAMES, "Receive Preset Names"},
	{0x28, "Request Preset Name"},
	{0x29, "Receive Preset Name"},
	{REQUEST_PRESET, "Request Preset"},
	{PRESET_START, "Receive Preset Start"},
	{0x2c, "Receive Preset End"},
	{PRESET_PARAMETERS, "Receive Preset Parameters"},
	{0x38, "Load Edit Buffer Preset"},
	{0x39, "Move Preset"},
	{0x3a, "Request Modifier-Linkable List"},
	{0x3b, "Receive Modifier-Linkable List"},
	{REQUEST_VALUE, "Request Parameter Value"},
	{VALUE, "Receive Parameter Value"},
	{0x50, "Request Object Names"},
	{0x51, "Receive Object Names"},
	{0x52, "Request Object Name"},
	{0x53, "Receive Object Name"},
	{0x54, "Request Object"},
	{0x55, "Receive Object"},
	{0x56, "Move Object"},
	{0x57, "Delete Object"},
	{0x5a, "Request Table"},
	{0x5b, "Receive Table"},
	{0x70, "Receive Device Notification"},
	{0x71, "Start OS Download"},
	{0x72, "Restart Device"},
	{0x73, "Request Debug Data"},
	{0x74, "Receive Debug Data"},
	{ACK, "ACK"},
	{NACK, "NACK"},
};

static const struct code_name families[] = {
	{0x5c, "floor guitar processor"},
	{0x5d, "JamMan"},
	{0x5e, "RP"},
	{0x5f, "rack"},
	{0x60, "Vocalist"},
	{0x7f, "all"},
};

static const struct code_name banks[] = {
	{0, "factory"},	    {1, "user"},	   {2, "artist"},   {3, "media card"},
	{4, "edit buffer"}, {5, "second factory"}, {6, "external"},
};

bool is_digitech(const uint8_t *p, size_t n)
{
	return n >= DIGITECH_HEADER && !memcmp(p, "\xf0\0\0\x10", 4);
}

const char *digitech_procedure(const uint8_t *p)
{
	return CODE_NAME(procedures, p[7]);
}

/* Returns the number of bytes that the n bytes of data stand for; out has room for n. */
static size_t unpack(const uint8_t *p, size_t n, uint8_t *out)
{
	size_t len = 0;

	for (size_t at = 0; at < n; at += 8)
		for (size_t i = 1; i < 8 && at + i < n; i++)
			out[len++] = (uint8_t)(p[at + i] | (p[at] >> (7 - i) & 1) << 7);
	return len;
}

static void bank_tree(uint8_t bank, struct tree *t)
{
	tree_hex(t, "preset_bank", bank, 2);
	tree_str(t, "preset_bank_name", CODE_NAME(banks, bank));
}

/* Returns the offset after the text at `at`. */
static size_t name_tree(const uint8_t *p, size_t n, size_t at, struct tree *t)
{
	size_t len = strnlen((const char *)p + at, n - at);

	tree_text(t, "preset_name", p + at, len);
	return at + len + 1;
}

static void names_tree(const uint8_t *p, size_t n, struct tree *t)
{
	bank_tree(p[0], t);
	tree_uint(t, "preset_count", p[1]);
	tree_list(t, "preset_names");
	for (size_t at = 2; at < n;)
		at = name_tree(p, n, at, t);
	tree_close(t);
}

/*
 * A parameter: id, position and a value. A value of 0x80 or more is the number of bytes that
 * follow, plus 0x80. Returns the offset after it, or n if it is incomplete.
 */
static size_t parameter_tree(const uint8_t *p, size_t n, size_t at, struct tree *t)
{
	size_t count;

	if (n - at < 4)
		return n;
	count = p[at + 3] & 0x80 ? p[at + 3] & 0x7f : 0;
	if (count > n - at - 4)
		return n;
	tree_object(t, "parameter");
	tree_uint(t, "parameter_id", get_be16(p + at));
	tree_uint(t, "parameter_position", p[at + 2]);
	if (p[at + 3] & 0x80)
		tree_bytes(t, "parameter_bytes", p + at + 4, count);
	else
		tree_uint(t, "parameter_value", p[at + 3]);
	tree_close(t);
	return at + 4 + count;
}

static void parameters_tree(const uint8_t *p, size_t n, size_t at, struct tree *t)
{
	tree_list(t, "parameters");
	while (at < n)
		at = parameter_tree(p, n, at, t);
	tree_close(t);
}

static void preset_tree(const uint8_t *p, size_t n, struct tree *t)
{
	size_t at;

	bank_tree(p[0], t);
	tree_uint(t, "preset_index", p[1]);
	if (n < 3)
		return;
	at = name_tree(p, n, 2, t);
	if (n < at + 2)
		return;
	tree_bool(t, "preset_modified", p[at]);
	tree_uint(t, "message_count", p[at + 1]);
}

static void identity_tree(const uint8_t *p, size_t n, bool asked, struct tree *t)
{
	if (n < 3)
		return;
	tree_hex(t, asked ? "desired_device_id" : "received_device_id", p[0], 2);
	tree_hex(t, asked ? "desired_family_id" : "received_family_id", p[1], 2);
	tree_hex(t, asked ? "desired_product_id" : "received_product_id", p[2], 2);
	if (!asked && n > 3)
		tree_hex(t, "os_mode", p[3], 2);
}

static void data_tree(uint8_t procedure, const uint8_t *p, size_t n, struct tree *t)
{
	if (procedure == REQUEST_IDENTITY || procedure == IDENTITY) {
		identity_tree(p, n, procedure == REQUEST_IDENTITY, t);
	} else if ((procedure == ACK || procedure == NACK) && n) {
		tree_hex(t, "acknowledged_procedure", p[0], 2);
		tree_str(t, "acknowledged_procedure_name", CODE_NAME(procedures, p[0]));
	} else if (procedure == REQUEST_PRESET_NAMES && n) {
		bank_tree(p[0], t);
	} else if (procedure == PRESET_NAMES && n > 1) {
		names_tree(p, n, t);
	} else if ((procedure == REQUEST_PRESET || procedure == PRESET_START) && n > 1) {
		preset_tree(p, n, t);
	} else if (procedure == PRESET_PARAMETERS && n > 1) {
		tree_uint(t, "parameter_count", get_be16(p));
		parameters_tree(p, n, 2, t);
	} else if (procedure == VALUE) {
		parameters_tree(p, n, 0, t);
	} else if (procedure == REQUEST_VALUE && n > 2) {
		tree_uint(t, "parameter_id", get_be16(p));
		tree_uint(t, "parameter_position", p[2]);
	}
}

void digitech_tree(const uint8_t *p, size_t n, struct tree *t)
{
	uint8_t sum = 0, *data;

	if (!is_digitech(p, n) || n < DIGITECH_HEADER + 2)
		return;
	tree_object(t, "digitech");
	tree_hex(t, "device_id", p[4], 2);
	tree_hex(t, "family_id", p[5], 2);
	tree_str(t, "family_name", CODE_NAME(families, p[5]));
	tree_hex(t, "product_id", p[6], 2);
	tree_hex(t, "procedure", p[7], 2);
	tree_str(t, "procedure_name", digitech_procedure(p));
	data = malloc(n);
	if (data)
		data_tree(p[7], data, unpack(p + DIGITECH_HEADER, n - DIGITECH_HEADER - 2, data),
			  t);
	else
		out_lack_memory();
	free(data);
	for (size_t i = 1; i + 2 < n; i++)
		sum ^= p[i];
	tree_hex(t, "checksum", p[n - 2], 2);
	tree_bool(t, "checksum_valid", sum == p[n - 2]);
	tree_close(t);
}

const char *const digitech_names[] = {
	"acknowledged_procedure",
	"acknowledged_procedure_name",
	"checksum",
	"checksum_valid",
	"desired_device_id",
	"desired_family_id",
	"desired_product_id",
	"device_id",
	"digitech",
	"family_id",
	"family_name",
	"message_count",
	"os_mode",
	"parameter",
	"parameter_bytes",
	"parameter_count",
	"parameter_id",
	"parameter_position",
	"parameter_value",
	"parameters",
	"preset_bank",
	"preset_bank_name",
	"preset_count",
	"preset_index",
	"preset_modified",
	"preset_name",
	"preset_names",
	"procedure",
	"procedure_name",
	"product_id",
	"received_device_id",
	"received_family_id",
	"received_product_id",
	NULL,
};

void digitech_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "procedure_name") || !strcmp(member, "acknowledged_procedure_name"))
		CODE_WORDS(procedures, fn, arg);
	else if (!strcmp(member, "family_name"))
		CODE_WORDS(families, fn, arg);
	else if (!strcmp(member, "preset_bank_name"))
		CODE_WORDS(banks, fn, arg);
}
