/* SPDX-License-Identifier: MIT */
#include "decode/export/choice.h"
#include "common/array.h"

#include <stdlib.h>

#include "decode/base/cli.h"
#include "decode/query/stream.h"
#include "decode/query/unseen.h"
#include "decode/usb/usb.h"

struct choice {
	struct consumer consumer; /* must be first: a struct consumer is cast to its choice */
	struct chooser chooser;   /* the struct choice is found from this member by offset */
	uint8_t *bits;            /* one bit for each USB event of the file, by its number */
	uint64_t room;            /* bytes allocated at bits */
	uint64_t events;          /* number of events to export, including those of other sources */
	bool no_memory;
};

static void add(struct choice *c, uint64_t number)
{
	uint64_t need = number / 8 + 1;

	if (need > c->room) {
		uint64_t room = need < 4096 ? 4096 : 2 * need;

		if (!array_extend(c->bits, c->room, room)) {
			c->no_memory = true;
			return;
		}
	}
	c->bits[number / 8] |= (uint8_t)(1u << number % 8);
	c->events++;
}

static int take_item(struct consumer *consumer, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct choice *c = (struct choice *)consumer;
	const struct usb_detail *detail = it->detail;

	if (d != &usb_decoder) {
		c->events++;
		return 0;
	}
	if (!detail->transfer) {
		/* an event of USBPcap or macOS that is not half of a transfer */
		add(c, detail->urb.number);
		return c->no_memory;
	}
	if (detail->transfer->has_submit)
		add(c, detail->transfer->submit.number);
	if (detail->transfer->has_complete)
		add(c, detail->transfer->complete.number);
	return c->no_memory;
}

static bool any_usb(struct stream *s)
{
	const struct trawl_reader *r = stream_reader(s);

	for (size_t i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *source = trawl_source_at(r, i);

		if (decoder_find(source) == &usb_decoder && stream_wants(s, source))
			return true;
	}
	return false;
}

/* chooser.has: whether this event belongs to a selected transfer. */
static bool has_event(const struct chooser *chooser, const struct item *it)
{
	const struct choice *c = (const struct choice *)((const char *)chooser -
							 offsetof(struct choice, chooser));
	const struct usb_detail *d = it->detail;

	return d->urb.number / 8 < c->room && c->bits[d->urb.number / 8] >> d->urb.number % 8 & 1;
}

static struct choice *read_through(struct stream *s, struct trawl_error *err)
{
	struct choice *c = calloc(1, sizeof(*c));
	struct trawl_error note;

	if (c) {
		c->consumer.item = take_item;
		c->chooser = (struct chooser){ .decoder = &usb_decoder, .has = has_event };
	}
	if (c && stream_run(s, &c->consumer, err)) {
		choice_free(c);
		return NULL;
	}
	if (c && !c->no_memory) {
		if (stream_unseen_name(s, &note))
			cli_note(NULL, &note);
		if (stream_unseen_part(s, &note))
			cli_note(NULL, &note);
		return c;
	}
	choice_free(c);
	trawl_fail(err, TRAWL_CANNOT, "out of memory");
	return NULL;
}

int choice_find(const char *path, const struct decode_options *options,
		struct selection *selection, struct choice **choice, struct trawl_error *err)
{
	struct decode_options joined = *options;
	struct stream *s;
	int got = 0;

	*choice = NULL;
	joined.export = false;
	s = stream_open(path, &joined, selection, err);
	if (!s)
		return -1;
	if (any_usb(s)) {
		*choice = read_through(s, err);
		got = *choice ? 0 : -1;
	}
	if (*choice) {
		/* -c limited the transfers of the first pass; now it limits their events. */
		selection->count = selection->count ? (*choice)->events : 0;
		selection->taken = 0;
		selection->chooser = &(*choice)->chooser;
	}
	stream_close(s);
	return got;
}

void choice_free(struct choice *c)
{
	if (!c)
		return;
	free(c->bits);
	free(c);
}
