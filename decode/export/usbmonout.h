/* SPDX-License-Identifier: MIT */
/* USB events as usbmon text, as in debugfs. */
#ifndef TRAWL_DECODE_EXPORT_USBMONOUT_H
#define TRAWL_DECODE_EXPORT_USBMONOUT_H

#include "decode/query/stream.h"

struct usbmon_printer {
	struct consumer consumer; /* to be passed to stream_run() */
	struct out *out;
};

/*
 * Items of other decoders and synthesised ones are skipped. Returns 0, or -1 with *err for a file
 * that has no USB events.
 */
int usbmon_printer_start(struct usbmon_printer *p, struct stream *s, struct out *out,
			 struct trawl_error *err);

#endif
