/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "replay/hostusb.h"

#ifndef HAVE_LIBUSB
int hostusb_play(struct tape *t, const struct host_options *o, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT,
			  "--really: built without libusb: --to-c and --to-python write programs "
			  "that do it elsewhere");
}
#else
#include <libusb.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/compare.h"
#include "decode/base/bytes.h"
#include "decode/base/cli.h"
#include "decode/usb/echofield.h"
#include "replay/hostguard.h"
#include "replay/hostprogram.h"
#include "replay/hostread.h"
#include "replay/pace.h"
#include "replay/verdict.h"

#define TIMEOUT 5000 /* ms */

struct session {
	struct tape *tape;
	const struct host_options *options;
	libusb_device_handle *device;
	struct verdict verdict;
	uint8_t *buffer;
	size_t room;
	struct hostread **reads; /* by entry: the queued transfers */
	bool gone;
};

/*
 * A step of the host, in recorded order: it begins a transfer, or gets the answer to a queued read.
 */
struct step {
	uint64_t at;
	uint32_t entry;
	bool ends;
};

/* The kernel's status (a negative errno) for what libusb returned. */
static int32_t status_of(int got)
{
	switch (got) {
	case LIBUSB_ERROR_PIPE:
		return -32;
	case LIBUSB_ERROR_TIMEOUT:
		return -110;
	case LIBUSB_ERROR_NO_DEVICE:
		return -19;
	case LIBUSB_ERROR_OVERFLOW:
		return -75;
	default:
		return got < 0 ? -71 : 0;
	}
}

static int send(struct session *s, const struct tape_entry *e)
{
	int done = 0,
	    got = (e->xfer == URB_BULK ? libusb_bulk_transfer : libusb_interrupt_transfer)(
		    s->device, e->endpoint, s->buffer, (int)e->data_len, &done, TIMEOUT);

	return got ? got : done;
}

/*
 * Repeats a request for a configuration, an alternate setting or a halt by libusb's own functions,
 * because libusb and the kernel track these.
 */
static int set_up(struct session *s, const struct tape_entry *e)
{
	int now = 0;

	if (e->setup[1] == REQ_SET_INTERFACE)
		return libusb_set_interface_alt_setting(s->device, e->setup[4], e->setup[2]);
	if (e->setup[1] == REQ_CLEAR_FEATURE)
		return libusb_clear_halt(s->device, e->setup[4]);
	if (!libusb_get_configuration(s->device, &now) && now == e->setup[2])
		return 0;
	return libusb_set_configuration(s->device, e->setup[2]);
}

/* Repeats a transfer that is not queued. */
static int transfer(struct session *s, const struct tape_entry *e)
{
	const uint8_t *p = e->setup;
	uint32_t n = tape_in(e) ? get16(p + 6) : e->data_len;

	if (!array_reserve(s->buffer, s->room, n + 1))
		return LIBUSB_ERROR_NO_MEM;
	if (!tape_in(e) && e->data_len)
		memcpy(s->buffer, tape_data(s->tape, e), e->data_len);
	if (e->xfer != URB_CONTROL)
		return send(s, e);
	return libusb_control_transfer(s->device, p[0], p[1], get16(p + 2), get16(p + 4), s->buffer,
				       (uint16_t)n, TIMEOUT);
}

static bool same_data(const struct session *s, const struct tape_entry *e, const uint8_t *is,
		      uint32_t n)
{
	const uint8_t *was = tape_data(s->tape, e);

	return s->options->any_data || echo_same(NULL, was, is, n, n);
}

/* got: the number of bytes, or libusb's error; data: the answer. */
static void compare(struct session *s, struct tape_entry *e, int got, const uint8_t *data)
{
	int32_t was = e->status == -121 ? 0 : e->status, status = status_of(got);
	bool standard = e->xfer == URB_CONTROL && !(e->setup[0] & 0x60);
	uint32_t n = got > 0 ? (uint32_t)got : 0;
	char text[120];

	s->gone = got == LIBUSB_ERROR_NO_DEVICE;
	if (status != was) {
		verdict_note(&s->verdict, s->tape, e, "%s, was %s",
			     got < 0 ? libusb_error_name(got) : "it succeeded",
			     was ? "refused" : "answered");
	} else if (!status && !standard && n != e->data_len) {
		verdict_note(&s->verdict, s->tape, e, "%u bytes, were %u", n, e->data_len);
	} else if (!status && tape_in(e) && !same_data(s, e, data, n)) {
		verdict_bytes(s->tape, e, data, n, text, sizeof(text));
		verdict_note(&s->verdict, s->tape, e, "%s", text);
	} else {
		s->verdict.same++;
		return;
	}
	s->verdict.differ++;
}

/* Whether the transfer is queued, and ends while others begin: reads, and isochronous transfers. */
static bool is_queued(const struct tape_entry *e)
{
	return e->xfer == URB_ISO || (e->xfer != URB_CONTROL && tape_in(e));
}

/*
 * Queues an isochronous transfer. All packets of a read have the same size: the host's buffer
 * divided by their number.
 */
static struct hostread *begin_packets(const struct session *s, const struct tape_entry *e)
{
	uint32_t *lengths = malloc(e->npackets * sizeof(*lengths));
	uint32_t room = tape_room(e) / e->npackets;
	struct hostread *r = NULL;

	for (uint32_t i = 0; lengths && i < e->npackets; i++) {
		lengths[i] = tape_packet(s->tape, e, i).length;
		if (tape_in(e) && lengths[i] < room)
			lengths[i] = room;
	}
	if (lengths)
		r = hostread_begin_packets(s->device, e->endpoint, e->npackets, lengths,
					   tape_in(e) ? NULL : tape_data(s->tape, e));
	free(lengths);
	return r;
}

static struct hostread *begin(const struct session *s, const struct tape_entry *e)
{
	return e->xfer == URB_ISO ? begin_packets(s, e)
				  : hostread_begin(s->device, e->xfer, e->endpoint, tape_room(e));
}

/* Whether more packets were lost than in the capture, which is a difference. */
static bool loses_packets(struct session *s, const struct tape_entry *e, const struct hostread *r)
{
	uint32_t was = 0, is = hostread_bad_packets(r);

	for (uint32_t i = 0; tape_in(e) && i < e->npackets; i++)
		was += tape_packet(s->tape, e, i).status != 0;
	if (is <= was)
		return false;
	verdict_note(&s->verdict, s->tape, e, "%u packets failed, were %u", is, was);
	s->verdict.differ++;
	return true;
}

/* Waits for a queued transfer and compares its answer. */
static void end(struct session *s, struct tape_entry *e, struct hostread *r)
{
	int got = r ? hostread_end(r, TIMEOUT) : LIBUSB_ERROR_NO_MEM;

	if (got < 0 || e->xfer != URB_ISO || !loses_packets(s, e, r))
		compare(s, e, got, r ? hostread_data(r) : NULL);
	hostread_free(r);
}

static void play_step(struct session *s, const struct step *step, struct pace *pace)
{
	struct tape_entry *e = &s->tape->entries[step->entry];
	struct hostread **read = &s->reads[step->entry];
	int got;

	if (s->gone) {
		s->verdict.missing += step->ends || !is_queued(e);
	} else if (step->ends) {
		end(s, e, *read);
		*read = NULL;
	} else if (is_queued(e)) {
		*read = begin(s, e);
	} else {
		bool standard = e->xfer == URB_CONTROL && !(e->setup[0] & 0x60);

		/*
		 * Only transfers that the host sends wait for their time; an answer is read as soon
		 * as it comes.
		 */
		pace_wait(pace, e->submitted);
		got = standard ? set_up(s, e) : transfer(s, e); /* which may move the buffer */
		compare(s, e, got, s->buffer);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return compare_pairs(x->at, y->at, x->ends, y->ends);
}

/* All steps, sorted; NULL without memory. */
static struct step *steps_of(const struct tape *t, size_t *n)
{
	struct step *steps = malloc((2 * (size_t)t->n + 1) * sizeof(*steps));

	*n = 0;
	for (uint32_t i = 0; steps && i < t->n; i++) {
		const struct tape_entry *e = &t->entries[i];

		if (hostprogram_leaves_out(e))
			continue;
		steps[(*n)++] = (struct step){.at = e->begun, .entry = i};
		if (is_queued(e))
			steps[(*n)++] = (struct step){.at = e->ended ? e->ended : UINT64_MAX,
						      .entry = i,
						      .ends = true};
	}
	if (*n)
		qsort(steps, *n, sizeof(*steps), by_time);
	return steps;
}

static int play_all(struct session *s, struct trawl_error *err)
{
	struct pace *pace = malloc(sizeof(*pace));
	size_t n;
	struct step *steps = steps_of(s->tape, &n);
	int ret = 0;

	s->reads = calloc((size_t)s->tape->n + 1, sizeof(struct hostread *));
	if (pace && steps && s->reads) {
		pace_start(pace, s->options->speed);
		for (size_t i = 0; i < n; i++)
			play_step(s, &steps[i], pace);
	} else {
		ret = trawl_fail(err, TRAWL_CANNOT,
				 "the capture's transfers need more memory than there is");
	}
	for (uint32_t i = 0; s->reads && i < s->tape->n; i++)
		hostread_free(s->reads[i]);
	free(s->reads);
	free(steps);
	free(pace);
	return ret;
}

static int claim(struct session *s, uint32_t interfaces, struct trawl_error *err)
{
	libusb_set_auto_detach_kernel_driver(s->device, 1);
	for (unsigned int i = 0; i < 32; i++) {
		int got = interfaces >> i & 1 ? libusb_claim_interface(s->device, (int)i) : 0;

		/*
		 * In a container or under umockdev drivers cannot be detached, and there may be
		 * none.
		 */
		if (got == LIBUSB_ERROR_OTHER &&
		    !libusb_set_auto_detach_kernel_driver(s->device, 0))
			got = libusb_claim_interface(s->device, (int)i);
		if (got)
			return trawl_fail(err, TRAWL_CANNOT,
					  "%04x:%04x: interface %u cannot be claimed: %s; end the "
					  "program that uses the device",
					  s->tape->device.vendor, s->tape->device.product, i,
					  libusb_error_name(got));
	}
	return 0;
}

/* Returns the interfaces of the set that have a kernel driver now. */
static uint32_t with_driver(libusb_device_handle *device, uint32_t interfaces)
{
	uint32_t found = 0;

	for (int i = 0; i < 32; i++)
		if (interfaces >> i & 1 && libusb_kernel_driver_active(device, i) == 1)
			found |= 1u << i;
	return found;
}

/*
 * Releases all interfaces, and then reattaches their drivers: a driver that uses several interfaces
 * (sound, modems) does not bind while another of them is still claimed.
 */
static void give_back(struct session *s, uint32_t interfaces, uint32_t drivers)
{
	libusb_set_auto_detach_kernel_driver(s->device, 0);
	for (int i = 0; i < 32; i++)
		if (interfaces >> i & 1)
			libusb_release_interface(s->device, i);
	for (int i = 0; i < 32; i++)
		if (drivers >> i & 1)
			libusb_attach_kernel_driver(s->device, i);
}

/*
 * Opens the only device with these ids: what is sent to another one of the same kind may damage it.
 * NULL with *err.
 */
static libusb_device_handle *open_only(uint16_t vendor, uint16_t product, struct trawl_error *err)
{
	struct libusb_device_descriptor d;
	libusb_device **list, *found = NULL;
	libusb_device_handle *handle = NULL;
	ssize_t n = libusb_get_device_list(NULL, &list);
	unsigned int count = 0;
	int got = 0;

	for (ssize_t i = 0; i < n; i++)
		if (!libusb_get_device_descriptor(list[i], &d) && d.idVendor == vendor &&
		    d.idProduct == product) {
			found = list[i];
			count++;
		}
	if (count == 1)
		got = libusb_open(found, &handle);
	if (!count)
		trawl_fail(err, TRAWL_CANNOT, "%04x:%04x: is not plugged in; plug it in", vendor,
			   product);
	else if (count > 1)
		trawl_fail(err, TRAWL_CANNOT,
			   "%04x:%04x: is plugged in %u times; unplug those that are not meant",
			   vendor, product, count);
	else if (got == LIBUSB_ERROR_ACCESS)
		trawl_fail(err, TRAWL_CANNOT,
			   "%04x:%04x: no permission to open it; run as root, or give yourself the "
			   "right to /dev/bus/usb/%03u/%03u",
			   vendor, product, libusb_get_bus_number(found),
			   libusb_get_device_address(found));
	else if (got)
		trawl_fail(err, TRAWL_CANNOT, "%04x:%04x: cannot be opened: %s", vendor, product,
			   libusb_error_name(got));
	if (n >= 0)
		libusb_free_device_list(list, 1);
	return handle;
}

int hostusb_play(struct tape *t, const struct host_options *o, struct trawl_error *err)
{
	struct session s = {.tape = t, .options = o, .verdict = {.verbose = o->verbose}};
	uint32_t interfaces = hostprogram_interfaces(t), drivers = 0;
	struct hostguard guard;
	struct out out;
	int ret = -1;

	hostguard_start(&guard, t->device.vendor, t->device.product);
	if (libusb_init(NULL)) {
		hostguard_end(&guard);
		return trawl_fail(err, TRAWL_CANNOT, "libusb: cannot be started; check that this "
						     "machine has USB");
	}
	s.device = open_only(t->device.vendor, t->device.product, err);
	if (s.device) {
		drivers = with_driver(s.device, interfaces);
		hostguard_takes(&guard, drivers);
	}
	if (s.device && !claim(&s, interfaces, err) && !play_all(&s, err)) {
		out_open(&out, STDOUT_FILENO);
		ret = verdict_print(&s.verdict, &out);
		if (cli_finish(&out, "standard output"))
			ret = TRAWL_CANNOT;
		out_free(&out);
	}
	if (s.device) {
		give_back(&s, interfaces, drivers);
		libusb_close(s.device);
	}
	libusb_exit(NULL);
	hostguard_end(&guard);
	free(s.buffer);
	return ret;
}
#endif
