/* SPDX-License-Identifier: MIT */
/*
 * Classic pcap, for programs that read nothing newer. It holds one link type and no comments: so
 * it takes sources whose decoder makes packets of one kind, and nothing that was synthesised.
 */
#ifndef TRAWL_DECODE_PCAP_H
#define TRAWL_DECODE_PCAP_H

#include "decode/stream.h"

struct pcap_printer {
	struct consumer consumer; /* hand this to stream_run() */
	struct stream *stream;
	struct out *out;
	struct out data;
	uint32_t linktype;
	uint64_t unit;            /* ns of a time stamp's fraction */
};

/* Writes the file's header. Fails if the sources in the selection do not fit one pcap file. */
int pcap_start(struct pcap_printer *p, struct stream *s, struct out *out, struct trawl_error *err);
void pcap_end(struct pcap_printer *p);

#endif
