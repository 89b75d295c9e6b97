/* SPDX-License-Identifier: MIT */
/*
 * Classic pcap, for programs that do not read pcapng. A file has one link type and no comments.
 * Therefore only sources whose decoders produce packets of the same link type can be exported, and
 * synthesised packets are omitted.
 */
#ifndef TRAWL_DECODE_EXPORT_PCAP_H
#define TRAWL_DECODE_EXPORT_PCAP_H

#include "decode/query/stream.h"

struct pcap_printer {
	struct consumer consumer; /* to be passed to stream_run() */
	struct stream *stream;
	struct out *out;
	struct out data;
	uint32_t linktype;        /* 0: the header has not been written yet */
	uint64_t unit;            /* unit of the time stamps' fractions, ns */
	struct trawl_error failure; /* error when the header was written late */
	bool failed;
};

/*
 * pcap_start() writes the file header; on a pipe, where no source is known yet, it is written
 * before the first packet. pcap_end() completes the file. Both return 0, or -1 with *err if the
 * selected sources do not fit into one pcap file.
 */
int pcap_start(struct pcap_printer *p, struct stream *s, struct out *out, struct trawl_error *err);
int pcap_end(struct pcap_printer *p, struct trawl_error *err);

#endif
