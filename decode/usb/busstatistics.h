/* SPDX-License-Identifier: MIT */
/* Counters of packets on the bus by address, endpoint and token, for --summary. */
#ifndef TRAWL_DECODE_USB_BUSSTATISTICS_H
#define TRAWL_DECODE_USB_BUSSTATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/base/output.h"

struct bus_stats;

struct bus_stats *busstat_new(void); /* Returns NULL if memory runs out. */

/* A packet as it was on the bus. */
struct busstat_packet {
	uint8_t pid;      /* its lower four bits; valid if not bad */
	bool bad;         /* its PID or CRC is wrong, or it has no bytes */
	bool start_split; /* the next token is for a hub, which asks the device later */
	uint8_t address, endpoint; /* of tokens */
	uint32_t data_len;         /* of data packets on the bus, without the CRC, bytes */
};

/*
 * Counts a packet; packets come in the order in which they were on the bus. What follows a damaged
 * packet is counted from the next token on.
 */
void busstat_add(struct bus_stats *s, const struct busstat_packet *p);

/* Appends complete lines; none if no packet was counted. */
void busstat_print(struct bus_stats *s, struct out *o);

#endif
