/* SPDX-License-Identifier: MIT */
/*
 * Network devices: Ethernet frames of CDC ECM, blocks of CDC NCM and MBIM, packets of RNDIS
 * and CDC EEM. Sources: NCM 1.0 (chapter 3), MBIM 1.0 (chapter 7), ECM 1.2, EEM 1.0 (chapter 5),
 * Microsoft's MS-RNDIS (chapter 2).
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <strings.h>

#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/base/escape.h"
#include "decode/usb/class.h"
#include "decode/usb/codename.h"
#include "decode/usb/mbimservice.h"
#include "decode/usb/netmessage.h"

enum framing { NONE, ECM, NCM, MBIM, RNDIS, EEM };
enum { SEND_COMMAND = 0x00, GET_RESPONSE = 0x01 };
enum { FRAMES_SHOWN = 64, TABLES_SHOWN = 16, ETHERNET = 14, RNDIS_PACKET = 1 };

static const char *const framings[] = {NULL, "Ethernet", "NCM", "MBIM", "RNDIS", "EEM"};

/* The framing that the control interface's class implies; RNDIS uses three combinations. */
static enum framing framing_by(uint8_t class, uint8_t subclass, uint8_t protocol)
{
	if ((class == 0x02 && subclass == 0x02 && protocol == 0xff) ||
	    is_rndis_class(class, subclass, protocol))
		return RNDIS;
	if (class != 0x02)
		return NONE;
	switch (subclass) {
	case 0x06:
		return ECM;
	case 0x0c:
		return EEM;
	case 0x0d:
		return NCM;
	case 0x0e:
		return MBIM;
	default:
		return NONE;
	}
}

static enum framing framing_of(const struct usb_detail *d)
{
	const struct usb_interface *f = usbdev_control_interface(d->device, d->interface);

	return f ? framing_by(f->class, f->subclass, f->protocol) : NONE;
}

static enum framing requested_framing(const struct usb_detail *d)
{
	return framing_by(d->target.class, d->target.subclass, d->target.protocol);
}

/* Whether the notifications are in the form of RNDIS, even if the interface is of class CDC. */
static bool announces(const struct usb_detail *d)
{
	return d->urb.xfer == URB_INTERRUPT && urb_in(&d->urb) && d->interface->class != 0x0a &&
	       framing_of(d) == RNDIS && rndis_notification(d->data, d->data_len);
}

static bool fits(const struct usb_detail *d)
{
	if (!d->interface)
		return false;
	if (d->urb.xfer != URB_BULK)
		return announces(d);
	/* EEM has no data interface. */
	return framing_of(d) == EEM || (d->interface->class == 0x0a && framing_of(d) != NONE);
}

/* ---- frames ---------------------------------------------------------------------------------- */

struct frame {
	uint32_t at, length;	  /* the frame lies completely within the transfer */
	const uint8_t *signature; /* of its table; NULL: it has none */
};

/* A datagram pointer table; NCM and MBIM. */
struct table {
	uint32_t at, length, next;
};

struct block {
	uint32_t head, sequence, length, first; /* fields of the header; NCM and MBIM */
	uint32_t ntables; /* tables in the transfer; TABLES_SHOWN of them are kept */
	struct table tables[TABLES_SHOWN];
	/* number of frames in the transfer; only the first `kept` are in frames[] */
	uint32_t count;
	uint32_t kept;
	struct frame frames[FRAMES_SHOWN];
};

static void add_frame(struct block *b, const struct usb_detail *d, uint64_t at, uint64_t length,
		      const uint8_t *signature)
{
	b->count++;
	if (b->kept < FRAMES_SHOWN && at <= d->data_len && length <= d->data_len - at)
		b->frames[b->kept++] = (struct frame){(uint32_t)at, (uint32_t)length, signature};
}

/*
 * Reads the datagram pointer table at `at` and those that it links to. wide: fields of 4 bytes
 * instead of 2.
 */
static void read_tables(struct block *b, const struct usb_detail *d, uint64_t at, bool wide)
{
	size_t n = wide ? 4 : 2;

	/* Each table must link to one at a higher offset, so the chain ends. */
	for (uint64_t next; at; at = next) {
		uint64_t end, entry = at + (wide ? 16 : 8);

		if (entry > d->data_len)
			return;
		end = at + get16(d->data + at + 4);
		next = get_le(d->data + at + (wide ? 8 : 6), n);
		if (b->ntables < TABLES_SHOWN)
			b->tables[b->ntables] =
				(struct table){(uint32_t)at, (uint32_t)(end - at), (uint32_t)next};
		b->ntables++;
		for (; entry + 2 * n <= end && entry + 2 * n <= d->data_len; entry += 2 * n) {
			uint64_t where = get_le(d->data + entry, n);
			uint64_t length = get_le(d->data + entry + n, n);

			if (!where || !length)
				break;
			add_frame(b, d, where, length, d->data + at);
		}
		if (next <= at)
			return;
	}
}

/*
 * An NCM or MBIM transfer block: signature "NCMH" with 16-bit fields, or "ncmh" with 32-bit fields.
 */
static bool read_ncm(const struct usb_detail *d, struct block *b)
{
	const uint8_t *p = d->data;
	bool wide = d->data_len >= 16 && !memcmp(p, "ncmh", 4);

	if (!wide && (d->data_len < 12 || memcmp(p, "NCMH", 4)))
		return false;
	b->head = get16(p + 4);
	b->sequence = get16(p + 6);
	b->length = wide ? get32(p + 8) : get16(p + 8);
	b->first = wide ? get32(p + 12) : get16(p + 10);
	read_tables(b, d, b->first, wide);
	return true;
}

/* Consecutive RNDIS messages, each with one frame. */
static bool read_rndis(const struct usb_detail *d, struct block *b)
{
	for (uint64_t at = 0; at + 16 <= d->data_len;) {
		const uint8_t *p = d->data + at;
		uint32_t length = get32(p + 4);

		if (get32(p) != RNDIS_PACKET || length < 16)
			return at != 0;
		add_frame(b, d, at + 8 + get32(p + 8), get32(p + 12), NULL);
		at += length;
	}
	return b->count != 0;
}

/* Consecutive EEM packets: a frame with its checksum each, or a command of the link. */
static bool read_eem(const struct usb_detail *d, struct block *b)
{
	enum { COMMAND = 0x8000, ECHO_RESPONSE = 0x0800, CHECKSUM = 4 };

	for (uint64_t at = 0; at + 2 <= d->data_len;) {
		unsigned int head = get16(d->data + at), length = head & 0x3fff;

		at += 2;
		if (head & COMMAND)
			length = (head & 0x7fff) < 2 * ECHO_RESPONSE ? head & 0x7ff : 0;
		else if (length > CHECKSUM)
			add_frame(b, d, at, length - CHECKSUM, NULL);
		at += length;
	}
	return b->count != 0;
}

static bool read_block(const struct usb_detail *d, enum framing framing, struct block *b)
{
	memset(b, 0, sizeof(*b));
	switch (framing) {
	case ECM:
		add_frame(b, d, 0, d->data_len, NULL);
		return d->data_len >= ETHERNET;
	case RNDIS:
		return read_rndis(d, b);
	case EEM:
		return read_eem(d, b);
	default:
		return read_ncm(d, b);
	}
}

/* ---- Ethernet -------------------------------------------------------------------------------- */

static const struct code_name ethertypes[] = {
	{0x0800, "IPv4"},  {0x0806, "ARP"},  {0x8100, "VLAN"}, {0x86dd, "IPv6"},
	{0x888e, "EAPOL"}, {0x88cc, "LLDP"}, {0x88f7, "PTP"},
};

static void mac(const uint8_t *p, char text[18])
{
	snprintf(text, 18, "%02x:%02x:%02x:%02x:%02x:%02x", p[0], p[1], p[2], p[3], p[4], p[5]);
}

static void ethernet_tree(const uint8_t *p, uint32_t n, struct tree *t)
{
	char text[18];

	if (n < ETHERNET)
		return;
	mac(p, text);
	tree_str(t, "destination", text);
	mac(p + 6, text);
	tree_str(t, "source", text);
	tree_hex(t, "ethertype", get_be16(p + 12), 4);
	tree_str(t, "ethertype_name", CODE_NAME(ethertypes, get_be16(p + 12)));
}

static void ethernet_brief(const uint8_t *p, uint32_t n, struct out *o)
{
	const char *name;
	char from[18], to[18];

	if (n < ETHERNET)
		return;
	mac(p + 6, from);
	mac(p, to);
	name = CODE_NAME(ethertypes, get_be16(p + 12));
	out_printf(o, " %s to %s ", from, to);
	if (name)
		out_str(o, name);
	else
		out_printf(o, "0x%04x", get_be16(p + 12));
}

/* ---- packets of MBIM ------------------------------------------------------------------------- */

static const struct code_name ip_protocols[] = {
	{1, "ICMP"}, {2, "IGMP"}, {6, "TCP"}, {17, "UDP"}, {50, "ESP"}, {58, "ICMPv6"},
};

/* The addresses and the protocol of an IP packet. */
struct ip {
	uint8_t version, protocol;
	char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];
};

static bool read_ip(const uint8_t *p, uint32_t n, struct ip *ip)
{
	ip->version = n ? p[0] >> 4 : 0;
	if (ip->version == 4 && n >= 20) {
		ip->protocol = p[9];
		inet_ntop(AF_INET, p + 12, ip->source, sizeof(ip->source));
		inet_ntop(AF_INET, p + 16, ip->destination, sizeof(ip->destination));
		return true;
	}
	if (ip->version == 6 && n >= 40) {
		ip->protocol = p[6];
		inet_ntop(AF_INET6, p + 8, ip->source, sizeof(ip->source));
		inet_ntop(AF_INET6, p + 24, ip->destination, sizeof(ip->destination));
		return true;
	}
	return false;
}

/*
 * The fourth byte of MBIM's signatures is the session: IPS and IPC of IP, DSS and DSC of a device
 * service; NTB32 has them in small letters. NCM's are texts of four bytes.
 */
static void signature_tree(const uint8_t *p, enum framing framing, struct tree *t)
{
	tree_text(t, "signature", p, framing == MBIM ? 3 : 4);
	if (framing == MBIM)
		tree_uint(t, "session_id", p[3]);
}

static void ip_tree(const struct usb_detail *d, const struct frame *f, struct tree *t)
{
	struct ip ip;

	signature_tree(f->signature, MBIM, t);
	if (strncasecmp((const char *)f->signature, "ips", 3) != 0 ||
	    !read_ip(d->data + f->at, f->length, &ip))
		return;
	tree_uint(t, "ip_version", ip.version);
	tree_str(t, "source", ip.source);
	tree_str(t, "destination", ip.destination);
	tree_uint(t, "protocol", ip.protocol);
	tree_str(t, "protocol_name", CODE_NAME(ip_protocols, ip.protocol));
}

static void ip_brief(const struct usb_detail *d, const struct frame *f, struct out *o)
{
	const char *name;
	struct ip ip;

	out_char(o, ' ');
	out_safe(o, f->signature, 3);
	out_printf(o, " session %u", f->signature[3]);
	if (strncasecmp((const char *)f->signature, "ips", 3) != 0 ||
	    !read_ip(d->data + f->at, f->length, &ip))
		return;
	out_printf(o, " %s to %s ", ip.source, ip.destination);
	name = CODE_NAME(ip_protocols, ip.protocol);
	if (name)
		out_str(o, name);
	else
		out_printf(o, "protocol %u", ip.protocol);
}

static void block_tree(const struct usb_detail *d, enum framing framing, const struct block *b,
		       struct tree *t)
{
	tree_uint(t, "wHeaderLength", b->head);
	tree_uint(t, "wSequence", b->sequence);
	tree_uint(t, "wBlockLength", b->length);
	tree_uint(t, "wNdpIndex", b->first);
	tree_uint(t, "table_count", b->ntables);
	tree_list(t, "tables");
	for (uint32_t i = 0; i < b->ntables && i < TABLES_SHOWN; i++) {
		const struct table *at = &b->tables[i];

		tree_object(t, "table");
		signature_tree(d->data + at->at, framing, t);
		tree_uint(t, "table_offset", at->at);
		tree_uint(t, "table_length", at->length);
		tree_uint(t, "wNextNdpIndex", at->next);
		tree_close(t);
	}
	tree_close(t);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	enum framing framing = framing_of(d);
	struct block b;

	if (announces(d)) {
		tree_object(t, "network");
		tree_str(t, "framing", framings[framing]);
		tree_str(t, "notification", rndis_notification(d->data, d->data_len));
		tree_close(t);
		return;
	}
	if (!read_block(d, framing, &b))
		return;
	tree_object(t, "network");
	tree_str(t, "framing", framings[framing]);
	if (framing == NCM || framing == MBIM)
		block_tree(d, framing, &b, t);
	tree_uint(t, "frame_count", b.count);
	tree_list(t, "frames");
	for (uint32_t i = 0; i < b.kept; i++) {
		tree_object(t, "frame");
		tree_uint(t, "offset", b.frames[i].at);
		tree_uint(t, "frame_length", b.frames[i].length);
		if (framing == MBIM)
			ip_tree(d, &b.frames[i], t);
		else
			ethernet_tree(d->data + b.frames[i].at, b.frames[i].length, t);
		tree_close(t);
	}
	tree_close(t);
	tree_close(t);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	enum framing framing = framing_of(d);
	struct block b;

	out_str(o, framings[framing]);
	if (announces(d)) {
		out_printf(o, " %s", rndis_notification(d->data, d->data_len));
		return true;
	}
	if (!read_block(d, framing, &b)) {
		out_str(o, " data");
		return false;
	}
	if (framing == NCM || framing == MBIM)
		out_printf(o, " block %u", b.sequence);
	if (framing != ECM)
		out_printf(o, ", %u frame%s", b.count, b.count == 1 ? "" : "s");
	if (b.kept && framing != ECM)
		out_char(o, ':');
	if (b.kept && framing == MBIM)
		ip_brief(d, &b.frames[0], o);
	else if (b.kept)
		ethernet_brief(d->data + b.frames[0].at, b.frames[0].length, o);
	return false;
}

/* ---- messages over the control endpoint ------------------------------------------------------ */

static bool requested(const struct usb_detail *d)
{
	enum framing framing = requested_framing(d);

	return control_kind(&d->setup) == SETUP_CLASS &&
	       (d->setup.request == SEND_COMMAND || d->setup.request == GET_RESPONSE) &&
	       (framing == RNDIS || framing == MBIM) && d->data_len >= NET_MESSAGE_MIN;
}

enum { MESSAGE_MAX = 1 << 20 }; /* bytes of a message in fragments that are kept */

/* Puts the fragments of a message together, as long as they come in order. */
static void follow_request(struct usb_detail *d)
{
	struct usb_fragments *f = d->device ? &d->device->fragments[urb_in(&d->urb)] : NULL;
	uint32_t id, count, number, more;
	size_t head;

	if (!f || requested_framing(d) != MBIM ||
	    !mbim_fragment(d->data, d->data_len, &id, &count, &number, &head))
		return;
	if (!number)
		*f = (struct usb_fragments){.id = id, .bytes = f->bytes, .room = f->room};
	head = number ? head : 0;
	more = d->data_len - (uint32_t)head;
	if (id != f->id || number != f->next || more > MESSAGE_MAX - f->len ||
	    !array_reserve(f->bytes, f->room, f->len + more)) {
		f->next = UINT32_MAX;
		return;
	}
	memcpy(f->bytes + f->len, d->data + head, more);
	f->len += more;
	f->next = number + 1;
	d->message = f->bytes;
	d->message_len = f->len;
	d->whole = number + 1 == count ? f->len : 0;
}

/* The bytes of a message of which this is the last fragment, or the only one. */
static const uint8_t *whole_message(const struct usb_detail *d, size_t *n)
{
	*n = d->whole ? d->message_len : d->data_len;
	return d->whole ? d->message : d->data;
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	enum framing framing = requested_framing(d);
	const uint8_t *whole;
	size_t n;

	tree_object(t, "network");
	tree_str(t, "framing", framings[framing]);
	whole = whole_message(d, &n);
	if (framing == RNDIS)
		rndis_message_tree(d->data, d->data_len, t);
	else
		mbim_message_tree(d->data, d->data_len, whole, n, s->ctx->options->show_keys, t);
	tree_close(t);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	enum framing framing = requested_framing(d);
	const uint8_t *whole;
	size_t n;

	out_printf(o, " %s ", framings[framing]);
	whole = whole_message(d, &n);
	if (framing == MBIM)
		return mbim_message_brief(d->data, d->data_len, whole, n,
					  s->ctx->options->show_keys, o);
	rndis_message_brief(d->data, d->data_len, o);
	return false;
}

static const char *secret(const struct usb_detail *d)
{
	const uint8_t *p = d->message ? d->message : d->data;
	size_t n = d->message ? d->message_len : d->data_len;

	return d->urb.xfer == URB_CONTROL && d->has_setup && requested(d) &&
			       requested_framing(d) == MBIM && mbim_message_has_secret(p, n)
		       ? "PIN, password or key of a modem"
		       : NULL;
}

static bool has_name(const char *name, size_t n)
{
	return usb_names_have(net_message_names, name, n) || mbim_services_have(name, n);
}

static const char *const names[] = {
	"destination",	"ethertype",	 "ethertype_name", "frame_count",   "frame_length",
	"frames",	"framing",	 "ip_version",	   "network",	    "notification",
	"offset",	"protocol",	 "protocol_name",  "session_id",    "signature",
	"source",	"table_count",	 "table_length",   "table_offset",  "tables",
	"wBlockLength", "wHeaderLength", "wNdpIndex",	   "wNextNdpIndex", "wSequence",
	NULL,
};

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "ethertype_name"))
		CODE_WORDS(ethertypes, fn, arg);
	else if (!strcmp(member, "protocol_name"))
		CODE_WORDS(ip_protocols, fn, arg);
	net_message_words(member, fn, arg);
}

const struct usb_class usb_network_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.follow_request = follow_request,
	.secret = secret,
	.names = names,
	.has_name = has_name,
	.words = words,
};
