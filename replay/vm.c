/* SPDX-License-Identifier: MIT */
/*
 * The way "vm": plays the recorded device to a kernel of the user's choice, in a virtual machine;
 * for git bisect run.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/destination.h"
#include "common/duration.h"
#include "common/array.h"
#include "common/printed.h"
#include "decode/base/cli.h"
#include "decode/import/foreign.h"
#include "replay/modules.h"
#include "replay/mutate.h"
#include "replay/standard.h"
#include "replay/vm.h"
#include "replay/way.h"

struct options {
	struct tape_file file;
	const char *modules, *speed;
	const char **extra, **added; /* of --module, --add */
	size_t nextra, nadded;
	char **check;                /* words, ended by NULL; NULL: no CHECK */
	uint64_t settle;
	struct vm_machine machine;
	bool whole, as_is, mutate;
	uint64_t seed, from, runs;   /* of --mutate */
	const char *save;
	const char *of_mutate;       /* an option that is given and only --mutate uses, or NULL */
};

static const char help[] =
	"      --kernel BZIMAGE the kernel\n"
	"      --modules DIR    its modules: a folder with modules.dep, or made by modules_install\n"
	"      --module NAME    another of these to load, or FILE.ko (may be repeated)\n"
	"      --device DEVICE  VID:PID or BUS:DEV; required if FILE has several devices\n"
	"      --speed N        speed: 1 as recorded (default), 2 twice as fast, 0 without waiting\n"
	"      --settle TIME    time from the driver's binding to the check (default 3s)\n"
	"      --whole          recorded requests that the driver does not make are differences\n"
	"      --as-is          accept incomplete descriptors\n"
	"      --mutate SEED    replay a misbehaving device again and again, until a kernel warning\n"
	"      --runs N         number of these runs (default 1000); --from N: first run (default 1)\n"
	"      --save FILE      pcap of the run with the warning (default: mutate-SEED-RUN.pcap)\n"
	"      --add FILE       a program that CHECK uses, added with its libraries (may be repeated)\n"
	"      --accel ACCEL    kvm or tcg (default: kvm if available)\n"
	"      --ram MB         memory of the machine (default 512)\n"
	"      --memory SIZE    memory limit for FILE: 512M, 2G (default: 256M)\n"
	"      --limit TIME     end if the machine prints nothing for TIME (default 120s)\n"
	"  -v                   also print the kernel's console\n"
	"\n"
	"CHECK is a command that is run in the machine (which has busybox, if installed), with the device's\n"
	"sysfs folder in $TRAWL_DEVICE. Without CHECK, the run is good if a driver has bound and all that\n"
	"happened was recorded.\n"
	"Exit status: 0 good, 1 bad, 125 cannot be tested (for any reason), as git bisect run expects.";

enum {
	OPTION_KERNEL = 0x100,
	OPTION_MODULES,
	OPTION_MODULE,
	OPTION_DEVICE,
	OPTION_SPEED,
	OPTION_SETTLE,
	OPTION_WHOLE,
	OPTION_AS_IS,
	OPTION_MUTATE,
	OPTION_RUNS,
	OPTION_FROM,
	OPTION_SAVE,
	OPTION_ADD,
	OPTION_ACCEL,
	OPTION_RAM,
	OPTION_MEMORY,
	OPTION_LIMIT
};

static const struct option long_options[] = {
	{"kernel", required_argument, NULL, OPTION_KERNEL},
	{"modules", required_argument, NULL, OPTION_MODULES},
	{"module", required_argument, NULL, OPTION_MODULE},
	{"device", required_argument, NULL, OPTION_DEVICE},
	{"speed", required_argument, NULL, OPTION_SPEED},
	{"settle", required_argument, NULL, OPTION_SETTLE},
	{"whole", no_argument, NULL, OPTION_WHOLE},
	{"as-is", no_argument, NULL, OPTION_AS_IS},
	{"mutate", required_argument, NULL, OPTION_MUTATE},
	{"runs", required_argument, NULL, OPTION_RUNS},
	{"from", required_argument, NULL, OPTION_FROM},
	{"save", required_argument, NULL, OPTION_SAVE},
	{"add", required_argument, NULL, OPTION_ADD},
	{"accel", required_argument, NULL, OPTION_ACCEL},
	{"ram", required_argument, NULL, OPTION_RAM},
	{"memory", required_argument, NULL, OPTION_MEMORY},
	{"limit", required_argument, NULL, OPTION_LIMIT},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int append(const char ***list, size_t *n, const char *text, struct trawl_error *err)
{
	if (!array_grow(*list, *n))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	(*list)[(*n)++] = text;
	return 0;
}

static int set_ram(struct options *o, struct trawl_error *err)
{
	char *end;
	unsigned long n = strtoul(optarg, &end, 10);

	if (*end || n < 128 || n > 65536)
		return trawl_fail(err, TRAWL_USAGE,
				  "--ram: '%.60s' is not a number of MB; give 128 to 65536",
				  optarg);
	o->machine.memory = (unsigned int)n;
	return 0;
}

static int set_count(const char *option, uint64_t *n, struct trawl_error *err)
{
	char *end;

	errno = 0;
	*n = strtoull(optarg, &end, 0);
	if (end == optarg || *end || errno || *optarg == '-')
		return trawl_fail(err, TRAWL_USAGE, "%s: '%.60s' is not a number", option, optarg);
	return 0;
}

static int set_accelerator(struct options *o, const char *name, struct trawl_error *err)
{
	o->machine.accelerator = name;
	if (!strcmp(name, "kvm") || !strcmp(name, "tcg"))
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "--accel: '%.60s' is unknown; use kvm or tcg", name);
}

static int set_option(void *arg, int option, struct trawl_error *err)
{
	struct options *o = arg;
	double speed;

	switch (option) {
	case OPTION_KERNEL:
		o->machine.kernel = optarg;
		return 0;
	case OPTION_MODULES:
		o->modules = optarg;
		return 0;
	case OPTION_MODULE:
		return append(&o->extra, &o->nextra, optarg, err);
	case OPTION_DEVICE:
		o->file.device = optarg;
		return 0;
	case OPTION_SPEED:
		o->speed = optarg;
		return way_speed(optarg, &speed, err);
	case OPTION_SETTLE:
		return duration_parse("--settle", optarg, &o->settle, err);
	case OPTION_WHOLE:
		o->whole = true;
		return 0;
	case OPTION_AS_IS:
		o->as_is = true;
		return 0;
	case OPTION_MUTATE:
		o->mutate = true;
		return set_count("--mutate", &o->seed, err);
	case OPTION_RUNS:
		o->of_mutate = "--runs";
		return set_count("--runs", &o->runs, err);
	case OPTION_FROM:
		o->of_mutate = "--from";
		return set_count("--from", &o->from, err);
	case OPTION_SAVE:
		o->of_mutate = "--save";
		o->save = optarg;
		return 0;
	case OPTION_ADD:
		return append(&o->added, &o->nadded, optarg, err);
	case OPTION_ACCEL:
		return set_accelerator(o, optarg, err);
	case OPTION_RAM:
		return set_ram(o, err);
	case OPTION_MEMORY:
		return cli_memory(optarg, &o->file.memory, err);
	case OPTION_LIMIT:
		return duration_parse("--limit", optarg, &o->machine.limit, err);
	default: /* -v */
		o->machine.verbose = true;
		return 0;
	}
}

/* ---- what goes into the machine -------------------------------------------------------------- */

/* Finds a program in $PATH; path[PATH_MAX]. False if there is none. */
static bool find_program(const char *name, char *path)
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/'))
		return realpath(name, path);
	for (const char *at = folders ? folders : "/usr/bin:/bin"; *at; at += strspn(at, ":")) {
		size_t n = strcspn(at, ":");
		char file[PATH_MAX];

		snprintf(file, sizeof(file), "%.*s/%s", (int)n, at, name);
		if (!access(file, X_OK) && realpath(file, path))
			return true;
		at += n;
	}
	return false;
}

static int add_program(struct initramfs *r, const char *name, const char *option,
		       struct trawl_error *err)
{
	char path[PATH_MAX];

	if (!find_program(name, path))
		return trawl_fail(err, TRAWL_CANNOT, "%s %.200s: no such file or program",
				  option, name);
	return initramfs_program(r, path, err);
}

static int add_modules(const struct options *o, const struct tape *t, struct initramfs *r,
		       struct trawl_error *err)
{
	struct modules m = {0};
	char release[128];
	int ret = -1;

	if (modules_release(o->machine.kernel, release, sizeof(release), err) ||
	    modules_open(&m, o->modules, release, err))
		goto out;
	if (o->modules && !modules_has(&m, "vhci_hcd")) {
		trawl_fail(err, TRAWL_CANNOT,
			   "--modules %.200s: there is no vhci_hcd: the kernel needs "
			   "CONFIG_USBIP_CORE and CONFIG_USBIP_VHCI_HCD",
			   m.folder);
		goto out;
	}
	if (modules_choose(&m, "vhci_hcd", err) || modules_for(&m, t, err))
		goto out;
	for (size_t i = 0; i < o->nextra; i++) {
		bool is_file = strchr(o->extra[i], '/') || strstr(o->extra[i], ".ko");

		if (!is_file && !modules_has(&m, o->extra[i])) {
			trawl_fail(err, TRAWL_CANNOT, "--module %.100s: %s", o->extra[i],
				   o->modules ? "the kernel has no such module"
					      : "--modules DIR must say where the modules are");
			goto out;
		}
		if (is_file ? modules_add(&m, o->extra[i], err)
			    : modules_choose(&m, o->extra[i], err))
			goto out;
	}
	ret = modules_pack(&m, r, err);
out:
	modules_close(&m);
	return ret;
}

static int add_plan(const struct options *o, struct initramfs *r, struct trawl_error *err)
{
	struct out plan;
	int ret;

	out_memory(&plan);
	out_printf(&plan, "device --hold\ndevice --speed\ndevice %s\n", o->speed ? o->speed : "1");
	if (o->file.device)
		out_printf(&plan, "device --device\ndevice %s\n", o->file.device);
	if (o->file.memory)
		out_printf(&plan, "device --memory\ndevice %" PRIu64 "M\n", o->file.memory >> 20);
	if (!o->whole)
		out_str(&plan, "device --partial\n");
	if (o->as_is)
		out_str(&plan, "device --as-is\n");
	if (o->mutate)
		out_printf(&plan, "mutate %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", o->seed, o->from,
			   o->runs);
	for (char **c = o->check; c && *c; c++)
		out_printf(&plan, "check %s\n", *c);
	out_printf(&plan, "settle %llu\n", (unsigned long long)o->settle);
	ret = initramfs_bytes(r, VM_PLAN, plan.data, plan.len, err);
	out_free(&plan);
	return ret;
}

static int add_programs(const struct options *o, struct initramfs *r, struct trawl_error *err)
{
	char path[PATH_MAX];

	if (find_program("busybox", path) && initramfs_file(r, "/bin/busybox", path, err))
		return -1;
	/* A command without a path may be one of busybox's. */
	if (o->check && (strchr(o->check[0], '/') || access("/bin/busybox", X_OK)) &&
	    find_program(o->check[0], path)) {
		if (initramfs_program(r, path, err))
			return -1;
		o->check[0] = strdup(path);
		if (!o->check[0])
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	for (size_t i = 0; i < o->nadded; i++)
		if (add_program(r, o->added[i], "--add", err))
			return -1;
	return 0;
}

/* Fills the initial file system; capture: path of the capture. */
static int fill(const struct options *o, const struct tape *t, const char *capture,
		struct initramfs *r, struct trawl_error *err)
{
	if (initramfs_device(r, "/dev/console", 5, 1, err) || initramfs_self(r, err) ||
	    initramfs_file(r, VM_CAPTURE, capture, err) || add_modules(o, t, r, err) ||
	    add_programs(o, r, err) || add_plan(o, r, err))
		return -1;
	return initramfs_end(r, err);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Prints the result and returns it as a status. */
static int judge(const struct vm_result *r)
{
	if (r->status < 0)
		printf("the machine: %s\n", r->why);
	if (*r->complaint)
		printf("%s\n", r->complaint);
	if (r->status >= 0)
		return r->status;
	/* A kernel that crashes on the device is bad; one that does not boot proves nothing. */
	return r->ready ? VM_BAD : VM_UNTESTABLE;
}

static int boot(struct options *o, const struct tape *t, const char *capture,
		struct vm_result *result, struct trawl_error *err)
{
	struct initramfs r = {0};
	int ret = initramfs_open(&r, err);

	if (!ret)
		ret = fill(o, t, capture, &r, err);
	if (!ret) {
		o->machine.initramfs = fileno(r.out);
		fflush(stdout);
		ret = vm_run(&o->machine, result, err);
	}
	initramfs_close(&r);
	return ret;
}

static int with_tape(struct options *o, struct vm_result *r, struct trawl_error *err);

/* ---- mutations ------------------------------------------------------------------------------- */

static int save(const struct tape *t, uint64_t seed, uint64_t run, const char *path,
		struct trawl_error *err)
{
	int fd = destination_open(path, geteuid(), true), ret;
	FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!out) {
		trawl_fail(err, TRAWL_CANNOT, "%.300s: cannot be made: %s", path,
			   destination_fault(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	ret = mutate_capture(t, seed, run, out, err);
	if (fclose(out) && !ret)
		ret = trawl_fail(err, TRAWL_CANNOT, "%.300s: %s", path, strerror(errno));
	return ret;
}

/*
 * Replays the capture of a finding in a fresh machine and prints whether the kernel complains
 * again.
 */
static int confirm(struct options *o, const char *path, struct trawl_error *err)
{
	struct options again = *o;
	struct vm_result r;

	again.file.name = path;
	again.file.device = NULL;
	again.mutate = false;
	again.as_is = again.machine.quiet = true;
	again.check = NULL;
	again.speed = "1";
	if (with_tape(&again, &r, err))
		return -1;
	printf("%s: %s\n", path,
	       (r.ready && r.status < 0) || *r.complaint ? "replays it, in a new machine"
							 : "does not replay it by itself: what "
							   "earlier runs left is part of it");
	return 0;
}

static int mutate(struct options *o, const struct tape *t, const char *capture,
		  struct trawl_error *err)
{
	struct vm_result r;
	char name[80];
	const char *path = o->save ? o->save : name;
	bool died;

	if (boot(o, t, capture, &r, err))
		return -1;
	died = r.ready && r.status < 0 && r.run;
	if (!*r.finding && !died)
		return judge(&r);
	snprintf(name, sizeof(name), "mutate-%" PRIu64 "-%" PRIu64 ".pcap", o->seed, r.run);
	printf("finding in run %" PRIu64 " of seed %" PRIu64 ": %s\n", r.run, o->seed,
	       *r.finding	      ? r.finding
		       : *r.complaint ? "the kernel stopped"
				      : r.why);
	printf("%s\n", r.complaint);
	if (save(t, o->seed, r.run, path, err))
		return -1;
	printf("its capture: %s (trawl-replay vm --as-is)\n", path);
	return confirm(o, path, err) ? -1 : VM_BAD;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int check(struct options *o, const struct tape *t, const char *capture,
		 struct trawl_error *err)
{
	struct vm_result r;

	return boot(o, t, capture, &r, err) ? -1 : judge(&r);
}

/*
 * Reads the tape and does what the options say. Returns the status; with r: boots the machine once
 * and returns 0; -1 with *err.
 */
static int with_tape(struct options *o, struct vm_result *r, struct trawl_error *err)
{
	struct foreign f;
	struct tape t;
	int ret = -1;

	if (!tape_open(&t, &f, &o->file, TAPE_UNCAGED, err) &&
	    !standard_check(&t, o->file.name, o->as_is, err))
		ret = r ? boot(o, &t, f.path, r, err)
			: (o->mutate ? mutate : check)(o, &t, f.path, err);
	if (!ret && !r)
		ret = tape_whole(&t, err);
	if (ret < 0)
		foreign_call(&f, err);
	tape_free(&t);
	foreign_close(&f);
	return ret;
}

/* Takes what follows "--" as CHECK. Returns the number of words before it. */
static int split(int argc, char **argv, struct options *o)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			o->check = argv[i + 1] ? argv + i + 1 : NULL;
			return i;
		}
	return argc;
}

/* Refuses options without effect: a status 0 would be taken for that of a check. */
static int check_options(const struct options *o, struct trawl_error *err)
{
	if (!o->machine.kernel)
		return trawl_fail(err, TRAWL_USAGE,
				  "--kernel: no kernel is given; give --kernel BZIMAGE");
	if (o->of_mutate && !o->mutate)
		return trawl_fail(err, TRAWL_USAGE, "%s: is an option of --mutate; give --mutate SEED",
				  o->of_mutate);
	if (!o->runs)
		return trawl_fail(err, TRAWL_USAGE, "--runs: no run would test anything; give 1 or more");
	if (o->mutate && o->check)
		return trawl_fail(err, TRAWL_USAGE,
				  "CHECK: is not run by --mutate, whose check is the kernel's log; leave it out");
	return 0;
}

static int run(const struct way *w, int argc, char **argv)
{
	struct options o = {.settle = 3000000000, .from = 1, .runs = 1000,
			    .machine = {.memory = 512, .limit = UINT64_C(120000000000)}};
	struct trawl_error err = {0};
	int got = way_parse(w, split(argc, argv, &o), argv, &o, &o.file.name, &err);

	if (!got)
		got = check_options(&o, &err);
	if (!got)
		got = with_tape(&o, NULL, &err);
	else if (got > 0)
		got = TRAWL_OK;
	if (got >= 0 && printed_all(&err))
		got = -1;
	if (got < 0) {
		cli_error(&err);
		got = VM_UNTESTABLE; /* git bisect would take 2 and 3 for a bad revision */
	}
	free(o.extra);
	free(o.added);
	return got;
}

const struct way vm_way = {
	.name = "vm",
	.arguments = "FILE [-- CHECK]",
	.what = "play the USB device to another kernel, in a virtual machine",
	.help = help,
	.options = long_options,
	.set_option = set_option,
	.run = run,
};
