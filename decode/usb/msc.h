/* SPDX-License-Identifier: MIT */
/*
 * Mass storage: which SCSI command a bulk transfer belongs to.
 *
 * Bulk-Only Transport (USB MSC BOT 1.0): command block wrapper out, data, command status wrapper
 * in, strictly in turn. UAS (T10 UAS-2): information units with tags on four pipes.
 * A step is taken once a transfer, in order; what it found is kept in a struct msc_step, from
 * which the printers work.
 */
#ifndef TRAWL_DECODE_USB_MSC_H
#define TRAWL_DECODE_USB_MSC_H

#include "decode/usb/scsi.h"

enum msc_phase {
	MSC_NONE,    /* no part of a command that was seen to begin */
	MSC_COMMAND, /* CBW, or UAS command IU */
	MSC_DATA,
	MSC_STATUS,  /* CSW, or UAS sense IU */
	MSC_RESPONSE, /* UAS response IU */
	MSC_TASK,    /* UAS task management IU */
	MSC_READY,   /* UAS read ready, write ready */
};

#define MSC_SENSE_MAX 96

struct msc_step {
	uint8_t phase;       /* enum msc_phase */
	bool uas;
	bool has_command;    /* command is the one that this belongs to */
	struct scsi_command command;
	uint32_t tag;
	uint8_t lun;
	uint32_t length;     /* COMMAND of BOT: bytes of data announced */
	bool in;             /* DATA: its direction; COMMAND of BOT: that of its data */
	uint32_t residue;    /* STATUS of BOT */
	uint8_t status;      /* STATUS: bCSWStatus, or SCSI status; RESPONSE: response code */
	uint8_t iu;          /* UAS: IU id */
	bool tag_differs;    /* the tag is not the one of the command: out of step */
	uint64_t elapsed;    /* STATUS: ns since the command was submitted; 0: not known */
	uint8_t sense_len;   /* STATUS of UAS */
	uint8_t sense[MSC_SENSE_MAX];
};

/* The state of one storage interface. Zeroed: nothing has been seen. */
struct msc {
	bool open;           /* a CBW was seen and not its CSW */
	struct scsi_command command;
	uint32_t tag, length;
	uint64_t started;    /* time of the CBW */
	bool in;
	uint8_t lun;
	struct {
		bool open;
		uint16_t tag;
		struct scsi_command command;
		uint64_t started;
	} uas[64];           /* commands in flight, by tag modulo 64 */
};

/*
 * One bulk transfer of `n` captured bytes. begin and end are the times of submission and
 * completion (equal if one is not known). False: it is no storage traffic that can be told.
 */
bool msc_bot(struct msc *m, bool in, const uint8_t *p, size_t n, uint64_t begin, uint64_t end,
	     struct msc_step *s);

/*
 * A command as it is submitted, at `begin`: what follows of it may complete before it does. To be
 * told before msc_uas() of the same bytes, with the same begin.
 */
void msc_uas_submitted(struct msc *m, const uint8_t *p, size_t n, uint64_t begin);

/* pipe: bPipeID of the endpoint: 1 command, 2 status, 3 data in, 4 data out. */
bool msc_uas(struct msc *m, unsigned int pipe, const uint8_t *p, size_t n, uint64_t begin,
	     uint64_t end, struct msc_step *s);

/* Whether these bytes are a CBW: tells storage whose descriptors are not known. */
bool msc_is_cbw(const uint8_t *p, size_t n);

/* p, n: the data of the transfer, for DATA. */
void msc_tree(const struct msc_step *s, const uint8_t *p, size_t n, struct tree *t);
bool msc_brief(const struct msc_step *s, const uint8_t *p, size_t n, struct out *o);

/* The command failed, or the two sides are out of step. */
bool msc_is_problem(const struct msc_step *s);

#endif
