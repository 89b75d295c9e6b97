/* SPDX-License-Identifier: MIT */
/*
 * The verdict on a replay: whether what happened is what was recorded. Counts, and the first
 * difference.
 */
#ifndef TRAWL_REPLAY_VERDICT_H
#define TRAWL_REPLAY_VERDICT_H

#include "replay/tape.h"

struct verdict {
	uint64_t same;     /* recorded transfers that happened again as recorded */
	uint64_t differ;   /* recorded transfers that happened with a difference */
	uint64_t extra;    /* transfers of the host that are not in the capture */
	/* the same, before the first recorded ones, if the capture began late: no difference */
	uint64_t before;
	uint64_t missing;  /* recorded transfers that did not happen */
	bool verbose;      /* print every difference when it occurs */
	char first[640];   /* the first difference; "": none */
};

/* Whether a difference would be kept or printed: if not, its text need not be made. */
static inline bool verdict_wants(const struct verdict *v)
{
	return v->verbose || !*v->first;
}

/*
 * Notes a difference: keeps the first, and prints each if verbose. e: the recorded transfer it
 * concerns, or NULL.
 */
void verdict_note(struct verdict *v, const struct tape *t, const struct tape_entry *e,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Writes where the data p[0 .. n) differs from the recorded: "byte 3 is 0x08, was 0x10". For
 * keystrokes no values are shown.
 */
void verdict_bytes(const struct tape *t, const struct tape_entry *e, const uint8_t *p, size_t n,
		   char *text, size_t room);

/* Prints the verdict. Returns the exit status: TRAWL_OK or TRAWL_BAD_DATA. */
int verdict_print(const struct verdict *v, struct out *o);

#endif
