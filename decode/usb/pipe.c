/* SPDX-License-Identifier: MIT */
/* Which IN pipes answer an OUT pipe. */
#include "decode/usb/pipe.h"
#include "decode/usb/urb.h"

#include <stdlib.h>

#include "common/compare.h"

#define ANSWERS_MIN 8 /* fewer messages can follow requests by chance */

static bool are_pair(const struct pipe *out, const struct pipe *in, enum likeness how)
{
	switch (how) {
	case LIKE_INTERFACE:
		return out->interface != NO_INTERFACE && out->interface == in->interface &&
		       out->xfer == in->xfer;
	case LIKE_NUMBER:
		return (out->endpoint & 15) == (in->endpoint & 15) && out->xfer == in->xfer &&
		       (out->interface == NO_INTERFACE || in->interface == NO_INTERFACE ||
			out->interface == in->interface);
	case LIKE_TYPE:
		return out->xfer == in->xfer &&
		       (out->interface == NO_INTERFACE || in->interface == NO_INTERFACE ||
			out->interface == in->interface);
	default:
		return out->interface == NO_INTERFACE || out->interface == in->interface;
	}
}

bool pipe_is_endpoint(const struct pipe *p, bool in)
{
	return (p->kind == PIPE_ENDPOINT || p->kind == PIPE_SERIAL) && !p->taken && p->count &&
	       (bool)(p->endpoint & 0x80) == in;
}

struct pipe *pipe_partner(const struct device_entry *t, const struct pipe *out, enum likeness how)
{
	struct pipe *found = NULL;

	for (struct pipe *p = t->pipes; p; p = p->next) {
		if (!pipe_is_endpoint(p, true) || p->kind != out->kind || !are_pair(out, p, how))
			continue;
		if (found)
			return NULL;
		found = p;
	}
	return found;
}

/* When a message of an OUT pipe, `from` 0, or of IN pipe `from` - 1 was sent. */
struct moment {
	uint32_t capture;
	int from;
	uint64_t time;
};

static int by_moment(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->capture != y->capture || x->time != y->time)
		return compare_pairs(x->capture, y->capture, x->time, y->time);
	return compare_numbers((uint64_t)x->from, (uint64_t)y->from);
}

static size_t add_moments(struct moment *list, size_t n, const struct pipe *p, int from)
{
	for (uint32_t i = 0; i < p->count; i++)
		list[n++] = (struct moment){p->messages[i].capture, from, p->messages[i].time};
	return n;
}

/*
 * Whether nearly every IN message directly follows a request, of each pipe for itself, too, and
 * there is one for at least half of the requests. Pipes that send by themselves would also send
 * between an answer and the next request.
 */
static bool take_turns(const struct moment *list, size_t n, uint32_t requests, struct pipe **in,
		       int pipes)
{
	uint64_t follow[PARTNERS_MAX] = {0}, all = 0, answers = n - requests;

	for (size_t i = 1; i < n; i++)
		if (list[i].from && !list[i - 1].from && list[i].capture == list[i - 1].capture) {
			follow[list[i].from - 1]++;
			all++;
		}
	for (int i = 0; i < pipes; i++)
		if (follow[i] * 5 < (uint64_t)in[i]->count * 4)
			return false;
	return answers >= ANSWERS_MIN && all * 10 >= answers * 9 && all * 2 >= requests;
}

int pipe_partners(const struct device_entry *t, const struct pipe *out,
		  struct pipe *in[PARTNERS_MAX])
{
	size_t n = out->count, room = out->count;
	struct moment *list;
	int pipes = 0;
	bool turns;

	for (struct pipe *p = t->pipes; p && pipes < PARTNERS_MAX; p = p->next)
		if (pipe_is_endpoint(p, true) && p->kind == out->kind &&
		    are_pair(out, p, LIKE_TYPE)) {
			in[pipes++] = p;
			room += p->count;
		}
	if (pipes < 2)
		return 0;
	list = calloc(room, sizeof(*list));
	if (!list)
		return -1;
	add_moments(list, 0, out, 0);
	for (int i = 0; i < pipes; i++)
		n = add_moments(list, n, in[i], i + 1);
	qsort(list, n, sizeof(*list), by_moment);
	turns = take_turns(list, n, out->count, in, pipes);
	free(list);
	return turns ? pipes : 0;
}

static bool only_out(const struct pipe *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->messages[i].in)
			return false;
	return true;
}

struct pipe *pipe_report_answers(const struct device_entry *t, const struct pipe *reports)
{
	struct pipe *found = NULL;

	if (!only_out(reports))
		return NULL;
	for (struct pipe *p = t->pipes; p; p = p->next) {
		if (!pipe_is_endpoint(p, true) || p->xfer != URB_INTERRUPT ||
		    (p->interface != NO_INTERFACE && p->interface != reports->interface))
			continue;
		if (found)
			return NULL;
		found = p;
	}
	return found;
}
