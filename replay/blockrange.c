/* SPDX-License-Identifier: MIT */
#include "replay/blockrange.h"

#include <string.h>

#include "decode/usb/scsi.h"
#include "decode/usb/scsiopcode.h"

static bool writes(uint8_t opcode)
{
	return opcode == SCSI_WRITE_6 || opcode == SCSI_WRITE_10 || opcode == SCSI_WRITE_12 ||
		opcode == SCSI_WRITE_16;
}

static bool reads(uint8_t opcode)
{
	return opcode == SCSI_READ_6 || opcode == SCSI_READ_10 || opcode == SCSI_READ_12 ||
		opcode == SCSI_READ_16;
}

struct block_range block_range_of(const uint8_t *cdb)
{
	struct scsi_command c = {.length = sizeof(c.cdb)};
	struct scsi_span span;

	if (!reads(cdb[0]) && !writes(cdb[0]))
		return (struct block_range){0};
	memcpy(c.cdb, cdb, sizeof(c.cdb));
	span = scsi_span(&c);
	return (struct block_range){.is = true, .write = writes(cdb[0]), .lba = span.lba,
				    .blocks = span.blocks};
}
