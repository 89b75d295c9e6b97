/* SPDX-License-Identifier: MIT */
/*
 * The text form of usbmon: debugfs files usb/usbmon/Nu ("u") and Nt ("t", no bus number). Source:
 * Documentation/usb/usbmon.rst and drivers/usb/mon/mon_text.c of the kernel.
 *
 *  ffff8880 3575914555 S Ci:1:001:0 s a3 00 0000 0003 0004 4 <
 *
 * The text holds less than the binary form: at most 32 bytes of data and five isochronous
 * descriptors, no transfer flags, and a time modulo 4096 s. A line that is read and written again
 * must stay the same; therefore a time before 1970-01-01 01:11:35, which cannot be a real date, is
 * taken as a time from such a line and is written unchanged.
 */
#ifndef TRAWL_DECODE_USB_USBMONTEXT_H
#define TRAWL_DECODE_USB_USBMONTEXT_H

#include "decode/base/output.h"
#include "decode/usb/urb.h"

#define USBMONTEXT_DATA 32    /* maximum number of data bytes in a line */
#define USBMONTEXT_PACKETS 5  /* maximum number of isochronous descriptors */
#define USBMONTEXT_WRAP 4096  /* seconds after which the time starts again at 0 */
/* Old kernels wrap at 32 bits of microseconds, that is at 4294.967296 s. */
#define USBMONTEXT_WRAP_OLD (UINT64_C(1) << 32)

/* The length of the longest record that a line can hold. */
#define USBMONTEXT_RECORD (URB_HEADER + USBMONTEXT_PACKETS * URB_ISO_SIZE + USBMONTEXT_DATA)

struct usbmontext_error {
	const char *what; /* description of the error */
	size_t at;        /* its byte offset in the line */
};

/*
 * Converts one line (without its newline) to a record in binary form. Returns the length of the
 * record, or 0 with *e set. The time in the record is that of the line, 0 <= time < 4096 s.
 */
size_t usbmontext_parse(const char *line, size_t n, uint8_t record[USBMONTEXT_RECORD],
			struct usbmontext_error *e);

/* Appends an event as a line of the "u" form, with its newline. */
void usbmontext_write(const struct urb *u, struct out *o);

/*
 * Appends the same line without URB tag, time and newline, for people. masked: the data is replaced
 * by a note, which the kernel's form does not have.
 */
void usbmontext_brief(const struct urb *u, bool masked, struct out *o);

/* Whether n bytes from the start of a file look like usbmon text. */
bool usbmontext_probe(const char *p, size_t n);

#endif
