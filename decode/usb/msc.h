/* SPDX-License-Identifier: MIT */
/*
 * Mass storage: which SCSI command a bulk transfer belongs to.
 *
 * Bulk-Only Transport (USB MSC BOT 1.0) sends a command block wrapper (CBW), data, and a command
 * status wrapper (CSW), strictly in this order. UAS (T10 UAS-2) sends information units (IU) with
 * tags over four pipes. Each transfer is passed to msc_bot() or msc_uas() once, in order; the
 * result is a struct msc_step, which the printing functions use.
 */
#ifndef TRAWL_DECODE_USB_MSC_H
#define TRAWL_DECODE_USB_MSC_H

#include "decode/usb/scsi.h"

enum msc_phase {
	MSC_NONE,    /* not part of a command whose start was captured */
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
	bool has_command;    /* `command` is the command that this transfer belongs to */
	struct scsi_command command;
	uint64_t started;    /* time of the command's submission, ns; valid if has_command */
	uint32_t tag;
	uint8_t lun;
	uint64_t before;     /* DATA: bytes of the command's data in earlier transfers */
	uint32_t length;     /* COMMAND of BOT: dCBWDataTransferLength, in bytes */
	/* DATA: direction of the transfer; COMMAND of BOT: direction of the command's data */
	bool in;
	uint32_t residue;    /* STATUS of BOT: dCSWDataResidue, in bytes */
	/* STATUS: bCSWStatus, or the SCSI status (UAS); RESPONSE: response code */
	uint8_t status;
	uint8_t iu;          /* UAS: IU id */
	/* the tag differs from that of the command: host and device are not synchronised */
	bool tag_differs;
	uint64_t elapsed;    /* STATUS: ns since the command was submitted; 0: unknown */
	uint8_t sense_len;   /* STATUS of UAS */
	uint8_t sense[MSC_SENSE_MAX];
};

/* The state of one storage interface; zeroed before the first transfer. */
struct msc {
	bool open;           /* a CBW was seen, but not yet its CSW */
	struct scsi_command command;
	uint32_t tag, length;
	uint64_t started;    /* time of the CBW, ns */
	bool in;
	uint8_t lun;
	uint64_t moved;      /* bytes of its data so far */
	uint16_t optical;    /* of each LUN, the bit that says whether it is an optical drive */
	struct {
		bool open;
		uint16_t tag;
		uint8_t lun;
		struct scsi_command command;
		uint64_t started;
		uint64_t moved;
	} uas[64];           /* commands in flight, by tag modulo 64 */
};

/* A bulk transfer. */
struct msc_transfer {
	const uint8_t *p; /* captured bytes */
	size_t n;
	uint64_t begin, end; /* times of submission and completion, ns; equal if one is unknown */
	bool sparse; /* other transfers were left out of the file, perhaps its command */
};

/* Processes one transfer. Returns false if its bytes are not recognised as storage traffic. */
bool msc_bot(struct msc *m, bool in, const struct msc_transfer *t, struct msc_step *s);

/*
 * Registers a command when it is submitted, at `begin` ns, because its data and status may complete
 * before the command transfer does. Call before msc_uas() of the same bytes, with the same begin.
 */
void msc_uas_submitted(struct msc *m, const uint8_t *p, size_t n, uint64_t begin);

/*
 * The same as msc_bot() for UAS. pipe is bPipeID of the endpoint: 1 command, 2 status, 3 data in, 4
 * data out.
 */
bool msc_uas(struct msc *m, unsigned int pipe, const struct msc_transfer *t, struct msc_step *s);

/* Whether these bytes are a CBW; identifies storage devices whose descriptors are unknown. */
bool msc_is_cbw(const uint8_t *p, size_t n);

/*
 * p, n: the data of the transfer; used for DATA. msc_brief() returns whether the phrase covers all
 * of it.
 */
void msc_tree(const struct msc_step *s, const uint8_t *p, size_t n, struct tree *t);
bool msc_brief(const struct msc_step *s, const uint8_t *p, size_t n, struct out *o);

/*
 * Whether the command is only known to be the newest before the transfer: if transfers were left
 * out, it may be another one's. The status of Bulk-Only Transport has a tag that no other has.
 */
static inline bool msc_is_guess(const struct msc_step *s)
{
	return s->has_command && s->phase != MSC_COMMAND && (s->uas || s->phase != MSC_STATUS);
}

/* Whether the command failed, or host and device are not synchronised. */
bool msc_is_problem(const struct msc_step *s);

/* Whether steps have a member of this name, besides those of decode/usb/parts.c. */
bool msc_has_name(const char *name, size_t n);
/* As words() of a class. */
void msc_words(const char *member, decoder_name_fn *fn, void *arg);

/* The names of phases and of transports (UAS or not); each list ends with NULL. */
extern const char *const msc_phases[], *const msc_transports[];

#endif
