/* SPDX-License-Identifier: MIT */
/*
 * Answers and parameter lists of CD, DVD and Blu-ray drives. Source: MMC-6; ECMA-337 for the
 * address in pregroove of DVD+R.
 */
#ifndef TRAWL_DECODE_USB_SCSIMMC_H
#define TRAWL_DECODE_USB_SCSIMMC_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"

/*
 * Appends the members of a command's data. Appends nothing for other commands. code: a number of
 * decode/usb/scsiopcode.h
 */
void scsi_mmc_tree(unsigned int code, const uint8_t *cdb, const uint8_t *p, size_t n,
		   struct tree *t);

/*
 * Appends what matters most of it: the profile, the disc's state, the tracks, the event. Returns
 * whether that is all of the data.
 */
bool scsi_mmc_brief(unsigned int code, const uint8_t *cdb, const uint8_t *p, size_t n,
		    struct out *o);

bool scsi_mmc_has_name(const char *name, size_t n);
/* As words() of a class. */
void scsi_mmc_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
