/* SPDX-License-Identifier: MIT */
/*
 * Items as packets of a pcapng file, for Wireshark and everything that reads its files.
 *
 * One interface a source. Nanosecond times where the source has them. What a decoder does not
 * turn into packets of its own (USB does) becomes an upper-PDU packet (linktype 252) that holds
 * the JSON object of the item: Wireshark dissects it as JSON without any plugin, and
 * wireshark/trawl.lua makes proper fields of it. Losses are in the packet's epb_dropcount (events
 * lost before it on its interface) and in the interface statistics at the end.
 */
#ifndef TRAWL_DECODE_EXPORT_PCAPNG_H
#define TRAWL_DECODE_EXPORT_PCAPNG_H

#include "decode/query/stream.h"

struct pcapng;

/*
 * Writes the file's header to out. NULL without memory. with_machine: its comments have the
 * metadata "capture" and "machine", with command lines and the host's name.
 */
struct pcapng *pcapng_new(struct stream *s, struct out *out, bool with_machine);
struct consumer *pcapng_consumer(struct pcapng *p); /* hand this to stream_run() */
/* Interface statistics: the end of the file. 0, or -1 if any packet could not be made. */
int pcapng_end(struct pcapng *p);
void pcapng_free(struct pcapng *p);

/*
 * The names and types of fields that a file may have, for the Lua dissector: text like
 * "trawl-fields: arg1=i arg2=u filename=s ok=b ratio=f". Types are those of wireshark/trawl.lua.
 */
void pcapng_fields(struct stream *s, struct out *o);

#endif
