/* SPDX-License-Identifier: MIT */
/*
 * The way "device": plays the USB device to this machine's drivers through vhci_hcd, or to a usbip
 * client.
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/duration.h"
#include "common/sandbox.h"
#include "decode/base/cli.h"
#include "decode/import/foreign.h"
#include "replay/player.h"
#include "replay/way.h"

#define USBIP_PORT 3240

struct options {
	struct tape_file file;
	struct player_options player;
	bool listen, verbose, as_is, no_sandbox;
	uint16_t port;
};

static const char help[] =
	"      --device DEVICE  VID:PID or BUS:DEV; required if FILE has several devices\n"
	"      --speed N        speed: 1 as recorded (default), 2 twice as fast, 0 without waiting\n"
	"      --delay TIME     time from the host's first read to the first unrequested data\n"
	"      --partial        missing requests of the host are no difference\n"
	"      --as-is          accept incomplete descriptors\n"
	"      --hold           stay plugged in until interrupted\n"
	"      --linger TIME    stay plugged in for TIME after the last request (default 1s)\n"
	"      --timeout TIME   end if no recorded transfer happens for TIME (default: never)\n"
	"      --listen[=PORT]  wait on 127.0.0.1 for 'usbip attach' (default 3240) instead of vhci_hcd\n"
	"      --memory SIZE    memory limit for FILE: 512M, 2G (default: 256M)\n"
	"      --no-sandbox     do not enter the sandbox; for debuggers\n"
	"  -v                   print every difference, not only the first";

enum {
	OPTION_DEVICE = 0x100,
	OPTION_SPEED,
	OPTION_DELAY,
	OPTION_PARTIAL,
	OPTION_AS_IS,
	OPTION_HOLD,
	OPTION_LINGER,
	OPTION_TIMEOUT,
	OPTION_LISTEN,
	OPTION_MEMORY,
	OPTION_UNCAGED
};

static const struct option long_options[] = {
	{"device", required_argument, NULL, OPTION_DEVICE},
	{"speed", required_argument, NULL, OPTION_SPEED},
	{"delay", required_argument, NULL, OPTION_DELAY},
	{"partial", no_argument, NULL, OPTION_PARTIAL},
	{"as-is", no_argument, NULL, OPTION_AS_IS},
	{"hold", no_argument, NULL, OPTION_HOLD},
	{"linger", required_argument, NULL, OPTION_LINGER},
	{"timeout", required_argument, NULL, OPTION_TIMEOUT},
	{"listen", optional_argument, NULL, OPTION_LISTEN},
	{"memory", required_argument, NULL, OPTION_MEMORY},
	{"no-sandbox", no_argument, NULL, OPTION_UNCAGED},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int set_listen(struct options *o, const char *arg, struct trawl_error *err)
{
	char *end;
	unsigned long port = arg ? strtoul(arg, &end, 10) : USBIP_PORT;

	o->listen = true;
	o->port = (uint16_t)port;
	if (arg && (end == arg || *end || port > UINT16_MAX))
		return trawl_fail(err, TRAWL_USAGE, "--listen: '%.60s' is not a TCP port", arg);
	return 0;
}

static int set_option(void *arg, int option, struct trawl_error *err)
{
	struct options *o = arg;

	switch (option) {
	case OPTION_DEVICE:
		o->file.device = optarg;
		return 0;
	case OPTION_SPEED:
		return way_speed(optarg, &o->player.speed, err);
	case OPTION_DELAY:
		return duration_parse("--delay", optarg, &o->player.delay, err);
	case OPTION_PARTIAL:
		o->player.partial = true;
		return 0;
	case OPTION_AS_IS:
		o->as_is = o->player.as_is = true;
		return 0;
	case OPTION_HOLD:
		o->player.hold = true;
		return 0;
	case OPTION_LINGER:
		return duration_parse("--linger", optarg, &o->player.linger, err);
	case OPTION_TIMEOUT:
		return duration_parse("--timeout", optarg, &o->player.timeout, err);
	case OPTION_LISTEN:
		return set_listen(o, optarg, err);
	case OPTION_MEMORY:
		return cli_memory(optarg, &o->file.memory, err);
	case OPTION_UNCAGED:
		o->no_sandbox = true;
		return 0;
	default: /* -v */
		o->verbose = true;
		return 0;
	}
}

static const char *const speeds[] = {
	[USBIP_LOW] = "low", [USBIP_FULL] = "full", [USBIP_HIGH] = "high", [USBIP_SUPER] = "super",
};

__attribute__((format(printf, 1, 2))) static void note(const char *fmt, ...)
{
	struct trawl_error text = { .status = TRAWL_OK };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text.text, sizeof(text.text), fmt, ap);
	va_end(ap);
	cli_error(&text);
}

static int plug(const struct options *o, const struct player *p, const struct tape *t,
		struct usbip *u, struct trawl_error *err)
{
	const struct usb_config *c = tape_config(t);
	const struct standard *s = player_standard(p);
	struct usbip_device d = {
		.speed = s->speed,
		.descriptor = s->descriptor,
		.config = c->p,
		.config_len = c->len,
	};
	char what[64], where[32];
	int ret;

	snprintf(what, sizeof(what), "%04x:%04x", t->device.vendor, t->device.product);
	if (!o->listen) {
		ret = usbip_plug(u, s->speed, err);
		snprintf(where, sizeof(where), "port %d", u->port);
		if (!ret)
			note("%s is plugged into vhci_hcd, %s, at %s speed", what, where,
			     speeds[s->speed]);
		return ret;
	}
	if (usbip_listens(u, err))
		return -1;
	snprintf(where, sizeof(where), "%u", u->tcp_port);
	note("%s waits for: usbip --tcp-port %s attach -r 127.0.0.1 -b 1-1 (%s speed)", what, where,
	     speeds[s->speed]);
	return usbip_accept(u, &d, err);
}

/* For the signals that end the replay. */
static volatile sig_atomic_t stopped;
static const struct usbip *plugged;

static void on_signal(int number)
{
	int e = errno;

	stopped = 1;
	usbip_stop(plugged);
	errno = e;
}

/* Plays until the end, or a signal; later signals do not interrupt the verdict. */
static int play_until_signal(struct player *p, struct usbip *u, struct trawl_error *err)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction a = {.sa_handler = on_signal};
	sigset_t set;
	int got;

	plugged = u;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		sigaddset(&set, ends[i]);
		sigaction(ends[i], &a, NULL);
	}
	got = player_run(p, u, &stopped, err);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return got;
}

/*
 * Returns the memory that reading the capture took to the kernel. free() alone may keep up to 10
 * MB, and the device may stay plugged in for long.
 */
static void trim_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

/* Plays the tape and prints the verdict. Returns the exit status, or -1 with *err. */
static int play(const struct options *o, struct tape *t, struct usbip *u, struct trawl_error *err)
{
	struct verdict v = {.verbose = o->verbose};
	struct player *p = player_new(t, &o->player, &v, err);
	struct out out;
	char text[200];
	int got;

	if (!p)
		return -1;
	trim_memory();
	for (unsigned int i = 0; player_note(p, i, text, sizeof(text)); i++)
		note("%s", text);
	got = plug(o, p, t, u, err);
	if (!got)
		got = play_until_signal(p, u, err);
	usbip_close(u);
	if (got >= 0) {
		player_finish(p);
		if (got == PLAYER_UNPLUGGED)
			note("the host unplugged the device before the capture's end");
		else if (got == PLAYER_TIMEOUT)
			note("no recorded transfer happened within --timeout");
		out_open(&out, STDOUT_FILENO);
		got = verdict_print(&v, &out);
		if (cli_finish(&out, "standard output"))
			got = TRAWL_CANNOT;
		out_free(&out);
	}
	player_free(p);
	return got;
}

static int replay(const struct options *o, struct trawl_error *err)
{
	/*
	 * a free port of vhci_hcd can be searched only once the speed is known, that is, in the
	 * sandbox
	 */
	int cage = o->no_sandbox ? TAPE_UNCAGED : SANDBOX_FILES | SANDBOX_SOCKETS, ret = -1;
	struct foreign f;
	struct tape t;
	struct usbip u;

	if (o->listen)
		usbip_listen(&u, o->port);
	else
		usbip_prepare(&u);
	if (!tape_open(&t, &f, &o->file, cage, err) &&
	    !standard_check(&t, o->file.name, o->as_is, err))
		ret = play(o, &t, &u, err);
	if (!ret)
		ret = tape_whole(&t, err);
	usbip_close(&u);
	tape_free(&t);
	foreign_close(&f);
	return ret;
}

static int run(const struct way *w, int argc, char **argv)
{
	struct options o = {.player = {.speed = 1, .linger = 1000000000}};
	struct trawl_error err = {0};
	int got = way_parse(w, argc, argv, &o, &o.file.name, &err);

	if (got > 0)
		return TRAWL_OK;
	if (!got)
		got = replay(&o, &err);
	return got < 0 ? cli_error(&err) : got;
}

const struct way device_way = {
	.name = "device",
	.arguments = "FILE",
	.what = "play the USB device to the drivers of this machine",
	.help = help,
	.options = long_options,
	.set_option = set_option,
	.run = run,
};
