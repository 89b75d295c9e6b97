/* SPDX-License-Identifier: MIT */
/*
 * Boots. The sections of a file may be from several boots (cat a.trawl b.trawl): then equal thread
 * ids are different threads, and equal times of CLOCK_MONOTONIC are different moments.
 */
#ifndef TRAWL_DECODE_BASE_BOOT_H
#define TRAWL_DECODE_BASE_BOOT_H

#include "format/trawl.h"

enum { BOOT_ID = 40 }; /* bytes of one, with its NUL */

struct boots {
	struct trawl_reader *reader;
	size_t metas;           /* number of metadata items that were read */
	uint32_t *of;           /* boot of each section; UINT32_MAX: not known */
	size_t n;
	char (*ids)[BOOT_ID];   /* id of each boot */
	uint32_t nids;
};

/* Initialise struct boots with zeros and the reader. */
void boots_free(struct boots *b);

/*
 * Returns the boot of a section, numbered from 0: that of its metadata "machine", or else that of
 * the previous section.
 */
uint32_t boot_of(struct boots *b, uint32_t section);

/* Whether the boots of both sections are known and equal. */
bool boots_same(struct boots *b, uint32_t section, uint32_t other);

#endif
