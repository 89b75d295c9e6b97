/* SPDX-License-Identifier: MIT */
/*
 * Items as packets of a pcapng file, for Wireshark and other programs.
 *
 * Each source becomes an interface, with time stamps of its own resolution. Items that their
 * decoder does not convert to packets (the USB decoder does) become upper-PDU packets (link type
 * 252) with the JSON object of the item: Wireshark dissects these as JSON without a plugin, and
 * wireshark/trawl.lua creates fields from them. Losses are stored in epb_dropcount (events lost on
 * the interface before the packet) and in the interface statistics at the end.
 */
#ifndef TRAWL_DECODE_EXPORT_PCAPNG_H
#define TRAWL_DECODE_EXPORT_PCAPNG_H

#include "decode/query/stream.h"

struct pcapng;

/*
 * Writes the file header to out. Returns NULL if memory runs out. with_machine: include the
 * metadata "capture" and "machine", with command lines and the host's name, as comments.
 */
struct pcapng *pcapng_new(struct stream *s, struct out *out, bool with_machine);
struct consumer *pcapng_consumer(struct pcapng *p); /* to be passed to stream_run() */
/*
 * Writes the interface statistics that end the file. Returns 0, or -1 if some packet could not be
 * made.
 */
int pcapng_end(struct pcapng *p);
void pcapng_free(struct pcapng *p);

/*
 * Appends the names and types of the fields that the file may have, for the Lua dissector:
 * "trawl-fields: arg1=i arg2=u filename=s ok=b ratio=f". The types are defined in
 * wireshark/trawl.lua.
 */
void pcapng_fields(struct stream *s, struct out *o);

#endif
