/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "capture/tracefs/ring.h"

enum { TYPE_PADDING = 29, TYPE_TIME_EXTEND = 30, TYPE_TIME_STAMP = 31 };
enum { DELTA_BITS = 27 };

static const uint32_t COMMIT_BYTES = 0x3fffffff;
static const uint32_t COMMIT_COUNTED = 1u << 30; /* the number of lost events follows the data */
static const uint32_t COMMIT_MISSED = 1u << 31;
static const uint64_t TIME_STAMP_BITS = (1ull << 59) - 1;

/* Finds the line "field: TYPE NAME;\toffset:N;\tsize:N;..." of this name. */
static bool header_field(const char *text, const char *name, uint32_t *offset, uint32_t *size)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), " %s;", name);
	at = strstr(text, key);
	return at && sscanf(at + strlen(key), " offset:%u; size:%u;", offset, size) == 2;
}

int ring_layout_parse(const char *text, struct ring_layout *l, struct trawl_error *err)
{
	uint32_t time_size;

	*l = (struct ring_layout){ 0 };
	if (!header_field(text, "timestamp", &l->time_at, &time_size) ||
	    !header_field(text, "commit", &l->commit_at, &l->commit_size) ||
	    !header_field(text, "data", &l->data_at, &l->data_size))
		return trawl_fail(err, TRAWL_CANNOT,
				  "tracefs: events/header_page is not as expected: %.80s", text);
	if (time_size != 8 || (l->commit_size != 8 && l->commit_size != 4) || l->time_at > 64 ||
	    l->commit_at > 64 || l->data_at > 64 || l->data_at < l->time_at + 8 ||
	    l->data_at < l->commit_at + l->commit_size || l->data_size < 64 ||
	    l->data_size > (1u << 24))
		return trawl_fail(err, TRAWL_CANNOT,
				  "tracefs: the sizes in events/header_page are invalid");
	return 0;
}

/*
 * Returns the clock at the begin of a sub-buffer. If it is the rest of the last one, continues that
 * one's clock.
 */
static struct ring_clock first_time(uint64_t ts, const struct ring_clock *before)
{
	/* A new sub-buffer never begins before the last event of the one before. */
	if (ts == before->stamp && ts < before->ts)
		return *before;
	return (struct ring_clock){ ts, ts };
}

int ring_page_start(struct ring_page *p, const struct ring_layout *l, const void *page, size_t len,
		    const struct ring_clock *before)
{
	const uint8_t *base = page;
	uint32_t commit, bytes;

	*p = (struct ring_page){ 0 };
	if (len < l->data_at)
		return -1;
	p->clock = first_time(ring_u64(base + l->time_at), before);
	/* Only the low half is valid: the kernel sign-extends its flag bits. */
	commit = ring_u32(base + l->commit_at);
	bytes = commit & COMMIT_BYTES;
	if (bytes > len - l->data_at)
		return -1;
	p->at = base + l->data_at;
	p->end = p->at + bytes;
	if (!(commit & COMMIT_MISSED))
		return 0;
	p->lost = UINT64_MAX;
	if ((commit & COMMIT_COUNTED) && len - l->data_at - bytes >= l->commit_size)
		p->lost = l->commit_size == 8 ? ring_u64(p->end) : ring_u32(p->end);
	return 0;
}

/* Skips the padding at p->at. Returns as take_special(). */
static int skip_padding(struct ring_page *p, uint32_t delta)
{
	uint32_t len;

	if (!delta) {
		p->at = p->end;
		return 0;
	}
	if (p->end - p->at < 8)
		return -1;
	len = ring_u32(p->at + 4);
	if (len < 4 || len > (size_t)(p->end - p->at) - 4)
		return -1;
	p->at += 4 + len;
	p->clock.ts += delta == 1 ? 0 : delta;
	return 1;
}

/* Completes the low 59 bits of a time at or after `before` with the upper bits of that. */
static uint64_t absolute_time(uint64_t time, uint64_t before)
{
	uint64_t upper = before & ~TIME_STAMP_BITS;

	if (upper && (time | upper) < before)
		upper += TIME_STAMP_BITS + 1;
	return time | upper;
}

/* Takes a time extend or an absolute time at p->at. Returns as take_special(). */
static int take_time(struct ring_page *p, uint32_t type, uint32_t delta)
{
	uint64_t time;

	if (p->end - p->at < 8)
		return -1;
	time = ((uint64_t)ring_u32(p->at + 4) << DELTA_BITS) + delta;
	if (type == TYPE_TIME_EXTEND) {
		p->clock.ts += time;
		p->clock.stamp += time;
	} else {
		p->clock.ts = absolute_time(time & TIME_STAMP_BITS, p->clock.ts);
		p->clock.stamp = absolute_time(time & TIME_STAMP_BITS, p->clock.stamp);
	}
	p->at += 8;
	return 1;
}

/*
 * Takes padding and times. Returns 1 if another header follows, 0 at the end, -1 for damaged data.
 */
static int take_special(struct ring_page *p, uint32_t type, uint32_t delta)
{
	return type == TYPE_PADDING ? skip_padding(p, delta) : take_time(p, type, delta);
}

int ring_page_next(struct ring_page *p, struct ring_event *ev)
{
	while (p->end - p->at >= 4) {
		uint32_t header = ring_u32(p->at), type = header & 31, delta = header >> 5;
		size_t left = (size_t)(p->end - p->at), head = 4;
		uint32_t len;

		if (type >= TYPE_PADDING) {
			int r = take_special(p, type, delta);

			if (r <= 0)
				return r;
			continue;
		}
		len = type * 4;
		if (!type) {
			if (left < 8)
				return -1;
			len = ring_u32(p->at + 4);
			if (len < 4)
				return -1;
			len -= 4;
			head = 8;
		}
		if (len > left - head)
			return -1;
		p->clock.ts += delta;
		p->clock.stamp += delta;
		*ev = (struct ring_event){ p->clock.ts, p->at + head, len };
		/* The kernel rounds the length of an event up to a multiple of 4. */
		len = (len + 3) & ~3u;
		p->at += len > left - head ? left : head + len;
		return 1;
	}
	return p->end == p->at ? 0 : -1;
}
