/* SPDX-License-Identifier: MIT */
/*
 * Mode parameters of SCSI: header, block descriptors and pages, as MODE SENSE returns them and MODE
 * SELECT sends them. Sources: SPC-4 (7.5), SBC-3 (6.5), MMC-3 (5.5) for CD capabilities, MMC-6
 * (7.2), UFI (4.5) for removable block access capabilities.
 */
#ifndef TRAWL_DECODE_USB_SCSIMODE_H
#define TRAWL_DECODE_USB_SCSIMODE_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"

/* ten: of the commands with 10 bytes, whose header is longer. */
void scsi_mode_tree(const uint8_t *p, size_t n, bool ten, struct tree *t);

/*
 * Appends " write-protected", the names of the pages and of the flags that are set in them. Returns
 * whether all of the data has this form.
 */
bool scsi_mode_brief(const uint8_t *p, size_t n, bool ten, struct out *o);

/* Returns the name of a page: "caching", or NULL. length: the bytes after its header; 0: unknown */
const char *scsi_mode_page_name(uint8_t code, uint8_t subpage, size_t length);

bool scsi_mode_has_name(const char *name, size_t n);
/* As words() of a class. */
void scsi_mode_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
