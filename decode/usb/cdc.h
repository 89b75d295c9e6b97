/* SPDX-License-Identifier: MIT */
/* Communication devices: line coding and notifications. Source: CDC 1.2, PSTN 1.2. */
#ifndef TRAWL_DECODE_USB_CDC_H
#define TRAWL_DECODE_USB_CDC_H

#include "decode/base/valuetree.h"

/* The seven bytes of SET_LINE_CODING and GET_LINE_CODING. */
void cdc_line_coding_tree(const uint8_t *p, size_t n, struct tree *t);
void cdc_line_coding_brief(const uint8_t *p, size_t n, struct out *o); /* "115200 8N1" */

/* A notification from the interrupt endpoint. */
void cdc_notification_tree(const uint8_t *p, size_t n, struct tree *t);
void cdc_notification_brief(const uint8_t *p, size_t n, struct out *o);

#endif
