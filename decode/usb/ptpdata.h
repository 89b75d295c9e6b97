/* SPDX-License-Identifier: MIT */
/*
 * Codes and data sets of PTP and MTP. Sources: PIMA 15740, MTP 1.1; the codes of Android, Canon and
 * Nikon are their extensions.
 */
#ifndef TRAWL_DECODE_USB_PTPDATA_H
#define TRAWL_DECODE_USB_PTPDATA_H

#include "decode/usb/bytelayout.h"

/* The name of an operation, response or event code, or NULL if it is unknown. */
const char *ptp_code(uint16_t code);

/* The layout of an operation's data phase. NULL: unknown, or the data is not a data set. */
byte_layout ptp_data_set(uint16_t operation);

byte_layout_name_fn ptp_name;
bool ptp_has_field(const char *name, size_t n);
/* As words() of a class. */
void ptp_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
