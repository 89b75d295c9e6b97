/* SPDX-License-Identifier: MIT */
/* Reads the USDT probes (stapsdt notes) of an ELF file. */
#ifndef TRAWL_CAPTURE_PROBE_USDT_H
#define TRAWL_CAPTURE_PROBE_USDT_H

#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"
#include "format/trawl.h"

/*
 * One probe site. Addresses are as the file is linked now: what prelink changed after the note was
 * written is corrected.
 */
struct usdt_note {
	char *provider, *name, *args; /* args: "-4@%edi 8@$5", "" for none */
	uint64_t vaddr, offset;       /* of the nop: virtual address and file offset */
	uint64_t semaphore, ref_ctr;  /* the semaphore's virtual address and file offset; 0: none */
	char *why;                    /* why the site cannot be probed; NULL: it can */
};

/*
 * Reads all notes of f or, if it has none, of its debug file, in file order. Returns how many;
 * *notes is to be freed with usdt_free(). A damaged note ends its section.
 */
size_t usdt_read(struct elf_file *f, struct usdt_note **notes);
void usdt_free(struct usdt_note *notes, size_t n);

#endif
