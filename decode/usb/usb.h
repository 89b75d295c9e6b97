/* SPDX-License-Identifier: MIT */
/*
 * The USB decoder, between its files: usb.c follows the events, show.c prints, packets.c makes
 * packets. The decoder itself is usb_decoder in decoder.h.
 */
#ifndef TRAWL_DECODE_USB_USB_H
#define TRAWL_DECODE_USB_USB_H

#include "decode/base/decoder.h"
#include "decode/usb/msc.h"
#include "decode/usb/control.h"
#include "decode/usb/transfer.h"
#include "decode/usb/ahead.h"
#include "decode/usb/device.h"
#include "decode/usb/statistics.h"

struct usb_class; /* decode/usb/class.h */

/* item.detail of every item. */
struct usb_detail {
	const struct transfer *transfer; /* NULL: a single event (--raw) */
	struct urb urb;                  /* the half that says most, or the event */
	struct usb_device *device;       /* NULL: nothing is known of it */
	struct usb_interface *interface; /* likewise */
	const struct usb_endpoint *endpoint;
	const struct usb_class *class;   /* what the payload means; NULL: it is bytes */
	bool has_setup;
	const char *secret;              /* the rule by which the data is masked; NULL: it is not */
	struct control_request setup;
	struct setup_target target;
	const uint8_t *data;             /* never NULL */
	uint32_t data_len;
	struct msc_step storage;
	const char *comment;             /* of a synthesised event: usb_made_up; else NULL */
};

extern const char usb_made_up[]; /* by which an import knows such packets again */

struct usb_state {
	const struct decode_context *ctx;
	struct transfers *transfers;
	struct usb_devices devices;
	struct usb_stats *stats;      /* for --summary; else NULL */
	struct usb_ahead ahead;
	size_t waiting;               /* the first piece of metadata that is not yet true */
	const struct trawl_source *source; /* of the last event */
	uint64_t time, ts;            /* of the last event */
	uint64_t events;              /* how many there were */
	struct tree tree;             /* of the item at hand */
	bool built;                   /* tree holds it */
	struct out scratch[2];        /* for values and texts that are put together */
	unsigned int turn;
};

/* Whether each event is an item, or each transfer. */
static inline bool usb_is_raw(const struct usb_state *s)
{
	return s->ctx->options->raw || s->ctx->options->export;
}

/* usb.c: makes an item of a detail and hands it on. Sets state->built to false. */
int usb_emit(struct usb_state *s, struct item *it, struct usb_detail *d, struct item_sink *sink);

/* show.c */
/* Appends what a transfer is about; true if that tells of all its payload. */
bool usb_decoded_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o);
void usb_text(void *state, const struct item *it, struct out *o);
void usb_more(void *state, const struct item *it, struct out *o);
void usb_json(void *state, const struct item *it, struct out *o);
bool usb_value(void *state, const struct item *it, const char *name, struct value *v);
bool usb_part(const char *name); /* parts.c */
const char *usb_word(const char *field, size_t n);
void usb_names(void *state, const struct trawl_event_type *type, decoder_name_fn *fn, void *arg);

/* packets.c */
int usb_prologue(void *state, struct item_sink *sink, struct trawl_error *err);
void usb_interface_of(void *state, const struct trawl_source *source, struct packet_interface *pi);
int usb_packet(void *state, const struct item *it, struct packet *p);

/* usbpcapshow.c: events of USBPcap, and what its events have beyond usbmon's. */
void usbpcap_tree(const struct usb_detail *d, struct tree *t);
void usbpcap_brief(const struct usb_detail *d, struct out *o);

/* usb.c: applies the snapshots of devices that were there when the capture began; their time. */
uint64_t usb_first_snapshots(struct usb_state *s);

#endif
