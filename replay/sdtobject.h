/* SPDX-License-Identifier: MIT */
/*
 * Makes a shared object with USDT probes (stapsdt notes) from their descriptions. Each probe is a
 * function that takes the address of its arguments, 8 bytes each, and returns; a nop in it is the
 * probe site.
 */
#ifndef TRAWL_REPLAY_SDTOBJECT_H
#define TRAWL_REPLAY_SDTOBJECT_H

#include "decode/base/output.h"

#define SDT_ARGS 12 /* most arguments of a probe, as in <sys/sdt.h> */

struct sdt_probe {
	char provider[64], name[64];
	char sizes[SDT_ARGS][8]; /* as in a note in front of the '@': "-4", "8", "8f" */
	unsigned int nargs;
};

/* True if there is code for this processor. */
bool sdtobject_possible(void);

/* Appends the object file to *o; the same probes always make the same file. */
void sdtobject_write(const struct sdt_probe *probes, size_t n, struct out *o);

/* File offset of the function of probe i. */
size_t sdtobject_offset(size_t i);

#endif
