/* SPDX-License-Identifier: MIT */
/*
 * Sense data of SCSI. Source: SPC-4 (4.5). Of the additional sense codes, only those that USB disks
 * and card readers send are listed.
 */
#ifndef TRAWL_DECODE_USB_SCSISENSE_H
#define TRAWL_DECODE_USB_SCSISENSE_H

#include "decode/base/valuetree.h"

/*
 * Sense data in fixed or descriptor format: as members, or as a phrase such as "not ready: medium
 * not present".
 */
void scsi_sense_tree(const uint8_t *p, size_t n, struct tree *t);
void scsi_sense_brief(const uint8_t *p, size_t n, struct out *o);

/* Whether sense data has a member of this name. */
bool scsi_sense_has_name(const char *name, size_t n);

/* The names of sense keys, in the order of their numbers; ends with NULL. */
extern const char *const scsi_sense_keys[];

#endif
