/* SPDX-License-Identifier: MIT */
#include "decode/usb/scsi.h"
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/bitlayout.h"
#include "decode/usb/scsiinquiry.h"
#include "decode/usb/scsimode.h"
#include "decode/usb/scsisense.h"

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

/* ---- fields of single commands -------------------------------------------------------------- */

#define READING {"rdprotect", 1, 5, 3}, {"dpo", 1, 4, 1}, {"fua", 1, 3, 1}
#define WRITING {"wrprotect", 1, 5, 3}, {"dpo", 1, 4, 1}, {"fua", 1, 3, 1}
#define VERIFYING {"vrprotect", 1, 5, 3}, {"dpo", 1, 4, 1}, {"bytchk", 1, 1, 2}
#define CDB(...) ((const struct bit_field[]){__VA_ARGS__, {0}})

/* What the forms do not have. */
static const struct {
	uint8_t opcode;
	bit_layout fields;
} details[] = {
	{OP_REQUEST_SENSE, CDB({"desc", 1, 0, 1})},
	{0x04, CDB({"fmtpinfo", 1, 6, 2}, {"longlist", 1, 5, 1}, {"fmtdata", 1, 4, 1},
		   {"cmplst", 1, 3, 1}, {"defect_list_format", 1, 0, 3})},
	{OP_MODE_SELECT_6, CDB({"pf", 1, 4, 1}, {"sp", 1, 0, 1})},
	{OP_MODE_SELECT_10, CDB({"pf", 1, 4, 1}, {"sp", 1, 0, 1})},
	{OP_MODE_SENSE_6, CDB({"dbd", 1, 3, 1}, {"page_control", 2, 6, 2}, {"subpage", 3, 0, 8})},
	{OP_MODE_SENSE_10, CDB({"llbaa", 1, 4, 1}, {"dbd", 1, 3, 1}, {"page_control", 2, 6, 2},
			       {"subpage", 3, 0, 8})},
	{0x1b, CDB({"immed", 1, 0, 1}, {"power_condition", 4, 4, 4}, {"loej", 4, 1, 1},
		   {"start", 4, 0, 1})},
	{OP_READ_CAPACITY_10, CDB({"pmi", 8, 0, 1})},
	{0x28, CDB(READING, {"group", 6, 0, 5})}, {0x2a, CDB(WRITING, {"group", 6, 0, 5})},
	{0x2e, CDB(WRITING, {"group", 6, 0, 5})}, {0x2f, CDB(VERIFYING, {"group", 6, 0, 5})},
	{0x35, CDB({"immed", 1, 1, 1}, {"group", 6, 0, 5})},
	{0x41, CDB({"wrprotect", 1, 5, 3}, {"anchor", 1, 4, 1}, {"unmap", 1, 3, 1},
		   {"group", 6, 0, 5})},
	{OP_UNMAP, CDB({"anchor", 1, 0, 1}, {"group", 6, 0, 5})},
	{0x43, CDB({"msf", 1, 1, 1}, {"toc_format", 2, 0, 4}, {"track", 6, 0, 8})},
	{0x46, CDB({"rt", 1, 0, 2}, {"starting_feature", 2, 0, 16})},
	{0x4a, CDB({"polled", 1, 0, 1}, {"notification_class_request", 4, 0, 8})},
	{0x4d, CDB({"ppc", 1, 1, 1}, {"sp", 1, 0, 1}, {"page_control", 2, 6, 2},
		   {"log_page", 2, 0, 6}, {"subpage", 3, 0, 8}, {"parameter_pointer", 5, 0, 16})},
	{0x51, CDB({"data_type", 1, 0, 3})},
	{0x52, CDB({"address_type", 1, 0, 2}, {"track", 2, 0, 32})},
	{0x5b, CDB({"immed", 1, 0, 1}, {"close_function", 2, 0, 3}, {"track", 4, 0, 16})},
	{0x88, CDB(READING, {"group", 14, 0, 5})}, {0x8a, CDB(WRITING, {"group", 14, 0, 5})},
	{0x8e, CDB(WRITING, {"group", 14, 0, 5})}, {0x8f, CDB(VERIFYING, {"group", 14, 0, 5})},
	{0x91, CDB({"immed", 1, 1, 1}, {"group", 14, 0, 5})},
	{0x93, CDB({"wrprotect", 1, 5, 3}, {"anchor", 1, 4, 1}, {"unmap", 1, 3, 1},
		   {"ndob", 1, 0, 1}, {"group", 14, 0, 5})},
	{OP_REPORT_LUNS, CDB({"select_report", 2, 0, 8})},
	{0xa8, CDB(READING, {"group", 10, 0, 5})}, {0xaa, CDB(WRITING, {"group", 10, 0, 5})},
	{0xae, CDB(WRITING, {"group", 10, 0, 5})}, {0xaf, CDB(VERIFYING, {"group", 10, 0, 5})},
};

/* The last byte of a CDB, whose length is that of the opcode's group (SPC-4, 4.3.4). */
static const struct bit_field control_6[] = {{"cdb_control", 5, 0, 8}, {"naca", 5, 2, 1}, {0}},
	control_10[] = {{"cdb_control", 9, 0, 8}, {"naca", 9, 2, 1}, {0}},
	control_12[] = {{"cdb_control", 11, 0, 8}, {"naca", 11, 2, 1}, {0}},
	control_16[] = {{"cdb_control", 15, 0, 8}, {"naca", 15, 2, 1}, {0}};

static bit_layout control_of(uint8_t opcode)
{
	static const bit_layout groups[8] = {
		control_6, control_10, control_10, NULL, control_16, control_12,
	};

	return groups[opcode >> 5];
}

static void details_tree(const struct scsi_command *c, struct tree *t)
{
	bit_layout control = control_of(c->cdb[0]);

	for (size_t i = 0; i < ARRAY_SIZE(details); i++)
		if (details[i].opcode == c->cdb[0])
			bit_layout_tree(details[i].fields, c->cdb, c->length, t);
	if (control)
		bit_layout_tree(control, c->cdb, c->length, t);
}

bool scsi_has_name(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(details); i++)
		if (bit_layout_has(details[i].fields, name, n))
			return true;
	return bit_layout_has(control_6, name, n) || scsi_sense_has_name(name, n) ||
	       scsi_inquiry_has_name(name, n) || scsi_mode_has_name(name, n);
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
	if (form == SENSE6 || form == SENSE10) {
		tree_hex(t, "page", c->cdb[2] & 0x3f, 2);
		tree_str(t, "page_name", scsi_mode_page_name(c->cdb[2] & 0x3f, c->cdb[3], 0));
	}
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
	details_tree(c, t);
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
		if (c->cdb[1] & 1)
			scsi_vpd_tree(p, n, t);
		else
			scsi_inquiry_tree(p, n, t);
		break;
	case OP_REQUEST_SENSE:
		scsi_sense_tree(p, n, t);
		break;
	case OP_MODE_SENSE_6:
	case OP_MODE_SELECT_6:
		scsi_mode_tree(p, n, false, t);
		break;
	case OP_MODE_SENSE_10:
	case OP_MODE_SELECT_10:
		scsi_mode_tree(p, n, true, t);
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

uint32_t scsi_identification(const struct scsi_command *c)
{
	return c->cdb[0] == OP_INQUIRY && !(c->cdb[1] & 1) ? 36 : 0;
}

bool scsi_data_brief(const struct scsi_command *c, const uint8_t *p, size_t n, struct out *o)
{
	uint64_t last;
	uint32_t block;

	switch (c->cdb[0]) {
	case OP_INQUIRY:
		return c->cdb[1] & 1 ? scsi_vpd_brief(p, n, o) : scsi_inquiry_brief(p, n, o);
	case OP_MODE_SENSE_6:
	case OP_MODE_SELECT_6:
		return scsi_mode_brief(p, n, false, o);
	case OP_MODE_SENSE_10:
	case OP_MODE_SELECT_10:
		return scsi_mode_brief(p, n, true, o);
	case OP_REQUEST_SENSE:
		if (n < 8)
			return false;
		out_char(o, ' ');
		scsi_sense_brief(p, n, o);
		return true;
	default:
		break;
	}
	if (!capacity(c, p, n, &last, &block))
		return false;
	/* The count does not fit into 32 bits; READ CAPACITY(16) returns it. */
	if (c->cdb[0] == OP_READ_CAPACITY_10 && last == UINT32_MAX)
		out_printf(o, " more than %u blocks of %u bytes", UINT32_MAX, block);
	else
		out_printf(o, " %llu blocks of %u bytes", (unsigned long long)last + 1, block);
	return true;
}
