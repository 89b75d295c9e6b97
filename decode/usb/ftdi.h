/* SPDX-License-Identifier: MIT */
/*
 * FTDI serial converters: a vendor protocol so common that it is worth its names.
 * Source: the kernel's drivers/usb/serial/ftdi_sio.h, as a description of the protocol.
 */
#ifndef TRAWL_DECODE_USB_FTDI_H
#define TRAWL_DECODE_USB_FTDI_H

#include "decode/base/valuetree.h"
#include "decode/usb/chapter9.h"

#define FTDI_STATUS_BYTES 2 /* in front of the data of each packet that comes in */

bool ftdi_is(uint16_t vendor, uint16_t product);
const char *ftdi_request(uint8_t request); /* NULL: not known */
void ftdi_setup_tree(const struct control_request *s, uint16_t product, struct tree *t);
void ftdi_setup_brief(const struct control_request *s, uint16_t product, struct out *o);

/*
 * The baud rate that wValue and wIndex of SET_BAUDRATE choose: a divisor in eighths, of 3 MHz, or
 * of 12 MHz where a fast chip is told so. A chip that can have several ports has the port in the
 * low byte of wIndex.
 */
unsigned int ftdi_baud(uint16_t product, uint16_t value, uint16_t index);

/*
 * The text in a bulk IN transfer: each packet of `packet` bytes begins with two status bytes,
 * which are left out. Returns the number of bytes put in `text` (room for n).
 */
size_t ftdi_strip(const uint8_t *data, size_t n, unsigned int packet, uint8_t *text);

#endif
