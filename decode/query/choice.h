/* SPDX-License-Identifier: MIT */
/*
 * Transfers that are chosen where events are written: a packet is half of a transfer, but what
 * --where and --name speak of (its end, its latency, what was said) is known of the whole only. So
 * the file is read through once before, joined and decoded as trawl-decode does, and of each
 * transfer that matches both events are kept in mind.
 */
#ifndef TRAWL_DECODE_QUERY_CHOICE_H
#define TRAWL_DECODE_QUERY_CHOICE_H

#include "decode/query/selection.h"

struct choice;

/*
 * Reads the file and leaves in selection->choice which USB events it means; NULL if the file has no
 * USB that is wanted. selection->count is then a number of events. Each transfer takes two bits. 0,
 * or -1 with *err.
 */
int choice_find(const char *path, const struct decode_options *options,
		struct selection *selection, struct trawl_error *err);
void choice_free(struct choice *c);

/* Is this item, an event of USB (options->export), of a transfer that was chosen? */
bool choice_has(const struct choice *c, const struct item *it);

#endif
