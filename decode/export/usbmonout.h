/* SPDX-License-Identifier: MIT */
/* USB events as usbmon text, for programs that read debugfs. */
#ifndef TRAWL_DECODE_EXPORT_USBMONOUT_H
#define TRAWL_DECODE_EXPORT_USBMONOUT_H

#include "decode/query/stream.h"

struct usbmon_printer {
	struct consumer consumer; /* hand this to stream_run() */
	struct out *out;
};

/* Items of other decoders than that of USB, and synthesised ones, are passed over. */
void usbmon_printer_start(struct usbmon_printer *p, struct out *out);

#endif
