/* SPDX-License-Identifier: MIT */
#include "replay/tapereader.h"

static int item(struct consumer *consumer, const struct decoder *d, void *state,
		const struct item *it)
{
	struct tape_reader *r = (struct tape_reader *)consumer;
	const struct usb_detail *detail = it->detail;

	r->items++;
	r->bus_packets += d == &bus_decoder;
	if (d != &usb_decoder)
		return CONSUMER_PASSED_OVER;
	if (r->source != TAPE_ANY_SOURCE && it->source->id != r->source)
		return 0;
	r->item = it;
	r->state = state;
	if (detail->transfer && urb_is_half(&detail->urb) && detail->urb.xfer < URB_XFERS)
		r->failed = r->take(r, detail);
	return r->failed;
}

int tape_reader_run(struct tape_reader *r, const struct tape_file *file,
		    int (*end)(struct tape_reader *r, struct trawl_reader *reader),
		    struct trawl_error *err)
{
	struct trawl_memory memory = {.most = file->memory};
	struct decode_options options = {.show_keys = true, .memory = &memory};
	struct selection selection = {.to_option = "--until"};
	struct stream *s = NULL;
	int ret = selection_done(&selection, true, err);

	r->consumer.item = item;
	r->err = err;
	if (!ret)
		s = stream_open(file->path, &options, &selection, err);
	ret = s ? 0 : -1;
	if (s)
		stream_set_name(s, file->name);
	if (!ret)
		ret = stream_run(s, &r->consumer, err);
	if (!ret && r->failed)
		ret = -1;
	if (!ret)
		ret = end(r, stream_reader(s));
	if (!ret)
		stream_verdict(s, &r->damage);
	stream_close(s);
	selection_free(&selection);
	return ret;
}
