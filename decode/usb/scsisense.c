/* SPDX-License-Identifier: MIT */
#include "decode/usb/scsisense.h"
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/bitlayout.h"

/* Of sense data in the fixed format (SPC-4, 4.5.3). */
static const struct bit_field sense_fields[] = {
	{"valid", 0, 7, 1}, {"filemark", 2, 7, 1}, {"eom", 2, 6, 1}, {"ili", 2, 5, 1},
	{"additional_sense_length", 7, 0, 8}, {"command_specific_information", 8, 0, 32},
	{"field_replaceable_unit", 14, 0, 8}, {"sksv", 15, 7, 1},
	{"sense_key_specific", 16, 0, 16}, {0},
};

const char *const scsi_sense_keys[] = {
	"no sense", "recovered error", "not ready", "medium error", "hardware error",
	"illegal request", "unit attention", "data protect", "blank check", "vendor specific",
	"copy aborted", "aborted command", "reserved", "volume overflow", "miscompare",
	"completed", NULL,
};

static const char *sense_key_name(uint8_t key)
{
	return scsi_sense_keys[key & 15];
}

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
	if (s.response == 0x70 || s.response == 0x71)
		bit_layout_tree(sense_fields, p, n, t);
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

bool scsi_sense_has_name(const char *name, size_t n)
{
	return bit_layout_has(sense_fields, name, n);
}
