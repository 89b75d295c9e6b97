/* SPDX-License-Identifier: MIT */
#include "decode/usb/replayable.h"
#include "decode/base/escape.h"
#include "decode/base/jdoc.h"
#include "decode/base/number.h"

#include <string.h>

static void append_reason(const char *text, uint64_t count, bool *first, struct out *o)
{
	if (!*first)
		out_str(o, "; ");
	*first = false;
	out_safe(o, text, strlen(text));
	if (count > 1)
		out_printf(o, " (%llu)", (unsigned long long)count);
}

/* Number of USB events of a section that were in the file before it was damaged. */
static uint64_t damaged_events(const struct trawl_reader *r, uint32_t section)
{
	uint64_t n = 0;

	for (size_t i = 0; i < trawl_loss_count(r); i++) {
		const struct trawl_loss *l = trawl_loss_at(r, i);
		const struct trawl_source *s = trawl_source_find(r, l->source);

		if (l->reason == TRAWL_LOSS_DAMAGED && l->section == section && s &&
		    !strcmp(s->kind, "usbmon"))
			n = l->count < UINT64_MAX - n ? n + l->count : UINT64_MAX;
	}
	return n;
}

/* Whether the file was damaged, and not all that is missing is among its losses. */
static bool lacks_more(const struct trawl_reader *r)
{
	struct trawl_verdict v;

	trawl_verdict(r, &v);
	return v.damaged > v.damaged_known || jdoc_edits_lack_more(r);
}

enum usb_replayable usb_replayable(const struct trawl_reader *r, const struct trawl_meta *verdict,
				   struct out *o)
{
	struct json_object *doc = jdoc_parse(verdict->data, verdict->len);
	struct json_object *because = jdoc_get(doc, "because");
	struct json_object *stated = jdoc_get(doc, "replayable");
	enum usb_replayable result = USB_REPLAYABLE_UNKNOWN;
	uint64_t lost = damaged_events(r, verdict->section);
	bool first = true;

	if (json_object_is_type(stated, json_type_boolean)) {
		for (size_t i = 0; i < jdoc_count(because); i++) {
			struct json_object *reason = json_object_array_get_idx(because, i);

			append_reason(jdoc_string(reason, "text"), jdoc_uint(reason, "count", 0),
				      &first, o);
		}
		if (lost)
			append_reason("the file was damaged, events are missing", lost, &first, o);
		else if (lacks_more(r))
			append_reason("the file was damaged, events may be missing", 0, &first, o);
		if (!json_object_get_boolean(stated) && first)
			append_reason("the recorder noted it, without a reason", 0, &first, o);
		result = first ? USB_REPLAYABLE_YES : USB_REPLAYABLE_NO;
	}
	json_object_put(doc);
	return result;
}

uint64_t usb_left_out(const struct trawl_reader *r)
{
	uint64_t n = 0;
	size_t i = 0;

	for (struct json_object *doc; (doc = jdoc_next_edit(r, &i));) {
		n += jdoc_uint(doc, "left_out", 0);
		json_object_put(doc);
	}
	return n;
}
