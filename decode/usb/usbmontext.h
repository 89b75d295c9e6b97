/* SPDX-License-Identifier: MIT */
/*
 * The text form of usbmon: debugfs files usb/usbmon/Nu ("u") and Nt ("t", no bus number).
 * Source: Documentation/usb/usbmon.rst and drivers/usb/mon/mon_text.c of the kernel.
 *
 *	ffff8880 3575914555 S Ci:1:001:0 s a3 00 0000 0003 0004 4 <
 *
 * The text carries less than the binary form: at most 32 bytes of data, five isochronous
 * descriptors, no transfer flags, and a time that is taken modulo 4096 s. A line that was read
 * and is written again is the same line: so a time before 1970-01-01 01:11:35, which no USB device
 * ever saw, is taken for one that was read, and written as it is.
 */
#ifndef TRAWL_DECODE_USB_USBMONTEXT_H
#define TRAWL_DECODE_USB_USBMONTEXT_H

#include "decode/base/output.h"
#include "decode/usb/urb.h"

#define USBMONTEXT_DATA 32    /* bytes of data that a line holds */
#define USBMONTEXT_PACKETS 5  /* isochronous descriptors */
#define USBMONTEXT_WRAP 4096  /* s: the time starts again at 0 */
/* us: old kernels let it run to the end of 32 bits, 4294.967296 s */
#define USBMONTEXT_WRAP_OLD (UINT64_C(1) << 32)

/* Longest record that a line can make. */
#define USBMONTEXT_RECORD (URB_HEADER + USBMONTEXT_PACKETS * URB_ISO_SIZE + USBMONTEXT_DATA)

struct usbmontext_error {
	const char *what; /* what is wrong */
	size_t at;        /* where in the line */
};

/*
 * Reads one line (without its newline) into a record in binary form; returns its length, or 0 with
 * *e. The time in the record is the line's, 0 <= time < 4096 s.
 */
size_t usbmontext_parse(const char *line, size_t n, uint8_t record[USBMONTEXT_RECORD],
			struct usbmontext_error *e);

/* Writes an event as a line of the "u" form, with its newline. */
void usbmontext_write(const struct urb *u, struct out *o);

/*
 * The same without URB tag, time and newline, for people. masked: the data is not shown, which the
 * kernel's form does not know.
 */
void usbmontext_brief(const struct urb *u, bool masked, struct out *o);

/* Whether this beginning of a file looks like usbmon text. */
bool usbmontext_probe(const char *p, size_t n);

#endif
