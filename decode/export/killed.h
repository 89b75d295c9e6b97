/* SPDX-License-Identifier: MIT */
/* Tasks that a signal of a crash ended: those that the summary names. */
#ifndef TRAWL_DECODE_EXPORT_KILLED_H
#define TRAWL_DECODE_EXPORT_KILLED_H

#include "decode/base/decoder.h"
#include "decode/base/output.h"

enum { KILLED_MAX = 10 };

struct killed {
	struct killed_task {
		uint64_t time;
		int32_t tid;
		char comm[16]; /* "": unknown */
		char signal[24];
	} tasks[KILLED_MAX];
	uint64_t n; /* also those beyond KILLED_MAX */
};

/* Notes an item if it is the delivery of such a signal to a task that has no handler for it. */
void killed_item(struct killed *k, const struct decoder *d, void *state, const struct item *it);
void killed_print(const struct killed *k, bool utc, struct out *o);

#endif
