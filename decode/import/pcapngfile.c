/* SPDX-License-Identifier: MIT */
/*
 * pcapng, read without libpcap, which refuses files whose interfaces have different link types and
 * does not report dropped packets. Source: the IETF's pcapng draft.
 *
 * Memory for a block grows with the bytes actually read, whatever its length field claims.
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
#define OLD_DROPS_UNKNOWN 0xffff /* in an old packet block */

struct interface {
	bool bad; /* its block is too short */
	uint32_t linktype;
	uint32_t snaplen; /* 0: no limit */
	uint8_t tsresol;
	int64_t offset; /* seconds */
	char name[32];  /* if_name, or "" */
	uint64_t reported; /* number of its lost packets that have been reported */
	uint64_t lost[2]; /* isb_ifdrop and isb_osdrop of the latest statistics block */
};

struct pcapng {
	struct usb_import *im;
	FILE *in;
	const char *name;
	bool swapped; /* the section has another byte order than this machine (little endian) */
	struct interface *interfaces;
	uint32_t count;
	uint8_t *block;
	size_t room;
	uint32_t len; /* bytes in the body of the block */
	uint64_t at;  /* file offset of the block */
	bool no_memory;
	bool lost_unknown; /* packets were dropped whose number the file does not know */
	uint64_t time; /* time of the last packet; simple packet blocks have none of their own */
};

static uint16_t u16(const struct pcapng *p, const uint8_t *b)
{
	return p->swapped ? get_be16(b) : get16(b);
}

static uint32_t u32(const struct pcapng *p, const uint8_t *b)
{
	return p->swapped ? get_be32(b) : get32(b);
}

/* Reads n bytes of a body into p->block. */
static bool read_body(struct pcapng *p, uint32_t n)
{
	uint32_t have = 0;

	while (have < n) {
		uint32_t step = n - have < READ_STEP ? n - have : READ_STEP;

		if (!array_reserve(p->block, p->room, (size_t)have + step)) {
			p->no_memory = true;
			return false;
		}
		if (fread(p->block + have, 1, step, p->in) != step)
			return false;
		have += step;
	}
	return true;
}

/*
 * Determines the byte order of a section. The length precedes the byte-order magic, so both are
 * read here.
 */
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

/* Reads the next block. Returns 1, 0 at the end, or -1 if the file is damaged from here on. */
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

/*
 * Returns the value of the option at offset *from of the block, and moves *from behind it; NULL at
 * the end of the list.
 */
static const uint8_t *next_option(const struct pcapng *p, uint32_t *from, uint16_t *code,
				  uint16_t *size)
{
	const uint8_t *o;

	if (*from + 4 > p->len)
		return NULL;
	o = p->block + *from;
	*code = u16(p, o);
	*size = u16(p, o + 2);
	if (!*code || *size > p->len - *from - 4)
		return NULL;
	*from += 4 + ((*size + 3u) & ~3u);
	return o + 4;
}

/*
 * Returns the value of the first option with this code and at least `size` bytes in the list at
 * offset `from`, or NULL.
 */
static const uint8_t *option(const struct pcapng *p, uint32_t from, uint16_t code, uint16_t size)
{
	const uint8_t *o;
	uint16_t c, n;

	while ((o = next_option(p, &from, &c, &n))) {
		if (c == code && n >= size)
			return o;
	}
	return NULL;
}

/* Counts the comments among the options at offset `from` of a block: they are not imported. */
static void count_comments(struct pcapng *p, uint32_t from)
{
	uint16_t code, size;

	while (next_option(p, &from, &code, &size))
		p->im->comments += code == PCAPNG_OPT_COMMENT && size;
}

static void take_name(const struct pcapng *p, struct interface *f)
{
	const uint8_t *o = option(p, 8, PCAPNG_IF_NAME, 1);
	size_t n = o ? u16(p, o - 2) : 0;

	if (n >= sizeof(f->name))
		n = sizeof(f->name) - 1;
	for (size_t i = 0; i < n && o[i]; i++)
		f->name[i] = (char)o[i];
}

static int interface_block(struct pcapng *p, struct trawl_error *err)
{
	struct interface *added;
	const uint8_t *o;

	if (p->count == INTERFACES_MAX)
		return 0;
	if (!array_grow(p->interfaces, p->count))
		return trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", p->name);
	added = &p->interfaces[p->count++];
	*added = (struct interface){.bad = p->len < 8};
	if (added->bad) { /* it has an interface number nevertheless */
		usb_import_bad(p->im, "the interface block before byte %llu is too short",
			       (unsigned long long)p->at);
		return 0;
	}
	*added = (struct interface){
		.linktype = u16(p, p->block), .snaplen = u32(p, p->block + 4), .tsresol = 6,
	};
	o = option(p, 8, 9, 1);
	if (o)
		added->tsresol = *o;
	if (!p->im->resolution || added->tsresol > 6)
		p->im->resolution = added->tsresol > 6 ? 1 : 1000;
	take_name(p, added);
	count_comments(p, 8);
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

/* Whether the packet has the comment of packets that trawl-export synthesised from snapshots. */
static bool is_made_up(const struct pcapng *p, uint32_t options)
{
	size_t n = strlen(usb_made_up);
	const uint8_t *comment = option(p, options, PCAPNG_OPT_COMMENT, (uint16_t)n);

	return comment && !memcmp(comment, usb_made_up, n);
}

struct packet_header {
	uint32_t interface, captured, length;
	uint32_t size; /* bytes of the block before the packet's data */
	bool stamped;  /* has a time stamp */
	uint64_t stamp;
};

static int packet(struct pcapng *p, const struct packet_header *h, struct trawl_error *err)
{
	struct capture_packet c = {.captured = h->captured, .length = h->length,
				   .swapped = p->swapped};
	uint32_t options;

	if (p->len < h->size || h->captured > p->len - h->size) {
		usb_import_bad(p->im, "the block at byte %llu says that its packet has %u bytes, "
			       "more than are in it", (unsigned long long)p->at, h->captured);
		return 0;
	}
	if (h->interface >= p->count) {
		usb_import_bad(p->im, "the packet at byte %llu is of interface %u, which the file "
			       "does not have", (unsigned long long)p->at, h->interface);
		return 0;
	}
	if (p->interfaces[h->interface].bad) {
		usb_import_bad(p->im, "the packet before byte %llu is of interface %u, whose block "
			       "is too short", (unsigned long long)p->at, h->interface);
		return 0;
	}
	if (h->stamped)
		p->time = to_ns(&p->interfaces[h->interface], h->stamp);
	c.linktype = p->interfaces[h->interface].linktype;
	c.interface = h->interface;
	c.interface_name = p->interfaces[h->interface].name;
	c.time = p->time;
	c.data = p->block + h->size;
	options = h->size + ((h->captured + 3) & ~3u);
	c.made_up = h->stamped && is_made_up(p, options);
	if (h->stamped && !c.made_up)
		count_comments(p, options);
	return usb_import_packet(p->im, &c, err);
}

/* Counts packets that are missing before one of an interface; the statistics count them again. */
static void add_drops(struct pcapng *p, uint32_t interface, uint64_t drops)
{
	struct interface *f = &p->interfaces[interface];

	f->reported += drops;
	p->im->lost += drops;
}

/* The number of packets dropped before this one, which the old block has in its header. */
static void packet_drops(struct pcapng *p, uint32_t type)
{
	const uint8_t *b = p->block, *o;
	uint32_t interface = type == PCAPNG_PACKET ? u32(p, b) : u16(p, b);
	uint32_t captured = u32(p, b + 12);
	uint16_t drops = u16(p, b + 2);

	if (interface >= p->count || captured > p->len - 20)
		return;
	if (type == PCAPNG_PACKET) {
		o = option(p, 20 + ((captured + 3) & ~3u), PCAPNG_OPT_DROPCOUNT, 8);
		if (o)
			add_drops(p, interface, p->swapped ? get_be64(o) : get64(o));
	} else if (drops == OLD_DROPS_UNKNOWN) {
		p->lost_unknown = true;
	} else {
		add_drops(p, interface, drops);
	}
}

/* A simple packet block has no captured length: it follows from the interface's limit. */
static int simple_packet(struct pcapng *p, struct trawl_error *err)
{
	uint32_t length = u32(p, p->block), captured = length;
	uint32_t limit = p->count ? p->interfaces[0].snaplen : 0;

	if (limit && captured > limit)
		captured = limit;
	if (captured > p->len - 4)
		captured = p->len - 4;
	return packet(p, &(struct packet_header){ .captured = captured, .length = length,
						  .size = 4 }, err);
}

static int packet_block(struct pcapng *p, uint32_t type, struct trawl_error *err)
{
	const uint8_t *b = p->block;

	if (type == PCAPNG_PACKET_SIMPLE && p->len >= 4)
		return simple_packet(p, err);
	if (p->len < 20) {
		usb_import_bad(p->im, "the packet block before byte %llu is too short",
			       (unsigned long long)p->at);
		return 0;
	}
	packet_drops(p, type);
	return packet(p, &(struct packet_header){
		.interface = type == PCAPNG_PACKET ? u32(p, b) : u16(p, b), .stamped = true,
		.stamp = (uint64_t)u32(p, b + 4) << 32 | u32(p, b + 8), .size = 20,
		.captured = u32(p, b + 12), .length = u32(p, b + 16) }, err);
}

/*
 * Counts packets that the capturing program dropped. The counters in each block are totals since
 * the start of the capture.
 */
static void statistics_block(struct pcapng *p)
{
	static const uint16_t drops[] = {5, 7}; /* isb_ifdrop, isb_osdrop */
	uint32_t id = u32(p, p->block);
	struct interface *f;
	uint64_t all;

	if (id >= p->count)
		return;
	f = &p->interfaces[id];
	for (unsigned int i = 0; i < 2; i++) {
		const uint8_t *o = option(p, 12, drops[i], 8);
		uint64_t now = !o ? 0 : p->swapped ? get_be64(o) : get64(o);

		if (now > f->lost[i])
			f->lost[i] = now;
	}
	all = f->lost[0] + f->lost[1];
	if (all > f->reported)
		add_drops(p, id, all - f->reported);
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
		if (p->len < 12) {
			usb_import_bad(p->im, "the statistics block before byte %llu is too short",
				       (unsigned long long)p->at);
			return 0;
		}
		statistics_block(p);
		count_comments(p, 12);
		return 0;
	case PCAPNG_SECTION:
		count_comments(p, 12);
		return 0;
	case PCAPNG_FIELD_NAMES:
		return 0;
	default:
		if (!p->im->blocks++)
			p->im->block_type = type;
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
	if (!ret && got < 0 && p.no_memory)
		ret = trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", name);
	else if (!ret && got < 0 && ferror(in))
		ret = trawl_fail(err, TRAWL_CANNOT, "%s: cannot be read to its end", name);
	else if (!ret && got < 0)
		im->cut_at = p.at ? p.at : 1;
	if (p.lost_unknown)
		im->lost = UINT64_MAX;
	free(p.interfaces);
	free(p.block);
	return ret;
}
