/* SPDX-License-Identifier: MIT */
/*
 * An HTML page that shows the items of a capture: a single file that a browser opens from disk. The
 * page loads and sends nothing, which its Content-Security-Policy enforces.
 *
 * Events are stored in columns. Times, lanes and the kinds of events are compressed pieces that the
 * page reads at the start; fields are stored as one compressed column per field and kind of event,
 * which the page reads when needed. page/ contains the document, its style and its program.
 */
#ifndef TRAWL_DECODE_EXPORT_HTML_H
#define TRAWL_DECODE_EXPORT_HTML_H

#include "decode/export/export.h"

enum { HTML_EVENTS = 1000000 }; /* limit; the page says how many events were left out */

/* Writes the page. Returns 0, or -1 with *err. */
int html_export(const struct export_options *o, struct stream *s, struct out *out,
		struct trawl_error *err);

#endif
