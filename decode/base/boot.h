/* SPDX-License-Identifier: MIT */
/*
 * Boots of machines. The sections of a file may be of several (cat a.trawl b.trawl): then the same
 * thread id is somebody else's, and the same time of CLOCK_MONOTONIC is another day's.
 */
#ifndef TRAWL_DECODE_BASE_BOOT_H
#define TRAWL_DECODE_BASE_BOOT_H

#include "format/trawl.h"

enum { BOOT_ID = 40 }; /* bytes of one, with its NUL */

struct boots {
	struct trawl_reader *reader;
	size_t metas;           /* metadata items looked at */
	uint32_t *of;           /* by section; UINT32_MAX: it does not say */
	size_t n;
	char (*ids)[BOOT_ID];   /* by boot */
	uint32_t nids;
};

/* struct boots starts all zero but for the reader. */
void boots_free(struct boots *b);

/*
 * The boot of a section, a small number: what the metadata "machine" says in it, or that of the
 * section in front.
 */
uint32_t boot_of(struct boots *b, uint32_t section);

/* Whether both sections say of which boot they are, and it is the same. */
bool boots_same(struct boots *b, uint32_t section, uint32_t other);

#endif
