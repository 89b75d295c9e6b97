/* SPDX-License-Identifier: MIT */
#include "decode/usb/netmessage.h"
#include "common/array.h"

#include "decode/base/bytes.h"
#include "decode/usb/codename.h"
#include "decode/usb/mbimservice.h"

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
	{25, "NO_PHONEBOOK"},
	{26, "PARAMETER_TOO_LONG"},
	{27, "STK_BUSY"},
	{28, "OPERATION_NOT_ALLOWED"},
	{29, "MEMORY_FAILURE"},
	{30, "INVALID_MEMORY_INDEX"},
	{31, "MEMORY_FULL"},
	{32, "FILTER_NOT_SUPPORTED"},
	{33, "DSS_INSTANCE_LIMIT"},
	{34, "INVALID_DEVICE_SERVICE_OPERATION"},
	{35, "AUTH_INCORRECT_AUTN"},
	{36, "AUTH_SYNC_FAILURE"},
	{37, "AUTH_AMF_NOT_SET"},
	{38, "CONTEXT_NOT_SUPPORTED"},
	{100, "SMS_UNKNOWN_SMSC_ADDRESS"},
	{101, "SMS_NETWORK_TIMEOUT"},
	{102, "SMS_LANG_NOT_SUPPORTED"},
	{103, "SMS_ENCODING_NOT_SUPPORTED"},
	{104, "SMS_FORMAT_NOT_SUPPORTED"},
};
/* Of ERROR messages, which either side sends. */
static const struct code_name mbim_errors[] = {
	{1, "TIMEOUT_FRAGMENT"}, {2, "FRAGMENT_OUT_OF_SEQUENCE"},
	{3, "LENGTH_MISMATCH"},	 {4, "DUPLICATED_TID"},
	{5, "NOT_OPENED"},	 {6, "UNKNOWN"},
	{7, "CANCEL"},		 {8, "MAX_TRANSFER"},
};

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
	if ((m.complete && kind != COMMAND) || kind == ERROR)
		set_status(&m, p, n, 12);
	else if (m.complete && is_beginning(p, n))
		set_status(&m, p, n, 40);
	m.status_name = kind == ERROR ? CODE_NAME(mbim_errors, m.status)
				      : CODE_NAME(mbim_statuses, m.status);
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

bool mbim_fragment(const uint8_t *p, size_t n, uint32_t *id, uint32_t *count, uint32_t *number,
		   size_t *head)
{
	struct message m = mbim_message(p, n);

	*head = FRAGMENT + 4;
	if (!has_fragments(&m) || n < *head)
		return false;
	*id = m.id;
	*count = get32(p + 12);
	*number = get32(p + FRAGMENT);
	return *count > 1;
}

/* The information buffer of a message. */
struct information {
	const struct mbim_field *fields; /* NULL: unknown, or the buffer does not fit them */
	bool secret;			 /* it may hold a PIN, a password or a key */
	const uint8_t *p;
	size_t n;	 /* bytes of it that are there */
	uint32_t length; /* that it has */
};

/*
 * Chooses the structure of these two that the buffer is: the later one if only that fits exactly. A
 * buffer of which a part is missing is not taken apart.
 */
static void choose(struct information *i, const struct mbim_field *f,
		   const struct mbim_field *later)
{
	bool exact = false, later_exact = false, fits;

	i->secret = i->n && (mbim_may_have_secret(f) || mbim_may_have_secret(later));
	if (!f || !i->n || i->n < i->length)
		return;
	fits = mbim_fits(f, i->p, i->n, &exact);
	if (later && !(fits && exact) && mbim_fits(later, i->p, i->n, &later_exact) &&
	    (later_exact || !fits))
		i->fields = later;
	else if (fits)
		i->fields = f;
	if (i->fields)
		i->secret = mbim_has_secret(i->fields, i->p, i->n);
}

/* m names a service. */
static struct information information_of(const struct message *m, const uint8_t *p, size_t n)
{
	const struct mbim_command *c = mbim_command_of(mbim_service_of(p + SERVICE), get32(p + 36));
	bool command = (m->type & ~COMPLETE) == COMMAND;
	size_t head = command ? COMMAND_HEAD : INDICATION_HEAD;
	struct information i = {.p = p + head, .length = get32(p + head - 4)};

	i.n = n - head < i.length ? n - head : i.length;
	if (!c)
		return i;
	if (m->type == COMMAND && get32(p + 40))
		choose(&i, c->set, c->later_set);
	else if (m->type == COMMAND)
		choose(&i, c->query, NULL);
	else if (!command && c->indication)
		choose(&i, c->indication, NULL);
	else
		choose(&i, c->answer, c->later_answer);
	return i;
}

bool mbim_message_has_secret(const uint8_t *p, size_t n)
{
	struct message m = mbim_message(p, n);

	return names_service(&m, p, n) && information_of(&m, p, n).secret;
}

/* The command that a message names, with its information. */
struct named_command {
	const struct mbim_service *service; /* NULL: not in mbimnames.h */
	const struct mbim_command *command; /* NULL: as above */
	struct information information;
	uint32_t cid;
	bool set;       /* COMMAND only: false for a query */
	char uuid[37];  /* of the service */
};

static struct named_command named_command(const struct message *m, const uint8_t *p, size_t n)
{
	struct named_command c = {
		.service = mbim_service_of(p + SERVICE),
		.cid = get32(p + 36),
		.set = m->type == COMMAND && get32(p + 40),
		.information = information_of(m, p, n),
	};

	c.command = mbim_command_of(c.service, c.cid);
	mbim_uuid(p + SERVICE, c.uuid);
	return c;
}

static void information_tree(const struct information *i, bool keys, struct tree *t)
{
	tree_uint(t, "information_length", i->length);
	if (i->fields) {
		tree_object(t, "information");
		mbim_fields_tree(i->fields, i->p, i->n, keys, t);
		tree_close(t);
	} else if (i->n && (keys || !i->secret)) {
		tree_bytes(t, "information_bytes", i->p, i->n);
	}
}

void mbim_message_tree(const uint8_t *p, size_t n, const uint8_t *whole, size_t whole_len,
		       bool keys, struct tree *t)
{
	struct message m = mbim_message(p, n);
	struct named_command c;

	message_tree(&m, t);
	if (m.type == OPEN && n >= 16)
		tree_uint(t, "max_transfer_size", get32(p + 12));
	if (has_fragments(&m) && n >= FRAGMENT + 4) {
		tree_uint(t, "fragments", get32(p + 12));
		tree_uint(t, "fragment", get32(p + FRAGMENT));
	}
	if (!names_service(&m, whole, whole_len))
		return;
	c = named_command(&m, whole, whole_len);
	tree_str(t, "service", c.uuid);
	tree_str(t, "service_name", c.service ? c.service->name : NULL);
	tree_uint(t, "cid", c.cid);
	tree_str(t, "cid_name", c.command ? c.command->name : NULL);
	if (m.type == COMMAND)
		tree_str(t, "command_type", c.set ? "set" : "query");
	information_tree(&c.information, keys, t);
}

bool mbim_message_brief(const uint8_t *p, size_t n, const uint8_t *whole, size_t whole_len,
			bool keys, struct out *o)
{
	struct message m = mbim_message(p, n);
	const struct information *i;
	struct named_command c;

	message_brief(&m, o);
	status_brief(&m, o);
	if (has_fragments(&m) && n >= FRAGMENT + 4 && get32(p + FRAGMENT))
		out_printf(o, " fragment %u of %u", get32(p + FRAGMENT) + 1, get32(p + 12));
	if (!names_service(&m, whole, whole_len))
		return !has_fragments(&m);
	c = named_command(&m, whole, whole_len);
	i = &c.information;
	if (m.type == COMMAND)
		out_str(o, c.set ? " set" : " query");
	out_printf(o, " %s: ", c.service ? c.service->name : c.uuid);
	if (c.command)
		out_str(o, c.command->name);
	else
		out_printf(o, "command %u", c.cid);
	return i->fields ? mbim_fields_brief(i->fields, i->p, i->n, keys, o) : !i->length;
}

const char *const net_message_names[] = {
	"cid",
	"cid_name",
	"command_type",
	"complete",
	"fragment",
	"fragments",
	"information",
	"information_bytes",
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

void net_message_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "oid_name"))
		CODE_WORDS(oids, fn, arg);
	if (!strcmp(member, "message_status_name")) {
		CODE_WORDS(rndis_statuses, fn, arg);
		CODE_WORDS(mbim_statuses, fn, arg);
		CODE_WORDS(mbim_errors, fn, arg);
	}
	mbim_services_words(member, fn, arg);
}
