/* SPDX-License-Identifier: MIT */
/*
 * The model of a disk: answers SCSI commands from the sectors and the capacity that are known.
 * Reading an unknown sector is a medium error.
 */
#ifndef TRAWL_REPLAY_DISK_H
#define TRAWL_REPLAY_DISK_H

#include <stdbool.h>

#include "replay/sectors.h"

struct disk {
	struct sectors sectors;
	uint32_t block;              /* bytes */
	uint64_t blocks;
	const char *vendor, *product;
	uint8_t sense_key, sense_code; /* why the latest command failed, until it is asked for */
	uint8_t *made;               /* memory for answers */
	size_t made_room;
};

struct disk_answer {
	uint8_t status;      /* 0: good, 1: failed; REQUEST SENSE tells why */
	const uint8_t *data; /* valid until the next call or sectors_write(); NULL: none is sent */
	uint64_t total;      /* bytes of data, sent or, if the command writes, taken */
};

/* Answers a command. length: bytes of data that the host announces. */
void disk_answer(struct disk *d, const uint8_t *cdb, uint32_t length, struct disk_answer *a);
void disk_free(struct disk *d);

#endif
