/* SPDX-License-Identifier: MIT */
/* The Security Manager Protocol of Bluetooth: pairing and its keys. Core 5.3, volume 3, part H. */
#include "decode/usb/btprotocol.h"

#define LAYOUT(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

LAYOUT(features_,
       "io_capability", "e1I", "io_capability_name", "oob_data_present", "u1", "auth_req", "f1A",
       "auth_req_set", "max_key_size", "u1", "initiator_keys", "f1K", "initiator_keys_set",
       "responder_keys", "f1K", "responder_keys_set");
LAYOUT(confirm_, "confirm_value", "b16");
LAYOUT(random_, "random_value", "b16");
LAYOUT(failed_, "reason", "e1R", "reason_name");
LAYOUT(ltk_, "long_term_key", "k16");
LAYOUT(central_, "ediv", "x2", "random_value", "b8");
LAYOUT(irk_, "identity_resolving_key", "k16");
LAYOUT(address_, "address_type", "u1", "bd_addr", "a");
LAYOUT(csrk_, "signature_key", "k16");
LAYOUT(security_, "auth_req", "f1A", "auth_req_set");
LAYOUT(public_, "public_key_x", "b32", "public_key_y", "b32");
LAYOUT(check_, "dhkey_check", "b16");
LAYOUT(keypress_, "notification_type", "u1");

static const struct bt_message messages[] = {
	{0x01, "Pairing Request", features_},
	{0x02, "Pairing Response", features_},
	{0x03, "Pairing Confirm", confirm_},
	{0x04, "Pairing Random", random_},
	{0x05, "Pairing Failed", failed_},
	{0x06, "Encryption Information", ltk_},
	{0x07, "Central Identification", central_},
	{0x08, "Identity Information", irk_},
	{0x09, "Identity Address Information", address_},
	{0x0a, "Signing Information", csrk_},
	{0x0b, "Security Request", security_},
	{0x0c, "Pairing Public Key", public_},
	{0x0d, "Pairing DHKey Check", check_},
	{0x0e, "Pairing Keypress Notification", keypress_},
	{0},
};

static const char *const capabilities[] = {
	"DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
};
static const char *const requirements[] = {
	"bonding", NULL, "MITM protection", "secure connections", "keypress", "CT2",
};
static const char *const keys[] = {"encryption", "identity", "signing", "link key"};
static const char *const reasons[] = {
	NULL, "Passkey Entry Failed", "OOB Not Available", "Authentication Requirements",
	"Confirm Value Failed", "Pairing Not Supported", "Encryption Key Size",
	"Command Not Supported", "Unspecified Reason", "Repeated Attempts",
	"Invalid Parameters", "DHKey Check Failed", "Numeric Comparison Failed",
	"BR/EDR Pairing in Progress", "Cross-transport Key Derivation Not Allowed",
	"Key Rejected", "Busy",
};

static const char *name_of(char kind, uint64_t v)
{
	switch (kind) {
	case 'I':
		return v < ARRAY_SIZE(capabilities) ? capabilities[v] : NULL;
	case 'A':
		return v < ARRAY_SIZE(requirements) ? requirements[v] : NULL;
	case 'K':
		return v < ARRAY_SIZE(keys) ? keys[v] : NULL;
	default:
		return v < ARRAY_SIZE(reasons) ? reasons[v] : NULL;
	}
}

static bool brief(const struct bt_frame *f, struct out *o)
{
	const struct bt_message *m = bt_message(messages, f->p[0]);

	if (!m)
		return out_printf(o, " code 0x%02x", f->p[0]), f->n == 1;
	out_printf(o, " %s", m->name);
	return bt_message_brief(m, name_of, f, f->p + 1, f->n - 1, o);
}

static void tree(const struct bt_frame *f, struct tree *t)
{
	const struct bt_message *m = bt_message(messages, f->p[0]);

	tree_hex(t, "opcode", f->p[0], 2);
	if (!m)
		return;
	tree_str(t, "command", m->name);
	bt_message_tree(m, name_of, f, f->p + 1, f->n - 1, t);
}

static bool has_name(const char *name, size_t n)
{
	return bt_message_has(messages, name, n);
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	bt_message_words(messages, name_of, member, fn, arg);
}

const struct bt_protocol bt_smp = {"SMP", "smp", brief, tree, has_name, words};
