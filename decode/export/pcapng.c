/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "decode/export/pcapng.h"
#include "decode/base/escape.h"
#include "common/array.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/usbtypes.h"
#include "common/pcapng.h"
#include "decode/base/ctype.h"
#include "decode/base/jdoc.h"
#include "decode/export/journal.h"

/* Option codes from draft-ietf-opsawg-pcapng. */
enum {
	/* local use, ignored by Wireshark and libpcap: holds pcapng_fields() for the dissector */
	SHB_HARDWARE = 2, SHB_OS = 3, SHB_USERAPPL = 4,
	IF_DESCRIPTION = 3, IF_TSRESOL = 9,
	EPB_FLAGS = 2,
	ISB_STARTTIME = 2, ISB_ENDTIME = 3, ISB_IFRECV = 4, ISB_IFDROP = 5,
};

/* Tags of an exported PDU (big endian); values are padded to 4 bytes. */
enum { TAG_END = 0, TAG_DISSECTOR = 12, TAG_COLUMN_PROTOCOL = 33 };

/*
 * The largest packet that Wireshark accepts. For USB it accepts more, but libpcap limits the block.
 */
#define LARGEST      262144
#define LARGEST_USB  ((16 << 20) - 4096)

struct iface {
	const struct trawl_source *source;
	struct packet_interface pi;
	uint64_t packets, dropped, drops_reported, first, last;
	bool drops_unknown;
};

struct pcapng {
	struct consumer consumer; /* must be first: a struct consumer is cast to its pcapng */
	struct stream *stream;
	struct out *out;
	struct out data, block;
	struct journal journal;
	struct iface *ifaces;
	uint32_t n;
};

/* ---- blocks ------------------------------------------------------------------------------- */

static void pad4(struct out *o)
{
	out_fill(o, 0, -o->len & 3);
}

static void option(struct out *o, uint16_t code, const void *value, size_t n)
{
	if (n > 65535)
		n = 65535;
	out_le16(o, code);
	out_le16(o, (uint16_t)n);
	out_bytes(o, value, n);
	pad4(o);
}

static void option_text(struct out *o, uint16_t code, const char *text)
{
	struct out safe;

	if (!text || !*text)
		return;
	out_memory(&safe);
	out_safe(&safe, text, strlen(text));
	option(o, code, safe.data, safe.error ? 0 : safe.len);
	out_free(&safe);
}

/* Starts a block in p->block; its length is written when it is complete. */
static struct out *begin(struct pcapng *p, uint32_t type)
{
	struct out *o = &p->block;

	o->len = 0;
	out_le32(o, type);
	out_le32(o, 0);
	return o;
}

static void end(struct pcapng *p)
{
	struct out *o = &p->block;
	uint32_t n;

	pad4(o);
	n = (uint32_t)o->len + 4;
	out_le32(o, n);
	if (o->error) {
		p->out->error = o->error;
		return;
	}
	memcpy(o->data + 4, &n, 4);
	out_bytes(p->out, o->data, o->len);
	/* The input of a pipe may be live, with Wireshark waiting for packets. */
	if (!stream_seekable(p->stream))
		out_flush(p->out);
}

static void stamp(struct out *o, uint64_t ns, const struct iface *f)
{
	uint64_t t = f->pi.tsresol == 6 ? ns / 1000 : ns;

	out_le32(o, (uint32_t)(t >> 32));
	out_le32(o, (uint32_t)t);
}

/* ---- the section -------------------------------------------------------------------------- */

/* Copies a metadata object into a comment, unless it is large. */
static void comment_meta(struct pcapng *p, struct out *o, const char *name)
{
	const struct trawl_meta *m = trawl_meta_find(stream_reader(p->stream), name);
	struct out text;

	if (!m || m->len > 16384)
		return;
	out_memory(&text);
	out_str(&text, name);
	out_str(&text, ": ");
	out_visible(&text, m->data, m->len);
	option(o, PCAPNG_OPT_COMMENT, text.data, text.len);
	out_free(&text);
}

static void section(struct pcapng *p, bool with_machine)
{
	struct json_object *machine = jdoc_meta(stream_reader(p->stream), "machine");
	struct out *o = begin(p, PCAPNG_SECTION);
	char os[512];

	out_le32(o, PCAPNG_BYTE_ORDER);
	out_le16(o, 1);
	out_le16(o, 0);
	out_le64(o, UINT64_MAX);
	option_text(o, SHB_HARDWARE, jdoc_string(machine, "arch"));
	if (machine) {
		snprintf(os, sizeof(os), "Linux %s", jdoc_string(machine, "kernel"));
		option_text(o, SHB_OS, os);
	}
	option_text(o, SHB_USERAPPL, "trawl-export " VERSION);
	if (with_machine) {
		comment_meta(p, o, "capture");
		comment_meta(p, o, "machine");
	}
	comment_meta(p, o, "end");
	out_le32(o, PCAPNG_OPT_END);
	end(p);
	json_object_put(machine);
}

/* ---- names and types of fields, for the dissector ----------------------------------------- */

struct known_field {
	char *name;
	char type; /* i signed, u unsigned, x unsigned in hex, f float, b boolean, s text */
};

struct known_fields {
	struct known_field *f;
	size_t n;
};

static char type_of(const struct trawl_field *f)
{
	switch (f->kind) {
	case TRAWL_INT:
	case TRAWL_PID:
		return 'i';
	case TRAWL_HEX:
	case TRAWL_ADDR:
		return 'x';
	case TRAWL_FLOAT:
		return 'f';
	case TRAWL_BOOL:
		return 'b';
	case TRAWL_CHAR:
	case TRAWL_TEXT:
	case TRAWL_BYTES:
	case TRAWL_NONE:
		return 's';
	default:
		return 'u';
	}
}

static bool whole_number(char t)
{
	return t == 'i' || t == 'u' || t == 'x' || t == 'b';
}

/* Wireshark knows one type for each name: the one that can represent the values of both types. */
static char both(char a, char b)
{
	if (a == b)
		return a;
	if (whole_number(a) && whole_number(b))
		return a == 'i' || b == 'i' ? 'i' : 'u';
	return 's';
}

static void learn(struct known_fields *k, const char *name, char type)
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		if (!strcmp(k->f[i].name, name)) {
			k->f[i].type = both(k->f[i].type, type);
			return;
		}
	}
	if (!array_grow(k->f, k->n)) {
		out_lack_memory();
		return;
	}
	k->f[k->n].name = strdup(name);
	k->f[k->n].type = type;
	if (k->f[k->n].name)
		k->n++;
	else
		out_lack_memory();
}

/* Whether a value that a decoder computes is text: of a probe site, or a place of a branch. */
static bool is_computed_text(const char *name)
{
	static const char *const names[] = { "kind", "symbol", "file", "exit" };
	static const char *const ends[] = { "_symbol", "_function", "_module", "_line" };
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (n > strlen(ends[i]) && !strcmp(name + n - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* Learns a field that a decoder computes and no event type has. */
static void learn_name(void *arg, const char *name)
{
	struct known_fields *k = arg;
	size_t i;

	for (i = 0; i < k->n; i++)
		if (!strcmp(k->f[i].name, name))
			return;
	learn(k, name, is_computed_text(name) ? 's' : 'i');
}

/* Whether a name can stand in the list; the dissector makes the name in filters of it. */
static bool plain_name(const char *s)
{
	return *s && !s[strcspn(s, " \t\r\n=")];
}

static void learn_types(struct stream *s, struct known_fields *k)
{
	struct trawl_reader *r = stream_reader(s);
	size_t i, j;
	uint32_t n;

	for (i = 0; i < trawl_event_type_count(r); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(r, i);

		for (j = 0; j < trawl_source_count(r); j++) {
			const struct trawl_source *source = trawl_source_at(r, j);

			if (source->id != t->source || !stream_wants(s, source))
				continue;
			for (n = 0; n < t->nfields; n++) {
				struct trawl_field f = ctype_field(t, &t->fields[n]);

				learn(k, f.name, type_of(&f));
			}
		}
	}
}

/* A probe's argument is signed if it is so at some site, even if its field is not (a bit field). */
static void learn_site(struct known_fields *k, struct json_object *args)
{
	for (size_t a = 0; a < jdoc_count(args); a++) {
		const struct json_object *arg = json_object_array_get_idx(args, a);
		const char *name = jdoc_string(arg, "name"), *type = jdoc_string(arg, "type");

		for (size_t i = 0; i < k->n; i++)
			if (type[0] == 's' && isdigit((unsigned char)type[1]) &&
			    k->f[i].type == 'u' && !strcmp(k->f[i].name, name))
				k->f[i].type = 'i';
	}
}

static void learn_sites(struct stream *s, struct known_fields *k)
{
	struct trawl_reader *r = stream_reader(s);

	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);
		struct json_object *j, *sites;

		if (strncmp(m->name, "probe/", strlen("probe/")) != 0)
			continue;
		j = jdoc_parse(m->data, m->len);
		sites = jdoc_get(j, "sites");
		for (size_t n = 0; n < jdoc_count(sites); n++)
			learn_site(k, jdoc_get(json_object_array_get_idx(sites, n), "args"));
		json_object_put(j);
	}
}

void pcapng_fields(struct stream *s, struct out *o)
{
	struct known_fields k = {NULL, 0};
	size_t i;

	learn_types(s, &k);
	learn_sites(s, &k);
	stream_names(s, learn_name, &k);
	out_str(o, "trawl-fields:");
	for (i = 0; i < k.n; i++) {
		if (plain_name(k.f[i].name)) {
			out_char(o, ' ');
			out_str(o, k.f[i].name);
			out_char(o, '=');
			out_char(o, k.f[i].type);
		}
		free(k.f[i].name);
	}
	out_char(o, '\n');
	free(k.f);
}

static void field_names(struct pcapng *p)
{
	struct out *o = begin(p, PCAPNG_FIELD_NAMES);

	pcapng_fields(p->stream, o);
	end(p);
}

/* ---- interfaces --------------------------------------------------------------------------- */

static void interface(struct pcapng *p, struct iface *f)
{
	struct out *o = begin(p, PCAPNG_INTERFACE);

	out_le16(o, f->pi.linktype);
	out_le16(o, 0);
	out_le32(o, 0); /* snaplen: no limit; libpcap requires the same value in all interfaces */
	option_text(o, PCAPNG_IF_NAME, f->pi.name);
	option_text(o, IF_DESCRIPTION, f->pi.description);
	option(o, IF_TSRESOL, &f->pi.tsresol, 1);
	out_le32(o, PCAPNG_OPT_END);
	end(p);
}

static struct iface *iface_of(struct pcapng *p, const struct trawl_source *s)
{
	const struct decoder *d;
	struct trawl_error err;
	struct iface *f;
	void *state;
	uint32_t i;

	for (i = 0; i < p->n; i++)
		if (p->ifaces[i].source == s)
			return &p->ifaces[i];
	d = array_grow(p->ifaces, p->n) ? stream_decoder(p->stream, s, &state, &err) : NULL;
	if (!d) {
		p->out->error = ENOMEM;
		return NULL;
	}
	f = &p->ifaces[p->n++];
	memset(f, 0, sizeof(*f));
	f->source = s;
	f->pi.linktype = LINKTYPE_UPPER_PDU;
	f->pi.tsresol = 9;
	f->pi.name = s->name;
	f->pi.description = s->spec;
	if (d->interface)
		d->interface(state, s, &f->pi);
	interface(p, f);
	return f;
}

/* ---- packets ------------------------------------------------------------------------------ */

static void tag(struct out *o, uint16_t code, const char *text)
{
	size_t n = (strlen(text) + 3) & ~(size_t)3;
	char *p = out_need(o, n + 4);

	p[0] = (char)(code >> 8);
	p[1] = (char)code;
	p[2] = (char)(n >> 8);
	p[3] = (char)n;
	memset(p + 4, 0, n);
	memcpy(p + 4, text, strlen(text));
	o->len += n + 4;
}

static void upper_pdu(struct pcapng *p, const struct decoder *d, void *state,
		      const struct item *it)
{
	struct out *o = &p->data;

	tag(o, TAG_DISSECTOR, "systemd_journal");
	tag(o, TAG_COLUMN_PROTOCOL, "trawl");
	tag(o, TAG_END, "");
	journal_entry(&p->journal, d, state, it, o);
}

static void packet_block(struct pcapng *p, struct iface *f, uint64_t time,
			 const struct packet *pkt)
{
	bool usb = f->pi.linktype == LINKTYPE_USB_LINUX ||
		   f->pi.linktype == LINKTYPE_USB_LINUX_MMAPPED;
	uint32_t most = usb ? LARGEST_USB : LARGEST;
	uint32_t len = (uint32_t)pkt->data->len, kept = len < most ? len : most;
	uint64_t drops = f->dropped - f->drops_reported;
	struct out *o = begin(p, PCAPNG_PACKET);

	out_le32(o, (uint32_t)(f - p->ifaces));
	stamp(o, time, f);
	out_le32(o, kept);
	out_le32(o, pkt->original > len ? pkt->original : len);
	out_bytes(o, pkt->data->data, kept);
	pad4(o);
	if (pkt->flags)
		option(o, EPB_FLAGS, &pkt->flags, 4);
	if (drops)
		option(o, PCAPNG_OPT_DROPCOUNT, &drops, 8);
	option_text(o, PCAPNG_OPT_COMMENT, pkt->comment);
	if (pkt->flags || drops || pkt->comment)
		out_le32(o, PCAPNG_OPT_END);
	end(p);
	f->drops_reported = f->dropped;
}

static int pcapng_item(struct consumer *c, const struct decoder *d, void *state,
		       const struct item *it)
{
	struct pcapng *p = (struct pcapng *)c;
	struct iface *f = iface_of(p, it->source);
	struct packet pkt = {.data = &p->data};
	uint64_t time = stream_packet_time(p->stream, it);

	if (!f)
		return 1;
	p->data.len = 0;
	if (d->packet) {
		if (d->packet(state, it, &pkt))
			return 0;
	} else {
		upper_pdu(p, d, state, it);
	}
	if (!f->packets++)
		f->first = time;
	f->last = time;
	packet_block(p, f, time, &pkt);
	return p->out->error || p->data.error;
}

static int pcapng_loss(struct consumer *c, const struct trawl_source *s,
		       const struct trawl_loss *l, uint64_t from, uint64_t to)
{
	struct iface *f = iface_of((struct pcapng *)c, s);

	if (!f)
		return 1;
	if (l->count == UINT64_MAX)
		f->drops_unknown = true;
	else
		f->dropped += l->count;
	return 0;
}

/* ---- the whole file ------------------------------------------------------------------------- */

struct pcapng *pcapng_new(struct stream *s, struct out *out, bool with_machine)
{
	struct pcapng *p = calloc(1, sizeof(*p));
	struct trawl_reader *r = stream_reader(s);
	size_t i;

	if (!p)
		return NULL;
	p->consumer.item = pcapng_item;
	p->consumer.loss = pcapng_loss;
	p->stream = s;
	p->out = out;
	out_memory(&p->data);
	out_memory(&p->block);
	journal_open(&p->journal);
	section(p, with_machine);
	field_names(p);
	/*
	 * all interfaces known so far, because libpcap requires one before it returns from opening
	 */
	for (i = 0; i < trawl_source_count(r); i++)
		if (stream_wants(s, trawl_source_at(r, i)))
			if (!iface_of(p, trawl_source_at(r, i)))
				out_lack_memory();
	return p;
}

struct consumer *pcapng_consumer(struct pcapng *p)
{
	return &p->consumer;
}

static void time_option(struct out *o, uint16_t code, uint64_t ns, const struct iface *f)
{
	out_le16(o, code);
	out_le16(o, 8);
	stamp(o, ns, f);
}

int pcapng_end(struct pcapng *p)
{
	uint32_t i;

	for (i = 0; i < p->n; i++) {
		struct iface *f = &p->ifaces[i];
		uint64_t received = f->packets + f->dropped;
		struct out *o = begin(p, PCAPNG_STATISTICS);

		out_le32(o, i);
		stamp(o, f->last, f);
		if (f->packets) {
			time_option(o, ISB_STARTTIME, f->first, f);
			time_option(o, ISB_ENDTIME, f->last, f);
		}
		if (f->drops_unknown)
			option_text(o, PCAPNG_OPT_COMMENT,
				    "events were lost whose number is not known");
		else
			option(o, ISB_IFDROP, &f->dropped, 8);
		option(o, ISB_IFRECV, &received, 8);
		out_le32(o, PCAPNG_OPT_END);
		end(p);
	}
	return p->out->error || p->data.error || p->block.error ? -1 : 0;
}

void pcapng_free(struct pcapng *p)
{
	if (!p)
		return;
	journal_free(&p->journal);
	out_free(&p->data);
	out_free(&p->block);
	free(p->ifaces);
	free(p);
}
