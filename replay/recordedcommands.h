/* SPDX-License-Identifier: MIT */
/*
 * The commands of Bulk-Only Transport on a tape, and what they show of the disk.
 */
#ifndef TRAWL_REPLAY_RECORDEDCOMMANDS_H
#define TRAWL_REPLAY_RECORDEDCOMMANDS_H

#include "replay/disk.h"
#include "replay/tape.h"

enum { CBW_SIZE = 31, CSW_SIZE = 13 };

/* A command of the tape: indexes of its entries. */
struct recorded_command {
	uint32_t cbw, csw;         /* tape entries; csw may be TAPE_NONE */
	uint32_t first, n;         /* its data entries: range in recorded_commands.parts */
	uint64_t length;           /* bytes of data */
	bool stalled;              /* the data phase ended with a STALL */
};

struct recorded_commands {
	struct tape *tape;
	uint8_t in, out;           /* addresses of the bulk endpoints */
	struct recorded_command *list;
	uint32_t n;
	uint32_t *parts, nparts;   /* tape entries */
	struct filearray list_file, parts_file; /* hold these */
};

#define RECORDED_COMMANDS_NONE(t, i, o) {.tape = (t), .in = (i), .out = (o), \
	.list_file = FILEARRAY_NONE, .parts_file = FILEARRAY_NONE}

/*
 * Whether the tape has commands on these endpoints. Another alternate setting (UAS) may use the
 * same endpoints for another protocol.
 */
bool recorded_commands_are(struct tape *t, uint8_t in, uint8_t out);
/* Finds the tape's commands. Returns false without memory. */
bool recorded_commands_read(struct recorded_commands *c);
void recorded_commands_close(struct recorded_commands *c);

static inline struct tape_entry *recorded_cbw(const struct recorded_commands *c,
					      const struct recorded_command *k)
{
	return &c->tape->entries[k->cbw];
}

static inline const uint8_t *recorded_cdb(const struct recorded_commands *c,
					  const struct recorded_command *k)
{
	return tape_data(c->tape, recorded_cbw(c, k)) + 15;
}

/*
 * Returns a command's data at offset `at`: as many bytes as are contiguous, at most *n, and their
 * entry. NULL with *n 0 beyond its end.
 */
const uint8_t *recorded_data(const struct recorded_commands *c, const struct recorded_command *k,
			     uint64_t at, uint32_t *n, const struct tape_entry **entry);

/*
 * Sets the disk's size from READ CAPACITY's recorded answer. Without one, guesses it from the
 * highest sector used, and returns false.
 */
bool recorded_capacity(const struct recorded_commands *c, struct disk *d);
/*
 * Sets the disk's initial contents; sectors that are written before they are read are unknown.
 * Returns false without memory.
 */
bool recorded_sectors(const struct recorded_commands *c, struct disk *d);

#endif
