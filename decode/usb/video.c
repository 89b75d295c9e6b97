/* SPDX-License-Identifier: MIT */
/* Video: stream negotiation, and the header of each payload. Source: Video 1.5, 2.4.3.3 and 4.3. */
#include "decode/base/bytes.h"
#include "decode/usb/class.h"

enum { PROBE_SIZE = 26, HEADER_MIN = 2, HEADER_MAX = 12 };
enum { HEADER_FID = 1, HEADER_EOF = 2, HEADER_PTS = 4, HEADER_SCR = 8, HEADER_ERR = 0x40 };

static bool fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x0e && d->interface->subclass == 0x02 &&
	       urb_in(&d->urb) && (d->urb.xfer == URB_BULK || d->urb.xfer == URB_ISO);
}

/* The payload header at p: its length must be what its bits make of it. */
static bool is_header(const uint8_t *p, size_t n)
{
	size_t want = HEADER_MIN;

	if (n < HEADER_MIN || p[0] > n)
		return false;
	want += p[1] & HEADER_PTS ? 4 : 0;
	want += p[1] & HEADER_SCR ? 6 : 0;
	return p[0] >= want && p[0] <= HEADER_MAX;
}

struct payloads {
	uint32_t packets, ends, errors;
	uint64_t picture; /* bytes behind the headers */
	bool fid, has_pts;
	uint32_t pts;
};

static void count(struct payloads *v, const uint8_t *p, size_t n)
{
	if (!is_header(p, n))
		return;
	v->packets++;
	v->ends += (p[1] & HEADER_EOF) != 0;
	v->errors += (p[1] & HEADER_ERR) != 0;
	v->picture += n - p[0];
	v->fid = p[1] & HEADER_FID;
	if (p[1] & HEADER_PTS) {
		v->has_pts = true;
		v->pts = get32(p + 2);
	}
}

/* Each isochronous packet has a header; a bulk transfer begins with one. */
static struct payloads payloads_of(const struct usb_detail *d)
{
	struct payloads v = {0};

	if (d->urb.xfer == URB_BULK) {
		count(&v, d->data, d->data_len);
		return v;
	}
	for (uint32_t i = 0; i < d->urb.ndesc; i++) {
		struct urb_packet p = urb_packet(&d->urb, i);

		if (p.length && p.offset <= d->data_len && p.length <= d->data_len - p.offset)
			count(&v, d->data + p.offset, p.length);
	}
	return v;
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	struct payloads v = payloads_of(d);

	if (!v.packets)
		return;
	tree_object(t, "video");
	tree_uint(t, "payloads", v.packets);
	tree_uint(t, "picture_bytes", v.picture);
	tree_uint(t, "fid", v.fid);
	tree_uint(t, "frame_ends", v.ends);
	tree_uint(t, "payload_errors", v.errors);
	if (v.has_pts)
		tree_uint(t, "pts", v.pts);
	tree_close(t);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	struct payloads v = payloads_of(d);

	out_str(o, "video");
	if (d->urb.xfer == URB_ISO)
		out_printf(o, " %d packets", d->urb.iso_packets);
	if (!v.packets)
		return !d->data_len;
	out_printf(o, " fid %u, %llu bytes of picture", v.fid, (unsigned long long)v.picture);
	if (v.has_pts)
		out_printf(o, ", pts %u", v.pts);
	if (v.ends)
		out_str(o, ", end of frame");
	if (v.errors)
		out_printf(o, ", %u with the error bit", v.errors);
	return false;
}

/* VS_PROBE_CONTROL and VS_COMMIT_CONTROL. */
static bool requested(const struct usb_detail *d)
{
	unsigned int selector = d->setup.value >> 8;

	return setup_kind(&d->setup) == SETUP_CLASS && d->target.class == 0x0e &&
	       d->target.subclass == 0x02 && (selector == 1 || selector == 2) &&
	       d->data_len >= PROBE_SIZE;
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const uint8_t *p = d->data;

	tree_object(t, "stream");
	tree_hex(t, "bmHint", get16(p), 4);
	tree_uint(t, "bFormatIndex", p[2]);
	tree_uint(t, "bFrameIndex", p[3]);
	tree_uint(t, "dwFrameInterval", get32(p + 4));
	tree_uint(t, "wKeyFrameRate", get16(p + 8));
	tree_uint(t, "wPFrameRate", get16(p + 10));
	tree_uint(t, "wCompQuality", get16(p + 12));
	tree_uint(t, "wCompWindowSize", get16(p + 14));
	tree_uint(t, "wDelay", get16(p + 16));
	tree_uint(t, "dwMaxVideoFrameSize", get32(p + 18));
	tree_uint(t, "dwMaxPayloadTransferSize", get32(p + 22));
	tree_close(t);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const uint8_t *p = d->data;
	uint32_t interval = get32(p + 4);

	out_printf(o, " format %u frame %u", p[2], p[3]);
	if (interval)
		out_printf(o, " %.2f/s", 1e7 / interval);
	out_printf(o, ", frames of %u bytes, payloads of %u", get32(p + 18), get32(p + 22));
	return true;
}

static const char *const names[] = {
	"bFormatIndex", "bFrameIndex", "bmHint", "dwFrameInterval", "dwMaxPayloadTransferSize",
	"dwMaxVideoFrameSize", "fid", "frame_ends", "payload_errors", "payloads", "picture_bytes",
	"pts", "stream", "video", "wCompQuality", "wCompWindowSize", "wDelay", "wKeyFrameRate",
	"wPFrameRate", NULL,
};

const struct usb_class usb_video_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.names = names,
};
