/* SPDX-License-Identifier: MIT */
#include "decode/usb/netmessage.h"
#include "common/array.h"

#include <stdio.h>
#include <string.h>

#include "decode/base/bytes.h"
#include "decode/usb/codename.h"

enum { COMPLETE = 0x80000000u };

/* The fields that RNDIS and MBIM messages have in common. */
struct message {
	const char *name; /* NULL: unknown type */
	uint32_t type, length;
	bool complete;
	bool has_id, has_status;
	uint32_t id, status;
	const char *status_name;
};

static uint32_t u32_at(const uint8_t *p, size_t n, size_t at)
{
	return at + 4 <= n ? get32(p + at) : 0;
}

static void set_status(struct message *m, const uint8_t *p, size_t n, size_t at)
{
	m->has_status = at + 4 <= n;
	m->status = u32_at(p, n, at);
}

static void message_tree(const struct message *m, struct tree *t)
{
	tree_hex(t, "message_type", m->type, 8);
	tree_str(t, "message", m->name);
	tree_bool(t, "complete", m->complete);
	tree_uint(t, "message_length", m->length);
	if (m->has_id)
		tree_uint(t, "message_id", m->id);
	if (m->has_status) {
		tree_hex(t, "message_status", m->status, 8);
		tree_str(t, "message_status_name", m->status_name);
	}
}

static void message_brief(const struct message *m, struct out *o)
{
	if (m->name)
		out_str(o, m->name);
	else
		out_printf(o, "message 0x%08x", m->type);
	if (m->complete)
		out_str(o, " complete");
	if (m->has_id)
		out_printf(o, " id %u", m->id);
}

/* Appends the status unless it is success. */
static void status_brief(const struct message *m, struct out *o)
{
	if (!m->has_status || !m->status)
		return;
	if (m->status_name)
		out_printf(o, " %s", m->status_name);
	else
		out_printf(o, " status 0x%08x", m->status);
}

/* ---- RNDIS --------------------------------------------------------------------------------- */

enum { INITIALIZE = 2, HALT, QUERY, SET, RESET, INDICATE_STATUS, KEEPALIVE };

static const struct code_name rndis_messages[] = {
	{INITIALIZE, "INITIALIZE"}, {HALT, "HALT"},
	{QUERY, "QUERY"},	    {SET, "SET"},
	{RESET, "RESET"},	    {INDICATE_STATUS, "INDICATE_STATUS"},
	{KEEPALIVE, "KEEPALIVE"},
};
static const struct code_name rndis_statuses[] = {
	{0x00000000, "SUCCESS"},       {0x40010006, "MEDIA_SPECIFIC_INDICATION"},
	{0x4001000b, "MEDIA_CONNECT"}, {0x4001000c, "MEDIA_DISCONNECT"},
	{0xc0000001, "FAILURE"},       {0xc0010006, "CLOSED"},
	{0xc0010009, "BAD_VERSION"},   {0xc001000a, "BAD_CHARACTERISTICS"},
	{0xc0010015, "INVALID_DATA"},  {0xc0010010, "MULTICAST_EXISTS"},
	{0xc00000bb, "NOT_SUPPORTED"}, {0xc0010017, "INVALID_OID"},
	{0xc001001f, "MEDIA_FAULT"},
};
static const struct code_name oids[] = {
	{0x00010101, "OID_GEN_SUPPORTED_LIST"},
	{0x00010102, "OID_GEN_HARDWARE_STATUS"},
	{0x00010103, "OID_GEN_MEDIA_SUPPORTED"},
	{0x00010104, "OID_GEN_MEDIA_IN_USE"},
	{0x00010105, "OID_GEN_MAXIMUM_LOOKAHEAD"},
	{0x00010106, "OID_GEN_MAXIMUM_FRAME_SIZE"},
	{0x00010107, "OID_GEN_LINK_SPEED"},
	{0x00010108, "OID_GEN_TRANSMIT_BUFFER_SPACE"},
	{0x00010109, "OID_GEN_RECEIVE_BUFFER_SPACE"},
	{0x0001010a, "OID_GEN_TRANSMIT_BLOCK_SIZE"},
	{0x0001010b, "OID_GEN_RECEIVE_BLOCK_SIZE"},
	{0x0001010c, "OID_GEN_VENDOR_ID"},
	{0x0001010d, "OID_GEN_VENDOR_DESCRIPTION"},
	{0x0001010e, "OID_GEN_CURRENT_PACKET_FILTER"},
	{0x0001010f, "OID_GEN_CURRENT_LOOKAHEAD"},
	{0x00010110, "OID_GEN_DRIVER_VERSION"},
	{0x00010111, "OID_GEN_MAXIMUM_TOTAL_SIZE"},
	{0x00010112, "OID_GEN_PROTOCOL_OPTIONS"},
	{0x00010113, "OID_GEN_MAC_OPTIONS"},
	{0x00010114, "OID_GEN_MEDIA_CONNECT_STATUS"},
	{0x00010115, "OID_GEN_MAXIMUM_SEND_PACKETS"},
	{0x00010116, "OID_GEN_VENDOR_DRIVER_VERSION"},
	{0x00010202, "OID_GEN_PHYSICAL_MEDIUM"},
	{0x0001021a, "OID_GEN_MACHINE_NAME"},
	{0x0001021b, "OID_GEN_RNDIS_CONFIG_PARAMETER"},
	{0x0001021c, "OID_GEN_VLAN_ID"},
	{0x00020101, "OID_GEN_XMIT_OK"},
	{0x00020102, "OID_GEN_RCV_OK"},
	{0x00020103, "OID_GEN_XMIT_ERROR"},
	{0x00020104, "OID_GEN_RCV_ERROR"},
	{0x00020105, "OID_GEN_RCV_NO_BUFFER"},
	{0x00020201, "OID_GEN_DIRECTED_BYTES_XMIT"},
	{0x00020202, "OID_GEN_DIRECTED_FRAMES_XMIT"},
	{0x00020203, "OID_GEN_MULTICAST_BYTES_XMIT"},
	{0x00020204, "OID_GEN_MULTICAST_FRAMES_XMIT"},
	{0x00020205, "OID_GEN_BROADCAST_BYTES_XMIT"},
	{0x00020206, "OID_GEN_BROADCAST_FRAMES_XMIT"},
	{0x00020207, "OID_GEN_DIRECTED_BYTES_RCV"},
	{0x00020208, "OID_GEN_DIRECTED_FRAMES_RCV"},
	{0x00020209, "OID_GEN_MULTICAST_BYTES_RCV"},
	{0x0002020a, "OID_GEN_MULTICAST_FRAMES_RCV"},
	{0x0002020b, "OID_GEN_BROADCAST_BYTES_RCV"},
	{0x0002020c, "OID_GEN_BROADCAST_FRAMES_RCV"},
	{0x0002020d, "OID_GEN_RCV_CRC_ERROR"},
	{0x0002020e, "OID_GEN_TRANSMIT_QUEUE_LENGTH"},
	{0x01010101, "OID_802_3_PERMANENT_ADDRESS"},
	{0x01010102, "OID_802_3_CURRENT_ADDRESS"},
	{0x01010103, "OID_802_3_MULTICAST_LIST"},
	{0x01010104, "OID_802_3_MAXIMUM_LIST_SIZE"},
	{0x01010105, "OID_802_3_MAC_OPTIONS"},
	{0x01020101, "OID_802_3_RCV_ERROR_ALIGNMENT"},
	{0x01020102, "OID_802_3_XMIT_ONE_COLLISION"},
	{0x01020103, "OID_802_3_XMIT_MORE_COLLISIONS"},
	{0x01020201, "OID_802_3_XMIT_DEFERRED"},
	{0x01020202, "OID_802_3_XMIT_MAX_COLLISIONS"},
	{0x01020203, "OID_802_3_RCV_OVERRUN"},
	{0x01020204, "OID_802_3_XMIT_UNDERRUN"},
	{0x01020205, "OID_802_3_XMIT_HEARTBEAT_FAILURE"},
	{0x01020206, "OID_802_3_XMIT_TIMES_CRS_LOST"},
	{0xfd010100, "OID_PNP_CAPABILITIES"},
	{0xfd010101, "OID_PNP_SET_POWER"},
	{0xfd010102, "OID_PNP_QUERY_POWER"},
	{0xfd010103, "OID_PNP_ADD_WAKE_UP_PATTERN"},
	{0xfd010104, "OID_PNP_REMOVE_WAKE_UP_PATTERN"},
	{0xfd010106, "OID_PNP_ENABLE_WAKE_UP"},
};

/* RESET and INDICATE_STATUS have no request id; if they have a status, it takes the id's place. */
static struct message rndis_message(const uint8_t *p, size_t n)
{
	struct message m = {.type = get32(p), .length = get32(p + 4)};
	uint32_t kind = m.type & ~COMPLETE;

	m.complete = m.type & COMPLETE;
	m.name = CODE_NAME(rndis_messages, kind);
	m.has_id = kind != RESET && kind != INDICATE_STATUS;
	m.id = get32(p + 8);
	if (kind == INDICATE_STATUS || (kind == RESET && m.complete))
		set_status(&m, p, n, 8);
	else if (m.complete)
		set_status(&m, p, n, 12);
	m.status_name = CODE_NAME(rndis_statuses, m.status);
	return m;
}

/* Whether the message queries or sets an object, and so contains its OID; answers do not. */
static bool names_oid(const struct message *m, size_t n)
{
	return (m->type == QUERY || m->type == SET) && n >= 16;
}

void rndis_message_tree(const uint8_t *p, size_t n, struct tree *t)
{
	struct message m = rndis_message(p, n);
	bool answer = m.type == (QUERY | COMPLETE);

	message_tree(&m, t);
	if (names_oid(&m, n)) {
		tree_hex(t, "oid", get32(p + 12), 8);
		tree_str(t, "oid_name", CODE_NAME(oids, get32(p + 12)));
	}
	if ((names_oid(&m, n) || answer) && n >= 24) {
		tree_uint(t, "information_length", get32(p + 16));
		tree_uint(t, "information_offset", get32(p + 20));
	}
	if (m.type == (INITIALIZE | COMPLETE) && n >= 44) {
		tree_printf(t, "rndis_version", "%u.%u", get32(p + 16), get32(p + 20));
		tree_uint(t, "max_packets", get32(p + 32));
		tree_uint(t, "max_transfer_size", get32(p + 36));
	} else if (m.type == INITIALIZE && n >= 24) {
		tree_printf(t, "rndis_version", "%u.%u", get32(p + 12), get32(p + 16));
		tree_uint(t, "max_transfer_size", get32(p + 20));
	}
}

void rndis_message_brief(const uint8_t *p, size_t n, struct out *o)
{
	struct message m = rndis_message(p, n);
	const char *oid = NULL;

	message_brief(&m, o);
	status_brief(&m, o);
	if (!names_oid(&m, n))
		return;
	oid = CODE_NAME(oids, get32(p + 12));
	if (oid)
		out_printf(o, " %s", oid);
	else
		out_printf(o, " object 0x%08x", get32(p + 12));
}

const char *rndis_notification(const uint8_t *p, size_t n)
{
	return n >= 8 && get32(p) == 1 && !get32(p + 4) ? "RESPONSE_AVAILABLE" : NULL;
}

/* ---- MBIM ------------------------------------------------------------------------------------ */

enum {
	OPEN = 1,
	CLOSE = 2,
	COMMAND = 3,
	ERROR = 4,
	INDICATION = 7,
	SERVICE = 20, /* offset of a command's service id, after the fragment header */
	COMMAND_HEAD = 48,
	INDICATION_HEAD = 44,
	FRAGMENT = 16, /* offset of the fragment's number, counted from 0 */
};

static const struct code_name mbim_messages[] = {
	{OPEN, "OPEN"},
	{CLOSE, "CLOSE"},
	{COMMAND, "COMMAND"},
	{ERROR, "ERROR"},
	{INDICATION, "INDICATE_STATUS"},
};
static const char *const basic_connect[] = {
	NULL,
	"DEVICE_CAPS",
	"SUBSCRIBER_READY_STATUS",
	"RADIO_STATE",
	"PIN",
	"PIN_LIST",
	"HOME_PROVIDER",
	"PREFERRED_PROVIDERS",
	"VISIBLE_PROVIDERS",
	"REGISTER_STATE",
	"PACKET_SERVICE",
	"SIGNAL_STATE",
	"CONNECT",
	"PROVISIONED_CONTEXTS",
	"SERVICE_ACTIVATION",
	"IP_CONFIGURATION",
	"DEVICE_SERVICES",
	NULL,
	NULL,
	"DEVICE_SERVICE_SUBSCRIBE_LIST",
	"PACKET_STATISTICS",
	"NETWORK_IDLE_HINT",
	"EMERGENCY_MODE",
	"IP_PACKET_FILTERS",
	"MULTICARRIER_PROVIDERS",
	NULL,
};
static const char *const sms[] = {NULL,	  "CONFIGURATION", "READ",
				  "SEND", "DELETE",	   "MESSAGE_STORE_STATUS"};
static const char *const ussd[] = {NULL, "USSD"};
static const char *const phonebook[] = {NULL, "CONFIGURATION", "READ", "DELETE", "WRITE"};
static const char *const stk[] = {NULL, "PAC", "TERMINAL_RESPONSE", "ENVELOPE"};
static const char *const auth[] = {NULL, "AKA_AUTH", "AKAP_AUTH", "SIM_AUTH"};
static const char *const dss[] = {NULL, "CONNECT"};
static const char *const none[] = {NULL};

#define CIDS(list) list, ARRAY_SIZE(list)
static const struct service {
	const char *uuid, *name;
	const char *const *cids; /* names of commands, indexed by number */
	size_t ncids;
} services[] = {
	{"a289cc33-bcbb-8b4f-b6b0-133ec2aae6df", "basic connect", CIDS(basic_connect)},
	{"533fbeeb-14fe-4467-9f90-33a223e56c3f", "SMS", CIDS(sms)},
	{"e550a0c8-5e82-479e-82f7-10abf4c3351f", "USSD", CIDS(ussd)},
	{"4bf38476-1e6a-41db-b1d8-bed289c25bdb", "phonebook", CIDS(phonebook)},
	{"d8f20131-fcb5-4e17-8602-d6ed3816164c", "SIM toolkit", CIDS(stk)},
	{"1d2b5ff7-0aa1-48b2-aa52-50f15767174e", "authentication", CIDS(auth)},
	{"c08a26dd-7718-4382-8482-6e0d583c4d0e", "device service stream", CIDS(dss)},
	{"3d01dcc5-fef5-4d05-0d3a-bef7058e9aaf", "Microsoft basic connect extensions", CIDS(none)},
	{"883b7c26-985f-43fa-9804-27d7fb80959c", "Microsoft host shutdown", CIDS(none)},
	{"68223d04-9f6c-4e0f-822d-28441fb72340", "Microsoft SAR", CIDS(none)},
	{"c2f6588e-f037-4bc9-8665-f4d44bd09367", "Microsoft UICC low level access", CIDS(none)},
	{"d1a30bc2-f97a-6e43-bf65-c7e24fb0f0d3", "QMI", CIDS(none)},
};
static const struct code_name mbim_statuses[] = {
	{0, "SUCCESS"},
	{1, "BUSY"},
	{2, "FAILURE"},
	{3, "SIM_NOT_INSERTED"},
	{4, "BAD_SIM"},
	{5, "PIN_REQUIRED"},
	{6, "PIN_DISABLED"},
	{7, "NOT_REGISTERED"},
	{8, "PROVIDERS_NOT_FOUND"},
	{9, "NO_DEVICE_SUPPORT"},
	{10, "PROVIDER_NOT_VISIBLE"},
	{11, "DATA_CLASS_NOT_AVAILABLE"},
	{12, "PACKET_SERVICE_DETACHED"},
	{13, "MAX_ACTIVATED_CONTEXTS"},
	{14, "NOT_INITIALIZED"},
	{15, "VOICE_CALL_IN_PROGRESS"},
	{16, "CONTEXT_NOT_ACTIVATED"},
	{17, "SERVICE_NOT_ACTIVATED"},
	{18, "INVALID_ACCESS_STRING"},
	{19, "INVALID_USER_NAME_PWD"},
	{20, "RADIO_POWER_OFF"},
	{21, "INVALID_PARAMETERS"},
	{22, "READ_FAILURE"},
	{23, "WRITE_FAILURE"},
	{28, "OPERATION_NOT_ALLOWED"},
	{29, "MEMORY_FAILURE"},
};

static void service_uuid(const uint8_t *p, char text[37])
{
	char *at = text;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at += snprintf(at, 3, "%02x", p[i]);
	}
}

static const struct service *service_of(const char *uuid)
{
	for (size_t i = 0; i < ARRAY_SIZE(services); i++)
		if (!strcmp(services[i].uuid, uuid))
			return &services[i];
	return NULL;
}

static const char *command_name(const struct service *v, uint32_t cid)
{
	return v && cid < v->ncids ? v->cids[cid] : NULL;
}

/*
 * Whether this is the first fragment of a message; later fragments contain only data after the
 * fragment header.
 */
static bool is_beginning(const uint8_t *p, size_t n)
{
	return n >= FRAGMENT + 4 && !get32(p + FRAGMENT);
}

/* Only devices send INDICATE_STATUS; its type has the bit that marks answers. */
static struct message mbim_message(const uint8_t *p, size_t n)
{
	struct message m = {.type = get32(p), .length = get32(p + 4), .has_id = true};
	uint32_t kind = m.type & ~COMPLETE;

	m.name = CODE_NAME(mbim_messages, kind);
	m.id = get32(p + 8);
	m.complete = (m.type & COMPLETE) && kind != INDICATION && kind != ERROR;
	if (m.complete && kind != COMMAND)
		set_status(&m, p, n, 12);
	else if (m.complete && is_beginning(p, n))
		set_status(&m, p, n, 40);
	m.status_name = CODE_NAME(mbim_statuses, m.status);
	return m;
}

static bool has_fragments(const struct message *m)
{
	uint32_t kind = m->type & ~COMPLETE;

	return kind == COMMAND || kind == INDICATION;
}

static bool names_service(const struct message *m, const uint8_t *p, size_t n)
{
	bool command = (m->type & ~COMPLETE) == COMMAND;

	return has_fragments(m) && is_beginning(p, n) &&
	       n >= (command ? COMMAND_HEAD : INDICATION_HEAD);
}

void mbim_message_tree(const uint8_t *p, size_t n, struct tree *t)
{
	struct message m = mbim_message(p, n);
	const struct service *v;
	char uuid[37];

	message_tree(&m, t);
	if (m.type == OPEN && n >= 16)
		tree_uint(t, "max_transfer_size", get32(p + 12));
	if (has_fragments(&m) && n >= FRAGMENT + 4) {
		tree_uint(t, "fragments", get32(p + 12));
		tree_uint(t, "fragment", get32(p + FRAGMENT));
	}
	if (!names_service(&m, p, n))
		return;
	service_uuid(p + SERVICE, uuid);
	v = service_of(uuid);
	tree_str(t, "service", uuid);
	tree_str(t, "service_name", v ? v->name : NULL);
	tree_uint(t, "cid", get32(p + 36));
	tree_str(t, "cid_name", command_name(v, get32(p + 36)));
	if (m.type == COMMAND)
		tree_str(t, "command_type", get32(p + 40) ? "set" : "query");
	tree_uint(t, "information_length", get32(p + ((m.type & ~COMPLETE) == COMMAND ? 44 : 40)));
}

void mbim_message_brief(const uint8_t *p, size_t n, struct out *o)
{
	struct message m = mbim_message(p, n);
	const struct service *v;
	const char *name;
	char uuid[37];

	message_brief(&m, o);
	status_brief(&m, o);
	if (has_fragments(&m) && n >= FRAGMENT + 4 && get32(p + FRAGMENT))
		out_printf(o, " fragment %u of %u", get32(p + FRAGMENT) + 1, get32(p + 12));
	if (!names_service(&m, p, n))
		return;
	service_uuid(p + SERVICE, uuid);
	v = service_of(uuid);
	name = command_name(v, get32(p + 36));
	if (m.type == COMMAND)
		out_str(o, get32(p + 40) ? " set" : " query");
	out_printf(o, " %s: ", v ? v->name : uuid);
	if (name)
		out_str(o, name);
	else
		out_printf(o, "command %u", get32(p + 36));
}

const char *const net_message_names[] = {
	"cid",
	"cid_name",
	"command_type",
	"complete",
	"fragment",
	"fragments",
	"information_length",
	"information_offset",
	"max_packets",
	"max_transfer_size",
	"message",
	"message_id",
	"message_length",
	"message_status",
	"message_status_name",
	"message_type",
	"oid",
	"oid_name",
	"rndis_version",
	"service",
	"service_name",
	NULL,
};
