/* SPDX-License-Identifier: MIT */
/*
 * What SCSI units say of themselves: the answer to INQUIRY and its pages of vital product data.
 * Sources: SPC-4 (6.6, 7.8), SBC-3 (6.6).
 */
#ifndef TRAWL_DECODE_USB_SCSIINQUIRY_H
#define TRAWL_DECODE_USB_SCSIINQUIRY_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"

void scsi_inquiry_tree(const uint8_t *p, size_t n, struct tree *t);

/* Appends the vendor, product and revision. Returns whether they are there. */
bool scsi_inquiry_brief(const uint8_t *p, size_t n, struct out *o);

/* A page of vital product data, with its header. */
void scsi_vpd_tree(const uint8_t *p, size_t n, struct tree *t);
bool scsi_vpd_brief(const uint8_t *p, size_t n, struct out *o);

bool scsi_inquiry_has_name(const char *name, size_t n);
/* As words() of a class. */
void scsi_inquiry_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
