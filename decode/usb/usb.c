/* SPDX-License-Identifier: MIT */
#include "decode/usb/usb.h"
#include "decode/base/jdoc.h"
#include "common/array.h"
#include "common/usbtypes.h"
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/darwin.h"
#include "decode/usb/keystrokes.h"
#include "decode/usb/requestguess.h"
#include "decode/usb/status.h"
#include "decode/usb/usbpcap.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * ns; time within which a completion is searched after its submission. Most come soon, but that of
 * a keyboard's URB may take long.
 */
#define LOOKBACK UINT64_C(60000000000)

static void usb_close(void *state)
{
	struct usb_state *s = state;

	if (!s)
		return;
	transfers_free(s->transfers);
	duplicates_free(s->duplicates);
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
	s->duplicates = duplicates_new();
	s->stats = ctx->options->summary ? usbstat_new() : NULL;
	if (s->transfers && s->duplicates && (s->stats || !ctx->options->summary))
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
 * Applies the snapshots dated up to `time`. They are in the file in the order in which they were
 * taken. Later ones must wait, because until then the address may belong to another device.
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

/* Reads which classes of data trawl-edit redact removed from the transfers. */
static void read_removed(struct usb_state *s, const struct trawl_meta *m)
{
	static const char *const classes[] = {"payload", "keystrokes", "pointer", "sectors"};
	struct json_object *o = jdoc_parse(m->data, m->len), *removed = jdoc_get(o, "removed");

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		s->redacted |= jdoc_get(removed, classes[i]) != NULL;
	s->redacted_ids |= jdoc_get(removed, "identity") != NULL;
	json_object_put(o);
}

/*
 * Whether trawl-edit cut left out events between those of the part: it chose them by something else
 * than their time.
 */
static bool is_sparse(const struct trawl_meta *m)
{
	struct json_object *o = jdoc_parse(m->data, m->len);
	bool chosen = json_object_get_boolean(jdoc_get(o, "chosen"));
	bool sparse = !strcmp(jdoc_string(o, "operation"), "cut") &&
		      (chosen || jdoc_uint(o, "every", 0) > 1) && jdoc_uint(o, "left_out", 0);

	json_object_put(o);
	return sparse;
}

static void read_edits(struct usb_state *s)
{
	struct trawl_reader *r = s->ctx->reader;
	size_t count = r ? trawl_meta_count(r) : 0;

	for (; s->edits_read < count; s->edits_read++) {
		const struct trawl_meta *m = trawl_meta_at(r, s->edits_read);

		if (strncmp(m->name, "edit/", 5))
			continue;
		read_removed(s, m);
		s->sparse |= is_sparse(m);
	}
}

/*
 * ns; the initial snapshots are taken within this time. A device that is plugged in during it sends
 * its descriptors over the bus.
 */
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

/*
 * ---- device, interface and class of an event ---------------------------------------------------
 */

/*
 * Determines the class of the request's recipient; without descriptors, from the form of the
 * request.
 */
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

/* Whether the device got its address after this URB, which was for the one before it. */
static bool is_later(const struct usb_device *dev, const struct urb *u)
{
	return dev && u->number < dev->since;
}

static struct usb_device *device_of(struct usb_state *s, const struct urb *u)
{
	struct usb_device *dev = usbdev_find(&s->devices, u->bus, u->device);
	struct trawl_reader *r = s->ctx->reader;

	if (is_later(dev, u))
		return NULL;
	if (!r || s->waiting == trawl_meta_count(r) || (dev && !usbdev_lacks_name(dev)))
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

/* Recognises storage that was plugged in before the capture and has no snapshot. */
static void guess_storage(struct usb_state *s, struct usb_detail *d)
{
	struct usb_device *dev;

	if (d->class || d->interface || d->urb.xfer != URB_BULK || urb_in(&d->urb) ||
	    !msc_is_cbw(d->data, d->data_len))
		return;
	dev = usbdev_at(&s->devices, d->urb.bus, d->urb.device);
	if (!dev || is_later(dev, &d->urb))
		return;
	usbdev_guess_storage(dev);
	describe(s, d);
}

/*
 * Whether the transfer succeeded as far as the capture shows; transfers without a recorded
 * completion are taken as successful.
 */
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
	/* the descriptor may show that the device differs from the one in the later snapshot */
	d->device = device_of(s, &d->urb);
	take_target(d);
}

/* Returns the rule by which the data is masked. Must be called once for each transfer, in order. */
static const char *secret_of(struct usb_state *s, struct usb_detail *d)
{
	const char *rule = keystrokes_rule(&s->devices, d);

	return rule || !d->class || !d->class->secret ? rule : d->class->secret(d);
}

/*
 * In a file that lacks transfers between others: whether the device is known from transfers. Its
 * address may have been given to another device since.
 */
static bool guesses_device(const struct usb_state *s, const struct usb_detail *d)
{
	return s->sparse && d->device && d->device->captured;
}

/* Whether what is shown of a transfer depends on those before it, of which some may be missing. */
static bool is_guessed(const struct usb_state *s, const struct usb_detail *d)
{
	if (!s->sparse || !d->class || guesses_device(s, d))
		return guesses_device(s, d);
	if (d->class == &usb_storage_class && d->urb.xfer != URB_CONTROL)
		return msc_is_guess(&d->storage);
	return d->urb.xfer == URB_CONTROL ? d->class->follow_request != NULL
					   : d->class->follow != NULL;
}

/*
 * Gathers everything about a transfer and updates the state of devices and classes. Must be called
 * once for each transfer, in order.
 */
static void examine(struct usb_state *s, struct transfer *t, struct usb_detail *d)
{
	const struct urb *data = transfer_data(t);

	memset(d, 0, sizeof(*d));
	d->transfer = t;
	d->urb = *transfer_urb(t);
	d->data = data ? data->data : (const uint8_t *)"";
	d->data_len = data ? data->data_len : 0;
	d->guessed = s->sparse; /* for follow() */
	describe(s, d);
	take_setup(d, transfer_setup(t));
	learn(s, d);
	guess_storage(s, d);
	if (d->urb.xfer != URB_CONTROL && d->class && d->class->follow && !d->class->follow(d))
		d->class = NULL;
	if (d->urb.xfer == URB_CONTROL && d->class && d->class->follow_request)
		d->class->follow_request(d);
	d->guessed = is_guessed(s, d);
	d->secret = secret_of(s, d);
	d->two_readers = duplicates_on(s->duplicates, d->urb.bus);
	if (s->stats)
		usbstat_add(s->stats, t);
}

/* ---- items ---------------------------------------------------------------------------------- */

static const char *const names[] = {
	"usb:iso", "usb:interrupt", "usb:control", "usb:bulk", "usb:unknown", "usbpcap:stage",
	"usbpcap:irp", "usbpcap:packet", "usb:packet", NULL,
};
#define NAME_OF_OTHERS (URB_XFERS + 1) /* from here on: events that are not halves of transfers */

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
	/*
	 * -ENOENT of a failed submission means that the endpoint is not enabled; it is not a
	 * cancellation.
	 */
	if (d->urb.type == 'E' || (d->urb.type != 'S' && usb_status_is_problem(d->urb.status)))
		return true;
	if (d->urb.xfer == URB_ISO && d->urb.type == 'C' && d->urb.iso_errors)
		return true;
	return d->class == &usb_storage_class && d->transfer && msc_is_problem(&d->storage);
}

/* Task name of events that have no task. */
static const char nobody[16];

/* Zeros are no keystroke: a released key, or what redaction left. */
static bool has_secret(const struct usb_detail *d)
{
	uint8_t any = 0;

	for (size_t i = 0; d->secret && i < d->data_len; i++)
		any |= d->data[i];
	return any;
}

int usb_emit(struct usb_state *s, struct item *it, struct usb_detail *d, struct item_sink *sink)
{
	it->name = item_name(d);
	it->name_len = (uint32_t)strlen(it->name);
	it->comm = nobody;
	it->cpu = ITEM_NO_CPU;
	it->pid = it->tid = ITEM_NO_TASK;
	it->problem = is_problem(d);
	it->secret = has_secret(d);
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
		.type = ev ? ev->type : s->type,
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
		      const struct usb_detail *joined, struct seen_event *seen,
		      struct item_sink *sink)
{
	struct usb_detail d = {.urb = *u, .data = u->data, .data_len = u->data_len};
	struct item it = item_of(ev);

	describe(s, &d);
	take_setup(&d, u->has_setup ? u->setup : NULL);
	d.guessed = guesses_device(s, &d);
	d.secret = joined ? joined->secret : secret_of(s, &d);
	if (seen) /* a duplicate must be masked like this event */
		seen->secret = d.secret;
	if (u->xfer == URB_ISO && joined && joined->transfer->has_submit)
		d.urb.buffer = joined->transfer->submit.length;
	return usb_emit(s, &it, &d, sink);
}

/* Data of unknown structure may end with a report of a boot keyboard. */
static const char *secret_of_tail(const struct usb_detail *d)
{
	enum { REPORT = 8, HEADER_DARWIN = 32, HEADER_USBPCAP = 27 };
	uint32_t header = d->urb.is_darwin ? HEADER_DARWIN : HEADER_USBPCAP;

	if (d->data_len < header + REPORT)
		return NULL;
	return keystrokes_rule_anywhere(NULL, d->data + d->data_len - REPORT, REPORT);
}

/*
 * The same for a packet that was kept in its original form: judges the payload behind its header.
 */
static const char *secret_of_packet(struct usb_state *s, const struct usb_detail *d)
{
	struct usb_detail inner = {.urb.number = d->urb.number};
	struct usbpcap_packet p;

	if (d->urb.is_darwin || !usbpcap_parse(&p, d->data, d->data_len))
		return secret_of_tail(d);
	inner.urb.bus = p.bus;
	inner.urb.device = (uint8_t)p.device;
	inner.urb.endpoint = p.endpoint;
	inner.urb.xfer = p.transfer;
	inner.data = p.data;
	inner.data_len = p.data_len;
	describe(s, &inner);
	if (p.transfer == URB_INTERRUPT || p.transfer == URB_BULK || p.transfer == URB_ISO)
		return secret_of(s, &inner);
	return keystrokes_rule_anywhere(inner.device, p.data, p.data_len);
}

/* The same for an event that is not half of a transfer; `d` must be filled in. */
static const char *secret_of_other(struct usb_state *s, const struct usb_detail *d)
{
	if (d->urb.type == 'P')
		return secret_of_packet(s, d);
	return keystrokes_rule_anywhere(d->device, d->data, d->data_len);
}

/*
 * Emits USBPcap's events that are not halves of transfers. A stage is part of another event and is
 * only shown where each event is an item.
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
	d.secret = secret_of_other(s, &d);
	return usb_emit(s, &it, &d, sink);
}

static uint8_t xfer_called(const char *name)
{
	uint8_t xfer = 0;

	while (xfer < URB_XFERS && strcmp(urb_xfer_name(xfer), name))
		xfer++;
	return xfer;
}

/*
 * Reads the "import/halves" metadata: pipes whose completions the capture does not contain, as the
 * import found.
 */
static int read_halves(struct usb_state *s, struct trawl_error *err)
{
	struct json_object *o = s->ctx->reader ? jdoc_meta(s->ctx->reader, "import/halves") : NULL;
	struct json_object *pipes = jdoc_get(o, "submissions_only");
	bool ok = true;

	for (size_t i = 0; ok && i < jdoc_count(pipes); i++) {
		struct json_object *p = json_object_array_get_idx(pipes, i);

		ok = transfers_expect_half(s->transfers, (uint16_t)jdoc_uint(p, "bus", 0),
					   (uint8_t)jdoc_uint(p, "dev", 0),
					   (uint8_t)jdoc_uint(p, "endpoint", 0),
					   xfer_called(jdoc_string(p, "xfer")));
	}
	json_object_put(o);
	return ok ? 0 : trawl_fail(err, TRAWL_CANNOT, "usb: out of memory");
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

/* Registers UAS commands when they are submitted, because their data may complete first. */
static void register_uas_command(struct usb_state *s, const struct urb *u, uint64_t time)
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
	else
		out_lack_memory();
}

/*
 * Emits the duplicate of an event, if each event is an item. It is masked like the original and
 * belongs to no transfer.
 */
static int emit_second(struct usb_state *s, const struct trawl_event *ev, const struct urb *u,
		       const struct seen_event *first, struct item_sink *sink)
{
	struct usb_detail d = {.urb = *u, .data = u->data, .data_len = u->data_len};
	struct item it = item_of(ev);

	if (!usb_is_raw(s))
		return 0;
	describe(s, &d);
	take_setup(&d, u->has_setup ? u->setup : NULL);
	d.secret = first->secret;
	d.is_second = true;
	d.apart = (int64_t)(ev->time - first->time);
	return usb_emit(s, &it, &d, sink);
}

/*
 * Returns the kept event for this half of a transfer; NULL for USBPcap and macOS, whose captures
 * have only one reader.
 */
static struct seen_event *take_seen(struct usb_state *s, const struct urb *u, uint64_t time,
				    const uint8_t *record, size_t len, bool *is_second)
{
	*is_second = false;
	if (u->is_usbpcap || u->is_darwin)
		return NULL;
	return duplicates_take(s->duplicates, u, time, record, len, is_second);
}

/* Whether the type has the field packet_length; other types may have any value at its offset. */
static bool describes_length(const struct trawl_event_type *type)
{
	for (uint32_t i = 0; i < type->nfields; i++)
		if (type->fields[i].offset == USB_PACKET_LENGTH && type->fields[i].size == 4)
			return !strcmp(type->fields[i].name, "packet_length");
	return false;
}

/* The same, cached by event type. */
static bool has_packet_length(struct usb_state *s, const struct trawl_event_type *type)
{
	size_t i = type->id % ARRAY_SIZE(s->described);

	if (s->described[i].type != type) {
		s->described[i].type = type;
		s->described[i].with_length = describes_length(type);
	}
	return s->described[i].with_length;
}

/*
 * Stores the event in usbmon's form in *u, and its record in *record. Packets of macOS are
 * converted.
 */
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
		urb_parse_event(u, ev->type->id, has_packet_length(s, ev->type), *record, *len);
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
	struct seen_event *seen;
	struct transfer *done;
	struct usb_detail d = {0};
	const uint8_t *record;
	bool is_second;
	struct urb u;
	size_t len;
	int result = 0;

	s->source = ev->source;
	s->type = ev->type;
	s->time = ev->time;
	s->ts = ev->ts;
	apply_metadata(s, ev->time);
	read_edits(s);
	parse(s, ev, &u, &record, &len);
	u.time = ev->ts;
	if (!s->events && read_halves(s, err))
		return -1;
	u.number = s->devices.event = s->events++;
	if (!urb_is_half(&u))
		return emit_other(s, ev, &u, sink);
	seen = take_seen(s, &u, ev->time, record, len, &is_second);
	if (is_second)
		return emit_second(s, ev, &u, seen, sink);
	result = emit_displaced(s, ev, &u, sink);
	if (result)
		return result;
	register_uas_command(s, &u, ev->time);
	/*
	 * Latencies are computed on the timeline, so that setting the wall clock does not change
	 * them.
	 */
	if (!transfers_feed(s->transfers, &u, ev->time, record, len, &done))
		return trawl_fail(err, TRAWL_CANNOT, "usb: out of memory");
	if (done)
		examine(s, done, &d);
	if (raw)
		result = emit_event(s, ev, &u, done && u.type != 'S' ? &d : NULL, seen, sink);
	else if (done)
		result = emit_transfer(s, ev, &d, sink);
	return result;
}

/* An open transfer to a device that is gone can no longer complete. */
static void judge_open(const struct usb_state *s, struct transfer *t)
{
	const struct usb_device *dev = usbdev_find(&s->devices, t->submit.bus, t->submit.device);

	if (dev && dev->gone)
		t->end = TRANSFER_UNANSWERED;
}

static int usb_flush(void *state, uint64_t time, struct item_sink *sink, struct trawl_error *err)
{
	struct usb_state *s = state;
	bool raw = usb_is_raw(s);
	struct transfer *t;
	struct usb_detail d;
	int result = 0;

	/* A snapshot of the last plug or unplug event is dated after the last URB. */
	apply_metadata(s, s->time + SNAPSHOT_SPAN);
	/* what is open is so until the end, and other sources may have had later events */
	s->time = time > s->time ? time : s->time;
	while (!result && (t = transfers_drain(s->transfers))) {
		judge_open(s, t);
		examine(s, t, &d);
		if (!raw)
			result = emit_transfer(s, NULL, &d, sink);
	}
	return result;
}

static void print_duplicates(const struct duplicates *d, struct out *o)
{
	uint64_t apart, n = duplicates_count(d, &apart);

	if (n)
		out_printf(o, "USB events recorded twice, by two readers of usbmon: %" PRIu64
			   ", times differ by up to %.0f us\n", n, (double)apart / 1000);
}

static void usb_summary(void *state, struct out *o)
{
	struct usb_state *s = state;
	struct trawl_reader *r = s->ctx->reader;

	usbstat_print(s->stats, &s->devices, o);
	print_duplicates(s->duplicates, o);
	for (size_t i = 0; r && i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		if (!strcmp(m->name, USBDEV_VERDICT))
			usbstat_replayable(r, m, o);
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
	.parts = usb_parts,
	.comparable = usb_comparable,
	.words = usb_words,
	.never = usb_never,
	.never_number = usb_never_number,
	.field_called = usb_field_called,
	.summary = usb_summary,
	.interface = usb_interface_of,
	.packet = usb_packet,
};
