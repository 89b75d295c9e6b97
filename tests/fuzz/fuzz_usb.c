/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as usbmon records (each preceded by its length in two bytes) through the whole USB
 * decoder: joining, devices, every protocol, all printers, and the analysis of undocumented
 * protocols.
 */
#include "decode/usb/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct printer {
	struct item_sink sink;
	void *state;
	struct out text;
	struct conversations *conversations;
};

static int print(struct item_sink *sink, const struct item *it)
{
	struct printer *p = (struct printer *)sink;
	struct value v;

	p->text.len = 0;
	usb_decoder.text(p->state, it, &p->text);
	usb_decoder.more(p->state, it, &p->text);
	usb_decoder.json(p->state, it, &p->text);
	usb_decoder.value(p->state, it, "setup.request", &v);
	usb_decoder.value(p->state, it, "decoded", &v);
	if (p->conversations)
		conversations_take(p->conversations, p->state, it->detail,
				   (uint32_t)(it->time >> 16 & 1));
	return 0;
}

static void no_time(void *arg, uint64_t time, struct out *o)
{
}

static void protocols(struct conversations *c, struct out *o)
{
	struct protocol_names names = {.time = no_time};
	struct conversation *list;
	size_t n;

	if (!conversations_join(c, &list, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct protocol *p = protocol_of(&list[i]);

		if (!p)
			continue;
		o->len = 0;
		protocol_text(p, 1, &names, o);
		protocol_json(p, &names, o);
		protocol_free(p);
	}
}

static void run(const uint8_t *data, size_t size, const struct decode_options *options)
{
	static const struct trawl_source source = {.name = "usb", .kind = "usbmon"};
	struct decode_context ctx = {.options = options};
	struct printer p = {.sink.item = print};
	struct trawl_event_type type = {0};
	struct trawl_event ev = {.source = &source, .type = &type};
	struct trawl_error err;
	size_t n;

	out_memory(&p.text);
	p.state = usb_decoder.open(&ctx, &err);
	p.conversations = options->raw ? NULL : conversations_new();
	for (; size >= 2; data += n, size -= n) {
		n = (size_t)(data[0] | data[1] << 8);
		data += 2;
		size -= 2;
		n = n < size ? n : size;
		type.id = n > 8 ? (data[8] == 'S' ? 1 : data[8] == 'C' ? 2 : 3) : 3;
		ev.record = data;
		ev.len = (uint32_t)n;
		ev.time = ev.ts += 1000;
		if (usb_decoder.feed(p.state, &ev, &p.sink, &err))
			break;
	}
	usb_decoder.flush(p.state, ev.time, &p.sink, &err);
	if (options->summary)
		usb_decoder.summary(p.state, &p.text);
	if (p.conversations)
		protocols(p.conversations, &p.text);
	conversations_free(p.conversations);
	usb_decoder.close(p.state);
	out_free(&p.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct decode_options joined = {
		.show_keys = true, .summary = true, .hexdump = 2, .all_fields = true,
	};
	static const struct decode_options raw = {.raw = true};

	run(data, size, &joined);
	run(data, size, &raw);
	return 0;
}
