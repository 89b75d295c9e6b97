/* SPDX-License-Identifier: MIT */
/*
 * Packets on the bus, as captured by hardware analysers such as OpenVizsla and Cynthion (link types
 * 288, 293 to 295: a PID and its fields; USB 2.0 specification, chapter 8). They are not grouped
 * into transfers. A record is a struct usb_bus_packet followed by the unchanged bytes of the
 * packet.
 */
#include "common/usbtypes.h"
#include "decode/base/number.h"
#include "decode/base/bytes.h"
#include "decode/base/decoder.h"

#include "decode/usb/buscrc.h"
#include "decode/usb/busstatistics.h"
#include "decode/usb/keystrokes.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN 16 /* bytes of a packet printed in a line */

struct bus_state {
	bool show_keys;
	/* the last token was IN, to this address and endpoint */
	bool in_token;
	uint8_t address, endpoint;
	/* enum usb_form of each endpoint: what its data looked like so far */
	uint8_t forms[128][16];
	bool secret;            /* the current packet may contain keystrokes */
	struct bus_stats *stats;     /* for --summary; otherwise NULL */
};

/* The fields of a packet; each is valid only if its flag is set. */
struct bus_packet {
	uint32_t linktype, length;
	const uint8_t *p;
	uint32_t n;
	const char *pid;
	bool has_address, has_frame;
	uint8_t address, endpoint;
	uint16_t frame;
	const uint8_t *data; /* payload, without PID and CRC */
	uint32_t data_len;
	bool has_split;
	uint32_t split;      /* the 19 bits after the PID */
	bool has_crc, bad_crc;
	bool odd;            /* its fields do not explain all bytes: these are shown as they are */
};

static const char bad_pid[] = "bad PID";

static const char *pid_name(uint8_t pid)
{
	static const char *const names[16] = {
		"EXT", "OUT", "ACK", "DATA0", "PING", "SOF", "NYET", "DATA2", "SPLIT", "IN", "NAK",
		"DATA1", "PRE/ERR", "SETUP", "STALL", "MDATA",
	};

	/* The upper half of a PID is the complement of the lower. */
	return ((pid >> 4) ^ (pid & 15)) == 15 ? names[pid & 15] : bad_pid;
}

/* A token's or start of frame's, of the 11 bits after its PID; of a split, of 19 bits. */
static void check_token(struct bus_packet *b, size_t bits)
{
	uint32_t last = b->p[bits / 8 + 1] >> bits % 8;

	b->has_crc = b->length == 1 + (bits + 5) / 8;
	b->bad_crc = b->has_crc && last != usb_crc5(b->p + 1, bits);
}

static void check_data(struct bus_packet *b)
{
	b->has_crc = b->length == b->n;
	b->bad_crc = b->has_crc && get16(b->p + b->n - 2) != usb_crc16(b->data, b->data_len);
}

/* Whether a packet is longer or shorter than its kind, or has a PID of no kind or a wrong CRC. */
static bool is_odd(const struct bus_packet *b)
{
	if (b->bad_crc || !strcmp(b->pid, bad_pid))
		return true;
	if (b->has_split)
		return b->n > 4;
	if (b->has_address || b->has_frame)
		return b->n > 3;
	return !b->data_len && b->n > (b->has_crc ? 3 : 1);
}

static void parse_bus(struct bus_packet *b)
{
	uint8_t kind = b->n ? b->p[0] & 15 : 0;

	if (!b->n)
		return;
	b->pid = pid_name(b->p[0]);
	b->odd = true;
	if (!strcmp(b->pid, bad_pid))
		return;
	if ((kind == 1 || kind == 9 || kind == 13 || kind == 4) && b->n >= 3) {
		b->has_address = true;
		b->address = b->p[1] & 0x7f;
		b->endpoint = (uint8_t)(b->p[1] >> 7 | (b->p[2] & 7) << 1);
		check_token(b, 11);
	} else if (kind == 8 && b->n >= 4) {
		b->has_split = true;
		b->split = (get16(b->p + 1) | (uint32_t)b->p[3] << 16) & 0x7ffff;
		check_token(b, 19);
	} else if (kind == 5 && b->n >= 3) {
		b->has_frame = true;
		b->frame = get16(b->p + 1) & 0x7ff;
		check_token(b, 11);
	} else if ((kind & 3) == 3 && b->n >= 3) {
		/* The CRC is the last two bytes of the packet, which may have been cut off. */
		b->data = b->p + 1;
		b->data_len = b->length >= 3 && b->length - 3 < b->n - 1 ? b->length - 3 : b->n - 1;
		check_data(b);
	}
	b->odd = is_odd(b);
}

/* ---- split transactions: with a hub that speaks to a slower device (8.4.2) ------------------- */

static unsigned int split_hub(const struct bus_packet *b)
{
	return b->split & 0x7f;
}

static unsigned int split_port(const struct bus_packet *b)
{
	return b->split >> 8 & 0x7f;
}

static const char *split_kind(const struct bus_packet *b)
{
	return !b->has_split ? NULL : b->split & 0x80 ? "complete" : "start";
}

static const char *split_xfer(const struct bus_packet *b)
{
	static const char *const names[] = {"control", "isochronous", "bulk", "interrupt"};

	return b->has_split ? names[b->split >> 17 & 3] : NULL;
}

/*
 * The speed of the device. Of the start of an isochronous transaction, whose device always has full
 * speed, the bits say where its data ends instead.
 */
static const char *split_speed(const struct bus_packet *b)
{
	if (!b->has_split)
		return NULL;
	return (b->split >> 17 & 3) != 1 && b->split & 0x8000 ? "low" : "full";
}

static const char *split_part(const struct bus_packet *b)
{
	static const char *const names[] = {"middle", "begin", "end", "all"};

	if (!b->has_split || (b->split >> 17 & 3) != 1 || b->split & 0x80)
		return NULL;
	return names[(b->split >> 15 & 1) | (b->split >> 15 & 2)];
}

static void parse(const struct item *it, struct bus_packet *b)
{
	const uint8_t *r = it->record;

	*b = (struct bus_packet){.linktype = it->source->linktype, .data = (const uint8_t *)""};
	if (it->len < sizeof(struct usb_bus_packet))
		return;
	b->length = get32(r);
	b->p = r + sizeof(struct usb_bus_packet);
	b->n = it->len - (uint32_t)sizeof(struct usb_bus_packet);
	parse_bus(b);
}

static void bus_close(void *state)
{
	struct bus_state *s = state;

	if (s)
		free(s->stats);
	free(s);
}

static void *bus_open(const struct decode_context *ctx, struct trawl_error *err)
{
	struct bus_state *s = calloc(1, sizeof(*s));

	if (s && ctx->options->summary)
		s->stats = busstat_new();
	if (!s || (ctx->options->summary && !s->stats)) {
		bus_close(s);
		trawl_fail(err, TRAWL_CANNOT, "usb: out of memory");
		return NULL;
	}
	s->show_keys = ctx->options->show_keys;
	return s;
}

static bool is_damaged(const struct bus_packet *b)
{
	return b->pid && !strcmp(b->pid, bad_pid) && b->n > 1;
}

/*
 * Whether the packet has the data of an IN transaction, or may have: a damaged packet after the
 * token. Its bytes are in *p, *n.
 */
static bool is_input(struct bus_state *s, const struct bus_packet *b, const uint8_t **p,
		     uint32_t *n)
{
	bool data = b->pid && !strncmp(b->pid, "DATA", 4), after = s->in_token;
	bool damaged = is_damaged(b);

	if (b->has_address) {
		s->in_token = !strcmp(b->pid, "IN");
		s->address = b->address;
		s->endpoint = b->endpoint;
	} else if (data || damaged) {
		s->in_token = false;
	}
	*p = damaged ? b->p + 1 : b->data;
	*n = !damaged ? b->data_len : b->n < 3 ? b->n - 1 : b->n - 3;
	return (data || damaged) && after;
}

/* The bytes of a packet on the bus between its PID and its CRC. */
static size_t length_of(const struct bus_packet *b)
{
	return b->length > 3 ? b->length - 3 : 0;
}

/* Whether bytes alone, without the token before them, look like a keyboard's. */
static bool has_form(const struct bus_packet *b, const uint8_t *p, uint32_t n)
{
	return keystrokes_form(p, n) || keystrokes_passed_on(p, n, length_of(b));
}

/*
 * Descriptors are not available here, so an endpoint counts as a keyboard's if all data from it
 * looks like boot keyboard reports (decode/usb/keystrokes.h). A damaged packet changes nothing.
 */
static bool is_keystrokes(struct bus_state *s, const struct bus_packet *b)
{
	const uint8_t *p;
	uint8_t *form;
	uint32_t n;

	if (!is_input(s, b, &p, &n))
		return is_damaged(b) && n && has_form(b, p, n);
	if (!n || !(s->endpoint & 15))
		return false;
	if (keystrokes_passed_on(p, n, length_of(b)))
		return true;
	form = &s->forms[s->address & 127][s->endpoint & 15];
	if (b->odd)
		return *form == FORM_BOOT_KEYBOARD ||
		       (*form == FORM_UNSEEN && keystrokes_form(p, n));
	if (!keystrokes_form(p, n))
		*form = FORM_OTHER;
	else if (*form == FORM_UNSEEN)
		*form = FORM_BOOT_KEYBOARD;
	return *form == FORM_BOOT_KEYBOARD;
}

static bool is_masked(const struct bus_state *s)
{
	return s->secret && !s->show_keys;
}

static void count(struct bus_stats *stats, const struct bus_packet *b)
{
	struct busstat_packet p = {
		.pid = b->n ? b->p[0] & 15 : 0, .bad = b->odd || !b->n, .address = b->address,
		.start_split = b->has_split && !(b->split & 0x80), .endpoint = b->endpoint,
		.data_len = (uint32_t)length_of(b), /* b->data_len is less if it was cut */
	};

	busstat_add(stats, &p);
}

static int bus_feed(void *state, const struct trawl_event *ev, struct item_sink *sink,
		    struct trawl_error *err)
{
	static const char nobody[16];
	struct item it = {
		.time = ev->time, .ts = ev->ts, .source = ev->source, .type = ev->type,
		.record = ev->record, .len = ev->len, .name = ev->type->name,
		.name_len = (uint32_t)strlen(ev->type->name), .comm = nobody,
		.cpu = ITEM_NO_CPU, .pid = ITEM_NO_TASK, .tid = ITEM_NO_TASK,
	};

	struct bus_state *s = state;
	struct bus_packet b;

	(void)err;
	parse(&it, &b);
	s->secret = is_keystrokes(s, &b);
	it.secret = s->secret;
	if (s->stats)
		count(s->stats, &b);
	return sink->item(sink, &it);
}

static void bytes_text(const uint8_t *p, uint32_t n, struct out *o)
{
	out_str(o, ": ");
	out_hexbytes(o, p, n < SHOWN ? n : SHOWN);
	if (n > SHOWN)
		out_str(o, "...");
}

/* The data, or all bytes of a packet that is damaged or of no known kind. */
static void payload_text(const struct bus_state *s, const struct bus_packet *b, struct out *o)
{
	if (b->data_len) {
		out_str(o, ", ");
		out_count(o, b->data_len, "byte");
	}
	if (is_masked(s))
		out_printf(o, "  (masked: %s)", keystrokes_by_form);
	else if (b->data_len)
		bytes_text(b->data, b->data_len, o);
	if (!b->odd || is_masked(s))
		return;
	out_str(o, ", packet of ");
	out_count(o, b->n, "byte");
	bytes_text(b->p, b->n, o);
}

static void bus_text(void *state, const struct item *it, struct out *o)
{
	const struct bus_state *s = state;
	struct bus_packet b;

	parse(it, &b);
	out_str(o, b.pid ? b.pid : "packet");
	if (b.has_address)
		out_printf(o, " %u ep%u", b.address, b.endpoint);
	if (b.has_frame)
		out_printf(o, " frame %u", b.frame);
	if (b.has_split) {
		out_printf(o, " %s hub %u port %u %s %s speed", split_kind(&b), split_hub(&b),
			   split_port(&b), split_xfer(&b), split_speed(&b));
		if (split_part(&b))
			out_printf(o, ", %s of the data", split_part(&b));
	}
	if (b.bad_crc)
		out_str(o, ", wrong CRC");
	payload_text(s, &b, o);
	if (b.length > b.n)
		out_printf(o, ", cut from %u bytes", b.length);
}

static void split_json(const struct bus_packet *b, struct out *o)
{
	out_printf(o, ",\"split\":\"%s\",\"hub\":%u,\"hub_port\":%u,\"xfer\":\"%s\","
		   "\"speed\":\"%s\"", split_kind(b), split_hub(b), split_port(b), split_xfer(b),
		   split_speed(b));
	if (split_part(b))
		out_printf(o, ",\"split_data\":\"%s\"", split_part(b));
}

static void bus_json(void *state, const struct item *it, struct out *o)
{
	struct bus_packet b;

	parse(it, &b);
	out_printf(o, "\"length\":%u", b.length);
	if (b.pid)
		out_printf(o, ",\"pid\":\"%s\"", b.pid);
	if (b.has_address)
		out_printf(o, ",\"dev\":%u,\"ep\":%u", b.address, b.endpoint);
	if (b.has_frame)
		out_printf(o, ",\"frame\":%u", b.frame);
	if (b.has_split)
		split_json(&b, o);
	if (b.has_crc)
		out_printf(o, ",\"crc_valid\":%s", b.bad_crc ? "false" : "true");
	out_printf(o, ",\"data_length\":%u", b.data_len);
	if (is_masked(state)) {
		out_printf(o, ",\"masked\":true,\"masked_by\":\"%s\"", keystrokes_by_form);
		return;
	}
	out_str(o, ",\"data\":\"");
	out_hexbytes(o, b.data, b.data_len);
	out_char(o, '"');
	if (!b.odd)
		return;
	out_str(o, ",\"packet\":\"");
	out_hexbytes(o, b.p, b.n);
	out_char(o, '"');
}

static void bus_summary(void *state, struct out *o)
{
	struct bus_state *s = state;

	busstat_print(s->stats, o);
}

static bool number(struct value *v, bool has, uint64_t u)
{
	v->type = VALUE_UINT;
	v->u = u;
	return has;
}

static bool text(struct value *v, const char *s)
{
	v->type = VALUE_TEXT;
	v->text = s;
	v->len = s ? strlen(s) : 0;
	return s != NULL;
}

static bool bytes(struct value *v, const uint8_t *p, uint32_t n)
{
	v->type = VALUE_BYTES;
	v->text = (const char *)p;
	v->len = n;
	return true;
}

static bool split_value(const struct bus_packet *b, const char *name, struct value *v)
{
	if (!strcmp(name, "hub"))
		return number(v, b->has_split, split_hub(b));
	if (!strcmp(name, "hub_port"))
		return number(v, b->has_split, split_port(b));
	if (!strcmp(name, "split"))
		return text(v, split_kind(b));
	if (!strcmp(name, "xfer"))
		return text(v, split_xfer(b));
	if (!strcmp(name, "speed"))
		return text(v, split_speed(b));
	return !strcmp(name, "split_data") && text(v, split_part(b));
}

static bool bus_value(void *state, const struct item *it, const char *name, struct value *v)
{
	struct bus_packet b;

	parse(it, &b);
	memset(v, 0, sizeof(*v));
	if (!strcmp(name, "length"))
		return number(v, true, b.length);
	if (!strcmp(name, "pid"))
		return text(v, b.pid);
	if (!strcmp(name, "dev"))
		return number(v, b.has_address, b.address);
	if (!strcmp(name, "ep"))
		return number(v, b.has_address, b.endpoint);
	if (!strcmp(name, "frame"))
		return number(v, b.has_frame, b.frame);
	if (!strcmp(name, "crc_valid"))
		return number(v, b.has_crc, !b.bad_crc);
	if (split_value(&b, name, v))
		return true;
	if (!strcmp(name, "data_length"))
		return number(v, true, b.data_len);
	if (!strcmp(name, "masked"))
		return number(v, is_masked(state), 1);
	if (!strcmp(name, "masked_by"))
		return text(v, is_masked(state) ? keystrokes_by_form : NULL);
	if (is_masked(state))
		return false;
	if (!strcmp(name, "packet"))
		return b.odd && bytes(v, b.p, b.n);
	return !strcmp(name, "data") && bytes(v, b.data, b.data_len);
}

static void bus_names(void *state, const struct trawl_event_type *type, decoder_name_fn *fn,
		      void *arg)
{
	static const char *const names[] = {
		"length", "pid", "dev", "ep", "frame", "split", "hub", "hub_port", "xfer", "speed",
		"split_data", "crc_valid", "data_length", "masked", "masked_by", "data", "packet",
		NULL,
	};

	(void)state;
	(void)type;
	for (const char *const *n = names; *n; n++)
		fn(arg, *n);
}

static void bus_interface(void *state, const struct trawl_source *source,
			  struct packet_interface *pi)
{
	(void)state;
	pi->linktype = source->linktype;
	pi->tsresol = source->resolution < 1000 ? 9 : 6;
}

static int bus_packet(void *state, const struct item *it, struct packet *p)
{
	struct bus_packet b;

	(void)state;
	parse(it, &b);
	if (!b.p)
		return 1;
	out_bytes(p->data, b.p, b.n);
	p->original = b.length;
	return 0;
}

const struct decoder bus_decoder = {
	.kind = "usbpacket",
	.own_pid = true,
	.open = bus_open,
	.close = bus_close,
	.feed = bus_feed,
	.text = bus_text,
	.json = bus_json,
	.value = bus_value,
	.summary = bus_summary,
	.names = bus_names,
	.interface = bus_interface,
	.packet = bus_packet,
};
