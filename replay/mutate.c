/* SPDX-License-Identifier: MIT */
#include "replay/mutate.h"
#include "common/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/bytes.h"
#include "decode/usb/descriptor.h"
#include "replay/standard.h"

#define BYTES_MAX (256u << 10) /* bytes of the tape's transfers that are used */
#define BEGIN UINT64_C(1700000000000000) /* time of the first packet, us since the epoch */
#define LATENCY 200              /* us from a request to its answer */
#define LATE_MAX 1200000         /* us to an answer that comes late, at most */

struct answer {
	uint8_t *p;
	size_t n, room; /* room: size of the host's buffer */
	int32_t status;
	uint32_t latency;
	bool never;
};

struct mutation {
	const struct tape *tape;
	FILE *out;
	uint64_t random, now, id;
	unsigned int changes; /* changes still to be made */
	unsigned int left;    /* places where changes can still be made */
	bool unplugged;
};

/* SplitMix64 (Steele, Lea, Flood 2014), which gives the same numbers on every machine. */
static uint64_t next_random(struct mutation *m)
{
	uint64_t z = m->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static unsigned int below(struct mutation *m, size_t n)
{
	return n ? (unsigned int)(next_random(m) % n) : 0;
}

/* Decides whether to make a change at this place, so that all places are equally likely. */
static bool chosen(struct mutation *m)
{
	bool yes = m->changes && m->left && below(m, m->left) < m->changes;

	m->left -= m->left > 0;
	m->changes -= yes;
	return yes;
}

/* ---- packets --------------------------------------------------------------------------------- */

struct event {
	char type; /* S: submission, C: completion */
	int32_t status;
	uint32_t length;
	const uint8_t *data, *setup; /* setup may be NULL */
	size_t n;                    /* bytes of data */
};

static void packet(struct mutation *m, const struct tape_entry *e, const struct event *v)
{
	bool in = tape_in(e);
	uint8_t h[16 + 64] = {0}, *p = h + 16;

	put32(h, (uint32_t)(m->now / 1000000));
	put32(h + 4, (uint32_t)(m->now % 1000000));
	put32(h + 8, (uint32_t)(64 + v->n));
	put32(h + 12, (uint32_t)(64 + v->n));
	put64(p, m->id);
	p[8] = (uint8_t)v->type;
	p[9] = e->xfer;
	p[10] = e->xfer == URB_CONTROL ? (in ? 0x80 : 0) : e->endpoint;
	p[11] = 2; /* device address; the bus is 1 */
	put16(p + 12, 1);
	p[14] = v->setup ? 0 : '-';
	p[15] = v->n || !v->length ? 0 : v->type == 'S' ? '<' : '>';
	put64(p + 16, m->now / 1000000);
	put32(p + 24, (uint32_t)(m->now % 1000000));
	put32(p + 28, (uint32_t)v->status);
	put32(p + 32, v->length);
	put32(p + 36, (uint32_t)v->n);
	if (v->setup)
		memcpy(p + 40, v->setup, 8);
	fwrite(h, 1, sizeof(h), m->out);
	fwrite(v->data, 1, v->n, m->out);
}

static void transfer(struct mutation *m, const struct tape_entry *e, const struct answer *a)
{
	const uint8_t *setup = e->xfer == URB_CONTROL ? e->setup : NULL;
	bool in = tape_in(e);

	m->id += 64;
	m->now += 10;
	packet(m, e, &(struct event){ .type = 'S', .status = -EINPROGRESS,
				      .length = (uint32_t)a->room, .data = a->p,
				      .n = in ? 0 : a->n, .setup = setup });
	m->now += a->latency;
	if (!a->never)
		packet(m, e, &(struct event){ .type = 'C', .status = a->status,
					      .length = (uint32_t)a->n, .data = a->p,
					      .n = in ? a->n : 0 });
}

/* ---- changes --------------------------------------------------------------------------------- */

static void change_byte(struct mutation *m, uint8_t *p)
{
	static const uint8_t edges[] = {0, 1, 2, 0x3f, 0x40, 0x7f, 0x80, 0xfe, 0xff};
	unsigned int how = below(m, 4);

	if (how == 0)
		*p = (uint8_t)next_random(m);
	else if (how == 1)
		*p = (uint8_t)(*p + (below(m, 2) ? 1 : 255));
	else if (how == 2)
		*p ^= (uint8_t)(1u << below(m, 8));
	else
		*p = edges[below(m, sizeof(edges))];
}

/* Duplicates or removes one of the descriptors that follow the configuration's own. */
static void change_order(struct mutation *m, struct answer *a, bool twice)
{
	struct descriptor_walk w = descriptor_walk(a->p, a->n);
	struct descriptor d, found = {0};
	unsigned int n = 0;
	size_t at, len;

	while (descriptor_next(&w, &d))
		if (n++ && !below(m, n - 1)) /* the first is the configuration's own */
			found = d;
	if (!found.p || found.room < 2)
		return;
	at = (size_t)(found.p - a->p);
	len = found.room;
	if (twice && a->n + len <= 1024) {
		memmove(a->p + at + len, a->p + at, a->n - at);
		a->n += len;
	} else if (!twice) {
		memmove(a->p + at, a->p + at + len, a->n - at - len);
		a->n -= len;
	}
	if (below(m, 4)) /* mostly the total length is corrected */
		put16(a->p + 2, (uint16_t)a->n);
}

/*
 * Changes a descriptor. A host ignores a device without a valid beginning of its device and
 * configuration descriptors, so the first `front` bytes are kept.
 */
static void change_descriptor(struct mutation *m, struct answer *a, uint8_t type)
{
	size_t front = type == DESC_DEVICE ? 12 : type == DESC_CONFIG ? 2 : 0;
	unsigned int how = below(m, type == DESC_CONFIG ? 8 : 4);

	if (type == DESC_DEVICE && !below(m, 4))
		front = 2;
	if (how == 0 && type != DESC_DEVICE && a->n > 9)
		a->n = 9 + below(m, a->n - 9);
	else if (how == 1 && type != DESC_DEVICE && type != DESC_CONFIG)
		a->status = -EPIPE;
	else if (how >= 6)
		change_order(m, a, how == 6);
	else if (a->n > front)
		change_byte(m, a->p + front + below(m, a->n - front));
}

static void change_answer(struct mutation *m, struct answer *a, bool in)
{
	static const int32_t errors[] = {-EPIPE, -EPROTO, -EILSEQ, -EOVERFLOW, -ETIME};
	unsigned int how = below(m, 16);

	if (how == 0)
		a->latency = below(m, LATE_MAX);
	else if (how == 1)
		m->unplugged = true;
	else if (how == 2)
		a->never = true;
	else if (how <= 4 || !in)
		a->status = errors[below(m, ARRAY_SIZE(errors))];
	else if (how <= 6)
		a->n = below(m, a->n + 1);
	else if (how == 7)
		while (a->n < a->room)
			a->p[a->n++] = (uint8_t)next_random(m);
	else if (a->n)
		for (unsigned int i = 1 + below(m, 3); i; i--)
			change_byte(m, a->p + below(m, a->n));
	if (a->status && in)
		a->n = 0;
}

/* ---- the capture ----------------------------------------------------------------------------- */

/* Writes the transfer by which a host reads a descriptor; nothing if the tape has none. */
static void write_descriptor(struct mutation *m, struct standard *s, uint8_t type, uint8_t index,
			     uint16_t wIndex)
{
	struct tape_entry e = {.xfer = URB_CONTROL,
			       .setup = {0x80, REQ_GET_DESCRIPTOR, index, type}};
	uint8_t copy[1024 + 256];
	struct answer a = {.p = copy, .room = 1024, .latency = LATENCY};
	struct control_request r;
	const uint8_t *p;

	if (type == DESC_HID_REPORT)
		e.setup[0] |= SETUP_INTERFACE;
	put16(e.setup + 4, wIndex);
	put16(e.setup + 6, 1024);
	control_parse(&r, e.setup);
	if (standard_answer(s, &r, &p, &a.n))
		return;
	a.n = a.n < 1024 ? a.n : 1024;
	memcpy(copy, p, a.n);
	if (chosen(m))
		change_descriptor(m, &a, type);
	a.n = a.status ? 0 : a.n;
	transfer(m, &e, &a);
}

/* Writes all descriptors of the device; m NULL: only counts the places for changes. */
static unsigned int descriptors(struct mutation *m, struct standard *s, const struct tape *t)
{
	unsigned int n = 0;

#define WRITE(type, index, wIndex)                                                                 \
	do {                                                                                       \
		n++;                                                                               \
		if (m)                                                                             \
			write_descriptor(m, s, type, index, wIndex);                               \
	} while (0)
	WRITE(DESC_DEVICE, 0, 0);
	for (unsigned int i = 0; i < USBDEV_CONFIGS; i++)
		if (t->configs[i].p)
			/*
			 * drivers mostly read configurations: each counts as four places but is one
			 * transfer
			 */
			for (unsigned int k = 0; k < 4; k++) {
				n++;
				if (m && k == 0)
					write_descriptor(m, s, DESC_CONFIG, (uint8_t)i, 0);
				else if (m)
					m->left -= m->left > 0;
			}
	if (t->bos)
		WRITE(DESC_BOS, 0, 0);
	WRITE(DESC_STRING, 0, 0);
	for (unsigned int i = 14; i < 17; i++)
		if (t->descriptor[i])
			WRITE(DESC_STRING, t->descriptor[i], 0x0409);
	for (uint16_t i = 0; i < USBDEV_INTERFACES; i++)
		if (t->nreports > i || i < 4)
			WRITE(DESC_HID_REPORT, 0, i);
#undef WRITE
	return n;
}

static int write_entry(struct mutation *m, const struct tape_entry *e, struct trawl_error *err)
{
	size_t room = e->buffer_size > e->data_len ? e->buffer_size : e->data_len;
	struct answer a = {.n = e->data_len, .room = room, .status = e->status, .latency = LATENCY,
			   .never = !e->answered};

	a.p = malloc(room + 1);
	if (!a.p)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	memcpy(a.p, tape_data(m->tape, e), e->data_len);
	if (chosen(m))
		change_answer(m, &a, tape_in(e));
	if (!m->unplugged)
		transfer(m, e, &a);
	free(a.p);
	return 0;
}

/* True for transfers that are written: not isochronous, not cancelled, with complete data. */
static bool is_written(const struct tape_entry *e)
{
	return e->xfer != URB_ISO && !e->cancelled && !e->cut;
}

int mutate_capture(const struct tape *t, uint64_t seed, uint64_t run, FILE *out,
		   struct trawl_error *err)
{
	struct mutation m = {.tape = t,
			     .out = out,
			     .now = BEGIN,
			     .id = 0x1000,
			     .random = seed * UINT64_C(0x2545f4914f6cdd1d) ^
				     run * UINT64_C(0x9e3779b97f4a7c15)};
	uint32_t n = 0, bytes = 0;
	struct standard s;
	uint8_t header[24] = {0};
	int ret = 0;

	standard_start(&s, t, true);
	for (; n < t->n && bytes < BYTES_MAX; n++)
		bytes += t->entries[n].data_len + 64;
	m.left = descriptors(NULL, &s, t) + n;
	m.changes = run ? 1 + below(&m, 3) : 0;
	put32(header, 0xa1b2c3d4);
	put16(header + 4, 2);
	put16(header + 6, 4);
	put32(header + 16, 0x40000);
	put32(header + 20, 220);
	fwrite(header, 1, sizeof(header), out);
	descriptors(&m, &s, t);
	for (uint32_t i = 0; i < n && !ret && !m.unplugged; i++) {
		if (is_written(&t->entries[i]))
			ret = write_entry(&m, &t->entries[i], err);
	}
	if (!ret && (fflush(out) || ferror(out)))
		ret = trawl_fail(err, TRAWL_CANNOT, "the mutated capture: %s", strerror(errno));
	return ret;
}
