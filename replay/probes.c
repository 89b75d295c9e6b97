/* SPDX-License-Identifier: MIT */
/*
 * The way "probes": a process that hits the recorded USDT probes again, with their values, at their
 * times.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/destination.h"
#include "common/duration.h"
#include "common/regular.h"
#include "common/sandbox.h"
#include "common/sources.h"
#include "decode/base/cli.h"
#include "decode/base/outfile.h"
#include "decode/import/foreign.h"
#include "decode/query/reading.h"
#include "replay/pace.h"
#include "replay/recordedprobes.h"
#include "replay/way.h"

enum { OPTION_SPEED = OPTION_PROGRAM, OPTION_OBJECT, OPTION_NO_EVENTS, OPTION_DELAY };

static const struct option long_options[] = {
	READING_OPTIONS,
	{"speed", required_argument, NULL, OPTION_SPEED},
	{"object", required_argument, NULL, OPTION_OBJECT},
	{"no-events", no_argument, NULL, OPTION_NO_EVENTS},
	{"delay", required_argument, NULL, OPTION_DELAY},
	{NULL, 0, NULL, 0},
};

static const char help[] =
	"      --object PATH    the shared object with the probes, made if it does not exist\n"
	"                       (default: an unnamed file, for tracers that take a PID)\n"
	"      --no-events      only make the object\n"
	"      --speed N        speed: 1 as recorded (default), 2 twice as fast, 0 without waiting\n"
	"      --delay TIME     time before the first event\n"
	"      --utc, --memory SIZE, --no-sandbox: as for trawl-decode\n"
	"\n"
	SELECTION_HELP;

struct options {
	struct reading reading;
	double speed;
	const char *object;
	uint64_t delay;
	bool no_events;
	struct outfile file; /* the file of --object, if `made` */
	bool made;
	int fd;              /* descriptor of an existing object, or of one in memory; -1: none */
};

static void print_help(void)
{
	way_help(&probes_way);
}

static int set_option(void *arg, int option, struct trawl_error *err)
{
	struct options *o = arg;

	switch (option) {
	case OPTION_SPEED:
		return way_speed(optarg, &o->speed, err);
	case OPTION_OBJECT:
		o->object = optarg;
		return 0;
	case OPTION_NO_EVENTS:
		o->no_events = true;
		return 0;
	default: /* OPTION_DELAY */
		return duration_parse("--delay", optarg, &o->delay, err);
	}
}

static const struct reading_program program = {
	.usage = "trawl-replay probes [OPTION]... FILE",
	.letters = ":c:",
	.options = long_options,
	.help = print_help,
	.option = set_option,
};

/* ---- what was probed ------------------------------------------------------------------------- */

struct player {
	struct consumer consumer; /* first: the stream hands it back */
	struct recorded_probes recorded;
	void *code;               /* the mapped object, code_len bytes; NULL: none */
	size_t code_len;
	struct pace *pace;
	char comm[16];
	uint64_t others;          /* events that are not of a USDT probe */
	uint64_t unknown;         /* arguments whose value was not recorded */
	uint64_t cut;             /* texts longer than texts[] has room for */
	char texts[SDT_ARGS][4096];
};

/* ---- the object ------------------------------------------------------------------------------ */

/* Reads the file instead of mapping it: a tracer's breakpoints would show in a mapping. */
static bool is_same_file(int fd, const struct out *object)
{
	char *p = malloc(object->len + 1);
	bool same = p && pread(fd, p, object->len + 1, 0) == (ssize_t)object->len &&
		!memcmp(p, object->data, object->len);

	free(p);
	return same;
}

/* Whether nobody but the user and root can change the file after it was compared. */
static bool is_ours(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_uid == geteuid() || !st.st_uid) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/*
 * Opens the object before the capture is read. An existing file is not replaced: a tracer may have
 * it open. Its code is executed.
 */
static int open_object(struct options *o, struct trawl_error *err)
{
	struct trawl_error ignored; /* its text mentions -w */

	if (!o->object) {
		o->fd = memfd_create("trawl-probes", MFD_CLOEXEC);
		return o->fd < 0 ? trawl_fail(err, TRAWL_CANNOT, "--object (in memory): %s",
					      strerror(errno)) : 0;
	}
	o->fd = regular_open(o->object);
	if (o->fd >= 0)
		return is_ours(o->fd) ? 0 : trawl_fail(
			err, TRAWL_USAGE, "--object %s: others may write to it, and its code is "
			"executed; choose another name, or remove it", o->object);
	if (errno == EBADF)
		return trawl_fail(err, TRAWL_USAGE, "--object %s: is no regular file; choose "
				  "another name", o->object);
	if (outfile_open(&o->file, o->object, &ignored))
		return trawl_fail(err, TRAWL_CANNOT, "--object %s: cannot be made: %s", o->object,
				  destination_fault(errno));
	o->made = true;
	if (fchmod(o->file.fd, 0755))
		return trawl_fail(err, TRAWL_CANNOT, "--object %s: %s", o->object, strerror(errno));
	return o->reading.no_sandbox ? 0 : outfile_keeper(&o->file, err);
}

/*
 * Writes the object into a file that a tracer finds. Returns a descriptor owned by o, or -1 with
 * *err.
 */
static int fill_object(struct options *o, const struct out *object, struct trawl_error *err)
{
	int fd = o->made ? fcntl(o->file.fd, F_DUPFD_CLOEXEC, 3) : o->fd;

	if (o->object && !o->made)
		return is_same_file(fd, object) ? fd : trawl_fail(
			err, TRAWL_USAGE,
			"--object %s: is another file; choose another name, or remove it",
			o->object);
	o->fd = fd;
	if (fd < 0 || write(fd, object->data, object->len) != (ssize_t)object->len)
		return trawl_fail(err, TRAWL_CANNOT, "--object %s: %s",
				  o->object ? o->object : "(in memory)", strerror(errno));
	if (!o->made)
		return fd;
	o->made = false;
	return outfile_close(&o->file, true, err) ? -1 : fd;
}

static void close_object(struct options *o)
{
	struct trawl_error ignored;

	if (o->made)
		outfile_close(&o->file, false, &ignored);
	if (o->fd >= 0)
		close(o->fd);
}

static int make_object(struct options *o, struct player *p, struct trawl_error *err)
{
	struct out object;
	void *map = MAP_FAILED;
	int fd = -1;

	if (!sdtobject_possible())
		return trawl_fail(err, TRAWL_CANNOT,
				  "probes: this processor is not supported; x86-64 and ARM64 are");
	out_memory(&object);
	sdtobject_write(p->recorded.sdt, p->recorded.n, &object);
	if (object.error)
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
	else
		fd = fill_object(o, &object, err);
	if (fd >= 0) {
		map = mmap(NULL, object.len, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED)
			trawl_fail(err, TRAWL_CANNOT, "--object %s: cannot be mapped: %s",
				   o->object ? o->object : "", strerror(errno));
	}
	p->code_len = object.len;
	out_free(&object);
	p->code = map == MAP_FAILED ? NULL : map;
	return p->code ? 0 : -1;
}

/* ---- the hits -------------------------------------------------------------------------------- */

/* The value of an argument as a program would pass it; for a text its address. */
static uint64_t argument(struct player *p, const struct value *v, unsigned int i, const char *size)
{
	float single;
	uint32_t bits;
	uint64_t u;

	switch (v->type) {
	case VALUE_UINT:
		return v->u;
	case VALUE_INT:
		return (uint64_t)v->i;
	case VALUE_FLOAT:
		memcpy(&u, &v->f, sizeof(u));
		if (size[0] != '4')
			return u;
		single = (float)v->f;
		memcpy(&bits, &single, sizeof(bits));
		return bits;
	case VALUE_TEXT:
	case VALUE_BYTES:
		u = v->len < sizeof(p->texts[i]) - 1 ? v->len : sizeof(p->texts[i]) - 1;
		p->cut += u < v->len;
		memcpy(p->texts[i], v->text, u);
		p->texts[i][u] = '\0';
		return (uint64_t)(uintptr_t)p->texts[i];
	default:
		p->unknown++;
		return 0;
	}
}

static int hit(struct consumer *consumer, const struct decoder *d, void *state,
	       const struct item *it)
{
	struct player *p = (struct player *)consumer;
	struct recorded_probe *probe = recordedprobes_find(&p->recorded, it->name);
	void (*site)(const uint64_t *args);
	uint64_t args[SDT_ARGS] = {0};
	const uint8_t *code;
	const struct sdt_probe *sdt;
	struct value v;

	if (!probe || !it->source || !is_source(it->source->name, "usdt")) {
		p->others++;
		return CONSUMER_PASSED_OVER;
	}
	sdt = &p->recorded.sdt[probe - p->recorded.probes];
	for (unsigned int i = 0; i < sdt->nargs; i++) {
		memset(&v, 0, sizeof(v));
		if (!d->value(state, it, probe->args[i], &v))
			v.type = VALUE_NONE;
		args[i] = argument(p, &v, i, sdt->sizes[i]);
	}
	if (it->comm_len && strncmp(p->comm, it->comm, sizeof(p->comm) - 1)) {
		snprintf(p->comm, sizeof(p->comm), "%.15s", it->comm);
		prctl(PR_SET_NAME, p->comm);
	}
	if (!pace_is_due(p->pace, it->time) && !pace_wait(p->pace, it->time))
		return 1;
	code = (const uint8_t *)p->code + sdtobject_offset((size_t)(probe - p->recorded.probes));
	memcpy(&site, &code, sizeof(site));
	site(args);
	pace_note(p->pace, it->time);
	return 0;
}

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *fmt, ...)
{
	va_list ap;

	fputs("trawl-replay: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static int play(struct options *o, struct stream *s, struct player *p,
		struct trawl_error *err)
{
	struct out text;
	int got;

	if (recordedprobes_read(&p->recorded, stream_reader(s), o->reading.path, err) ||
	    make_object(o, p, err))
		return -1;
	note("%zu probe%s in %s, process %d", p->recorded.n, p->recorded.n == 1 ? "" : "s",
	     o->object ? o->object : "memory", (int)getpid());
	if (o->no_events)
		return 0;
	pace_start(p->pace, o->speed);
	/* Not usleep(), which takes at most 71 minutes. */
	nanosleep(&(struct timespec){.tv_sec = (time_t)(o->delay / 1000000000),
				     .tv_nsec = (long)(o->delay % 1000000000)},
		  NULL);
	got = stream_run(s, &p->consumer, err);
	if (got)
		return got;
	out_memory(&text);
	pace_summary(p->pace, &text);
	note("%.*s; %llu of other kinds passed over", (int)text.len, text.data,
	     (unsigned long long)p->others);
	out_free(&text);
	if (p->unknown)
		note("%llu values were not recorded: 0 was in their place",
		     (unsigned long long)p->unknown);
	if (p->cut)
		note("%llu texts were cut at %zu bytes", (unsigned long long)p->cut,
		     sizeof(p->texts[0]) - 1);
	return 0;
}

static int run(const struct way *w, int argc, char **argv)
{
	struct options o = {.speed = 1, .fd = -1};
	struct player *p = calloc(1, sizeof(*p));
	struct foreign f = FOREIGN_NOTHING;
	struct trawl_error err = {0};
	struct stream *s = NULL;
	struct out none;
	int status = TRAWL_OK, got = reading_parse(&o.reading, &program, &o, argc, argv, &err);

	out_memory(&none);
	if (!got) {
		if (p)
			p->pace = malloc(sizeof(*p->pace));
		if (!p || !p->pace)
			trawl_fail(&err, TRAWL_CANNOT, "out of memory");
		else if (!foreign_open(&f, o.reading.path, true, &err) && !open_object(&o, &err) &&
			 !reading_sandbox_with(&o.reading, SANDBOX_CODE, &err) &&
			 !foreign_resolve(&f, &err)) {
			o.reading.decode.fd = f.fd;
			s = stream_open(o.reading.path, &o.reading.decode, &o.reading.selection,
					&err);
		}
		if (s) {
			p->consumer.item = hit;
			status = reading_finish(s, &none, "nothing", play(&o, s, p, &err), &err);
		} else {
			status = cli_error(&err);
		}
	} else if (got < 0) {
		status = cli_error(&err);
	}
	stream_close(s);
	foreign_close(&f);
	close_object(&o);
	out_free(&none);
	selection_free(&o.reading.selection);
	if (p) {
		if (p->code)
			munmap(p->code, p->code_len);
		recordedprobes_free(&p->recorded);
		free(p->pace);
	}
	free(p);
	return status;
}

const struct way probes_way = {
	.name = "probes",
	.arguments = "FILE",
	.what = "hit the recorded static probes (USDT) again, for any tracer, without their program",
	.help = help,
	.run = run,
};
