/* SPDX-License-Identifier: MIT */
/*
 * pcapng, read here and not by libpcap: that refuses a file with interfaces of several link types,
 * and tells nothing of packets that the capture dropped. Source: the pcapng draft of the IETF.
 *
 * No length is believed before so many bytes have been read.
 */
#include "decode/import/usbimport.h"
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/usb.h"
#include "common/pcapng.h"

#include <stdlib.h>
#include <string.h>

#define INTERFACES_MAX 4096
#define BLOCK_MAX (256u << 20)
#define READ_STEP 65536

struct interface {
	uint32_t linktype;
	uint8_t tsresol;
	int64_t offset; /* s */
};

struct pcapng {
	struct usb_import *im;
	FILE *in;
	const char *name;
	bool swapped; /* the section's byte order is not ours (little endian) */
	struct interface *interfaces;
	uint32_t count;
	uint8_t *block;
	size_t room;
	uint32_t len; /* of the block's body */
	uint64_t at;  /* file offset of the block */
	uint64_t time; /* of the last packet: simple packets have none */
};

static uint16_t u16(const struct pcapng *p, const uint8_t *b)
{
	return p->swapped ? get_be16(b) : get16(b);
}

static uint32_t u32(const struct pcapng *p, const uint8_t *b)
{
	return p->swapped ? get_be32(b) : get32(b);
}

/* Reads n bytes of a body into block, growing with what really comes. */
static bool read_body(struct pcapng *p, uint32_t n)
{
	uint32_t have = 0;

	while (have < n) {
		uint32_t step = n - have < READ_STEP ? n - have : READ_STEP;

		if (!array_reserve(p->block, p->room, (size_t)have + step))
			return false;
		if (fread(p->block + have, 1, step, p->in) != step)
			return false;
		have += step;
	}
	return true;
}

/* The section header says its byte order only after its length. */
static bool section_order(struct pcapng *p, uint8_t head[8])
{
	uint8_t magic[4];

	if (fread(magic, 1, 4, p->in) != 4)
		return false;
	if (get32(magic) == PCAPNG_BYTE_ORDER)
		p->swapped = false;
	else if (get_be32(magic) == PCAPNG_BYTE_ORDER)
		p->swapped = true;
	else
		return false;
	p->count = 0;
	return true;
}

/* The next block: 1, 0 at the end, -1 where the file makes no sense any more. */
static int next_block(struct pcapng *p, uint32_t *type)
{
	uint8_t head[8], tail[4];
	uint32_t total, taken = 12;
	size_t n = fread(head, 1, 8, p->in);

	if (n == 0 && feof(p->in))
		return 0;
	if (n != 8)
		return -1;
	*type = u32(p, head);
	if (get32(head) == PCAPNG_SECTION) {
		*type = PCAPNG_SECTION;
		if (!section_order(p, head))
			return -1;
		taken += 4;
	}
	total = u32(p, head + 4);
	if (total < taken || total % 4 || total > BLOCK_MAX)
		return -1;
	p->len = total - taken;
	if (!read_body(p, p->len) || fread(tail, 1, 4, p->in) != 4 || u32(p, tail) != total)
		return -1;
	p->at += total;
	return 1;
}

/* The value of an option of at least `size` bytes, in a list that begins at `from`; or NULL. */
static const uint8_t *option(const struct pcapng *p, uint32_t from, uint16_t code, uint16_t size)
{
	while (from + 4 <= p->len) {
		uint16_t c = u16(p, p->block + from), n = u16(p, p->block + from + 2);

		if (!c || n > p->len - from - 4)
			break;
		if (c == code && n >= size)
			return p->block + from + 4;
		from += 4 + ((n + 3u) & ~3u);
	}
	return NULL;
}

static int interface_block(struct pcapng *p, struct trawl_error *err)
{
	struct interface *added;
	const uint8_t *o;

	if (p->len < 8 || p->count == INTERFACES_MAX)
		return 0;
	if (!array_grow(p->interfaces, p->count))
		return trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", p->name);
	added = &p->interfaces[p->count++];
	*added = (struct interface){.linktype = u16(p, p->block), .tsresol = 6};
	o = option(p, 8, 9, 1);
	if (o)
		added->tsresol = *o;
	if (!p->im->resolution || added->tsresol > 6)
		p->im->resolution = added->tsresol > 6 ? 1 : 1000;
	o = option(p, 8, 14, 8);
	if (o)
		added->offset = (int64_t)(p->swapped ? get_be64(o) : get64(o));
	return 0;
}

static uint64_t to_ns(const struct interface *f, uint64_t stamp)
{
	unsigned int power = f->tsresol & 0x7f;
	unsigned __int128 ns = (unsigned __int128)stamp * 1000000000;

	if (f->tsresol & 0x80)
		ns = power < 64 ? ns >> power : 0;
	else
		for (unsigned int i = 0; i < power && ns; i++)
			ns /= 10;
	return (uint64_t)ns + (uint64_t)f->offset * 1000000000;
}

/* Whether the packet has the comment of those that trawl-export made from snapshots. */
static bool is_made_up(const struct pcapng *p, uint32_t options)
{
	size_t n = strlen(usb_made_up);
	const uint8_t *comment = option(p, options, PCAPNG_OPT_COMMENT, (uint16_t)n);

	return comment && !memcmp(comment, usb_made_up, n);
}

static int packet(struct pcapng *p, uint32_t interface, uint64_t stamp, bool stamped,
		  uint32_t header, uint32_t captured, uint32_t length, struct trawl_error *err)
{
	struct capture_packet c = {.captured = captured, .length = length, .swapped = p->swapped};

	if (p->len < header || captured > p->len - header) {
		usb_import_bad(p->im, "the block at byte %llu says that its packet has %u bytes, "
			       "more than are in it", (unsigned long long)p->at, captured);
		return 0;
	}
	if (interface >= p->count) {
		usb_import_bad(p->im, "the packet at byte %llu is of interface %u, which the file "
			       "does not have", (unsigned long long)p->at, interface);
		return 0;
	}
	if (stamped)
		p->time = to_ns(&p->interfaces[interface], stamp);
	c.linktype = p->interfaces[interface].linktype;
	c.time = p->time;
	c.data = p->block + header;
	c.made_up = stamped && is_made_up(p, header + ((captured + 3) & ~3u));
	return usb_import_packet(p->im, &c, err);
}

static int packet_block(struct pcapng *p, uint32_t type, struct trawl_error *err)
{
	const uint8_t *b = p->block;
	uint32_t n;

	if (type == PCAPNG_PACKET_SIMPLE && p->len >= 4) {
		n = u32(p, b);
		return packet(p, 0, 0, false, 4, n < p->len - 4 ? n : p->len - 4, n, err);
	}
	if (p->len < 20)
		return 0;
	return packet(p, type == PCAPNG_PACKET ? u32(p, b) : u16(p, b),
		      (uint64_t)u32(p, b + 4) << 32 | u32(p, b + 8), true, 20, u32(p, b + 12),
		      u32(p, b + 16), err);
}

/* Packets that the capturing program could not get, by its own count at the end. */
static void statistics_block(struct pcapng *p)
{
	static const uint16_t drops[] = {5, 7}; /* isb_ifdrop, isb_osdrop */

	for (unsigned int i = 0; i < 2; i++) {
		const uint8_t *o = option(p, 12, drops[i], 8);

		if (o)
			p->im->lost += p->swapped ? get_be64(o) : get64(o);
	}
}

static int block(struct pcapng *p, uint32_t type, struct trawl_error *err)
{
	switch (type) {
	case PCAPNG_INTERFACE:
		return interface_block(p, err);
	case PCAPNG_PACKET:
	case PCAPNG_PACKET_OLD:
	case PCAPNG_PACKET_SIMPLE:
		return packet_block(p, type, err);
	case PCAPNG_STATISTICS:
		if (p->len >= 12)
			statistics_block(p);
		return 0;
	default:
		return 0;
	}
}

int pcapng_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err)
{
	struct pcapng p = {.im = im, .in = in, .name = name};
	uint32_t type;
	int got, ret = 0;

	while (!ret && (got = next_block(&p, &type)) > 0)
		ret = block(&p, type, err);
	if (!ret && got < 0)
		im->cut_at = p.at ? p.at : 1;
	free(p.interfaces);
	free(p.block);
	return ret;
}
