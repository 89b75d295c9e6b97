/* SPDX-License-Identifier: MIT */
#include "decode/export/pcap.h"
#include "common/sources.h"
#include "decode/base/bytes.h"
#include "decode/base/jdoc.h"

#include <string.h>

#define MAGIC_MICRO 0xa1b2c3d4
#define MAGIC_NANO 0xa1b23c4d
/* libpcap's limit for USB; readers would cut larger packets. */
#define SNAPLEN (128u << 20)

enum { HEADER = 24, VERSION = 4 << 16 | 2 };

static uint8_t digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

/* Restores the header of the file that was imported, if it is also correct for this output. */
static bool original_header(const struct pcap_printer *p, const char *hex, uint8_t to[HEADER])
{
	if (!hex || strlen(hex) != 2 * HEADER)
		return false;
	for (unsigned int i = 0; i < HEADER; i++)
		to[i] = (uint8_t)(digit(hex[2 * i]) << 4 | (digit(hex[2 * i + 1]) & 15));
	return get32(to) == (p->unit == 1 ? MAGIC_NANO : MAGIC_MICRO) &&
	       get32(to + 4) == VERSION && (get32(to + 20) & 0xffff) == p->linktype;
}

static void header(struct pcap_printer *p)
{
	struct json_object *o = jdoc_meta(stream_reader(p->stream), "capture");
	uint32_t snaplen = (uint32_t)jdoc_uint(o, "pcap_snaplen", SNAPLEN);
	uint8_t original[HEADER];
	bool whole = original_header(p, jdoc_string(o, "pcap_header"), original);

	json_object_put(o);
	if (whole) {
		out_bytes(p->out, original, HEADER);
		return;
	}
	out_le32(p->out, p->unit == 1 ? MAGIC_NANO : MAGIC_MICRO);
	out_le32(p->out, VERSION);
	out_le32(p->out, 0);
	out_le32(p->out, 0);
	out_le32(p->out, snaplen);
	out_le32(p->out, p->linktype);
}

/* Returns the link type of a source; 0 if its events are not packets. */
static uint32_t linktype_of(struct stream *s, const struct trawl_source *source, uint8_t *tsresol)
{
	struct packet_interface pi = {.linktype = source->linktype, .tsresol = 9};
	const struct decoder *d;
	struct trawl_error err;
	void *state;

	d = stream_decoder(s, source, &state, &err);
	if (!d || !d->packet || !d->interface)
		return 0;
	d->interface(state, source, &pi);
	*tsresol = pi.tsresol;
	return pi.linktype;
}

/*
 * Determines the common link type of all sources known so far. Returns 0, or -1 with *err if they
 * differ.
 */
static int common_linktype(struct stream *s, uint32_t *common, uint8_t *tsresol,
			   struct trawl_error *err)
{
	struct trawl_reader *r = stream_reader(s);

	*common = 0;
	for (size_t i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *source = trawl_source_at(r, i);
		uint32_t linktype;

		if (!stream_wants(s, source) || is_task_source(source->name))
			continue;
		linktype = linktype_of(s, source, tsresol);
		if (!linktype)
			return trawl_fail(err, TRAWL_USAGE,
					  "--to pcap: source '%.60s' has no packets; select those "
					  "of USB with --source usb, or use --to pcapng",
					  source->name);
		if (*common && *common != linktype)
			return trawl_fail(err, TRAWL_USAGE,
					  "--to pcap: source '%.60s' has another link type, and a "
					  "pcap file holds one; select sources with --source, or "
					  "use --to pcapng",
					  source->name);
		*common = linktype;
	}
	return 0;
}

static int begin(struct pcap_printer *p, struct trawl_error *err)
{
	uint8_t tsresol = 6;
	uint32_t linktype;

	if (common_linktype(p->stream, &linktype, &tsresol, err))
		return -1;
	if (!linktype && stream_verdict(p->stream, err))
		return -1; /* an error in the file is more informative */
	if (!linktype)
		return trawl_fail(err, TRAWL_USAGE, "--to pcap: the file has no USB events, and "
						    "only these are packets; use --to pcapng");
	p->linktype = linktype;
	p->unit = tsresol == 6 ? 1000 : 1;
	header(p);
	return 0;
}

static int pcap_item(struct consumer *c, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct pcap_printer *p = (struct pcap_printer *)c;
	struct packet pkt = {.data = &p->data};
	uint64_t time = stream_packet_time(p->stream, it);
	uint32_t len;

	if (!p->linktype && begin(p, &p->failure)) {
		p->failed = true;
		return 1;
	}
	p->data.len = 0;
	if (!d->packet || d->packet(state, it, &pkt) || pkt.comment)
		return 0;
	len = (uint32_t)p->data.len;
	out_le32(p->out, (uint32_t)(time / 1000000000));
	out_le32(p->out, (uint32_t)(time % 1000000000 / p->unit));
	out_le32(p->out, len);
	out_le32(p->out, pkt.original > len ? pkt.original : len);
	out_bytes(p->out, p->data.data, len);
	return p->out->error || p->data.error;
}

int pcap_start(struct pcap_printer *p, struct stream *s, struct out *out, struct trawl_error *err)
{
	memset(p, 0, sizeof(*p));
	p->consumer.item = pcap_item;
	p->out = out;
	p->stream = s;
	if (stream_seekable(s) && begin(p, err))
		return -1;
	out_memory(&p->data);
	return 0;
}

int pcap_end(struct pcap_printer *p, struct trawl_error *err)
{
	uint8_t tsresol;
	uint32_t linktype;

	out_free(&p->data);
	if (p->failed) {
		*err = p->failure;
		return -1;
	}
	/* on a pipe, further sources may have appeared after the first packet */
	return p->linktype ? common_linktype(p->stream, &linktype, &tsresol, err) : begin(p, err);
}
