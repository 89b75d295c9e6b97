/* SPDX-License-Identifier: MIT */
#include "decode/protocols.h"

#include <stdlib.h>

#include "decode/base/cli.h"
#include "decode/import/foreign.h"
#include "decode/usb/protocol.h"

struct collector {
	struct consumer consumer; /* must be first: a struct consumer is cast to its collector */
	struct conversations *conversations;
	uint32_t capture;
	uint64_t transfers;
	bool failed;
};

static int collect(struct consumer *consumer, const struct decoder *d, void *state,
		   const struct item *it)
{
	struct collector *c = (struct collector *)consumer;

	if (d != &usb_decoder)
		return CONSUMER_PASSED_OVER;
	c->transfers++;
	if (!conversations_take(c->conversations, state, it->detail, c->capture))
		c->failed = true;
	return c->failed;
}

static int no_memory(void)
{
	struct trawl_error err;

	trawl_fail(&err, TRAWL_CANNOT, "--protocol: out of memory");
	return cli_error(&err);
}

/* Reads one capture. Returns its exit status. */
static int read_capture(struct collector *c, struct reading *r, struct foreign *f, struct out *out)
{
	struct trawl_error err = {0};
	struct stream *s = NULL;
	int status;

	if (!foreign_resolve(f, &err)) {
		r->decode.fd = f->fd;
		s = stream_open(f->name, &r->decode, &r->selection, &err);
	}
	if (!s) {
		status = cli_error(&err);
	} else {
		status = reading_finish(s, out, "standard output",
					stream_run(s, &c->consumer, &err), &err);
		if (!status && f->verdict.status)
			status = cli_error(&f->verdict);
	}
	stream_close(s);
	foreign_close(f);
	return status;
}

/*
 * Reads all captures. All are opened before any is read; an error in one does not prevent the
 * others from being read.
 */
static int read_captures(struct collector *c, struct reading *r, char **paths,
			 struct foreign *files, size_t n, struct out *out)
{
	struct trawl_error err;
	int status = TRAWL_OK, got;
	size_t i;

	for (i = 0; i < n; i++) {
		if (foreign_open(&files[i], paths[i], false, &err)) {
			status = cli_error(&err);
			foreign_close(&files[i]);
			files[i].name = NULL;
		}
	}
	if (reading_sandbox(r, &err))
		status = cli_error(&err);
	else
		for (i = 0; i < n && !c->failed; i++, c->capture++) {
			got = files[i].name ? read_capture(c, r, &files[i], out) : TRAWL_OK;
			status = got > status ? got : status;
		}
	for (i = 0; i < n; i++)
		foreign_close(&files[i]);
	return status;
}

struct clock {
	struct time_printer time;
};

static void put_time(void *arg, uint64_t time, struct out *o)
{
	struct clock *c = arg;

	out_used(o, time_put(&c->time, out_need(o, TIME_ROOM), time, 6));
	while (o->len && o->data[o->len - 1] == ' ')
		o->len--;
}

static int print(struct collector *c, struct reading *r, char **paths, size_t n, bool json,
		 struct out *out)
{
	struct clock clock = {.time = {.utc = r->utc}};
	struct protocol_names names = {
		.captures = (const char *const *)paths, .n = n, .time = put_time, .arg = &clock,
	};
	struct conversation *list;
	size_t count;

	if (!conversations_join(c->conversations, &list, &count))
		return no_memory();
	if (!json)
		out_printf(out,
			   "%llu transfers in %zu capture%s: %zu conversation%s that no decoder "
			   "explains; %llu transfers are explained, see the other views\n",
			   (unsigned long long)c->transfers, n, n == 1 ? "" : "s", count,
			   count == 1 ? "" : "s",
			   (unsigned long long)conversations_explained(c->conversations));
	if (!json && count)
		out_printf(out,
			   "kk checksum, LL length, cc counter, ee echo of the request, ^^ rises, "
			   "## number, vv one of a few values, tt text, .. varies\n\n");
	for (size_t i = 0; i < count && !out->error; i++) {
		struct protocol *p = protocol_of(&list[i]);

		if (!p)
			return no_memory();
		if (json)
			protocol_json(p, &names, out);
		else
			protocol_text(p, (unsigned int)i + 1, &names, out);
		protocol_free(p);
	}
	return cli_finish(out, "standard output");
}

int protocols_print(struct reading *r, char **paths, size_t n, bool json, struct out *out)
{
	struct collector c = {.consumer = {.item = collect}, .conversations = conversations_new()};
	struct foreign *files = calloc(n, sizeof(*files));
	int status = TRAWL_OK, got;

	if (c.conversations && files)
		status = read_captures(&c, r, paths, files, n, out);
	else
		c.failed = true;
	got = c.failed ? no_memory() : print(&c, r, paths, n, json, out);
	if (c.conversations)
		conversations_free(c.conversations);
	free(files);
	return got > status ? got : status;
}
