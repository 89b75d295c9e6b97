/* SPDX-License-Identifier: MIT */
/*
 * SCSI commands, their answers and sense data, as USB storage carries them.
 * Sources: SPC-4, SBC-3, MMC-6 (T10 drafts): operation codes, CDB layouts, sense keys, and those
 * additional sense codes that disks and readers on USB give.
 */
#ifndef TRAWL_DECODE_USB_SCSI_H
#define TRAWL_DECODE_USB_SCSI_H

#include "decode/base/valuetree.h"

struct scsi_command {
	uint8_t cdb[16];
	uint8_t length; /* bytes of cdb that are valid */
};

const char *scsi_status_name(uint8_t status); /* "good", "check condition"; NULL: not known */

/* Appends the members of an object: opcode, command, lba, blocks, ... */
void scsi_command_tree(const struct scsi_command *c, struct tree *t);
/* "READ(10) lba 2048 + 8" */
void scsi_command_brief(const struct scsi_command *c, struct out *o);

/* Whether the host sends a parameter list: the command's length is of that, not of an answer. */
bool scsi_sends_parameters(const struct scsi_command *c);

/* The answer to a command, or its parameter list, where that has a known form. */
void scsi_data_tree(const struct scsi_command *c, const uint8_t *p, size_t n, struct tree *t);
bool scsi_data_brief(const struct scsi_command *c, const uint8_t *p, size_t n, struct out *o);

/* Sense data in fixed or descriptor form: members, or "not ready: medium not present". */
void scsi_sense_tree(const uint8_t *p, size_t n, struct tree *t);
void scsi_sense_brief(const uint8_t *p, size_t n, struct out *o);

#endif
