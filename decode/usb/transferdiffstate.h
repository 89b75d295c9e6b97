/* SPDX-License-Identifier: MIT */
/*
 * What a comparison of two captures keeps of each, and what it found. transferdiff.c collects and
 * compares, transferdiffshow.c prints.
 */
#ifndef TRAWL_DECODE_USB_TRANSFERDIFFSTATE_H
#define TRAWL_DECODE_USB_TRANSFERDIFFSTATE_H

#include "decode/usb/echofield.h"

#define TRANSFERDIFF_NONE UINT64_MAX

/*
 * The first difference: the item numbers of both transfers; TRANSFERDIFF_NONE for a capture that
 * has no such transfer.
 */
struct transfer_difference {
	bool any;
	uint64_t item[2];
	uint64_t previous[2]; /* the last equal transfers before it on the endpoint */
	char where[160];      /* "46f4:0001 ep2 OUT bulk, transfer 14" */
	char what[160];       /* "byte 15 is 0x08, was 0x10" */
};

/*
 * What is kept of a transfer: the first bytes of its data, which may contain echo fields, and a
 * hash of the rest.
 */
struct diff_element {
	uint64_t item;
	uint64_t rest;    /* hash of the data after the first ECHO_REACH bytes */
	size_t at;        /* offset of the kept bytes in the capture's store */
	uint32_t kept, length;
	int32_t status;
	uint8_t setup[8];
	bool answered;    /* the transfer has a completion, so status is valid */
	bool cancelled;   /* by the host, or because the device is gone */
	bool secret;      /* keystrokes: no byte may be shown */
};

struct diff_pipe {
	uint8_t xfer, endpoint;
	bool storage;
	struct diff_element *elements;
	size_t n, room;
	uint64_t open; /* IN transfers that ended without data because of the host */
	struct echo_fields echo;
	/*
	 * Set by transferdiff_compare(); the counts are valid in the pipes of capture 0 that have a
	 * partner.
	 */
	struct diff_pipe *partner;
	uint64_t same, changed, only[2], before[2];
};

/* The longest answer to a standard request. */
struct diff_answer {
	uint8_t request[6]; /* the setup packet without wLength */
	bool good;
	uint64_t item;
	size_t at;
	uint32_t length;
};

struct diff_device {
	unsigned int capture;
	uint16_t bus;
	uint8_t address;
	bool known, root, enumerated;
	uint16_t vendor, product;
	char name[128];
	struct diff_pipe *pipes;
	size_t npipes;
	struct diff_answer *answers;
	size_t nanswers;
	struct diff_device *partner;
	uint64_t answers_same, answers_differ;
	struct diff_device *next; /* in order of appearance */
};

struct transfer_diff {
	const char *name[2];
	struct diff_device *devices[2], **last[2];
	uint8_t *bytes[2];
	size_t used[2], room[2];
	struct transfer_difference first;
	uint64_t order; /* sort key of `first`; smaller is earlier */
	uint64_t count, same, transfers[2];
};

#endif
