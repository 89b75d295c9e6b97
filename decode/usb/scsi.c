/* SPDX-License-Identifier: MIT */
#include "decode/usb/scsi.h"
#include "common/array.h"
#include "common/search.h"
#include "decode/base/bytes.h"
#include "decode/usb/bitlayout.h"
#include "decode/usb/codename.h"
#include "decode/usb/scsiinquiry.h"
#include "decode/usb/scsimmc.h"
#include "decode/usb/scsimode.h"
#include "decode/usb/scsiopcode.h"
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
	LENGTH8,  /* likewise 8..9 */
	LENGTH9,  /* likewise 9..10 */
	START,   /* START STOP UNIT: power condition, LOEJ and START in byte 4 */
	PREVENT, /* prevent in byte 4 */
	SERVICE, /* SERVICE ACTION IN(16) */
};

static const struct command {
	uint16_t code;
	uint8_t form;
	const char *name;
} commands[] = {
	{SCSI_TEST_UNIT_READY, PLAIN, "TEST UNIT READY"},
	{SCSI_REZERO_UNIT, PLAIN, "REZERO UNIT"},
	{SCSI_REQUEST_SENSE, LENGTH4, "REQUEST SENSE"},
	{SCSI_FORMAT_UNIT, PLAIN, "FORMAT UNIT"},
	{SCSI_REASSIGN_BLOCKS, PLAIN, "REASSIGN BLOCKS"},
	{SCSI_READ_6, RW6, "READ(6)"},
	{SCSI_WRITE_6, RW6, "WRITE(6)"},
	{SCSI_INQUIRY, INQUIRY, "INQUIRY"},
	{SCSI_MODE_SELECT_6, LENGTH4, "MODE SELECT(6)"},
	{SCSI_RESERVE_6, PLAIN, "RESERVE(6)"},
	{SCSI_RELEASE_6, PLAIN, "RELEASE(6)"},
	{SCSI_MODE_SENSE_6, SENSE6, "MODE SENSE(6)"},
	{SCSI_START_STOP_UNIT, START, "START STOP UNIT"},
	{SCSI_RECEIVE_DIAGNOSTIC_RESULTS, PLAIN, "RECEIVE DIAGNOSTIC RESULTS"},
	{SCSI_SEND_DIAGNOSTIC, PLAIN, "SEND DIAGNOSTIC"},
	{SCSI_PREVENT_ALLOW_MEDIUM_REMOVAL, PREVENT, "PREVENT ALLOW MEDIUM REMOVAL"},
	{SCSI_READ_FORMAT_CAPACITIES, LENGTH10, "READ FORMAT CAPACITIES"},
	{SCSI_READ_CAPACITY_10, PLAIN, "READ CAPACITY(10)"},
	{SCSI_READ_10, RW10, "READ(10)"},
	{SCSI_WRITE_10, RW10, "WRITE(10)"},
	{SCSI_SEEK_10, PLAIN, "SEEK(10)"},
	{SCSI_WRITE_AND_VERIFY_10, RW10, "WRITE AND VERIFY(10)"},
	{SCSI_VERIFY_10, RW10, "VERIFY(10)"},
	{SCSI_SYNCHRONIZE_CACHE_10, RW10, "SYNCHRONIZE CACHE(10)"},
	{SCSI_WRITE_BUFFER, PLAIN, "WRITE BUFFER"},
	{SCSI_READ_BUFFER, PLAIN, "READ BUFFER"},
	{SCSI_WRITE_SAME_10, RW10, "WRITE SAME(10)"},
	{SCSI_UNMAP, LENGTH10, "UNMAP"},
	{SCSI_READ_TOC_PMA_ATIP, LENGTH10, "READ TOC/PMA/ATIP"},
	{SCSI_GET_CONFIGURATION, LENGTH10, "GET CONFIGURATION"},
	{SCSI_GET_EVENT_STATUS_NOTIFICATION, LENGTH10, "GET EVENT STATUS NOTIFICATION"},
	{SCSI_LOG_SENSE, LENGTH10, "LOG SENSE"},
	{SCSI_READ_DISC_INFORMATION, LENGTH10, "READ DISC INFORMATION"},
	{SCSI_READ_TRACK_INFORMATION, LENGTH10, "READ TRACK INFORMATION"},
	{SCSI_MODE_SELECT_10, LENGTH10, "MODE SELECT(10)"},
	{SCSI_MODE_SENSE_10, SENSE10, "MODE SENSE(10)"},
	{SCSI_CLOSE_TRACK_SESSION, PLAIN, "CLOSE TRACK/SESSION"},
	{SCSI_READ_BUFFER_CAPACITY, LENGTH10, "READ BUFFER CAPACITY"},
	{SCSI_PERSISTENT_RESERVE_IN, LENGTH10, "PERSISTENT RESERVE IN"},
	{SCSI_PERSISTENT_RESERVE_OUT, LENGTH10, "PERSISTENT RESERVE OUT"},
	{SCSI_ATA_PASS_THROUGH_16, PLAIN, "ATA PASS-THROUGH(16)"},
	{SCSI_READ_16, RW16, "READ(16)"},
	{SCSI_WRITE_16, RW16, "WRITE(16)"},
	{SCSI_WRITE_AND_VERIFY_16, RW16, "WRITE AND VERIFY(16)"},
	{SCSI_VERIFY_16, RW16, "VERIFY(16)"},
	{SCSI_SYNCHRONIZE_CACHE_16, RW16, "SYNCHRONIZE CACHE(16)"},
	{SCSI_WRITE_SAME_16, RW16, "WRITE SAME(16)"},
	{SCSI_SERVICE_ACTION_IN_16, SERVICE, "SERVICE ACTION IN(16)"},
	{SCSI_REPORT_LUNS, LENGTH12, "REPORT LUNS"},
	{SCSI_ATA_PASS_THROUGH_12, PLAIN, "ATA PASS-THROUGH(12)"},
	{SCSI_SECURITY_PROTOCOL_IN, PLAIN, "SECURITY PROTOCOL IN"},
	{SCSI_MAINTENANCE_IN, LENGTH12, "MAINTENANCE IN"},
	{SCSI_MAINTENANCE_OUT, LENGTH12, "MAINTENANCE OUT"},
	{SCSI_READ_12, RW12, "READ(12)"},
	{SCSI_WRITE_12, RW12, "WRITE(12)"},
	{SCSI_GET_PERFORMANCE, PLAIN, "GET PERFORMANCE"},
	{SCSI_READ_DISC_STRUCTURE, LENGTH8, "READ DISC STRUCTURE"},
	{SCSI_WRITE_AND_VERIFY_12, RW12, "WRITE AND VERIFY(12)"},
	{SCSI_VERIFY_12, RW12, "VERIFY(12)"},
	{SCSI_SECURITY_PROTOCOL_OUT, PLAIN, "SECURITY PROTOCOL OUT"},
	{SCSI_SET_STREAMING, LENGTH9, "SET STREAMING"},
	{SCSI_SET_CD_SPEED, PLAIN, "SET CD SPEED"},
	{SCSI_MECHANISM_STATUS, LENGTH8, "MECHANISM STATUS"},
	{SCSI_READ_CD, PLAIN, "READ CD"},
	{SCSI_READ_SUB_CHANNEL, LENGTH10, "READ SUB-CHANNEL"},
	{SCSI_BLANK, PLAIN, "BLANK"},
	{SCSI_SEND_KEY, LENGTH8, "SEND KEY"},
	{SCSI_REPORT_KEY, LENGTH8, "REPORT KEY"},
};

static const struct command *find(unsigned int code)
{
	return find_by(commands, code, code);
}

/* The command's number in scsiopcode.h. Some opcodes mean something else to optical drives. */
static unsigned int code_of(const struct scsi_command *c)
{
	unsigned int optical = SCSI_OPTICAL | c->cdb[0];

	return c->optical && find(optical) ? optical : c->cdb[0];
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

static struct scsi_span span_of(const struct scsi_command *c, enum form form)
{
	const uint8_t *p = c->cdb;

	switch (form) {
	case RW6:
		return (struct scsi_span){c->length >= 6, get_be32(p) & 0x1fffff,
					  p[4] ? p[4] : 256};
	case RW10:
		return (struct scsi_span){c->length >= 10, get_be32(p + 2), get_be16(p + 7)};
	case RW12:
		return (struct scsi_span){c->length >= 12, get_be32(p + 2), get_be32(p + 6)};
	case RW16:
		return (struct scsi_span){c->length >= 16, get_be64(p + 2), get_be32(p + 10)};
	default:
		return (struct scsi_span){0};
	}
}

struct scsi_span scsi_span(const struct scsi_command *c)
{
	const struct command *k = find(code_of(c));

	return k ? span_of(c, (enum form)k->form) : (struct scsi_span){0};
}

bool scsi_sends_parameters(const struct scsi_command *c)
{
	switch (code_of(c)) {
	case SCSI_MODE_SELECT_6:
	case SCSI_MODE_SELECT_10:
	case SCSI_UNMAP:
	case SCSI_PERSISTENT_RESERVE_OUT:
	case SCSI_MAINTENANCE_OUT:
	case SCSI_SET_STREAMING:
	case SCSI_SEND_KEY:
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
		return c->cdb[0] == SCSI_PERSISTENT_RESERVE_OUT ? get_be32(p + 5) : get_be16(p + 7);
	case LENGTH12:
		return get_be32(p + 6);
	case LENGTH8:
		return get_be16(p + 8);
	case LENGTH9:
		return get_be16(p + 9);
	case SERVICE:
		return get_be32(p + 10);
	default:
		return -1;
	}
}

static const char *service_name(const struct scsi_command *c)
{
	switch (c->cdb[1] & 0x1f) {
	case SCSI_SERVICE_READ_CAPACITY:
		return "READ CAPACITY(16)";
	case SCSI_SERVICE_READ_LONG:
		return "READ LONG(16)";
	case SCSI_SERVICE_GET_LBA_STATUS:
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
	uint16_t code;
	bit_layout fields;
} details[] = {
	{SCSI_REQUEST_SENSE, CDB({"desc", 1, 0, 1})},
	{SCSI_FORMAT_UNIT, CDB({"fmtpinfo", 1, 6, 2}, {"longlist", 1, 5, 1}, {"fmtdata", 1, 4, 1},
			       {"cmplst", 1, 3, 1}, {"defect_list_format", 1, 0, 3})},
	{SCSI_MODE_SELECT_6, CDB({"pf", 1, 4, 1}, {"sp", 1, 0, 1})},
	{SCSI_MODE_SELECT_10, CDB({"pf", 1, 4, 1}, {"sp", 1, 0, 1})},
	{SCSI_MODE_SENSE_6, CDB({"dbd", 1, 3, 1}, {"page_control", 2, 6, 2}, {"subpage", 3, 0, 8})},
	{SCSI_MODE_SENSE_10, CDB({"llbaa", 1, 4, 1}, {"dbd", 1, 3, 1}, {"page_control", 2, 6, 2},
				 {"subpage", 3, 0, 8})},
	{SCSI_START_STOP_UNIT,
	 CDB({"immed", 1, 0, 1}, {"power_condition", 4, 4, 4}, {"loej", 4, 1, 1},
	     {"start", 4, 0, 1})},
	{SCSI_PREVENT_ALLOW_MEDIUM_REMOVAL, CDB({"persistent", 4, 1, 1})},
	{SCSI_READ_CAPACITY_10, CDB({"pmi", 8, 0, 1})},
	{SCSI_READ_10, CDB(READING, {"group", 6, 0, 5})},
	{SCSI_WRITE_10, CDB(WRITING, {"group", 6, 0, 5})},
	{SCSI_WRITE_AND_VERIFY_10, CDB(WRITING, {"group", 6, 0, 5})},
	{SCSI_VERIFY_10, CDB(VERIFYING, {"group", 6, 0, 5})},
	{SCSI_SYNCHRONIZE_CACHE_10, CDB({"immed", 1, 1, 1}, {"reladr", 1, 0, 1},
					{"group", 6, 0, 5})},
	{SCSI_WRITE_SAME_10, CDB({"wrprotect", 1, 5, 3}, {"anchor", 1, 4, 1}, {"unmap", 1, 3, 1},
				 {"group", 6, 0, 5})},
	{SCSI_UNMAP, CDB({"anchor", 1, 0, 1}, {"group", 6, 0, 5})},
	{SCSI_READ_TOC_PMA_ATIP,
	 CDB({"msf", 1, 1, 1}, {"toc_format", 2, 0, 4}, {"track", 6, 0, 8})},
	{SCSI_GET_CONFIGURATION, CDB({"rt", 1, 0, 2}, {"starting_feature", 2, 0, 16})},
	{SCSI_GET_EVENT_STATUS_NOTIFICATION,
	 CDB({"polled", 1, 0, 1}, {"notification_class_request", 4, 0, 8})},
	{SCSI_LOG_SENSE,
	 CDB({"ppc", 1, 1, 1}, {"sp", 1, 0, 1}, {"page_control", 2, 6, 2}, {"log_page", 2, 0, 6},
	     {"subpage", 3, 0, 8}, {"parameter_pointer", 5, 0, 16})},
	{SCSI_READ_DISC_INFORMATION, CDB({"data_type", 1, 0, 3})},
	{SCSI_READ_TRACK_INFORMATION, CDB({"address_type", 1, 0, 2}, {"track", 2, 0, 32})},
	{SCSI_CLOSE_TRACK_SESSION,
	 CDB({"immed", 1, 0, 1}, {"close_function", 2, 0, 3}, {"track", 4, 0, 16})},
	{SCSI_READ_BUFFER_CAPACITY, CDB({"block", 1, 0, 1})},
	{SCSI_GET_PERFORMANCE,
	 CDB({"performance_data_type", 1, 0, 5}, {"starting_lba", 2, 0, 32},
	     {"maximum_descriptors", 8, 0, 16}, {"performance_type", 10, 0, 8})},
	{SCSI_READ_DISC_STRUCTURE,
	 CDB({"disc_media_type", 1, 0, 4}, {"address", 2, 0, 32}, {"layer", 6, 0, 8},
	     {"structure_format", 7, 0, 8}, {"agid", 10, 6, 2})},
	{SCSI_SET_STREAMING, CDB({"streaming_type", 8, 0, 8})},
	{SCSI_SET_CD_SPEED,
	 CDB({"rotation_control", 1, 0, 2}, {"read_speed", 2, 0, 16}, {"write_speed", 4, 0, 16})},
	{SCSI_READ_SUB_CHANNEL,
	 CDB({"msf", 1, 1, 1}, {"subq", 2, 6, 1}, {"subchannel_format", 3, 0, 8},
	     {"track", 6, 0, 8})},
	{SCSI_BLANK, CDB({"immed", 1, 4, 1}, {"blanking_type", 1, 0, 3}, {"start_address", 2, 0, 32})},
	{SCSI_SEND_KEY, CDB({"key_class", 7, 0, 8}, {"agid", 10, 6, 2}, {"key_format", 10, 0, 6})},
	{SCSI_REPORT_KEY,
	 CDB({"lba", 2, 0, 32}, {"key_class", 7, 0, 8}, {"agid", 10, 6, 2},
	     {"key_format", 10, 0, 6})},
	{SCSI_READ_16, CDB(READING, {"group", 14, 0, 5})},
	{SCSI_WRITE_16, CDB(WRITING, {"group", 14, 0, 5})},
	{SCSI_WRITE_AND_VERIFY_16, CDB(WRITING, {"group", 14, 0, 5})},
	{SCSI_VERIFY_16, CDB(VERIFYING, {"group", 14, 0, 5})},
	{SCSI_SYNCHRONIZE_CACHE_16, CDB({"immed", 1, 1, 1}, {"group", 14, 0, 5})},
	{SCSI_WRITE_SAME_16, CDB({"wrprotect", 1, 5, 3}, {"anchor", 1, 4, 1}, {"unmap", 1, 3, 1},
				 {"ndob", 1, 0, 1}, {"group", 14, 0, 5})},
	{SCSI_REPORT_LUNS, CDB({"select_report", 2, 0, 8})},
	{SCSI_READ_12, CDB(READING, {"group", 10, 0, 5})},
	{SCSI_WRITE_12, CDB(WRITING, {"group", 10, 0, 5})},
	{SCSI_WRITE_AND_VERIFY_12, CDB(WRITING, {"group", 10, 0, 5})},
	{SCSI_VERIFY_12, CDB(VERIFYING, {"group", 10, 0, 5})},
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
		if (details[i].code == code_of(c))
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
	       scsi_inquiry_has_name(name, n) || scsi_mode_has_name(name, n) ||
	       scsi_mmc_has_name(name, n);
}

void scsi_command_tree(const struct scsi_command *c, struct tree *t)
{
	const struct command *k = find(code_of(c));
	enum form form = k ? (enum form)k->form : PLAIN;
	struct scsi_span s = span_of(c, form);
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
	const struct command *k = find(code_of(c));
	enum form form = k ? (enum form)k->form : PLAIN;
	struct scsi_span s = span_of(c, form);
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
	if (c->cdb[0] == SCSI_READ_CAPACITY_10 && n >= 8) {
		*last = get_be32(p);
		*block = get_be32(p + 4);
		return true;
	}
	if (scsi_is_capacity_16(c->cdb) && n >= 12) {
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
	case SCSI_INQUIRY:
		if (c->cdb[1] & 1)
			scsi_vpd_tree(p, n, t);
		else
			scsi_inquiry_tree(p, n, t);
		break;
	case SCSI_REQUEST_SENSE:
		scsi_sense_tree(p, n, t);
		break;
	case SCSI_MODE_SENSE_6:
	case SCSI_MODE_SELECT_6:
		scsi_mode_tree(p, n, false, t);
		break;
	case SCSI_MODE_SENSE_10:
	case SCSI_MODE_SELECT_10:
		scsi_mode_tree(p, n, true, t);
		break;
	case SCSI_REPORT_LUNS:
		luns_tree(p, n, t);
		break;
	default:
		scsi_mmc_tree(code_of(c), c->cdb, p, n, t);
		if (!capacity(c, p, n, &last, &block))
			break;
		tree_uint(t, "last_lba", last);
		tree_uint(t, "block_size", block);
		break;
	}
}

uint32_t scsi_identification(const struct scsi_command *c)
{
	return c->cdb[0] == SCSI_INQUIRY && !(c->cdb[1] & 1) ? 36 : 0;
}

bool scsi_data_brief(const struct scsi_command *c, const uint8_t *p, size_t n, struct out *o)
{
	uint64_t last;
	uint32_t block;

	switch (c->cdb[0]) {
	case SCSI_INQUIRY:
		return c->cdb[1] & 1 ? scsi_vpd_brief(p, n, o) : scsi_inquiry_brief(p, n, o);
	case SCSI_MODE_SENSE_6:
	case SCSI_MODE_SELECT_6:
		return scsi_mode_brief(p, n, false, o);
	case SCSI_MODE_SENSE_10:
	case SCSI_MODE_SELECT_10:
		return scsi_mode_brief(p, n, true, o);
	case SCSI_REQUEST_SENSE:
		if (n < 8)
			return false;
		out_char(o, ' ');
		scsi_sense_brief(p, n, o);
		return true;
	default:
		break;
	}
	if (!capacity(c, p, n, &last, &block))
		return scsi_mmc_brief(code_of(c), c->cdb, p, n, o);
	/* The count does not fit into 32 bits; READ CAPACITY(16) returns it. */
	if (c->cdb[0] == SCSI_READ_CAPACITY_10 && last == UINT32_MAX)
		out_printf(o, " more than %u blocks of %u bytes", UINT32_MAX, block);
	else
		out_printf(o, " %llu blocks of %u bytes", (unsigned long long)last + 1, block);
	return true;
}

void scsi_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "command"))
		for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
			fn(arg, commands[i].name);
	else if (!strcmp(member, "status_name"))
		CODE_PROBE(scsi_status_name, UINT8_MAX, fn, arg);
	scsi_inquiry_words(member, fn, arg);
	scsi_mode_words(member, fn, arg);
	scsi_mmc_words(member, fn, arg);
}
