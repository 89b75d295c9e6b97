/* SPDX-License-Identifier: MIT */
/* Mass storage: SCSI commands over Bulk-Only Transport and UAS. */
#include <stdlib.h>

#include "decode/usb/class.h"
#include "decode/usb/status.h"

static bool fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x08 && d->urb.xfer == URB_BULK;
}

static bool follow(struct usb_detail *d)
{
	const struct transfer *t = d->transfer;
	struct usb_interface *f = d->interface;
	const struct msc_transfer bytes = {
		.p = d->data, .n = d->data_len,
		.begin = t->has_submit ? t->submitted : t->completed,
		.end = t->has_complete ? t->completed : t->submitted,
		.sparse = d->guessed,
	};

	if (!f->msc)
		f->msc = calloc(1, sizeof(*f->msc));
	if (!f->msc)
		out_lack_memory();
	/* If a transfer failed, its data is only meaningful when it is a command. */
	if (!f->msc || (t->has_complete && !usb_status_moved(d->urb.status) &&
			!msc_is_cbw(d->data, d->data_len)))
		return false;
	if (d->endpoint && d->endpoint->pipe)
		return msc_uas(f->msc, d->endpoint->pipe, &bytes, &d->storage);
	return msc_bot(f->msc, urb_in(&d->urb), &bytes, &d->storage);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	msc_tree(&d->storage, d->data, d->data_len, t);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	return msc_brief(&d->storage, d->data, d->data_len, o);
}

/* GET_MAX_LUN */
static bool requested(const struct usb_detail *d)
{
	return usb_is_class_request(d, 0x08, 0xfe);
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	tree_uint(t, "max_lun", d->data[0]);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	out_printf(o, " max LUN %u", d->data[0]);
	return true;
}

static void words(const char *member, decoder_name_fn *fn, void *arg)
{
	msc_words(member, fn, arg);
}

const struct usb_class usb_storage_class = {
	.fits = fits,
	.follow = follow,
	.tree = tree,
	.brief = brief,
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.has_name = msc_has_name,
	.words = words,
};
