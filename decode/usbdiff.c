/* SPDX-License-Identifier: MIT */
#include "decode/usbdiff.h"
#include "decode/base/escape.h"

#include "decode/base/cli.h"
#include "decode/export/print_text.h"
#include "decode/usb/transferdiff.h"
#include "decode/usb/transferdiffshow.h"

struct collector {
	struct consumer consumer; /* must be first: a struct consumer is cast to its collector */
	struct transfer_diff *diff;
	unsigned int capture;
	uint64_t item;
	bool failed;
};

static int collect(struct consumer *consumer, const struct decoder *d, void *state,
		   const struct item *it)
{
	struct collector *c = (struct collector *)consumer;

	if (d == &usb_decoder && !transferdiff_take(c->diff, c->capture, it->detail, c->item))
		c->failed = true;
	c->item++;
	return c->failed;
}

static int no_memory(void)
{
	struct trawl_error err;

	trawl_fail(&err, TRAWL_CANNOT, "--diff: out of memory");
	return cli_error(&err);
}

/* Passes a capture to a consumer. Returns the exit status; error messages have been printed. */
static int run(struct reading *r, int fd, const char *name, struct consumer *c,
	       struct stream **kept, struct out *out)
{
	struct trawl_error err = {0};
	struct stream *s;
	int status;

	r->decode.fd = fd;
	s = stream_open(name, &r->decode, &r->selection, &err);
	if (!s)
		return cli_error(&err);
	if (kept)
		*kept = s;
	r->selection.taken = 0;
	status = reading_finish(s, out, "standard output", stream_run(s, c, &err), &err);
	stream_close(s);
	return status;
}

/* Prints the items with two given numbers in the format of trawl-decode. */
struct chosen {
	struct consumer consumer; /* must be first */
	struct text_printer printer;
	struct stream *stream;
	uint64_t item, wanted[2];
};

static int show(struct consumer *consumer, const struct decoder *d, void *state,
		const struct item *it)
{
	struct chosen *c = (struct chosen *)consumer;
	uint64_t item = c->item++;

	if (item != c->wanted[0] && item != c->wanted[1])
		return item > c->wanted[0] && item > c->wanted[1];
	out_str(c->printer.out, item == c->wanted[1] ? "  > " : "    ");
	c->printer.stream = c->stream;
	return c->printer.consumer.item(&c->printer.consumer, d, state, it);
}

static void show_items(struct reading *r, int fd, const char *name, uint64_t previous,
		       uint64_t item, struct out *out)
{
	struct chosen c = {
		.consumer = {.item = show},
		.printer = {.out = out, .time = {.utc = r->utc}},
		/* numbers of the items to print; adjusted below if one of them is missing */
		.wanted = {previous, item},
	};

	out_safe(out, name, strlen(name));
	out_char(out, '\n');
	if (previous == TRANSFERDIFF_NONE)
		c.wanted[0] = item;
	if (item == TRANSFERDIFF_NONE) {
		c.wanted[1] = TRANSFERDIFF_NONE - 1;
		c.wanted[0] = previous;
	}
	text_printer_start(&c.printer);
	if (previous != TRANSFERDIFF_NONE || item != TRANSFERDIFF_NONE)
		run(r, fd, name, &c.consumer, &c.stream, out);
	if (item == TRANSFERDIFF_NONE)
		out_str(out, "  > (nothing)\n");
}

int usbdiff_print(struct reading *r, const int fds[2], const char *const names[2], bool json,
		  struct out *out)
{
	struct collector c = {.consumer = {.item = collect}, .diff = transferdiff_new(names)};
	const struct transfer_difference *first;
	int status = TRAWL_OK, got;

	if (!c.diff)
		return no_memory();
	for (c.capture = 0; c.capture < 2 && status <= TRAWL_BAD_DATA && !c.failed; c.capture++) {
		c.item = 0;
		got = run(r, fds[c.capture], names[c.capture], &c.consumer, NULL, out);
		status = got > status ? got : status;
	}
	if (c.failed || (status <= TRAWL_BAD_DATA && !transferdiff_compare(c.diff)))
		status = no_memory();
	first = transferdiff_first(c.diff);
	if (status > TRAWL_BAD_DATA) {
		transferdiff_free(c.diff);
		return status;
	}
	if (json) {
		transferdiff_json(c.diff, out);
	} else {
		if (first->any) {
			out_printf(out, "first difference: %s: %s\n", first->where, first->what);
			for (unsigned int i = 0; i < 2; i++)
				show_items(r, fds[i], names[i], first->previous[i], first->item[i],
					   out);
		}
		transferdiff_text(c.diff, out);
	}
	got = cli_finish(out, "standard output");
	status = got > status ? got : status;
	status = first->any && !status ? TRAWL_BAD_DATA : status;
	transferdiff_free(c.diff);
	return status;
}
