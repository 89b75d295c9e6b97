/* SPDX-License-Identifier: MIT */
/* The way "stream": outputs the events in their recorded time, in a format for other programs. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/destination.h"
#include "decode/base/cli.h"
#include "decode/export/jsonl.h"
#include "decode/export/pcapng.h"
#include "decode/export/print_text.h"
#include "decode/export/usbmonout.h"
#include "decode/import/foreign.h"
#include "decode/query/reading.h"
#include "replay/pace.h"
#include "replay/way.h"

enum form { FORM_TEXT, FORM_JSON, FORM_PCAPNG, FORM_USBMON, FORM_MARKER, FORMS };

static const char *const forms[FORMS] = {"text", "json", "pcapng", "usbmon", "trace_marker"};

enum { OPTION_SPEED = OPTION_PROGRAM, OPTION_LOOP, OPTION_STEP, OPTION_FORM };

static const struct option long_options[] = {
	READING_OPTIONS,
	{"to", required_argument, NULL, OPTION_FORM},
	{"speed", required_argument, NULL, OPTION_SPEED},
	{"loop", optional_argument, NULL, OPTION_LOOP},
	{"step", no_argument, NULL, OPTION_STEP},
	{NULL, 0, NULL, 0},
};

static const char help[] =
	"      --to FORM        text (default), json, pcapng, usbmon, or trace_marker (of this kernel)\n"
	"  -w OUT               output: a file, a named pipe, or an instance's trace_marker\n"
	"      --speed N        speed: 1 as recorded (default), 2 twice as fast, 0 without waiting\n"
	"      --loop[=N]       repeat forever, or N times\n"
	"      --step           output the next event at each line of standard input\n"
	"  -v                   print at the end how many events there were, and how late\n"
	"      --raw, --show-keys, --utc, --memory SIZE, --no-sandbox: as for trawl-decode\n"
	"\n"
	SELECTION_HELP;

struct options {
	struct reading reading;
	enum form form;
	double speed;
	const char *output;
	uint64_t loops; /* 0: forever */
	bool step, verbose;
};

static void print_help(void)
{
	way_help(&stream_way);
}

static int set_form(struct options *o, const char *arg, struct trawl_error *err)
{
	for (unsigned int i = 0; i < FORMS; i++) {
		if (strcmp(arg, forms[i]))
			continue;
		o->form = (enum form)i;
		o->reading.decode.export = i == FORM_PCAPNG || i == FORM_USBMON;
		return 0;
	}
	return trawl_fail(err, TRAWL_USAGE,
			  "--to: '%.60s' is not a stream format: text, json, pcapng, usbmon, "
			  "trace_marker (the end of a time range is --until)",
			  arg);
}

static int set_loop(struct options *o, const char *arg, struct trawl_error *err)
{
	char *end = NULL;

	o->loops = arg ? strtoull(arg, &end, 10) : 0;
	if (arg && (*arg < '0' || *arg > '9' || *end || !o->loops))
		return trawl_fail(err, TRAWL_USAGE, "--loop: '%.60s' is not a number of times",
				  arg);
	return 0;
}

static int set_option(void *arg, int option, struct trawl_error *err)
{
	struct options *o = arg;

	switch (option) {
	case OPTION_FORM:
		return set_form(o, optarg, err);
	case OPTION_SPEED:
		return way_speed(optarg, &o->speed, err);
	case OPTION_LOOP:
		return set_loop(o, optarg, err);
	case OPTION_STEP:
		o->step = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	default: /* -w */
		o->output = optarg;
		return 0;
	}
}

static const struct reading_program program = {
	.usage = "trawl-replay stream [OPTION]... FILE",
	.letters = ":c:w:v",
	.options = long_options,
	.help = print_help,
	.option = set_option,
};

/* ---- pacing --------------------------------------------------------------------------------- */

/* A consumer that passes each item on when its time has come. */
struct pacer {
	struct consumer consumer; /* first: the stream hands it back */
	struct consumer *to;
	struct pace *pace;
	struct out *out;
	bool step, marker;
	int fd;                   /* the output */
	bool failed;
	struct trawl_error *err;
};

/* Waits for a line on standard input; false at its end. */
static bool step(void)
{
	char c = 0;

	while (c != '\n')
		if (read(STDIN_FILENO, &c, 1) != 1)
			return false;
	return true;
}

/* Writes the buffer to trace_marker by one write: the kernel makes one event of each write. */
static int mark(struct pacer *p)
{
	size_t n = p->out->len;

	p->out->len = 0;
	if (write(p->fd, p->out->data, n > 4000 ? 4000 : n) >= 0)
		return 0;
	p->failed = true;
	trawl_fail(p->err, TRAWL_CANNOT, "trace_marker: %s", strerror(errno));
	return 1;
}

static int pass_item(struct consumer *consumer, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct pacer *p = (struct pacer *)consumer;
	int got;

	if (p->step) {
		out_flush(p->out);
		if (!step())
			return 1;
	} else if (!pace_is_due(p->pace, it->time)) {
		/* Flush before waiting, so that readers see everything that was due. */
		if (!p->marker)
			out_flush(p->out);
		if (!pace_wait(p->pace, it->time))
			return 1;
	}
	got = p->to->item(p->to, d, state, it);
	if (p->marker && !got)
		got = mark(p);
	else if (p->pace->speed > 0)
		out_flush(p->out);
	pace_note(p->pace, it->time);
	return got;
}

static int pass_loss(struct consumer *consumer, const struct trawl_source *s,
		     const struct trawl_loss *l, uint64_t from, uint64_t to)
{
	struct pacer *p = (struct pacer *)consumer;
	int got = p->to->loss ? p->to->loss(p->to, s, l, from, to) : 0;

	return p->marker && !got && p->out->len ? mark(p) : got;
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* Runs the stream through the printer of the chosen format. */
static int run_form(const struct options *o, struct stream *s, struct pacer *p,
		    struct trawl_error *err)
{
	struct text_printer text = {.out = p->out, .stream = s, .time = {.utc = o->reading.utc}};
	struct jsonl_printer json = {.out = p->out, .stream = s};
	struct usbmon_printer usbmon;
	struct pcapng *pcapng = NULL;
	int got;

	switch (o->form) {
	case FORM_JSON:
		jsonl_printer_start(&json);
		p->to = &json.consumer;
		break;
	case FORM_PCAPNG:
		pcapng = pcapng_new(s, p->out, false);
		if (!pcapng)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
		p->to = pcapng_consumer(pcapng);
		break;
	case FORM_USBMON:
		if (usbmon_printer_start(&usbmon, s, p->out, err))
			return -1;
		p->to = &usbmon.consumer;
		break;
	default:
		text_printer_start(&text);
		p->to = &text.consumer;
	}
	p->consumer =
		(struct consumer){.item = pass_item, .loss = pass_loss, .aside = p->to->aside};
	got = stream_run(s,
			 !p->step && o->speed <= 0 && !p->marker && !o->verbose ? p->to
										: &p->consumer,
			 err);
	if (pcapng && !got && pcapng_end(pcapng) && !p->out->error)
		got = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	pcapng_free(pcapng);
	if (p->failed) {
		*err = *p->err;
		return -1;
	}
	return got;
}

static int play_once(const struct options *o, struct pacer *p, struct trawl_error *err)
{
	struct reading r = o->reading;
	struct stream *s = stream_open(r.path, &r.decode, &r.selection, err);
	int status;

	if (!s)
		return cli_error(err);
	status = reading_finish(s, p->out, o->output, run_form(o, s, p, err), err);
	stream_close(s);
	return status;
}

static int open_marker(const struct options *o, struct trawl_error *err)
{
	static const char *const places[] = {"/sys/kernel/tracing/trace_marker",
					     "/sys/kernel/debug/tracing/trace_marker"};
	bool named = strcmp(o->output, "-");
	int fd = -1;

	for (unsigned int i = 0; fd < 0 && i < 2; i++)
		fd = destination_open(named ? o->output : places[i], geteuid(), false);
	if (fd < 0)
		trawl_fail(err, TRAWL_CANNOT, "%s: %s: mount tracefs there, and run as root",
			   named ? o->output : places[0], destination_fault(errno));
	return fd;
}

static int open_output(const struct options *o, struct trawl_error *err)
{
	int fd;

	if (o->form == FORM_MARKER)
		return open_marker(o, err);
	if (!strcmp(o->output, "-"))
		return dup(STDOUT_FILENO);
	fd = destination_open(o->output, geteuid(), true);
	if (fd < 0)
		trawl_fail(err, TRAWL_CANNOT, "-w %s: cannot be made: %s", o->output,
			   destination_fault(errno));
	return fd;
}

/*
 * Opens input and output, enters the sandbox, and prepares the input. Returns 0, or -1 with *err;
 * *fd is the output or -1.
 */
static int open_all(struct options *o, struct foreign *f, int *fd, struct trawl_error *err)
{
	int bad = foreign_open(f, o->reading.path, o->loops != 1, err);

	*fd = bad ? -1 : open_output(o, err);
	if (*fd < 0 || reading_sandbox(&o->reading, err) || foreign_resolve(f, err))
		return -1;
	o->reading.decode.fd = f->fd;
	o->reading.decode.reasons_once = o->form == FORM_TEXT;
	return 0;
}

static int play(struct options *o, struct trawl_error *err)
{
	struct foreign f = FOREIGN_NOTHING;
	struct pace *pace = malloc(sizeof(*pace));
	struct pacer p = {.pace = pace,
			  .step = o->step,
			  .marker = o->form == FORM_MARKER,
			  .err = err};
	struct trawl_error note;
	struct out out, text;
	int status = TRAWL_OK;

	if (!pace) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return cli_error(err);
	}
	pace_start(pace, o->speed);
	if (open_all(o, &f, &p.fd, err)) {
		if (p.fd >= 0)
			close(p.fd);
		foreign_close(&f);
		free(pace);
		return cli_error(err);
	}
	if (p.marker)
		out_memory(&out);
	else
		out_open(&out, p.fd);
	p.out = &out;
	/* the first time also if the output is broken, so that this is reported */
	for (uint64_t i = 0; !status && (!i || !out.error) && (!o->loops || i < o->loops); i++) {
		pace_again(pace);
		status = play_once(o, &p, err);
	}
	if (o->verbose) {
		out_memory(&text);
		pace_summary(pace, &text);
		trawl_fail(&note, TRAWL_OK, "%.*s", (int)text.len, text.data);
		cli_error(&note);
		out_free(&text);
	}
	out_free(&out);
	close(p.fd);
	free(pace);
	if (!status && f.verdict.status)
		status = cli_error(&f.verdict);
	foreign_close(&f);
	return status;
}

static int check(const struct options *o, struct trawl_error *err)
{
	if (o->step && !strcmp(o->reading.path, "-"))
		return trawl_fail(err, TRAWL_USAGE,
				  "--step: lines of standard input are the steps; give a file");
	if (o->form == FORM_PCAPNG && !strcmp(o->output, "-") && isatty(STDOUT_FILENO))
		return trawl_fail(err, TRAWL_USAGE,
				  "pcapng is not for a terminal; give -w, or a pipe: trawl-replay "
				  "stream --to pcapng FILE | wireshark -k -i -");
	return 0;
}

static int run(const struct way *w, int argc, char **argv)
{
	struct options o = {.speed = 1, .output = "-", .loops = 1};
	struct trawl_error err = {0};
	int status = TRAWL_OK, got = reading_parse(&o.reading, &program, &o, argc, argv, &err);

	if (!got)
		got = check(&o, &err);
	if (!got)
		status = play(&o, &err);
	else if (got < 0)
		status = cli_error(&err);
	selection_free(&o.reading.selection);
	return status;
}

const struct way stream_way = {
	.name = "stream",
	.arguments = "FILE",
	.what = "output the events at their times: text, JSON, pcapng, usbmon, trace_marker",
	.help = help,
	.run = run,
};
