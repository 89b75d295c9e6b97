/* SPDX-License-Identifier: MIT */
/* Block types and options of pcapng (draft-ietf-opsawg-pcapng). */
#ifndef TRAWL_COMMON_PCAPNG_H
#define TRAWL_COMMON_PCAPNG_H

enum pcapng_block {
	PCAPNG_SECTION = 0x0a0d0d0a, /* the same in both byte orders */
	PCAPNG_INTERFACE = 1,
	PCAPNG_PACKET_OLD = 2,
	PCAPNG_PACKET_SIMPLE = 3,
	PCAPNG_STATISTICS = 5,
	PCAPNG_PACKET = 6,
	/* for local use: trawl-export's names of the fields of events that are no packets */
	PCAPNG_FIELD_NAMES = 0x80747277,
};

enum {
	PCAPNG_BYTE_ORDER = 0x1a2b3c4d, /* of the section header; 0x4d3c2b1a: swapped */
	PCAPNG_OPT_END = 0,
	PCAPNG_OPT_COMMENT = 1,
	PCAPNG_OPT_DROPCOUNT = 4, /* of an enhanced packet block */
	PCAPNG_IF_NAME = 2,
};

/* Link type of sources whose events are not packets. */
#define LINKTYPE_UPPER_PDU 252

#endif
