/* SPDX-License-Identifier: MIT */
/*
 * Classic pcap, for programs that read nothing newer. It holds one link type and no comments: so
 * it takes sources whose decoder makes packets of one kind, and nothing that was synthesised.
 */
#ifndef TRAWL_DECODE_EXPORT_PCAP_H
#define TRAWL_DECODE_EXPORT_PCAP_H

#include "decode/query/stream.h"

struct pcap_printer {
	struct consumer consumer; /* hand this to stream_run() */
	struct stream *stream;
	struct out *out;
	struct out data;
	uint32_t linktype;        /* 0: the header is not yet written */
	uint64_t unit;            /* ns of a time stamp's fraction */
	struct trawl_error failure; /* of the header that came late */
	bool failed;
};

/*
 * Writes the file's header; on a pipe, where no source is known yet, that comes before the first
 * packet. Both fail if the sources in the selection do not fit one pcap file.
 */
int pcap_start(struct pcap_printer *p, struct stream *s, struct out *out, struct trawl_error *err);
int pcap_end(struct pcap_printer *p, struct trawl_error *err);

#endif
