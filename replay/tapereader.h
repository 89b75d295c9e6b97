/* SPDX-License-Identifier: MIT */
/* Passes the USB transfers of a capture to a function. */
#ifndef TRAWL_REPLAY_TAPEREADER_H
#define TRAWL_REPLAY_TAPEREADER_H

#include "decode/query/stream.h"
#include "decode/usb/usb.h"
#include "replay/tapefile.h"

#define TAPE_ANY_SOURCE UINT32_MAX

struct tape_reader {
	struct consumer consumer; /* first: the stream hands it back */
	/* Takes one transfer. Returns 0, or -1 with *err. */
	int (*take)(struct tape_reader *r, const struct usb_detail *d);
	void *arg;
	uint64_t items;
	uint64_t bus_packets;      /* of an analyser: they are not joined into transfers */
	uint32_t source;           /* TAPE_ANY_SOURCE, or the only one that is read */
	const struct item *item;   /* for take() */
	struct usb_state *state;
	struct trawl_error *err;
	bool failed;
	struct trawl_error damage; /* damage of the file, once it was read to its end */
};

/*
 * Reads the capture. Calls r->take() for each transfer and then end(), while the decoder still
 * exists. Returns 0, or -1 with *err.
 */
int tape_reader_run(struct tape_reader *r, const struct tape_file *file,
		    int (*end)(struct tape_reader *r, struct trawl_reader *reader),
		    struct trawl_error *err);

#endif
