/* SPDX-License-Identifier: MIT */
/*
 * FTDI serial converters, whose vendor protocol is common enough to be decoded by name. Source: the
 * kernel's drivers/usb/serial/ftdi_sio.h, as a description of the protocol.
 */
#ifndef TRAWL_DECODE_USB_FTDI_H
#define TRAWL_DECODE_USB_FTDI_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"
#include "decode/usb/chapter9.h"

#define FTDI_MODE_MPSSE 0x02
#define FTDI_STATUS_BYTES 2 /* status bytes at the start of each IN packet */

bool ftdi_is(uint16_t vendor, uint16_t product);
const char *ftdi_request(uint8_t request); /* NULL: unknown */
/* As words() of a class. */
void ftdi_words(const char *member, decoder_name_fn *fn, void *arg);
/* Whether a vendor request sets a channel's mode; *mode is the mode. */
bool ftdi_sets_mode(const struct control_request *s, uint8_t *mode);
void ftdi_setup_tree(const struct control_request *s, uint16_t product, struct tree *t);
void ftdi_setup_brief(const struct control_request *s, uint16_t product, struct out *o);

/*
 * Returns the baud rate that wValue and wIndex of SET_BAUDRATE select: a divisor in eighths of 3
 * MHz, or of 12 MHz for a Hi-Speed chip that is told to use that clock. Chips with several ports
 * take the port from the low byte of wIndex.
 */
unsigned int ftdi_baud(uint16_t product, uint16_t value, uint16_t index);

/*
 * Copies the n bytes of a bulk IN transfer to `text` without the two status bytes at the start of
 * each packet of `packet` bytes. `text` has room for n bytes. Returns the number of bytes stored.
 */
size_t ftdi_strip(const uint8_t *data, size_t n, unsigned int packet, uint8_t *text);

/*
 * Append the status of the packets of a bulk IN transfer: as a list "packets", in which consecutive
 * packets with the same status are one element; or as a phrase that names errors and, for a
 * transfer without data, the modem lines.
 */
void ftdi_status_tree(const uint8_t *data, size_t n, unsigned int packet, struct tree *t);
void ftdi_status_brief(const uint8_t *data, size_t n, unsigned int packet, struct out *o);

/*
 * Whether the layout of the answer to a request is known. The other functions append its members,
 * or a phrase that begins with a blank.
 */
bool ftdi_answers(uint8_t request);
void ftdi_answer_tree(uint8_t request, const uint8_t *data, size_t n, struct tree *t);
bool ftdi_answer_brief(uint8_t request, const uint8_t *data, size_t n, struct out *o);

#endif
