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

#include "decode/base/bytes.h"
#include "decode/base/cli.h"
#include "decode/usb/echofield.h"
#include "replay/hostprogram.h"
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
	bool gone;
};

static bool reserve(struct session *s, size_t n)
{
	uint8_t *grown = n <= s->room ? s->buffer : realloc(s->buffer, n);

	if (!grown)
		return false;
	s->room = n > s->room ? n : s->room;
	s->buffer = grown;
	return true;
}

/* What libusb returned as the kernel's status. */
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

static int move(struct session *s, const struct tape_entry *e, uint32_t n)
{
	int done = 0,
	    got = (e->xfer == URB_BULK ? libusb_bulk_transfer
				       : libusb_interrupt_transfer)(s->device, e->endpoint,
								    s->buffer, (int)n, &done,
								    TIMEOUT);

	return got ? got : done;
}

/* Configuration, alternate settings and halts go by calls of their own: libusb and the kernel keep
 * account of them. */
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

static int transfer(struct session *s, const struct tape_entry *e, uint32_t *n)
{
	const uint8_t *p = e->setup;

	*n = !tape_in(e)		 ? e->data_len
		: e->asked > e->data_len ? e->asked
		: e->data_len		 ? e->data_len
					 : 64;
	if (e->xfer == URB_CONTROL)
		*n = tape_in(e) ? get16(p + 6) : e->data_len;
	if (!reserve(s, *n + 1))
		return LIBUSB_ERROR_NO_MEM;
	if (!tape_in(e) && e->data_len)
		memcpy(s->buffer, tape_data(s->tape, e), e->data_len);
	if (e->xfer != URB_CONTROL)
		return move(s, e, *n);
	return libusb_control_transfer(s->device, p[0], p[1], get16(p + 2), get16(p + 4), s->buffer,
				       (uint16_t)*n, TIMEOUT);
}

static bool same_data(const struct session *s, const struct tape_entry *e, uint32_t n)
{
	const uint8_t *was = tape_data(s->tape, e);
	bool mask[ECHO_REACH];

	if (s->options->any_data || !memcmp(was, s->buffer, n))
		return true;
	echo_mask(NULL, false, was, n, mask);
	for (uint32_t i = 0; i < n; i++)
		if (was[i] != s->buffer[i] && (i >= ECHO_REACH || !mask[i]))
			return false;
	return true;
}

static void play_entry(struct session *s, struct tape_entry *e)
{
	int32_t was = e->status == -121 ? 0 : e->status, status;
	bool standard = e->xfer == URB_CONTROL && !(e->setup[0] & 0x60);
	uint32_t n = 0, got_n;
	char text[120];
	int got = standard ? set_up(s, e) : transfer(s, e, &n);

	status = status_of(got);
	got_n = got > 0 ? (uint32_t)got : 0;
	s->gone = got == LIBUSB_ERROR_NO_DEVICE;
	if (status != was) {
		verdict_note(&s->verdict, s->tape, e, "%s, was %s",
			     got < 0 ? libusb_error_name(got) : "it succeeded",
			     was ? "refused" : "answered");
	} else if (!status && !standard && got_n != e->data_len) {
		verdict_note(&s->verdict, s->tape, e, "%u bytes, were %u", got_n, e->data_len);
	} else if (!status && tape_in(e) && !same_data(s, e, got_n)) {
		verdict_bytes(s->tape, e, s->buffer, got_n, text, sizeof(text));
		verdict_note(&s->verdict, s->tape, e, "%s", text);
	} else {
		s->verdict.same++;
		return;
	}
	s->verdict.differ++;
}

static void play_all(struct session *s)
{
	struct pace *pace = malloc(sizeof(*pace));

	if (pace)
		pace_start(pace, s->options->speed);
	for (uint32_t i = 0; i < s->tape->n; i++) {
		struct tape_entry *e = &s->tape->entries[i];

		if (hostprogram_leaves_out(e))
			continue;
		if (s->gone) {
			s->verdict.missing++;
			continue;
		}
		/* An answer is read when the device has it: only what is sent waits for its
		 * time. */
		if (pace && (!tape_in(e) || e->xfer == URB_CONTROL))
			pace_wait(pace, e->submitted);
		play_entry(s, e);
	}
	free(pace);
}

static int claim(struct session *s, uint32_t interfaces, struct trawl_error *err)
{
	libusb_set_auto_detach_kernel_driver(s->device, 1);
	for (unsigned int i = 0; i < 32; i++) {
		int got = interfaces >> i & 1 ? libusb_claim_interface(s->device, (int)i) : 0;

		/* Where drivers cannot be detached (in a container, under umockdev), there may be
		 * none. */
		if (got == LIBUSB_ERROR_OTHER &&
		    !libusb_set_auto_detach_kernel_driver(s->device, 0))
			got = libusb_claim_interface(s->device, (int)i);
		if (got)
			return trawl_fail(err, TRAWL_CANNOT,
					  "%04x:%04x: interface %u cannot be claimed: %s: does "
					  "another program use the device?",
					  s->tape->device.vendor, s->tape->device.product, i,
					  libusb_error_name(got));
	}
	return 0;
}

int hostusb_play(struct tape *t, const struct host_options *o, struct trawl_error *err)
{
	struct session s = {.tape = t, .options = o, .verdict = {.verbose = o->verbose}};
	uint32_t interfaces = hostprogram_interfaces(t);
	struct out out;
	int ret = -1;

	if (libusb_init(NULL))
		return trawl_fail(err, TRAWL_CANNOT, "libusb cannot be used: is there any USB?");
	s.device = libusb_open_device_with_vid_pid(NULL, t->device.vendor, t->device.product);
	if (!s.device) {
		trawl_fail(err, TRAWL_CANNOT,
			   "%04x:%04x: cannot be opened: plug it in, and run as root or give "
			   "yourself the right to /dev/bus/usb",
			   t->device.vendor, t->device.product);
	} else if (!claim(&s, interfaces, err)) {
		play_all(&s);
		out_open(&out, STDOUT_FILENO);
		ret = verdict_print(&s.verdict, &out);
		if (cli_finish(&out, "standard output"))
			ret = TRAWL_CANNOT;
		out_free(&out);
	}
	for (unsigned int i = 0; s.device && i < 32; i++)
		if (interfaces >> i & 1)
			libusb_release_interface(s.device, (int)i);
	if (s.device)
		libusb_close(s.device);
	libusb_exit(NULL);
	free(s.buffer);
	return ret;
}
#endif
