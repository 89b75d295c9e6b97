/* SPDX-License-Identifier: MIT */
/*
 * An event as an entry of the systemd journal in export format: lines NAME=VALUE. Source:
 * https://systemd.io/JOURNAL_EXPORT_FORMATS
 *
 * Of the formats that Wireshark dissects inside an exported PDU without a plugin, a journal entry
 * shows most of an event: MESSAGE appears in the Info column, and every other line appears in the
 * packet's tree.
 */
#ifndef TRAWL_DECODE_EXPORT_JOURNAL_H
#define TRAWL_DECODE_EXPORT_JOURNAL_H

#include "decode/base/printcache.h"

struct journal {
	struct print_caches caches;
	struct out fields; /* scratch for the fields of one event */
};

/* Initialises the scratch buffers. */
void journal_open(struct journal *j);
void journal_free(struct journal *j);

/*
 * Appends an entry. MESSAGE: name and fields as trawl-decode prints them; SYSLOG_IDENTIFIER: the
 * source; CPU, _PID, TID, _COMM; a line for each field with its JSON value; finally TRAWL: the JSON
 * object.
 */
void journal_entry(struct journal *j, const struct decoder *d, void *state, const struct item *it,
		   struct out *o);

#endif
