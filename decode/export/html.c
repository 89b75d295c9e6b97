/* SPDX-License-Identifier: MIT */
#include "decode/export/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/cli.h"
#include "decode/base/errnoname.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "decode/export/intern.h"
#include "decode/export/pageabout.h"
#include "decode/export/pageparts.h"
#include "decode/export/shapes.h"
#include "decode/usb/usb.h"

enum {
	NONE = INTERN_NONE, /* no CPU, task or endpoint */
	LOSSES = 10000,
	/* maximum number of events that include their text line, to limit the size of the page */
	TEXTS = 200000,
	DEFAULT_MEMORY = 256 << 20, /* as of the reader */
};

enum { FLAG_PROBLEM = 1, FLAG_SECRET = 2, FLAG_TRIGGER = 4, FLAG_FAILED = 8 };

struct html {
	struct consumer consumer; /* must be first: a struct consumer is cast to its html */
	struct stream *stream;
	struct out times, spans;  /* varints: ns since the previous event; duration in ns */
	struct out shape_of, cpus, tasks, endpoints, flags;
	struct intern task_names, endpoint_names;
	struct intern device_names; /* "BUS:DEVICE NAME", each name that an address had */
	struct intern bytes, ids; /* members, anywhere, that are bytes or numbers of hex digits */
	struct shapes shapes;
	struct out json, line;    /* scratch for the current event */
	struct out losses;
	uint64_t first, last, n, nlosses, more;
	bool failed, with_machine;
};

/* ---- events ------------------------------------------------------------------------------- */

static void varint(struct out *o, uint64_t v)
{
	char *p = out_need(o, 10), *q = p;

	for (; v >= 0x80; v >>= 7)
		*q++ = (char)(v | 0x80);
	*q++ = (char)v;
	o->len += (size_t)(q - p);
}

/*
 * Returns the number of a task or endpoint when there is no room for another one: that of the last,
 * which then stands for all further ones and has the name `text`.
 */
static uint32_t further(struct html *h, struct intern *t, const char *text)
{
	char *copy;

	if (t->n < NONE) {
		h->failed = true; /* out of memory */
		return NONE;
	}
	if (strcmp(t->texts[t->n - 1], text)) {
		copy = strdup(text);
		if (!copy) {
			h->failed = true;
			return NONE;
		}
		free(t->texts[t->n - 1]);
		t->texts[t->n - 1] = copy;
	}
	return (uint32_t)t->n - 1;
}

static uint32_t task_of(struct html *h, const struct item *it)
{
	char text[64];
	uint32_t number;
	int n;

	if (it->tid == ITEM_NO_TASK && it->pid == ITEM_NO_TASK)
		return NONE;
	n = snprintf(text, sizeof(text), "%d %d %.*s", it->pid, it->tid, (int)it->comm_len,
		     it->comm);
	number = intern(&h->task_names, text, (size_t)n < sizeof(text) ? (size_t)n : 0);
	return number == NONE ? further(h, &h->task_names, "-1 -1 further tasks") : number;
}

static uint32_t endpoint_of(struct html *h, const struct usb_detail *d)
{
	const struct urb *u = &d->urb;
	char text[64];
	int n = snprintf(text, sizeof(text), "%u:%u %u %s", u->bus, u->device,
			 urb_endpoint_number(u),
			 u->xfer == URB_CONTROL ? "control"
				 : urb_in(u)	? "in"
						: "out");
	uint32_t number = intern(&h->endpoint_names, text, (size_t)n);

	return number == NONE ? further(h, &h->endpoint_names, "further endpoints") : number;
}

static void note_device(struct html *h, const struct usb_detail *d)
{
	const struct usb_device *dev = d->device;
	char text[sizeof(dev->name) + 32];
	int n;

	if (!dev || (!*dev->name && !dev->known))
		return;
	if (*dev->name)
		n = snprintf(text, sizeof(text), "%u:%u %s", d->urb.bus, d->urb.device, dev->name);
	else
		n = snprintf(text, sizeof(text), "%u:%u %04x:%04x", d->urb.bus, d->urb.device,
			     usbdev_vendor(dev), usbdev_product(dev));
	h->failed |= intern(&h->device_names, text, (size_t)n) == NONE && h->device_names.n < NONE;
}

/*
 * Adds the text line of trawl-decode, in which pointers and devices are formatted as in the kernel.
 */
static void add_text(struct html *h, const struct decoder *d, void *state, const struct item *it)
{
	const char *line;

	h->line.len = 0;
	d->text(state, it, &h->line);
	if (!h->line.len)
		return;
	line = memchr(h->line.data, '\n', h->line.len);
	out_str(&h->json, ",\"_text\":");
	out_json(&h->json, h->line.data, line ? (size_t)(line - h->line.data) : h->line.len);
}

/* Whether the item is the end of a system call that returned an error. */
static bool is_failed_call(const struct decoder *d, void *state, const struct item *it)
{
	struct value v = { 0 };

	return it->name_len >= 8 && memmem(it->name, it->name_len, "sys_exit", 8) &&
	       d->value(state, it, "ret", &v) && v.type == VALUE_INT && v.i < 0 &&
	       errno_name(-v.i);
}

static char flags_of(const struct decoder *d, void *state, const struct item *it)
{
	bool trigger = it->name_len == 13 && !memcmp(it->name, "trawl:trigger", 13);

	return (char)((it->problem ? FLAG_PROBLEM : 0) | (it->secret ? FLAG_SECRET : 0) |
		      (trigger ? FLAG_TRIGGER : 0) |
		      (is_failed_call(d, state, it) ? FLAG_FAILED : 0));
}

/*
 * Collects the members whose JSON is hex digits, because --where also takes them as bytes or
 * numbers.
 */
static void note_digits(struct html *h, void *state, const struct item *it)
{
	const struct tree *t = usb_tree(state, it->detail);

	for (uint32_t i = 0; i < t->count; i++) {
		const struct tree_node *n = &t->nodes[i];

		if (n->kind == TREE_BYTES)
			intern(&h->bytes, n->name, strlen(n->name));
		else if (n->kind == TREE_ID)
			intern(&h->ids, n->name, strlen(n->name));
	}
}

static int take_item(struct consumer *c, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct html *h = (struct html *)c;
	uint64_t span = 0;
	const char *began;
	uint32_t endpoint = NONE;
	int64_t since;

	if (h->n == HTML_EVENTS || shapes_full(&h->shapes)) {
		h->more++;
		return 0;
	}
	if (d == &usb_decoder && it->detail) {
		const struct usb_detail *u = it->detail;

		endpoint = endpoint_of(h, u);
		note_device(h, u);
		note_digits(h, state, it);
	}
	if (!stream_took(h->stream, &span, &began))
		span = 0;
	if (!h->n++)
		h->first = h->last = it->time;
	since = (int64_t)(it->time - h->last);
	h->last = it->time;
	varint(&h->times, (uint64_t)since << 1 ^ (uint64_t)(since >> 63));
	varint(&h->spans, span);
	h->json.len = 0;
	d->json(state, it, &h->json);
	if (d->json_more)
		d->json_more(state, it, &h->json);
	if (d == &usb_decoder || h->n <= TEXTS)
		add_text(h, d, state, it);
	if (h->json.len && h->json.data[0] == ',') { /* json_more() wrote the only members */
		memmove(h->json.data, h->json.data + 1, h->json.len - 1);
		h->json.len--;
	}
	out_le16(&h->shape_of, (uint16_t)shapes_take(&h->shapes, &h->json, d, state, it));
	out_le16(&h->cpus, it->cpu == ITEM_NO_CPU || it->cpu >= NONE ? NONE : (uint16_t)it->cpu);
	out_le16(&h->tasks, (uint16_t)task_of(h, it));
	out_le16(&h->endpoints, (uint16_t)endpoint);
	out_char(&h->flags, flags_of(d, state, it));
	return h->failed || h->shapes.failed;
}

static int take_loss(struct consumer *c, const struct trawl_source *s, const struct trawl_loss *l,
		     uint64_t from, uint64_t to)
{
	struct html *h = (struct html *)c;
	struct out *o = &h->losses;

	if (h->nlosses++ >= LOSSES)
		return 0;
	out_str(o, o->len ? ",{\"source\":" : "{\"source\":");
	out_json(o, s->name, strlen(s->name));
	out_printf(o,
		   ",\"cpu\":%" PRId64 ",\"from\":\"%" PRIu64 "\",\"to\":\"%" PRIu64 "\",\"count\":"
										     "%s",
		   l->cpu == UINT32_MAX ? INT64_C(-1) : (int64_t)l->cpu, from, to,
		   l->count == UINT64_MAX ? "null" : "");
	if (l->count != UINT64_MAX)
		out_u64(o, l->count);
	out_str(o, ",\"reason\":");
	out_json(o, trawl_loss_reason_name(l->reason), strlen(trawl_loss_reason_name(l->reason)));
	out_char(o, '}');
	return 0;
}

/* ---- the page ----------------------------------------------------------------------------- */

static void about_json(const struct html *h, const char *title, struct out *o)
{
	struct trawl_reader *r = stream_reader(h->stream);
	struct trawl_verdict v;

	trawl_verdict(r, &v);
	out_str(o, "{\"title\":");
	out_json(o, title, strlen(title));
	out_printf(o,
		   ",\"events\":%" PRIu64 ",\"more\":%" PRIu64 ",\"first\":\"%" PRIu64 "\"",
		   h->n, h->more, h->first);
	if (v.syncs)
		out_printf(o, ",\"bound\":\"%" PRIu64 "\"", v.bound);
	out_str(o, ",\"verdict\":");
	out_json(o, v.text, strlen(v.text));
	out_printf(o, ",\"nlosses\":%" PRIu64 ",\"losses\":[", h->nlosses);
	out_bytes(o, h->losses.data, h->losses.len);
	out_char(o, ']');
	intern_json("names", &h->shapes.names, o);
	intern_json("sources", &h->shapes.sources, o);
	intern_json("tasks", &h->task_names, o);
	intern_json("endpoints", &h->endpoint_names, o);
	intern_json("devices", &h->device_names, o);
	intern_json("bytes", &h->bytes, o);
	intern_json("ids", &h->ids, o);
	shapes_json(&h->shapes, o);
	page_about(r, h->with_machine, o);
	out_char(o, '}');
}

/* Returns the last component of the path. */
static const char *title_of(const struct stream *s)
{
	const char *slash = strrchr(stream_name(s), '/');

	return slash ? slash + 1 : stream_name(s);
}

static bool write_page(struct html *h, struct out *out)
{
	const struct { const char *id; struct out *o; } core[] = {
		{ "times", &h->times }, { "spans", &h->spans }, { "shapes", &h->shape_of },
		{ "cpus", &h->cpus }, { "tasks", &h->tasks }, { "endpoints", &h->endpoints },
		{ "flags", &h->flags },
	};
	struct out about;
	bool ok;

	out_memory(&about);
	about_json(h, title_of(h->stream), &about);
	page_begin(out, title_of(h->stream));
	ok = !about.error && page_piece(out, "about", about.data, about.len);
	out_free(&about);
	for (size_t i = 0; ok && i < ARRAY_SIZE(core); i++)
		ok = !core[i].o->error &&
			page_piece(out, core[i].id, core[i].o->data, core[i].o->len);
	page_program(out);
	ok = ok && shapes_write(&h->shapes, out);
	page_end(out);
	return ok;
}

static void report_omitted(const struct html *h)
{
	struct trawl_error note;

	if (!h->more)
		return;
	trawl_fail(&note, TRAWL_OK, "--to html: the page has the first %" PRIu64 " events; %" PRIu64
		   " later ones are left out: select others with --from, --until or --where%s",
		   h->n, h->more,
		   h->n < HTML_EVENTS ? ", or allow more text with --memory" : "");
	cli_error(&note);
}

int html_export(const struct export_options *o, struct stream *s, struct out *out,
		struct trawl_error *err)
{
	struct html h = { .consumer.item = take_item, .consumer.loss = take_loss, .stream = s,
			  .with_machine = o->with_machine };
	struct out *const buffers[] = { &h.times, &h.spans, &h.shape_of, &h.cpus, &h.tasks,
					&h.endpoints, &h.flags, &h.json, &h.line, &h.losses };
	int ret;

	if (!page_possible())
		return trawl_fail(err, TRAWL_CANNOT, "--to html: built without zlib; install its "
						     "headers and build again");
	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		out_memory(buffers[i]);
	shapes_init(&h.shapes, o->memory ? o->memory : DEFAULT_MEMORY);
	ret = stream_measure(s, err) ? -1 : stream_run(s, &h.consumer, err);
	if (!ret && (h.failed || h.shapes.failed || !write_page(&h, out)))
		ret = trawl_fail(err, TRAWL_CANNOT, "--to html: out of memory, or more event types "
						    "than a page holds; select some with --name");
	if (!ret)
		report_omitted(&h);
	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		out_free(buffers[i]);
	shapes_free(&h.shapes);
	intern_free(&h.task_names);
	intern_free(&h.endpoint_names);
	intern_free(&h.device_names);
	intern_free(&h.bytes);
	intern_free(&h.ids);
	return ret;
}
