/* SPDX-License-Identifier: MIT */
#include "decode/usb/scsi.h"
#include "common/array.h"
#include "decode/base/escape.h"
#include "decode/base/bytes.h"


enum form {
	PLAIN,
	RW6,     /* lba in 21 bits of bytes 1..3, length in byte 4 */
	RW10,    /* lba 2..5, length 7..8 */
	RW12,    /* lba 2..5, length 6..9 */
	RW16,    /* lba 2..9, length 10..13 */
	INQUIRY, /* EVPD, page, length 3..4 */
	LENGTH4, /* length in byte 4: of the answer, or of the parameter list that the host sends */
	SENSE6,  /* page in byte 2, length in byte 4 */
	SENSE10, /* page in byte 2, length 7..8 */
	LENGTH10, /* likewise 7..8 */
	LENGTH12, /* likewise 6..9 */
	START,   /* START STOP UNIT: power condition, LOEJ and START in byte 4 */
	PREVENT, /* prevent in byte 4 */
	SERVICE, /* SERVICE ACTION IN(16) */
};

enum opcode {
	OP_REQUEST_SENSE = 0x03,
	OP_INQUIRY = 0x12,
	OP_MODE_SELECT_6 = 0x15,
	OP_MODE_SENSE_6 = 0x1a,
	OP_READ_CAPACITY_10 = 0x25,
	OP_UNMAP = 0x42,
	OP_MODE_SELECT_10 = 0x55,
	OP_MODE_SENSE_10 = 0x5a,
	OP_PERSISTENT_RESERVE_OUT = 0x5f,
	OP_SERVICE_IN_16 = 0x9e,
	OP_REPORT_LUNS = 0xa0,
	OP_MAINTENANCE_OUT = 0xa4,
};

static const struct command {
	uint8_t opcode, form;
	const char *name;
} commands[] = {
	{0x00, PLAIN, "TEST UNIT READY"},
	{0x01, PLAIN, "REZERO UNIT"},
	{0x03, LENGTH4, "REQUEST SENSE"},
	{0x04, PLAIN, "FORMAT UNIT"},
	{0x07, PLAIN, "REASSIGN BLOCKS"},
	{0x08, RW6, "READ(6)"},
	{0x0a, RW6, "WRITE(6)"},
	{0x12, INQUIRY, "INQUIRY"},
	{0x15, LENGTH4, "MODE SELECT(6)"},
	{0x16, PLAIN, "RESERVE(6)"},
	{0x17, PLAIN, "RELEASE(6)"},
	{0x1a, SENSE6, "MODE SENSE(6)"},
	{0x1b, START, "START STOP UNIT"},
	{0x1c, PLAIN, "RECEIVE DIAGNOSTIC RESULTS"},
	{0x1d, PLAIN, "SEND DIAGNOSTIC"},
	{0x1e, PREVENT, "PREVENT ALLOW MEDIUM REMOVAL"},
	{0x23, LENGTH10, "READ FORMAT CAPACITIES"},
	{0x25, PLAIN, "READ CAPACITY(10)"},
	{0x28, RW10, "READ(10)"},
	{0x2a, RW10, "WRITE(10)"},
	{0x2b, PLAIN, "SEEK(10)"},
	{0x2e, RW10, "WRITE AND VERIFY(10)"},
	{0x2f, RW10, "VERIFY(10)"},
	{0x35, RW10, "SYNCHRONIZE CACHE(10)"},
	{0x3b, PLAIN, "WRITE BUFFER"},
	{0x3c, PLAIN, "READ BUFFER"},
	{0x41, RW10, "WRITE SAME(10)"},
	{0x42, LENGTH10, "UNMAP"},
	{0x43, LENGTH10, "READ TOC/PMA/ATIP"},
	{0x46, LENGTH10, "GET CONFIGURATION"},
	{0x4a, LENGTH10, "GET EVENT STATUS NOTIFICATION"},
	{0x4d, LENGTH10, "LOG SENSE"},
	{0x51, LENGTH10, "READ DISC INFORMATION"},
	{0x52, LENGTH10, "READ TRACK INFORMATION"},
	{0x55, LENGTH10, "MODE SELECT(10)"},
	{0x5a, SENSE10, "MODE SENSE(10)"},
	{0x5b, PLAIN, "CLOSE TRACK/SESSION"},
	{0x5e, LENGTH10, "PERSISTENT RESERVE IN"},
	{0x5f, LENGTH10, "PERSISTENT RESERVE OUT"},
	{0x85, PLAIN, "ATA PASS-THROUGH(16)"},
	{0x88, RW16, "READ(16)"},
	{0x8a, RW16, "WRITE(16)"},
	{0x8e, RW16, "WRITE AND VERIFY(16)"},
	{0x8f, RW16, "VERIFY(16)"},
	{0x91, RW16, "SYNCHRONIZE CACHE(16)"},
	{0x93, RW16, "WRITE SAME(16)"},
	{0x9e, SERVICE, "SERVICE ACTION IN(16)"},
	{0xa0, LENGTH12, "REPORT LUNS"},
	{0xa1, PLAIN, "ATA PASS-THROUGH(12)"},
	{0xa2, PLAIN, "SECURITY PROTOCOL IN"},
	{0xa3, LENGTH12, "MAINTENANCE IN"},
	{0xa4, LENGTH12, "MAINTENANCE OUT"},
	{0xa8, RW12, "READ(12)"},
	{0xaa, RW12, "WRITE(12)"},
	{0xac, PLAIN, "GET PERFORMANCE"},
	{0xad, PLAIN, "READ DISC STRUCTURE"},
	{0xae, RW12, "WRITE AND VERIFY(12)"},
	{0xaf, RW12, "VERIFY(12)"},
	{0xb5, PLAIN, "SECURITY PROTOCOL OUT"},
	{0xb6, PLAIN, "SET STREAMING"},
	{0xbb, PLAIN, "SET CD SPEED"},
	{0xbd, PLAIN, "MECHANISM STATUS"},
	{0xbe, PLAIN, "READ CD"},
};

static const struct command *find(uint8_t opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].opcode == opcode)
			return &commands[i];
	return NULL;
}

const char *scsi_status_name(uint8_t status)
{
	switch (status) {
	case 0x00:
		return "good";
	case 0x02:
		return "check condition";
	case 0x04:
		return "condition met";
	case 0x08:
		return "busy";
	case 0x18:
		return "reservation conflict";
	case 0x28:
		return "task set full";
	case 0x30:
		return "ACA active";
	case 0x40:
		return "task aborted";
	default:
		return NULL;
	}
}

static const char *sense_key_name(uint8_t key)
{
	static const char *const names[16] = {
		"no sense", "recovered error", "not ready", "medium error", "hardware error",
		"illegal request", "unit attention", "data protect", "blank check",
		"vendor specific", "copy aborted", "aborted command", "reserved",
		"volume overflow", "miscompare", "completed",
	};

	return names[key & 15];
}

/* ---- commands ------------------------------------------------------------------------------- */

struct span {
	bool valid;
	uint64_t lba;
	uint32_t blocks;
};

static struct span span_of(const struct scsi_command *c, enum form form)
{
	const uint8_t *p = c->cdb;

	switch (form) {
	case RW6:
		return (struct span){c->length >= 6, get_be32(p) & 0x1fffff, p[4] ? p[4] : 256};
	case RW10:
		return (struct span){c->length >= 10, get_be32(p + 2), get_be16(p + 7)};
	case RW12:
		return (struct span){c->length >= 12, get_be32(p + 2), get_be32(p + 6)};
	case RW16:
		return (struct span){c->length >= 16, get_be64(p + 2), get_be32(p + 10)};
	default:
		return (struct span){0};
	}
}

bool scsi_sends_parameters(const struct scsi_command *c)
{
	switch (c->cdb[0]) {
	case OP_MODE_SELECT_6:
	case OP_MODE_SELECT_10:
	case OP_UNMAP:
	case OP_PERSISTENT_RESERVE_OUT:
	case OP_MAINTENANCE_OUT:
		return true;
	default:
		return false;
	}
}

/*
 * Returns the allocation length, or the length of the parameter list, in bytes; -1 if the command
 * has neither.
 */
static int64_t allocation(const struct scsi_command *c, enum form form)
{
	const uint8_t *p = c->cdb;

	switch (form) {
	case LENGTH4:
	case SENSE6:
		return p[4];
	case INQUIRY:
		return get_be16(p + 3);
	case LENGTH10:
	case SENSE10:
		return c->cdb[0] == OP_PERSISTENT_RESERVE_OUT ? get_be32(p + 5) : get_be16(p + 7);
	case LENGTH12:
		return get_be32(p + 6);
	case SERVICE:
		return get_be32(p + 10);
	default:
		return -1;
	}
}

static const char *service_name(const struct scsi_command *c)
{
	switch (c->cdb[1] & 0x1f) {
	case 0x10:
		return "READ CAPACITY(16)";
	case 0x11:
		return "READ LONG(16)";
	case 0x12:
		return "GET LBA STATUS";
	default:
		return NULL;
	}
}

/* If a power condition is set, the device ignores LOEJ and START (SBC-3, 5.25). */
static const char *start_name(uint8_t bits)
{
	static const char *const names[4] = {"stop", "start", "eject", "load"};
	static const char *const conditions[16] = {
		[0x1] = "active",     [0x2] = "idle",	     [0x3] = "standby",
		[0x7] = "LU control", [0xa] = "force idle", [0xb] = "force standby",
	};

	if (bits >> 4)
		return conditions[bits >> 4] ? conditions[bits >> 4] : "reserved";
	return names[bits & 3];
}

void scsi_command_tree(const struct scsi_command *c, struct tree *t)
{
	const struct command *k = find(c->cdb[0]);
	enum form form = k ? (enum form)k->form : PLAIN;
	struct span s = span_of(c, form);
	int64_t length = allocation(c, form);

	tree_hex(t, "opcode", c->cdb[0], 2);
	tree_str(t, "command", k ? k->name : NULL);
	if (s.valid) {
		tree_uint(t, "lba", s.lba);
		tree_uint(t, "blocks", s.blocks);
	}
	if (form == INQUIRY) {
		tree_bool(t, "evpd", c->cdb[1] & 1);
		tree_hex(t, "page", c->cdb[2], 2);
	}
	if (form == SENSE6 || form == SENSE10)
		tree_hex(t, "page", c->cdb[2] & 0x3f, 2);
	if (form == START)
		tree_str(t, "action", start_name(c->cdb[4]));
	if (form == PREVENT)
		tree_bool(t, "prevent", c->cdb[4] & 1);
	if (form == SERVICE)
		tree_str(t, "service_action", service_name(c));
	if (length >= 0)
		tree_uint(t,
			  scsi_sends_parameters(c) ? "parameter_list_length" : "allocation_length",
			  (uint64_t)length);
	tree_bytes(t, "cdb", c->cdb, c->length);
}

void scsi_command_brief(const struct scsi_command *c, struct out *o)
{
	const struct command *k = find(c->cdb[0]);
	enum form form = k ? (enum form)k->form : PLAIN;
	struct span s = span_of(c, form);
	const char *service = form == SERVICE ? service_name(c) : NULL;

	if (k)
		out_str(o, service ? service : k->name);
	else
		out_printf(o, "SCSI command 0x%02x", c->cdb[0]);
	if (s.valid)
		out_printf(o, " lba %llu + %u", (unsigned long long)s.lba, s.blocks);
	if (form == INQUIRY && c->cdb[1] & 1)
		out_printf(o, " page 0x%02x", c->cdb[2]);
	if (form == SENSE6 || form == SENSE10)
		out_printf(o, " page 0x%02x", c->cdb[2] & 0x3f);
	if (form == START)
		out_printf(o, " %s", start_name(c->cdb[4]));
	if (form == PREVENT)
		out_str(o, c->cdb[4] & 1 ? " prevent" : " allow");
}

/* ---- data ----------------------------------------------------------------------------------- */

/* Fields of INQUIRY are padded with blanks. */
static void text_field(const char *name, const uint8_t *p, size_t n, struct tree *t)
{
	while (n && (p[n - 1] == ' ' || p[n - 1] == 0))
		n--;
	tree_text(t, name, p, n);
}

static const char *device_type(uint8_t type)
{
	switch (type & 0x1f) {
	case 0x00:
		return "disk";
	case 0x01:
		return "tape";
	case 0x05:
		return "cd/dvd";
	case 0x07:
		return "optical memory";
	case 0x0c:
		return "storage array";
	case 0x0d:
		return "enclosure services";
	case 0x0e:
		return "simplified disk";
	default:
		return NULL;
	}
}

static void inquiry_tree(const struct scsi_command *c, const uint8_t *p, size_t n, struct tree *t)
{
	if (c->cdb[1] & 1) {
		if (n < 4)
			return;
		tree_hex(t, "page", p[1], 2);
		tree_uint(t, "page_length", get_be16(p + 2));
		if (p[1] == 0x80)
			text_field("serial", p + 4, n - 4, t);
		else
			tree_bytes(t, "page_data", p + 4, n - 4);
		return;
	}
	if (n < 5)
		return;
	tree_uint(t, "device_type", p[0] & 0x1f);
	tree_str(t, "device_type_name", device_type(p[0]));
	tree_bool(t, "removable", p[1] & 0x80);
	tree_uint(t, "version", p[2]);
	if (n < 36)
		return;
	text_field("vendor", p + 8, 8, t);
	text_field("product", p + 16, 16, t);
	text_field("revision", p + 32, 4, t);
}

static bool capacity(const struct scsi_command *c, const uint8_t *p, size_t n, uint64_t *last,
		     uint32_t *block)
{
	if (c->cdb[0] == OP_READ_CAPACITY_10 && n >= 8) {
		*last = get_be32(p);
		*block = get_be32(p + 4);
		return true;
	}
	if (c->cdb[0] == OP_SERVICE_IN_16 && (c->cdb[1] & 0x1f) == 0x10 && n >= 12) {
		*last = get_be64(p);
		*block = get_be32(p + 8);
		return true;
	}
	return false;
}

static void mode_tree(const uint8_t *p, size_t n, bool ten, struct tree *t)
{
	if (n < (ten ? 8u : 4u))
		return;
	tree_uint(t, "mode_data_length", ten ? get_be16(p) : p[0]);
	tree_uint(t, "medium_type", p[ten ? 2 : 1]);
	tree_bool(t, "write_protect", p[ten ? 3 : 2] & 0x80);
}

static void luns_tree(const uint8_t *p, size_t n, struct tree *t)
{
	tree_list(t, "luns");
	for (size_t i = 8; i + 8 <= n; i += 8)
		tree_bytes(t, "lun", p + i, 8);
	tree_close(t);
}

void scsi_data_tree(const struct scsi_command *c, const uint8_t *p, size_t n, struct tree *t)
{
	uint64_t last;
	uint32_t block;

	switch (c->cdb[0]) {
	case OP_INQUIRY:
		inquiry_tree(c, p, n, t);
		break;
	case OP_REQUEST_SENSE:
		scsi_sense_tree(p, n, t);
		break;
	case OP_MODE_SENSE_6:
	case OP_MODE_SELECT_6:
		mode_tree(p, n, false, t);
		break;
	case OP_MODE_SENSE_10:
	case OP_MODE_SELECT_10:
		mode_tree(p, n, true, t);
		break;
	case OP_REPORT_LUNS:
		luns_tree(p, n, t);
		break;
	default:
		if (!capacity(c, p, n, &last, &block))
			break;
		tree_uint(t, "last_lba", last);
		tree_uint(t, "block_size", block);
		break;
	}
}

static void brief_field(const uint8_t *p, size_t n, struct out *o)
{
	while (n && (p[n - 1] == ' ' || p[n - 1] == 0))
		n--;
	out_char(o, ' ');
	out_safe(o, p, n);
}

uint32_t scsi_identification(const struct scsi_command *c)
{
	return c->cdb[0] == OP_INQUIRY && !(c->cdb[1] & 1) ? 36 : 0;
}

bool scsi_data_brief(const struct scsi_command *c, const uint8_t *p, size_t n, struct out *o)
{
	size_t start = o->len;
	uint64_t last;
	uint32_t block;

	if (c->cdb[0] == OP_INQUIRY && !(c->cdb[1] & 1) && n >= 36) {
		brief_field(p + 8, 8, o);
		brief_field(p + 16, 16, o);
		brief_field(p + 32, 4, o);
	} else if (c->cdb[0] == OP_REQUEST_SENSE && n >= 8) {
		out_char(o, ' ');
		scsi_sense_brief(p, n, o);
	} else if (capacity(c, p, n, &last, &block) && c->cdb[0] == OP_READ_CAPACITY_10 &&
		   last == UINT32_MAX) {
		/* The count does not fit into 32 bits; READ CAPACITY(16) returns it. */
		out_printf(o, " more than %u blocks of %u bytes", UINT32_MAX, block);
	} else if (capacity(c, p, n, &last, &block)) {
		out_printf(o, " %llu blocks of %u bytes", (unsigned long long)last + 1, block);
	}
	return o->len > start;
}

/* ---- sense ---------------------------------------------------------------------------------- */

struct sense {
	uint8_t response, key, asc, ascq;
	bool has_info;
	uint64_t info;
};

static bool sense_parse(const uint8_t *p, size_t n, struct sense *s)
{
	if (n < 1)
		return false;
	*s = (struct sense){.response = p[0] & 0x7f};
	if (s->response == 0x72 || s->response == 0x73) {
		if (n < 4)
			return false;
		s->key = p[1] & 15;
		s->asc = p[2];
		s->ascq = p[3];
		return true;
	}
	if ((s->response != 0x70 && s->response != 0x71) || n < 3)
		return false;
	s->key = p[2] & 15;
	if (p[0] & 0x80 && n >= 7) {
		s->has_info = true;
		s->info = get_be32(p + 3);
	}
	if (n >= 14) {
		s->asc = p[12];
		s->ascq = p[13];
	}
	return true;
}

#define ANY_Q 0xff

static const struct {
	uint8_t asc, ascq;
	const char *text;
} additional[] = {
	{0x00, 0x00, "no additional sense"},
	{0x00, 0x1d, "ATA pass-through information available"},
	{0x03, 0x00, "peripheral device write fault"},
	{0x04, 0x00, "logical unit not ready, cause not reportable"},
	{0x04, 0x01, "logical unit is becoming ready"},
	{0x04, 0x02, "logical unit not ready, initialising command required"},
	{0x04, 0x03, "logical unit not ready, manual intervention required"},
	{0x04, 0x04, "logical unit not ready, format in progress"},
	{0x04, 0x07, "logical unit not ready, operation in progress"},
	{0x04, ANY_Q, "logical unit not ready"},
	{0x08, ANY_Q, "logical unit communication failure"},
	{0x0c, ANY_Q, "write error"},
	{0x10, ANY_Q, "id CRC or ECC error"},
	{0x11, ANY_Q, "unrecovered read error"},
	{0x14, ANY_Q, "recorded entity not found"},
	{0x15, ANY_Q, "random positioning error"},
	{0x1a, 0x00, "parameter list length error"},
	{0x20, 0x00, "invalid command operation code"},
	{0x21, 0x00, "logical block address out of range"},
	{0x24, 0x00, "invalid field in CDB"},
	{0x25, 0x00, "logical unit not supported"},
	{0x26, ANY_Q, "invalid field in parameter list"},
	{0x27, ANY_Q, "write protected"},
	{0x28, 0x00, "not ready to ready change, medium may have changed"},
	{0x29, 0x00, "power on, reset, or bus device reset occurred"},
	{0x29, ANY_Q, "reset occurred"},
	{0x2a, 0x01, "mode parameters changed"},
	{0x2c, 0x00, "command sequence error"},
	{0x30, 0x00, "incompatible medium installed"},
	{0x31, ANY_Q, "medium format corrupted"},
	{0x39, 0x00, "saving parameters not supported"},
	{0x3a, 0x00, "medium not present"},
	{0x3a, 0x01, "medium not present, tray closed"},
	{0x3a, 0x02, "medium not present, tray open"},
	{0x3a, ANY_Q, "medium not present"},
	{0x3e, ANY_Q, "logical unit has not self-configured yet"},
	{0x3f, 0x0e, "reported LUNs data has changed"},
	{0x3f, ANY_Q, "target operating conditions have changed"},
	{0x44, 0x00, "internal target failure"},
	{0x47, ANY_Q, "SCSI parity error"},
	{0x48, 0x00, "initiator detected error message received"},
	{0x4b, ANY_Q, "data phase error"},
	{0x4e, 0x00, "overlapped commands attempted"},
	{0x53, 0x02, "medium removal prevented"},
	{0x55, ANY_Q, "system resource failure"},
	{0x57, 0x00, "unable to recover table of contents"},
	{0x5d, ANY_Q, "failure prediction threshold exceeded"},
	{0x5e, ANY_Q, "low power condition on"},
	{0x63, ANY_Q, "end of user area encountered on this track"},
	{0x64, 0x00, "illegal mode for this track"},
	{0x6f, ANY_Q, "copy protection key exchange failure"},
	{0x74, ANY_Q, "security error"},
};

static const char *additional_text(uint8_t asc, uint8_t ascq)
{
	for (size_t i = 0; i < ARRAY_SIZE(additional); i++)
		if (additional[i].asc == asc &&
		    (additional[i].ascq == ascq || additional[i].ascq == ANY_Q))
			return additional[i].text;
	return NULL;
}

void scsi_sense_tree(const uint8_t *p, size_t n, struct tree *t)
{
	struct sense s;

	if (!sense_parse(p, n, &s))
		return;
	tree_hex(t, "response_code", s.response, 2);
	tree_uint(t, "sense_key", s.key);
	tree_str(t, "sense_key_name", sense_key_name(s.key));
	tree_hex(t, "asc", s.asc, 2);
	tree_hex(t, "ascq", s.ascq, 2);
	tree_str(t, "additional", additional_text(s.asc, s.ascq));
	if (s.has_info)
		tree_uint(t, "information", s.info);
}

void scsi_sense_brief(const uint8_t *p, size_t n, struct out *o)
{
	const char *text;
	struct sense s;

	if (!sense_parse(p, n, &s)) {
		out_str(o, "sense data not understood");
		return;
	}
	text = additional_text(s.asc, s.ascq);
	out_str(o, sense_key_name(s.key));
	if (text)
		out_printf(o, ": %s", text);
	else
		out_printf(o, ": asc 0x%02x ascq 0x%02x", s.asc, s.ascq);
}
