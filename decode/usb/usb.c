/* SPDX-License-Identifier: MIT */
#include "decode/usb/usb.h"
#include "decode/base/jdoc.h"
#include "common/usbtypes.h"
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/darwin.h"
#include "decode/usb/keystrokes.h"
#include "decode/usb/requestguess.h"
#include "decode/usb/status.h"

#include <stdlib.h>

/* A submission may wait long for its answer (a keyboard's), but mostly does not. */
#define LOOKBACK UINT64_C(60000000000)

static void usb_close(void *state)
{
	struct usb_state *s = state;

	if (!s)
		return;
	transfers_free(s->transfers);
	usbdev_free_all(&s->devices);
	usbahead_free(&s->ahead);
	usbstat_free(s->stats);
	tree_free(&s->tree);
	out_free(&s->translated);
	out_free(&s->scratch[0]);
	out_free(&s->scratch[1]);
	free(s);
}

static void *usb_open(const struct decode_context *ctx, struct trawl_error *err)
{
	struct usb_state *s = calloc(1, sizeof(*s));

	if (!s)
		goto fail;
	s->ctx = ctx;
	tree_init(&s->tree);
	out_memory(&s->translated);
	out_memory(&s->scratch[0]);
	out_memory(&s->scratch[1]);
	s->transfers = transfers_new();
	s->stats = ctx->options->summary ? usbstat_new() : NULL;
	if (s->transfers && (s->stats || !ctx->options->summary))
		return s;
fail:
	usb_close(s);
	trawl_fail(err, TRAWL_CANNOT, "usb: out of memory");
	return NULL;
}

/* ---- metadata ------------------------------------------------------------------------------- */

static uint64_t meta_time(const struct usb_state *s, const struct trawl_meta *m)
{
	return m->time ? trawl_section_time(s->ctx->reader, m->section, TRAWL_CLOCK_MONO, m->time)
		       : 0;
}

/*
 * Snapshots are in the file in the order in which they were taken. What is dated later than the
 * event at hand waits: the address may still belong to another device.
 */
static void apply_metadata(struct usb_state *s, uint64_t time)
{
	struct trawl_reader *r = s->ctx->reader;
	size_t count = r ? trawl_meta_count(r) : 0;

	for (; s->waiting < count; s->waiting++) {
		const struct trawl_meta *m = trawl_meta_at(r, s->waiting);

		if (!usbdev_is_meta(m))
			continue;
		if (meta_time(s, m) > time)
			break;
		usbdev_snapshot(&s->devices, m->data, m->len);
	}
}

/* Those at the start are taken in a moment; a device that is plugged in meanwhile enumerates. */
#define SNAPSHOT_SPAN UINT64_C(1000000000)

uint64_t usb_first_snapshots(struct usb_state *s)
{
	struct trawl_reader *r = s->ctx->reader;
	size_t count = trawl_meta_count(r);

	for (size_t i = 0; i < count; i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		if (usbdev_is_meta(m)) {
			uint64_t first = meta_time(s, m);

			apply_metadata(s, first + SNAPSHOT_SPAN);
			return first;
		}
	}
	return 0;
}

/* ---- what is talked about -------------------------------------------------------------------- */

/* Of an interface that no descriptor tells of, the request itself may say the class. */
static void take_target(struct usb_detail *d)
{
	d->target = usbdev_target(d->device, &d->setup);
	request_guess(&d->setup, &d->target);
	d->class = usb_class_of_request(d);
}

static void take_setup(struct usb_detail *d, const uint8_t *bytes)
{
	if (!bytes)
		return;
	d->has_setup = true;
	control_parse(&d->setup, bytes);
	take_target(d);
}

static struct usb_device *device_of(struct usb_state *s, const struct urb *u)
{
	struct usb_device *dev = usbdev_find(&s->devices, u->bus, u->device);
	struct trawl_reader *r = s->ctx->reader;

	if (!r || s->waiting == trawl_meta_count(r) || (dev && !usbdev_is_nameless(dev)))
		return dev;
	if (!dev)
		dev = usbdev_at(&s->devices, u->bus, u->device);
	if (dev)
		usbahead_name(&s->ahead, r, s->waiting, dev);
	return dev;
}

static void describe(struct usb_state *s, struct usb_detail *d)
{
	d->device = device_of(s, &d->urb);
	d->interface = d->urb.xfer == URB_CONTROL
			       ? NULL
			       : usbdev_interface(d->device, d->urb.endpoint);
	d->endpoint = usbdev_endpoint(d->device, d->urb.endpoint);
	d->class = d->urb.xfer == URB_CONTROL ? NULL : usb_class_of(d);
}

/* Storage that was plugged in before the capture, and of which there is no snapshot. */
static void guess_storage(struct usb_state *s, struct usb_detail *d)
{
	if (d->class || d->interface || d->urb.xfer != URB_BULK || urb_in(&d->urb) ||
	    !msc_is_cbw(d->data, d->data_len))
		return;
	d->device = usbdev_at(&s->devices, d->urb.bus, d->urb.device);
	if (!d->device)
		return;
	usbdev_guess_storage(d->device);
	describe(s, d);
}

/* As far as the capture tells: of a half it does not. */
static bool succeeded(const struct usb_detail *d)
{
	return d->transfer->end == TRANSFER_HALF ||
	       (d->transfer->end == TRANSFER_DONE && usb_status_moved(d->urb.status));
}

static void learn(struct usb_state *s, struct usb_detail *d)
{
	if (!d->has_setup || !succeeded(d))
		return;
	d->device = usbdev_at(&s->devices, d->urb.bus, d->urb.device);
	if (!d->device)
		return;
	usbdev_learn(&s->devices, d->device, &d->setup, d->data, d->data_len);
	d->device = device_of(s, &d->urb); /* which may turn out to be another than was foreseen */
	take_target(d);
}

/* The rule by which the data is masked; to be asked once for each transfer, in order. */
static const char *secret_of(struct usb_state *s, struct usb_detail *d)
{
	const char *rule = keystrokes_rule(&s->devices, d);

	return rule || !d->class || !d->class->secret ? rule : d->class->secret(d);
}

/* Everything about a transfer, in order, once: it moves the state of devices and protocols on. */
static void examine(struct usb_state *s, struct transfer *t, struct usb_detail *d)
{
	const struct urb *data = transfer_data(t);

	memset(d, 0, sizeof(*d));
	d->transfer = t;
	d->urb = *transfer_urb(t);
	d->data = data ? data->data : (const uint8_t *)"";
	d->data_len = data ? data->data_len : 0;
	describe(s, d);
	take_setup(d, transfer_setup(t));
	learn(s, d);
	guess_storage(s, d);
	if (d->urb.xfer != URB_CONTROL && d->class && d->class->follow && !d->class->follow(d))
		d->class = NULL;
	d->secret = secret_of(s, d);
	if (s->stats)
		usbstat_add(s->stats, t);
}

/* ---- items ---------------------------------------------------------------------------------- */

static const char *const names[] = {
	"usb:iso", "usb:interrupt", "usb:control", "usb:bulk", "usb:unknown", "usbpcap:stage",
	"usbpcap:irp", "usbpcap:packet", "usb:packet", NULL,
};
#define NAME_OF_OTHERS (URB_XFERS + 1) /* from here on, what is no half of a transfer */

static const char *item_name(const struct usb_detail *d)
{
	if (d->urb.is_darwin && !d->transfer)
		return names[NAME_OF_OTHERS + 3];
	if (!urb_is_half(&d->urb))
		return names[NAME_OF_OTHERS +
			     (d->urb.type == 'I'	   ? 1
				      : d->urb.type == 'P' ? 2
							   : 0)];
	if (!d->transfer)
		return d->urb.type == 'S' ? "usb:submit" : d->urb.type == 'C' ? "usb:complete"
									       : "usb:error";
	return names[d->urb.xfer < URB_XFERS ? d->urb.xfer : URB_XFERS];
}

static bool is_problem(const struct usb_detail *d)
{
	if (d->urb.damage)
		return true;
	if (!urb_is_half(&d->urb) && d->urb.type != 'I')
		return d->urb.type == 'P';
	if (d->urb.type != 'S' && usb_status_is_problem(d->urb.status))
		return true;
	if (d->urb.xfer == URB_ISO && d->urb.type == 'C' && d->urb.iso_errors)
		return true;
	return d->class == &usb_storage_class && d->transfer && msc_is_problem(&d->storage);
}

/* The name of no task. */
static const char nobody[16];

int usb_emit(struct usb_state *s, struct item *it, struct usb_detail *d, struct item_sink *sink)
{
	it->name = item_name(d);
	it->name_len = (uint32_t)strlen(it->name);
	it->comm = nobody;
	it->cpu = ITEM_NO_CPU;
	it->pid = it->tid = ITEM_NO_TASK;
	it->problem = is_problem(d);
	it->secret = d->secret && d->data_len;
	it->detail = d;
	s->built = false;
	return sink->item(sink, it);
}

static int emit_transfer(struct usb_state *s, const struct trawl_event *ev, struct usb_detail *d,
			 struct item_sink *sink)
{
	struct item it = {
		.time = s->time,
		.ts = s->ts,
		.source = s->source,
		.type = ev ? ev->type : NULL,
		.record = ev ? ev->record : NULL,
		.len = ev ? ev->len : 0,
	};

	return usb_emit(s, &it, d, sink);
}

static struct item item_of(const struct trawl_event *ev)
{
	return (struct item){
		.time = ev->time,
		.ts = ev->ts,
		.source = ev->source,
		.type = ev->type,
		.record = ev->record,
		.len = ev->len,
	};
}

static int emit_event(struct usb_state *s, const struct trawl_event *ev, const struct urb *u,
		      const struct usb_detail *joined, struct item_sink *sink)
{
	struct usb_detail d = {.urb = *u, .data = u->data, .data_len = u->data_len};
	struct item it = item_of(ev);

	describe(s, &d);
	take_setup(&d, u->has_setup ? u->setup : NULL);
	d.secret = joined ? joined->secret : secret_of(s, &d);
	if (u->xfer == URB_ISO && joined && joined->transfer->has_submit)
		d.urb.buffer = joined->transfer->submit.length;
	return usb_emit(s, &it, &d, sink);
}

/*
 * What USBPcap has besides the halves of transfers. A stage is part of another event, and shown
 * only where each event is.
 */
static int emit_other(struct usb_state *s, const struct trawl_event *ev, const struct urb *u,
		      struct item_sink *sink)
{
	struct usb_detail d = {.urb = *u, .data = u->data, .data_len = u->data_len};
	struct item it = item_of(ev);

	if (s->stats && u->type == 'I')
		usbstat_request(s->stats, u);
	else if (s->stats && u->type == 'P')
		usbstat_unknown(s->stats);
	if (u->type == 'T' && !usb_is_raw(s))
		return 0;
	describe(s, &d);
	take_setup(&d, u->has_setup ? u->setup : NULL);
	return usb_emit(s, &it, &d, sink);
}

static uint8_t xfer_called(const char *name)
{
	uint8_t xfer = 0;

	while (xfer < URB_XFERS && strcmp(urb_xfer_name(xfer), name))
		xfer++;
	return xfer;
}

/* Pipes of which the capture has no completions: the import has seen all of it. */
static int read_halves(struct usb_state *s, struct trawl_error *err)
{
	struct json_object *o = s->ctx->reader ? jdoc_meta(s->ctx->reader, "import/halves") : NULL;
	struct json_object *pipes = jdoc_get(o, "submissions_only");
	int ret = 0;

	for (size_t i = 0; !ret && i < jdoc_count(pipes); i++) {
		struct json_object *p = json_object_array_get_idx(pipes, i);

		ret = transfers_expect_half(s->transfers, (uint16_t)jdoc_uint(p, "bus", 0),
					    (uint8_t)jdoc_uint(p, "dev", 0),
					    (uint8_t)jdoc_uint(p, "endpoint", 0),
					    xfer_called(jdoc_string(p, "xfer")));
	}
	json_object_put(o);
	return ret ? trawl_fail(err, TRAWL_CANNOT, "usb: out of memory") : 0;
}

static int emit_displaced(struct usb_state *s, const struct trawl_event *ev, const struct urb *u,
			  struct item_sink *sink)
{
	struct usb_detail d;
	struct transfer *t;
	int result = 0;

	while (!result && (t = transfers_displaced(s->transfers, u))) {
		examine(s, t, &d);
		if (!usb_is_raw(s))
			result = emit_transfer(s, ev, &d, sink);
	}
	return result;
}

/* What must be known of a submission before it is complete: a UAS command. */
static void foresee(struct usb_state *s, const struct urb *u, uint64_t time)
{
	struct usb_detail d = {.urb = *u, .data = u->data, .data_len = u->data_len};

	if (u->type != 'S' || u->xfer != URB_BULK || urb_in(u) || !u->data_len)
		return;
	describe(s, &d);
	if (d.class != &usb_storage_class || !d.endpoint || d.endpoint->pipe != 1)
		return;
	if (!d.interface->msc)
		d.interface->msc = calloc(1, sizeof(*d.interface->msc));
	if (d.interface->msc)
		msc_uas_submitted(d.interface->msc, u->data, u->data_len, time);
}

/* The event in usbmon's form: what it is, or what a packet of macOS says. */
static void parse(struct usb_state *s, const struct trawl_event *ev, struct urb *u,
		  const uint8_t **record, size_t *len)
{
	size_t head =
		ev->len < sizeof(struct usb_bus_packet) ? ev->len : sizeof(struct usb_bus_packet);
	struct darwin_fields darwin;
	const uint8_t *p = ev->record;

	*record = p;
	*len = ev->len;
	if (ev->type->id != USB_PACKET) {
		urb_parse_event(u, ev->type->id, *record, *len);
		return;
	}
	darwin_record(p + head, ev->len - head, (uint32_t)get_le(p, head), &s->translated, &darwin);
	*record = (const uint8_t *)s->translated.data;
	*len = s->translated.len;
	urb_parse(u, *record, *len);
	u->damage &= ~(unsigned int)URB_BAD_TYPE;
	u->is_darwin = true;
	u->darwin = darwin;
}

static int usb_feed(void *state, const struct trawl_event *ev, struct item_sink *sink,
		    struct trawl_error *err)
{
	struct usb_state *s = state;
	bool raw = usb_is_raw(s);
	struct transfer *done;
	struct usb_detail d = {0};
	const uint8_t *record;
	struct urb u;
	size_t len;
	int result = 0;

	s->source = ev->source;
	s->time = ev->time;
	s->ts = ev->ts;
	apply_metadata(s, ev->time);
	parse(s, ev, &u, &record, &len);
	u.time = ev->ts;
	if (!s->events && read_halves(s, err))
		return -1;
	u.number = s->events++;
	if (!urb_is_half(&u))
		return emit_other(s, ev, &u, sink);
	result = emit_displaced(s, ev, &u, sink);
	if (result)
		return result;
	foresee(s, &u, ev->time);
	/* On the timeline, as all that is shown: a latency is no hour where the clock was set. */
	if (transfers_feed(s->transfers, &u, ev->time, record, len, &done) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "usb: out of memory");
	if (done)
		examine(s, done, &d);
	if (raw)
		result = emit_event(s, ev, &u, done && u.type != 'S' ? &d : NULL, sink);
	else if (done)
		result = emit_transfer(s, ev, &d, sink);
	return result;
}

/* Of a device that is gone no answer comes any more. */
static void judge_open(const struct usb_state *s, struct transfer *t)
{
	const struct usb_device *dev = usbdev_find(&s->devices, t->submit.bus, t->submit.device);

	if (dev && dev->gone)
		t->end = TRANSFER_UNANSWERED;
}

static int usb_flush(void *state, struct item_sink *sink, struct trawl_error *err)
{
	struct usb_state *s = state;
	bool raw = usb_is_raw(s);
	struct transfer *t;
	struct usb_detail d;
	int result = 0;

	/* The last that happened may have been a plug or an unplugging, which is told after it. */
	apply_metadata(s, s->time + SNAPSHOT_SPAN);
	while (!result && (t = transfers_drain(s->transfers))) {
		judge_open(s, t);
		examine(s, t, &d);
		if (!raw)
			result = emit_transfer(s, NULL, &d, sink);
	}
	return result;
}

static void usb_summary(void *state, struct out *o)
{
	struct usb_state *s = state;
	struct trawl_reader *r = s->ctx->reader;

	usbstat_print(s->stats, &s->devices, o);
	for (size_t i = 0; r && i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		if (!strcmp(m->name, USBDEV_VERDICT))
			usbstat_verdict(m->data, m->len, o);
	}
}

const struct decoder usb_decoder = {
	.kind = "usbmon",
	.own_pid = true,
	.lookback = LOOKBACK,
	.items = names,
	.open = usb_open,
	.close = usb_close,
	.feed = usb_feed,
	.flush = usb_flush,
	.prologue = usb_prologue,
	.text = usb_text,
	.more = usb_more,
	.json = usb_json,
	.value = usb_value,
	.another = usb_another,
	.names = usb_names,
	.part = usb_part,
	.comparable = usb_comparable,
	.word = usb_word,
	.summary = usb_summary,
	.interface = usb_interface_of,
	.packet = usb_packet,
};
