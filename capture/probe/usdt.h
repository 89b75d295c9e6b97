/* SPDX-License-Identifier: MIT */
/* The statically defined probes of an ELF file: its stapsdt notes. */
#ifndef TRAWL_CAPTURE_PROBE_USDT_H
#define TRAWL_CAPTURE_PROBE_USDT_H

#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"
#include "format/trawl.h"

/* One probe site. Addresses are as the file is linked now: prelink is undone. */
struct usdt_note {
	char *provider, *name, *args; /* args: "-4@%edi 8@$5", "" for none */
	uint64_t vaddr, offset;       /* of the nop; offset in the file */
	uint64_t semaphore, ref_ctr;  /* its address and file offset; 0 for none */
	char *why;                    /* not NULL: the site cannot be probed, and why */
};

/*
 * All notes of f, or of its debug file if it has none itself, in the order of the file. Returns
 * how many; *notes is to be freed with usdt_free(). What is damaged in a note ends the section
 * that it stands in.
 */
size_t usdt_read(struct elf_file *f, struct usdt_note **notes);
void usdt_free(struct usdt_note *notes, size_t n);

#endif
