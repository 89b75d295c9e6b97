/* SPDX-License-Identifier: MIT */
/*
 * An event as an entry of the systemd journal in its export form: lines NAME=VALUE.
 *
 * Of all that a Wireshark without any plugin dissects inside an exported PDU, a journal entry is
 * what shows most of an event: MESSAGE stands in the packet list's Info column, and every other
 * line is a line of the packet's tree. The form: https://systemd.io/JOURNAL_EXPORT_FORMATS
 */
#ifndef TRAWL_DECODE_EXPORT_JOURNAL_H
#define TRAWL_DECODE_EXPORT_JOURNAL_H

#include "decode/base/printcache.h"

struct journal {
	struct cells cells;
	struct out fields; /* of one event */
};

void journal_open(struct journal *j);
void journal_free(struct journal *j);

/*
 * MESSAGE: name and fields as trawl-decode prints them; SYSLOG_IDENTIFIER: the source; CPU, _PID,
 * TID, _COMM; a line for each field, its value as in JSON; at last TRAWL: the JSON object.
 */
void journal_entry(struct journal *j, const struct decoder *d, void *state, const struct item *it,
		   struct out *o);

#endif
