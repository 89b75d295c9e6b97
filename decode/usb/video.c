/* SPDX-License-Identifier: MIT */
/* Video: stream negotiation, and the header of each payload. Source: Video 1.5, 2.4.3.3 and 4.3. */
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/entity.h"
#include "decode/usb/uvccontrol.h"

enum { PROBE_SIZE = 26, HEADER_MIN = 2, HEADER_MAX = 12 };
enum { HEADER_FID = 1, HEADER_EOF = 2, HEADER_PTS = 4, HEADER_SCR = 8, HEADER_ERR = 0x40 };

/*
 * The status packet of the interrupt endpoint, with which a control or stream reports a change
 * (2.4.2.2).
 */
static const char *const control_status[] = {
	"bStatusType", "u1", "bOriginator", "u1", "bEvent", "u1", "bSelector", "u1", "bAttribute",
	"e1U", "attribute", "bValue", "b0", NULL,
};
static const char *const stream_status[] = {
	"bStatusType", "u1", "bOriginator", "u1", "bEvent", "u1", "bValue", "b0", NULL,
};

static bool is_status(const struct usb_detail *d)
{
	return d->urb.xfer == URB_INTERRUPT;
}

static byte_layout status_of(const struct usb_detail *d)
{
	return d->data_len && (d->data[0] & 15) == 2 ? stream_status : control_status;
}

static bool fits(const struct usb_detail *d)
{
	if (d->interface && d->interface->class == 0x0e && d->interface->subclass == 0x01)
		return urb_in(&d->urb) && d->urb.xfer == URB_INTERRUPT;
	return d->interface && d->interface->class == 0x0e && d->interface->subclass == 0x02 &&
	       urb_in(&d->urb) && (d->urb.xfer == URB_BULK || d->urb.xfer == URB_ISO);
}

/* Whether a payload header is at p: its length must be consistent with its flags. */
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
	uint64_t picture; /* payload bytes without the headers */
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

/*
 * Each isochronous packet begins with a header; of a bulk transfer only the first bytes can be one.
 */
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
	struct payloads v = is_status(d) ? (struct payloads){0} : payloads_of(d);

	if (is_status(d) && d->data_len) {
		tree_object(t, "video");
		byte_layout_tree(status_of(d), uvc_name, d->data, d->data_len, t);
		tree_close(t);
	}
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
	struct payloads v;

	out_str(o, "video");
	if (is_status(d)) {
		out_str(o, " status");
		return byte_layout_brief(status_of(d), uvc_name, d->data, d->data_len, o);
	}
	v = payloads_of(d);
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

/* ---- controls ----------------------------------------------------------------------------- */

enum { GET_LEN = 0x85, GET_INFO = 0x86 };

static enum uvc_entity entity_of(const struct usb_detail *d)
{
	const uint8_t *p;
	size_t n;

	if (d->target.subclass == 0x02)
		return UVC_STREAM;
	if (!(d->setup.index >> 8))
		return UVC_INTERFACE;
	p = entity_descriptor(d, 0x0e, &n);
	return p ? uvc_entity_of(p, n) : UVC_NONE;
}

static bool is_probe(const struct usb_detail *d)
{
	unsigned int selector = d->setup.value >> 8;

	return d->target.subclass == 0x02 && (selector == 1 || selector == 2);
}

/* The layout of the value in a request, or NULL. */
static byte_layout value_of(const struct usb_detail *d, const struct uvc_control *c)
{
	static const char *const length[] = {"control_length", "u2", NULL};
	static const char *const info[] = {"control_info", "x1", NULL};

	if (d->setup.request == GET_LEN)
		return length;
	if (d->setup.request == GET_INFO)
		return info;
	return c ? c->value : NULL;
}

static bool requested(const struct usb_detail *d)
{
	return control_kind(&d->setup) == SETUP_CLASS && d->target.class == 0x0e &&
	       control_recipient(&d->setup) == SETUP_INTERFACE;
}

/*
 * Appends VS_PROBE_CONTROL or VS_COMMIT_CONTROL, whose length depends on the device's UVC version.
 */
static void probe_tree(const uint8_t *p, size_t n, struct tree *t)
{
	static const char *const after[] = {
		"dwClockFrequency", "u4", "bmFramingInfo", "x1", "bPreferredVersion", "u1",
		"bMinVersion", "u1", "bMaxVersion", "u1", "bUsage", "u1", "bBitDepthLuma", "u1",
		"bmSettings", "x1", "bMaxNumberOfRefFramesPlus1", "u1", "bmRateControlModes", "x2",
		"bmLayoutPerStream", "x8", NULL,
	};

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
	byte_layout_tree(after, uvc_name, p + PROBE_SIZE, n - PROBE_SIZE, t);
	tree_close(t);
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	enum uvc_entity entity = entity_of(d);
	const struct uvc_control *c = uvc_control(entity, d->setup.value >> 8);
	byte_layout value = value_of(d, c);

	if (is_probe(d) && d->data_len >= PROBE_SIZE && d->setup.request != GET_LEN)
		probe_tree(d->data, d->data_len, t);
	tree_object(t, "video");
	tree_str(t, "unit", entity ? uvc_entity_name(entity) : NULL);
	tree_str(t, "control", c ? c->name : NULL);
	if (value)
		byte_layout_tree(value, uvc_name, d->data, d->data_len, t);
	tree_close(t);
}

static void probe_brief(const uint8_t *p, struct out *o)
{
	uint32_t interval = get32(p + 4);

	out_printf(o, " format %u frame %u", p[2], p[3]);
	if (interval)
		out_printf(o, " %.2f/s", 1e7 / interval);
	out_printf(o, ", frames of %u bytes, payloads of %u", get32(p + 18), get32(p + 22));
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	enum uvc_entity entity = entity_of(d);
	const struct uvc_control *c = uvc_control(entity, d->setup.value >> 8);
	byte_layout value = value_of(d, c);
	bool whole;

	if (c)
		out_printf(o, " %s", c->name);
	if (is_probe(d) && d->data_len >= PROBE_SIZE && d->setup.request != GET_LEN) {
		probe_brief(d->data, o);
		return true;
	}
	whole = value ? byte_layout_brief(value, uvc_name, d->data, d->data_len, o) : !d->data_len;
	if (entity > UVC_INTERFACE && entity != UVC_STREAM)
		out_printf(o, ", %s %u", uvc_entity_name(entity), d->setup.index >> 8);
	return whole;
}

static const char *const names[] = {
	"bFormatIndex",
	"bFrameIndex",
	"bmHint",
	"dwFrameInterval",
	"dwMaxPayloadTransferSize",
	"dwMaxVideoFrameSize",
	"fid",
	"frame_ends",
	"payload_errors",
	"payloads",
	"picture_bytes",
	"attribute",
	"bAttribute",
	"bEvent",
	"bOriginator",
	"bSelector",
	"bStatusType",
	"bValue",
	"pts",
	"stream",
	"video",
	"unit",
	"control",
	"control_info",
	"control_length",
	"dwClockFrequency",
	"bmFramingInfo",
	"bPreferredVersion",
	"bMinVersion",
	"bMaxVersion",
	"bUsage",
	"bBitDepthLuma",
	"bmSettings",
	"bMaxNumberOfRefFramesPlus1",
	"bmRateControlModes",
	"bmLayoutPerStream",
	"wCompQuality",
	"wCompWindowSize",
	"wDelay",
	"wKeyFrameRate",
	"wPFrameRate",
	NULL,
};

const struct usb_class usb_video_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.names = names,
	.has_name = uvc_has_field,
	.words = uvc_words,
};
