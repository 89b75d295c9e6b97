/* SPDX-License-Identifier: MIT */
/*
 * A page that shows the items of a capture: one file that a browser opens from disk, that loads
 * nothing and sends nothing (its Content-Security-Policy forbids both).
 *
 * The events are columns: times, lanes and what each event is in one compressed piece that the page
 * reads first; the fields of each kind of event, a column each, in pieces that it reads when they
 * are looked at. page/ holds the document, its style and its program.
 */
#ifndef TRAWL_DECODE_EXPORT_HTML_H
#define TRAWL_DECODE_EXPORT_HTML_H

#include "decode/export/export.h"

enum { HTML_EVENTS = 1000000 }; /* more are left out, and the page says so */

int html_export(const struct export_options *o, struct stream *s, struct out *out,
		struct trawl_error *err);

#endif
