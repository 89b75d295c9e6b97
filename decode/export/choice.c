/* SPDX-License-Identifier: MIT */
#include "decode/export/choice.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

#include "common/sources.h"
#include "decode/base/cli.h"
#include "decode/query/stream.h"
#include "decode/query/unseen.h"
#include "decode/usb/usb.h"

/* The events of one machine of a merged file, whose decoder counts them by itself. */
struct chosen {
	struct chosen *next;
	uint8_t *bits; /* one bit for each USB event, by its number */
	uint64_t room; /* bytes allocated at bits */
	char machine[];
};

struct choice {
	struct consumer consumer; /* must be first: a struct consumer is cast to its choice */
	struct chooser chooser;   /* the struct choice is found from this member by offset */
	struct chosen *chosen;
	uint64_t events;          /* number of events to export, including those of other sources */
	bool no_memory;
};

/* Returns the events of the machine of a source; NULL: none was chosen. */
static struct chosen *chosen_of(const struct choice *c, const struct trawl_source *source)
{
	const char *machine = source_machine(source->name);
	struct chosen *m = c->chosen;

	while (m && strcmp(m->machine, machine) != 0)
		m = m->next;
	return m;
}

static struct chosen *add_machine(struct choice *c, const struct trawl_source *source)
{
	const char *machine = source_machine(source->name);
	struct chosen *m = calloc(1, sizeof(*m) + strlen(machine) + 1);

	if (!m)
		return NULL;
	strcpy(m->machine, machine);
	m->next = c->chosen;
	return c->chosen = m;
}

static void add(struct choice *c, const struct trawl_source *source, uint64_t number)
{
	struct chosen *m = chosen_of(c, source);
	uint64_t need = number / 8 + 1;

	if (!m)
		m = add_machine(c, source);
	if (m && need > m->room) {
		uint64_t room = need < 4096 ? 4096 : 2 * need;

		m = array_extend(m->bits, m->room, room) ? m : NULL;
	}
	if (!m) {
		c->no_memory = true;
		return;
	}
	m->bits[number / 8] |= (uint8_t)(1u << number % 8);
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
		add(c, it->source, detail->urb.number);
		return c->no_memory;
	}
	if (detail->transfer->has_submit)
		add(c, it->source, detail->transfer->submit.number);
	if (detail->transfer->has_complete)
		add(c, it->source, detail->transfer->complete.number);
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
	const struct chosen *m = chosen_of(c, it->source);
	uint64_t number = ((const struct usb_detail *)it->detail)->urb.number;

	return m && number / 8 < m->room && m->bits[number / 8] >> number % 8 & 1;
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
	struct chosen *next;

	if (!c)
		return;
	for (struct chosen *m = c->chosen; m; m = next) {
		next = m->next;
		free(m->bits);
		free(m);
	}
	free(c);
}
