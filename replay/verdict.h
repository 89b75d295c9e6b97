/* SPDX-License-Identifier: MIT */
/* Whether what happened in a replay is what was recorded: counts, and the first difference. */
#ifndef TRAWL_REPLAY_VERDICT_H
#define TRAWL_REPLAY_VERDICT_H

#include "replay/tape.h"

struct verdict {
	uint64_t same;     /* recorded transfers that happened again */
	uint64_t differ;   /* that happened otherwise */
	uint64_t extra;    /* of the host that are not in the capture */
	uint64_t before;   /* likewise, before those with which a later capture begins: no
			    * difference */
	uint64_t missing;  /* recorded ones that did not happen */
	bool verbose;      /* every difference is printed as it comes */
	char first[640];   /* "" : none */
};

/* Notes the first difference, and prints it if verbose. e: the recorded transfer, or NULL. */
void verdict_note(struct verdict *v, const struct tape *t, const struct tape_entry *e,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The place in the data where they differ, "byte 3 is 0x08, was 0x10"; of keystrokes no byte is
 * told. */
void verdict_bytes(const struct tape *t, const struct tape_entry *e, const uint8_t *p, size_t n,
		   char *text, size_t room);

/* The last lines; the exit status: TRAWL_OK or TRAWL_BAD_DATA. */
int verdict_print(const struct verdict *v, struct out *o);

#endif
