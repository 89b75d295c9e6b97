/* SPDX-License-Identifier: MIT */
#include "replay/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void verdict_note(struct verdict *v, const struct tape *t, const struct tape_entry *e,
		  const char *fmt, ...)
{
	char text[200], *to = v->first;
	char again[sizeof(v->first)];
	struct out what;
	va_list ap;

	if (!verdict_wants(v))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (*v->first)
		to = again;
	out_memory(&what);
	if (e)
		tape_entry_text(t, e, &what);
	if (e)
		snprintf(to, sizeof(again), "transfer %" PRIu64 " of the capture (%.*s): %s",
			 e->item, (int)what.len, what.data, text);
	else
		snprintf(to, sizeof(again), "%s", text);
	out_free(&what);
	if (v->verbose)
		fprintf(stderr, "trawl-replay: %s\n", to);
}

void verdict_bytes(const struct tape *t, const struct tape_entry *e, const uint8_t *p, size_t n,
		   char *text, size_t room)
{
	const uint8_t *was = tape_data(t, e);
	size_t end = n < e->data_len ? n : e->data_len, i = 0;

	while (i < end && p[i] == was[i])
		i++;
	if (i == end)
		snprintf(text, room, "%zu bytes, were %u", n, e->data_len);
	else if (e->secret)
		snprintf(text, room, "byte %zu differs (values of keystrokes are not shown)", i);
	else
		snprintf(text, room, "byte %zu is 0x%02x, was 0x%02x", i, p[i], was[i]);
}

int verdict_print(const struct verdict *v, struct out *o)
{
	bool same = !*v->first;

	out_printf(o, "%s: %" PRIu64 " recorded transfers happened again",
		   same ? "same" : "different", v->same);
	if (v->differ)
		out_printf(o, ", %" PRIu64 " otherwise", v->differ);
	if (v->missing)
		out_printf(o, ", %" PRIu64 " not", v->missing);
	if (v->extra)
		out_printf(o, "; %" PRIu64 " are not in the capture", v->extra);
	if (v->before)
		out_printf(o, "; %" PRIu64 " came before the first recorded one",
			   v->before);
	out_char(o, '\n');
	if (!same)
		out_printf(o, "first difference: %s\n", v->first);
	return same ? TRAWL_OK : TRAWL_BAD_DATA;
}
