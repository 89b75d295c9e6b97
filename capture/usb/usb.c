/* SPDX-License-Identifier: MIT */
/*
 * The source "usb". All -i usb:… of a session are filters on one usbmon device, so that no event
 * comes twice. It is the node of one bus if all filters name that bus, else the node of all buses.
 *
 * Events are filtered in the kernel's ring and appended to the session from there, without a copy.
 * Hot-plug messages come by netlink. The ring is drained before each of them is handled, so that
 * earlier events are matched against the devices of their time.
 *
 * A wake-up takes more time than an event. So while events come, the ring is read by a timer; the
 * device is polled only while there are none.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "decode/usb/usbmontext.h"
#include "capture/sys/clock.h"
#include "capture/session.h"
#include "capture/usb/devices.h"
#include "capture/usb/filter.h"
#include "capture/usb/hold.h"
#include "capture/usb/list.h"
#include "capture/usb/usbmon.h"
#include "capture/usb/node.h"
#include "capture/usb/sysfs.h"
#include "capture/usb/tally.h"
#include "capture/usb/text.h"
#include "common/usbtypes.h"

enum {
	/* Between two reads of a ring of USBMON_RING_MAX: it would take 2.6 GB/s to fill it. */
	READ_MS = 25,
	TEXT_READ_MS = 2,     /* the same for the text interface, which keeps about a hundred
			       * events */
	DRAIN_BYTES = 64 << 20, /* limit of one drain() */
};

/*
 * The states of the source:
 *
 *	USB_ARMING --arm()--> USB_RECORDING --halt()--> USB_HALTED --last drain()--> USB_FINISHED
 *
 *	USB_ARMING     devices that are found existed before: they get no note
 *	USB_RECORDING  events and hot-plug messages are recorded; `full`: the session drops events
 *	USB_HALTED     the kernel goes on; events after `halted` are left out
 *	USB_FINISHED   held events are emitted, losses and the verdict are in the file; nothing is read
 *
 * `silent`, whether the ring or a timer wakes the session, is independent of these.
 */
enum usb_state { USB_ARMING, USB_RECORDING, USB_HALTED, USB_FINISHED };

struct usb {
	enum usb_state state;
	struct session *session;
	struct input *in;
	struct usbmon mon;
	struct usbtext text;
	bool by_text;         /* usb:text: `text` is open, else `mon` */
	uint32_t snaplen;     /* -s; 0: all */
	struct usbfilter filter;
	struct usbhold hold;
	struct usbtally tally;
	struct usbdevices devices;
	uint16_t id;          /* of the source in the writer */
	uint16_t bus;         /* whose node is open; 0: of all */
	int uevents;
	int timer;            /* expires when the ring is to be read again */
	bool silent;          /* the last read gave nothing: poll the device, not the timer */
	uint8_t *cut;         /* an event that -s cut */
	uint64_t losses_read; /* CLOCK_REALTIME, ns: when the count of lost events was last read */
	uint64_t seen;        /* events read from the ring, selected or not */
	bool full;            /* the session wants no more events */
	uint64_t halted;      /* CLOCK_REALTIME, ns, in USB_HALTED: later events are dropped */
};

/* ---- events -------------------------------------------------------------------------------- */

/* Returns the event's time, CLOCK_REALTIME, ns. */
static uint64_t event_time(const struct usbmon_header *h)
{
	return (uint64_t)h->ts_sec * 1000000000 + (uint64_t)h->ts_usec * 1000;
}

/* Shortens an event to -s bytes of data, and sets the header's len_cap to that. */
static const uint8_t *snap(struct usb *u, const uint8_t *event, struct usbmon_header *h)
{
	size_t descs = (size_t)h->ndesc * USBMON_ISO_DESC;

	if (h->len_cap <= descs || h->len_cap - descs <= u->snaplen)
		return event;
	h->len_cap = (uint32_t)(descs + u->snaplen);
	memcpy(u->cut, h, sizeof(*h));
	memcpy(u->cut + sizeof(*h), event + sizeof(*h), h->len_cap);
	return u->cut;
}

/*
 * Appends one event, with its header *h, to the session. Returns 0; 1 if the session wants no more;
 * -1 with *err.
 */
static inline int emit(struct usb *u, struct usbmon_header *h, const uint8_t *event,
		struct trawl_error *err)
{
	uint32_t type = usbtypes_event(h->type), given = h->len_cap;
	int r;

	if (!type) {
		u->tally.malformed++;
		return 0;
	}
	if (u->snaplen)
		event = snap(u, event, h);
	r = session_append(u->in, &(struct trawl_record){ u->id, type, 0, event_time(h), event,
							  sizeof(*h) + h->len_cap }, err);
	if (r == 0)
		usbtally_count(&u->tally, h, event + sizeof(*h), given);
	u->full |= r > 0;
	return r;
}

struct emission {
	struct usb *u;
	struct trawl_error *err;
};

static int emit_held(const uint8_t *event, size_t len, void *arg)
{
	struct emission *e = arg;
	struct usbmon_header h;

	memcpy(&h, event, sizeof(h));
	return emit(e->u, &h, event, e->err);
}

static int release(struct usb *u, struct trawl_error *err)
{
	struct emission e = { u, err };

	return usbhold_release(&u->hold, &u->filter, mono_ms(), emit_held, &e);
}

static int next_event(struct usb *u, const uint8_t **event, struct trawl_error *err)
{
	return u->by_text ? usbtext_next(&u->text, event, err) : usbmon_next(&u->mon, event, err);
}

/*
 * Whether the event is after the end of the capture. A time in the future is from before the wall
 * clock was set back.
 */
static bool is_late(const struct usb *u, const struct usbmon_header *h)
{
	return u->state == USB_HALTED && event_time(h) > u->halted &&
	       event_time(h) <= clock_ns(CLOCK_REALTIME);
}

/*
 * Reads the ring up to the end of the capture. Returns 0 if nothing is left, 1 if more is, -1 with
 * *err.
 */
static int drain_ring(struct usb *u, struct trawl_error *err)
{
	struct usbmon_header h;
	const uint8_t *event;
	size_t bytes = 0;
	int r;

	while ((r = next_event(u, &event, err)) > 0) {
		enum usbfilter_verdict verdict;

		u->seen++;
		memcpy(&h, event, sizeof(h));
		if (is_late(u, &h))
			return 0;
		verdict = usbfilter_match(&u->filter, &h);
		if (verdict == USBFILTER_DROP) {
			u->tally.unwanted++;
			continue;
		}
		if (verdict == USBFILTER_UNDECIDED || usbhold_waiting(&u->hold)) {
			if (usbhold_add(&u->hold, event, sizeof(h) + h.len_cap, mono_ms()))
				return trawl_fail(err, TRAWL_CANNOT, "usb: out of memory");
			continue;
		}
		bytes += sizeof(h) + h.len_cap;
		r = emit(u, &h, event, err);
		if (r)
			break;
		if (bytes > DRAIN_BYTES)
			return 1;
	}
	return r;
}

/* ---- losses -------------------------------------------------------------------------------- */

static int read_losses(struct usb *u, struct trawl_error *err)
{
	struct trawl_loss loss = {
		.source = u->id, .cpu = UINT32_MAX, .reason = TRAWL_LOSS_DROPPED,
	};
	int r;

	r = u->by_text ? usbtext_lost(&u->text, &loss.count, err) :
			 usbmon_lost(&u->mon, &loss.count, err);
	loss.from = u->losses_read;
	loss.to = u->losses_read = clock_ns(CLOCK_REALTIME);
	if (r < 0 || !loss.count)
		return r;
	u->tally.lost += loss.count;
	return session_loss(u->session, &loss, err);
}

/* ---- the node ------------------------------------------------------------------------------ */

static int open_node(struct usb *u, struct trawl_error *err)
{
	size_t ring = (size_t)session_options(u->session)->buffer_kb << 10;
	char path[USBNODE_PATH];
	uint8_t *cut;

	if (u->by_text)
		usbnode_ready(err); /* loads the module; a failure is reported by usbtext_open() */
	if (u->by_text ? usbtext_open(&u->text, u->bus, err) < 0 :
			 usbnode_find(u->bus, path, err) < 0 ||
			 usbmon_open(&u->mon, &usbmon_kernel, path, ring, err) < 0)
		return -1;
	cut = malloc(u->by_text ? USBMONTEXT_RECORD :
				  sizeof(struct usbmon_header) + usbmon_data_max(&u->mon));
	if (!cut)
		return trawl_fail(err, TRAWL_CANNOT, "usb: out of memory");
	free(u->cut);
	u->cut = cut;
	return 0;
}

/*
 * Opens the node of all buses after a bus was removed: the open node of that bus gives no events
 * even if the bus returns. The filters select the bus.
 */
static int open_all_buses(struct usb *u, struct trawl_error *err)
{
	struct usbmon mon = u->mon;
	struct usbtext text = u->text;
	struct trawl_error why = { 0 };
	uint16_t bus = u->bus;

	if (read_losses(u, err) < 0)
		return -1;
	u->bus = 0;
	u->mon = (struct usbmon){ .fd = -1 };
	u->text = (struct usbtext){ .fd = -1 };
	if (open_node(u, &why) == 0) {
		uint64_t of_others = 0;

		if (u->by_text && usbtext_lost(&u->text, &of_others, err) < 0)
			return -1;
		u->tally.malformed += mon.malformed + text.malformed;
		usbmon_close(&mon);
		usbtext_close(&text);
		return 0;
	}
	session_note(u->session, "usb: when bus %u comes back, it will not be recorded: %s",
		     bus, why.text);
	usbtext_close(&u->text);
	usbmon_close(&u->mon);
	u->mon = mon;
	u->text = text;
	return 0;
}

/* ---- devices ------------------------------------------------------------------------------- */

/* Adds a device to the filter, and writes its metadata if it is new and selected. */
static int add_device(const struct usb_identity *id, void *arg)
{
	struct emission *e = arg;
	struct usb *u = e->u;
	bool known = usbfilter_wanted(&u->filter, id->bus, id->dev);
	bool wanted = usbfilter_learn(&u->filter, id);

	usbhold_enumerated(&u->hold, id->bus, wanted);
	if (!wanted || known)
		return 0;
	u->tally.devices++;
	if (u->state != USB_ARMING)
		session_note(u->session, "usb: %s (%04x:%04x) is plugged in", id->name, id->vid,
			     id->pid);
	return usbdevices_write(&u->devices, id->name, e->err);
}

static int add_devices(struct usb *u, struct trawl_error *err)
{
	struct emission e = { u, err };

	return usbsys_each(USBSYS_ROOT, add_device, &e);
}

static int on_add(struct usb *u, const struct usb_uevent *ev, struct trawl_error *err)
{
	struct emission e = { u, err };
	struct usb_identity id;

	if (!usbsys_identity(USBSYS_ROOT, ev->name, &id))
		return 0; /* removed already; its held events are dropped after USBHOLD_MS */
	usbdevices_rewrite_later(&u->devices, ev->name);
	return add_device(&id, &e);
}

static int on_remove(struct usb *u, const struct usb_uevent *ev, struct trawl_error *err)
{
	bool wanted = usbfilter_wanted(&u->filter, ev->bus, ev->dev);
	bool is_bus = !strncmp(ev->name, "usb", 3);

	usbfilter_forget(&u->filter, ev->bus, ev->dev);
	if (is_bus && ev->bus == u->bus && open_all_buses(u, err) < 0)
		return -1;
	if (!wanted)
		return 0;
	u->tally.gone++;
	session_note(u->session, "usb: %s is gone", ev->name);
	return usbdevices_write_removed(&u->devices, ev, err);
}

static int on_uevent(struct usb *u, const struct usb_uevent *ev, struct trawl_error *err)
{
	switch (ev->action) {
	case USB_ADD:
		return on_add(u, ev, err);
	case USB_REMOVE:
		return on_remove(u, ev, err);
	case USB_CHANGE:
		usbdevices_rewrite_later(&u->devices, ev->name);
		break;
	}
	return 0;
}

static bool is_of_term(const struct usb_identity *id, const void *term)
{
	return usbfilter_is(term, id);
}

/*
 * Prints a note for each filter that several devices, or none, match. A filter by ID, port or
 * serial number may match later; one by address is an error if no device has that address.
 */
static int note_devices(struct usb *u, const struct input *in, struct trawl_error *err)
{
	char list[700];
	size_t i, n;

	for (i = 0; i < u->filter.count; i++) {
		const struct usbfilter_term *t = &u->filter.terms[i];

		if (!t->has_vid && !*t->port && !*t->serial && !t->dev)
			continue;
		if (u->filter.met & 1u << i) {
			n = usbsys_list(USBSYS_ROOT, is_of_term, t, list, sizeof(list));
			if (n > 1)
				session_note(u->session, "usb:%s is %zu devices: %s", in->specs[i],
					     n, list);
			continue;
		}
		usbsys_list(USBSYS_ROOT, NULL, NULL, list, sizeof(list));
		if (t->dev)
			return trawl_fail(err, TRAWL_CANNOT,
					  "usb:%s: there is no such device; plugged in are: %s",
					  in->specs[i], list);
		session_note(u->session, "usb:%s is not plugged in; waiting for it. There are: %s",
			     in->specs[i], list);
	}
	return 0;
}

/* ---- the source ---------------------------------------------------------------------------- */

static void disarm(struct input *in)
{
	struct usb *u = in->state;

	if (!u)
		return;
	usbmon_close(&u->mon);
	usbtext_close(&u->text);
	usbhold_free(&u->hold);
	if (u->uevents >= 0)
		close(u->uevents);
	if (u->timer >= 0)
		close(u->timer);
	free(u->cut);
	free(u);
	in->state = NULL;
}

static int read_filters(struct usb *u, const struct input *in, struct trawl_error *err)
{
	size_t i;

	for (i = 0; i < in->nspecs; i++) {
		const char *spec = in->specs[i];
		bool text = !strncmp(spec, "text", 4) && (!spec[4] || spec[4] == ':');

		if (i && text != u->by_text)
			return trawl_fail(err, TRAWL_USAGE,
					  "usb:text: cannot be combined with usb; choose one of "
					  "them");
		u->by_text = text;
		if (usbfilter_add(&u->filter, text ? spec + 4 + (spec[4] == ':') : spec, err) < 0)
			return -1;
	}
	u->bus = usbfilter_bus(&u->filter);
	u->tally.partial = usbfilter_partial(&u->filter);
	return 0;
}

/* Describes the source to the writer, with all -i texts in one. */
static int describe_source(struct usb *u, const struct input *in, struct trawl_error *err)
{
	char spec[1024] = "";
	size_t i, used = 0;

	for (i = 0; i < in->nspecs && used < sizeof(spec); i++)
		used += (size_t)snprintf(spec + used, sizeof(spec) - used, "%susb%s%s",
					 i ? " " : "", *in->specs[i] ? ":" : "", in->specs[i]);
	int id = usbtypes_describe(session_writer(u->session), spec, err);

	if (id < 0)
		return -1;
	u->id = (uint16_t)id;
	return 0;
}

static int arm(struct input *in, struct trawl_error *err)
{
	const struct options *o = session_options(in->session);
	struct usb *u = calloc(1, sizeof(*u));

	if (!u)
		return trawl_fail(err, TRAWL_CANNOT, "usb: out of memory");
	in->state = u;
	u->session = in->session;
	u->in = in;
	usbdevices_start(&u->devices, in->session, &u->filter);
	u->snaplen = o->snaplen;
	u->mon.fd = -1;
	u->text.fd = -1;
	u->uevents = -1;
	u->silent = true;
	u->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (u->timer < 0)
		return trawl_fail(err, TRAWL_CANNOT, "usb: no timer: %s", strerror(errno));
	if (read_filters(u, in, err) < 0)
		return -1;
	/* Opened before the devices are read, so that no hot-plug message is missed. */
	u->uevents = usbsys_uevents(err);
	if (u->uevents < 0 || open_node(u, err) < 0)
		return -1;
	if (describe_source(u, in, err) < 0 || add_devices(u, err) < 0 ||
	    note_devices(u, in, err) < 0)
		return -1;
	if (u->by_text)
		session_note(u->session, "usb:text carries at most 32 bytes of each transfer");
	if (o->npids || o->command)
		session_note(u->session, "usb: transfers belong to no process: %s limits only the "
					 "other sources", o->npids ? "-p" : "the command");
	u->state = USB_RECORDING;
	return 0;
}

/* Sets the timer for the next read of the ring: the smaller the ring, the sooner. */
static void set_timer(struct usb *u)
{
	uint64_t ns = u->by_text ? TEXT_READ_MS * 1000000 :
		      (uint64_t)READ_MS * 1000000 * u->mon.ring_size / USBMON_RING_MAX;
	struct itimerspec in = { .it_value.tv_nsec = (long)ns };

	timerfd_settime(u->timer, 0, &in, NULL);
}

/* Drops the events and the losses from before the start. */
static int discard(struct input *in, struct trawl_error *err)
{
	struct usb *u = in->state;
	const uint8_t *event;
	uint64_t before;
	int r;

	assert(u->state == USB_RECORDING && !u->seen);
	u->losses_read = clock_ns(CLOCK_REALTIME);
	if (u->by_text) {
		while ((r = usbtext_next(&u->text, &event, err)) > 0)
			;
		u->silent = false;
		set_timer(u);
		return r < 0 ? r : usbtext_lost(&u->text, &before, err);
	}
	usbmon_flush(&u->mon);
	return usbmon_lost(&u->mon, &before, err);
}

static size_t fds(struct input *in, struct pollfd *fds, size_t room)
{
	struct usb *u = in->state;

	if (room < 2)
		return 0;
	fds[0] = (struct pollfd){ .fd = u->silent ? u->mon.fd : u->timer, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = u->uevents, .events = POLLIN };
	return 2;
}

/*
 * Handles hot-plug messages in order, each after the events before it. Returns 0; 1 if more is
 * left; -1 with *err.
 */
static int follow(struct usb *u, struct trawl_error *err)
{
	struct usb_uevent ev;
	bool more, overrun;
	int r;

	do {
		more = usbsys_uevent(u->uevents, &ev, &overrun);
		do {
			r = drain_ring(u, err);
		} while (r > 0 && more && !u->full);
		if (r < 0 || (overrun && add_devices(u, err) < 0) ||
		    (more && on_uevent(u, &ev, err) < 0))
			return -1;
	} while (more);
	return r;
}

static int write_verdict(struct usb *u, struct trawl_error *err)
{
	struct json j = { 0 };
	char text[USBTALLY_TEXT];
	int r;

	u->tally.undecided = u->hold.given_up;
	u->tally.malformed += u->mon.malformed + u->text.malformed;
	u->tally.text = u->by_text;
	usbtally_json(&u->tally, u->mon.ring_size, u->mon.ring, &j);
	r = usbdevices_write_json(&u->devices, "verdict", &j, err);
	usbtally_text(&u->tally, text, sizeof(text));
	session_note(u->session, "usb: replayable: %s", text);
	return r;
}

static int tick(struct input *in, struct trawl_error *err)
{
	struct usb *u = in->state;

	return usbdevices_rewrite(&u->devices, false, err) < 0 ? -1 : read_losses(u, err);
}

/* Called after the last event: emits held events, writes the last losses and the verdict. */
static int finish(struct usb *u, struct trawl_error *err)
{
	struct emission e = { u, err };

	assert(u->state == USB_HALTED);
	u->state = USB_FINISHED;
	if (usbhold_release(&u->hold, &u->filter, UINT64_MAX, emit_held, &e) < 0 ||
	    usbdevices_rewrite(&u->devices, true, err) < 0 || read_losses(u, err) < 0)
		return -1;
	return write_verdict(u, err);
}

static int drain(struct input *in, struct trawl_error *err)
{
	struct usb *u = in->state;
	uint64_t seen = u->seen;
	int more = 0;

	assert(u->state != USB_ARMING);
	if (u->state == USB_FINISHED)
		return DRAIN_DONE; /* other sources still have events */
	if (!u->full) {
		more = follow(u, err);
		if (more < 0 || release(u, err) < 0)
			return -1;
	}
	if (more && !u->full)
		return DRAIN_MORE;
	/* The text interface cannot be polled: its timer always runs. */
	u->silent = u->seen == seen && !u->by_text;
	if (!u->silent)
		set_timer(u);
	if (u->state == USB_HALTED)
		return finish(u, err);
	return usbhold_waiting(&u->hold) ? DRAIN_HELD : DRAIN_DONE;
}

/* usbmon cannot be switched off: drain() drops events after this time. */
static void halt(struct input *in)
{
	struct usb *u = in->state;

	assert(u->state == USB_RECORDING);
	u->halted = clock_ns(CLOCK_REALTIME);
	u->state = USB_HALTED;
}

static void stats(struct input *in, struct source_stats *stats)
{
	const struct usb *u = in->state;

	stats->captured = u->tally.events;
	stats->lost = u->tally.lost;
}

const struct source usb_source = {
	.name = "usb",
	.realtime = true,
	.unscoped = true,
	.summary = "[text:][PART,...] of BUS | VID:PID | VID:* | port=1-2.3 | serial=TEXT | "
		   "dev=BUS:DEV | ep=N[in|out]",
	.describe = usblist_describe,
	.arm = arm,
	.discard = discard,
	.fds = fds,
	.drain = drain,
	.tick = tick,
	.halt = halt,
	.stats = stats,
	.disarm = disarm,
};
