/* SPDX-License-Identifier: MIT */
/*
 * A shared object with static probes (stapsdt notes) that is made of their descriptions. Each probe
 * is a function that takes the address of its arguments, 8 bytes each, and returns: a nop in it is
 * the site.
 */
#ifndef TRAWL_REPLAY_SDTOBJECT_H
#define TRAWL_REPLAY_SDTOBJECT_H

#include "decode/base/output.h"

#define SDT_ARGS 12 /* of one probe at most, as <sys/sdt.h> has it */

struct sdt_probe {
	char provider[64], name[64];
	char sizes[SDT_ARGS][8]; /* as in a note, before the '@': "-4", "8", "8f" */
	unsigned int nargs;
};

/* Whether there is code for this processor. */
bool sdtobject_possible(void);

/* Appends the file, which is the same for the same probes. */
void sdtobject_write(const struct sdt_probe *probes, size_t n, struct out *o);

/* Where the function of probe i is in the file. */
size_t sdtobject_offset(size_t i);

#endif
