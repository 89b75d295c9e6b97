/* SPDX-License-Identifier: MIT */
/* Isochronous packets of the player: answers those that are read, compares those that are sent. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "replay/playing.h"

uint64_t playing_packet_time(const struct player *p, const struct usbip_urb *u)
{
	uint64_t unit = p->standard.speed >= USBIP_HIGH ? 125000 : 1000000;

	return (u->interval ? u->interval : 1) * unit;
}

/* Takes the next isochronous packet of the tape. Returns false if there is none. */
static bool next_packet(struct player *p, struct endpoint *e, struct tape_packet *k,
			const uint8_t **data)
{
	struct tape_entry *x = playing_next_of(p, e);

	while (x && e->offset >= x->npackets) {
		playing_use(p, x, true);
		e->within = 0;
		playing_advance(e);
		x = playing_next_of(p, e);
	}
	if (!x)
		return false;
	*k = tape_packet(p->tape, x, e->offset++);
	*data = tape_data(p->tape, x) + e->within;
	e->within += k->length;
	if (e->offset == x->npackets) {
		playing_use(p, x, true);
		e->within = 0;
		playing_advance(e);
	}
	return true;
}

void playing_answer_packets(struct player *p, struct endpoint *e)
{
	struct usbip_urb *u = playing_take_urb(e);
	uint32_t n = 0;

	if (!array_reserve(p->scratch, p->scratch_room, (size_t)u->length + 1)) {
		playing_answer(p, u, -ENOMEM, NULL, 0);
		return;
	}
	for (uint32_t i = 0; i < u->npackets; i++) {
		struct usbip_packet *to = &u->packets[i];
		struct tape_packet k = {0};
		const uint8_t *data = NULL;

		if (next_packet(p, e, &k, &data) && k.length > to->length)
			k.length = to->length;
		memcpy(p->scratch + n, data ? data : p->scratch, data ? k.length : 0);
		to->actual = k.length;
		/* -EXDEV is a packet's initial status: it has no recorded result */
		to->status = k.status == -18 ? 0 : k.status;
		n += k.length;
	}
	e->given = p->now;
	playing_answer(p, u, 0, p->scratch, n);
}

/*
 * Compares isochronous OUT data, a byte stream, with the tape. After the tape's end a host sends
 * silence, which is not compared.
 */
static void compare_packets(struct player *p, struct endpoint *e, const struct usbip_urb *u)
{
	for (uint32_t i = 0; i < u->npackets; i++) {
		const uint8_t *data = u->data + u->packets[i].offset;
		uint32_t n = u->packets[i].length, at = 0;

		while (at < n) {
			struct tape_entry *x = playing_next_of(p, e);
			uint32_t k;
			char text[120];

			if (!x)
				return;
			k = x->data_len - e->offset < n - at ? x->data_len - e->offset : n - at;
			if (x->cancelled && !e->offset &&
			    memcmp(tape_data(p->tape, x), data + at, k)) {
				x->time = p->now; /* the host did not send this cancelled entry */
				continue;
			}
			if (memcmp(tape_data(p->tape, x) + e->offset, data + at, k) && !e->within) {
				verdict_bytes(p->tape, x, data + at, k, text, sizeof(text));
				verdict_note(p->verdict, p->tape, x,
					     "of %u bytes from its byte %u on, %s", k, e->offset,
					     text);
				e->within = 1; /* marks this entry as different */
			}
			at += k;
			e->offset += k;
			if (e->offset >= x->data_len) {
				playing_use(p, x, !e->within);
				e->within = 0;
				playing_advance(e);
			}
		}
	}
}

void playing_take_packets(struct player *p, struct endpoint *e)
{
	struct usbip_urb *u = playing_take_urb(e);

	compare_packets(p, e, u);
	for (uint32_t i = 0; i < u->npackets; i++)
		u->packets[i].actual = u->packets[i].length;
	playing_answer(p, u, 0, NULL, u->length);
}
