/* SPDX-License-Identifier: MIT */
/*
 * The way "host": sends the recorded requests to a real device by libusb, or writes a program that
 * does.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/base/cli.h"
#include "decode/import/foreign.h"
#include "replay/hostprogram.h"
#include "replay/hostusb.h"
#include "replay/way.h"

enum host_mode { MODE_LIST, MODE_C, MODE_PYTHON, MODE_REALLY };

struct options {
	struct tape_file file;
	enum host_mode mode;
	bool no_sandbox;
	struct host_options host;
};

static const char help[] =
	"      --device DEVICE  VID:PID or BUS:DEV in FILE; --really requires VID:PID\n"
	"      --really         send the requests; those of another device may damage a device\n"
	"      --to-c           write a C program that sends them by libusb\n"
	"      --to-python      write a Python program that sends them by pyusb\n"
	"      --speed N        speed: 1 as recorded (default), 2 twice as fast, 0 without waiting\n"
	"      --any-data       compare only lengths and statuses\n"
	"  -v                   print every difference, not only the first\n"
	"      --memory SIZE    memory limit for FILE: 512M, 2G (default: 256M)\n"
	"      --no-sandbox     do not enter the sandbox; for debuggers (implied by --really)\n"
	"\n"
	"Without --really and --to-*, only lists the requests.";

enum { OPTION_DEVICE = 0x100, OPTION_SPEED, OPTION_REALLY, OPTION_C, OPTION_PYTHON, OPTION_ANY,
       OPTION_MEMORY, OPTION_UNCAGED };

static const struct option long_options[] = {
	{"device", required_argument, NULL, OPTION_DEVICE},
	{"speed", required_argument, NULL, OPTION_SPEED},
	{"really", no_argument, NULL, OPTION_REALLY},
	{"to-c", no_argument, NULL, OPTION_C},
	{"to-python", no_argument, NULL, OPTION_PYTHON},
	{"any-data", no_argument, NULL, OPTION_ANY},
	{"memory", required_argument, NULL, OPTION_MEMORY},
	{"no-sandbox", no_argument, NULL, OPTION_UNCAGED},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int set_mode(struct options *o, enum host_mode mode, struct trawl_error *err)
{
	if (o->mode != MODE_LIST && o->mode != mode)
		return trawl_fail(err, TRAWL_USAGE,
				  "--really, --to-c, --to-python: cannot be combined; give one of "
				  "them");
	o->mode = mode;
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
		return way_speed(optarg, &o->host.speed, err);
	case OPTION_REALLY:
		return set_mode(o, MODE_REALLY, err);
	case OPTION_C:
		return set_mode(o, MODE_C, err);
	case OPTION_PYTHON:
		return set_mode(o, MODE_PYTHON, err);
	case OPTION_ANY:
		o->host.any_data = true;
		return 0;
	case OPTION_MEMORY:
		return cli_memory(optarg, &o->file.memory, err);
	case OPTION_UNCAGED:
		o->no_sandbox = true;
		return 0;
	default: /* -v */
		o->host.verbose = true;
		return 0;
	}
}

static int parse(const struct way *w, struct options *o, int argc, char **argv,
		 struct trawl_error *err)
{
	int got = way_parse(w, argc, argv, o, &o->file.name, err);
	const char *device = o->file.device;

	if (got)
		return got;
	if (o->mode == MODE_REALLY && (!device || strlen(device) != 9 || device[4] != ':'))
		return trawl_fail(err, TRAWL_USAGE,
				  "--really: name the device that may be written to: --device "
				  "VID:PID");
	return 0;
}

/* Does what the options say. Returns the exit status, or -1 with *err. */
static int act(const struct options *o, struct tape *t, struct trawl_error *err)
{
	struct out out;
	int status;

	if (!t->device.known && o->mode != MODE_LIST)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: the capture has no device descriptor of %u:%u, so that any "
				  "device might get the session: begin the capture before the device "
				  "is plugged in, or capture with trawl, which reads descriptors "
				  "from sysfs",
				  o->file.name, t->device.bus, t->device.address);
	if (t->cut)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: is not replayable: the data of %llu transfers is not "
				  "complete in the capture; capture without -s",
				  o->file.name, (unsigned long long)t->cut);
	if (o->mode == MODE_REALLY)
		return hostusb_play(t, &o->host, err);
	out_open(&out, STDOUT_FILENO);
	if (o->mode == MODE_C)
		hostprogram_c(t, o->file.name, &out);
	else if (o->mode == MODE_PYTHON)
		hostprogram_python(t, o->file.name, &out);
	else
		hostprogram_list(t, &out);
	status = cli_finish(&out, "standard output");
	out_free(&out);
	return status;
}

static int replay(const struct options *o, struct trawl_error *err)
{
	struct foreign f;
	struct tape t;
	/* libusb opens files while it runs */
	bool caged = o->mode != MODE_REALLY && !o->no_sandbox;
	int ret = tape_open(&t, &f, &o->file, caged ? 0 : TAPE_UNCAGED, err);

	if (!ret)
		ret = act(o, &t, err);
	if (!ret)
		ret = tape_whole(&t, err);
	tape_free(&t);
	foreign_close(&f);
	return ret;
}

static int run(const struct way *w, int argc, char **argv)
{
	struct options o = {.host = {.speed = 1}};
	struct trawl_error err = {0};
	int got = parse(w, &o, argc, argv, &err);

	if (got > 0)
		return TRAWL_OK;
	if (!got)
		got = replay(&o, &err);
	return got < 0 ? cli_error(&err) : got;
}

const struct way host_way = {
	.name = "host",
	.arguments = "FILE",
	.what = "play the USB host to a real device, or write a C or Python program that does",
	.help = help,
	.options = long_options,
	.set_option = set_option,
	.run = run,
};
