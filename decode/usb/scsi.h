/* SPDX-License-Identifier: MIT */
/*
 * SCSI commands and their data, as carried by USB storage. Sources: SPC-4, SBC-3, MMC-6 (T10
 * drafts) for operation codes and layouts of CDBs.
 */
#ifndef TRAWL_DECODE_USB_SCSI_H
#define TRAWL_DECODE_USB_SCSI_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"

struct scsi_command {
	uint8_t cdb[16];
	uint8_t length; /* bytes of cdb that are valid */
	bool optical;   /* to a drive of CDs, DVDs or Blu-ray discs */
};

/* The blocks that a command addresses. */
struct scsi_span {
	bool valid; /* the command is one of READ, WRITE, VERIFY and the like, and is complete */
	uint64_t lba;
	uint32_t blocks;
};

/* Returns the blocks of a command. */
struct scsi_span scsi_span(const struct scsi_command *c);

/* "good", "check condition", ..., or NULL if unknown */
const char *scsi_status_name(uint8_t status);

/* Appends the members opcode, command, lba, blocks, ... to the open object. */
void scsi_command_tree(const struct scsi_command *c, struct tree *t);
/* Appends a phrase such as "READ(10) lba 2048 + 8". */
void scsi_command_brief(const struct scsi_command *c, struct out *o);

/* Whether the command sends a parameter list: its length field then counts bytes to the device. */
bool scsi_sends_parameters(const struct scsi_command *c);

/*
 * Returns how many bytes of the answer to INQUIRY identify the unit; the bytes after them are
 * vendor-specific. 0: another command.
 */
uint32_t scsi_identification(const struct scsi_command *c);

/*
 * The data of a command: its answer or its parameter list. Appends nothing for unknown forms;
 * scsi_data_brief() returns whether the phrase covers all of the data.
 */
void scsi_data_tree(const struct scsi_command *c, const uint8_t *p, size_t n, struct tree *t);
bool scsi_data_brief(const struct scsi_command *c, const uint8_t *p, size_t n, struct out *o);

/* Whether commands, their data or sense data have a member of this name. */
bool scsi_has_name(const char *name, size_t n);
/* As words() of a class. */
void scsi_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
