/* SPDX-License-Identifier: MIT */
#include "decode/export/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/boot.h"
#include "decode/base/cli.h"
#include "decode/base/errnoname.h"
#include "decode/base/jdoc.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "decode/export/intern.h"
#include "decode/export/pageparts.h"
#include "decode/export/summary.h"
#include "decode/usb/usb.h"

enum {
	NONE = INTERN_NONE, /* no CPU, task or endpoint */
	SHAPE_KEYS = 256,   /* maximum number of fields of an event */
	SHAPES = 4000,
	LOSSES = 10000,
	/* maximum number of events that include their text line, to limit the size of the page */
	TEXTS = 200000,
	/*
	 * text that waits to be compressed takes at most 1/WAITING_SHARE of the memory, as buffers
	 * double
	 */
	WAITING_SHARE = 8,
	/* all held text takes at most 1/HELD_SHARE of the memory */
	HELD_SHARE = 2,
	/*
	 * the text of a page is at most TEXT_TIMES the memory, as a browser decompresses all of it
	 */
	TEXT_TIMES = 2,
	DEFAULT_MEMORY = 256 << 20, /* as of the reader */
};

enum { FLAG_PROBLEM = 1, FLAG_SECRET = 2, FLAG_TRIGGER = 4, FLAG_FAILED = 8 };

/* How the search reads the values of a field, in addition to their JSON. */
enum reading {
	READ_UNKNOWN, /* it had no value yet */
	READ_PLAIN,
	READ_BYTES,   /* JSON has the hex digits of bytes */
	READ_NUMBER,  /* JSON has a number as text */
	READ_ARRAY,   /* of numbers, which has no text */
};

/* A field of the events of a shape: its values as JSON, one a line. */
struct field_column {
	struct page_text json;
	struct page_text other; /* another name or number of each value, which the search takes; ""
				 * if there is none */
	uint64_t other_len;
	enum reading reading;
	bool ask;               /* whether a value may have another name */
};

/* Events with the same name and the same fields. */
struct shape {
	uint32_t name, source;
	bool own_pid;
	size_t ncolumns;
	uint64_t count;
	struct field_column *columns;
};

struct html {
	struct consumer consumer; /* must be first: a struct consumer is cast to its html */
	struct stream *stream;
	struct out times, spans;  /* varints: ns since the previous event; duration in ns */
	struct out shape_of, cpus, tasks, endpoints, flags;
	struct intern names, sources, task_names, endpoint_names;
	struct intern shape_keys; /* a shape's fields, with a blank between their names */
	struct intern device_names; /* "BUS:DEVICE NAME", each name that an address had */
	struct intern bytes, ids; /* members, anywhere, that are bytes or numbers of hex digits */
	struct shape *shapes;
	size_t nshapes;           /* number of shapes; equals shape_keys.n unless memory ran out */
	struct out json, keys;    /* scratch for the current event */
	struct out losses;
	uint64_t first, last, n, nlosses, more;
	uint64_t memory;          /* limit, bytes */
	/* Bytes of the fields' columns: total, not yet compressed, after compression. */
	uint64_t text, waiting, packed;
	bool failed, with_machine;
};

/* ---- the fields of an event --------------------------------------------------------------- */

/* Returns the end of a JSON value, which one of our own decoders wrote. */
static const char *after(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
		} else if (*p == '{' || *p == '[') {
			depth++;
		} else if (*p == '}' || *p == ']') {
			depth--;
		} else if (*p == ',' && !depth) {
			return p;
		}
	}
	return end;
}

struct member {
	const char *key, *value;
	size_t key_len, len;
};

/* Splits the members of an object without its braces; returns their number. */
static size_t split(const struct out *json, struct member *m)
{
	const char *p = json->data, *end = p + json->len;
	size_t n = 0;

	while (p < end && n < SHAPE_KEYS) {
		const char *key = p + 1, *colon;

		for (colon = key; colon < end && *colon != '"'; colon++)
			colon += *colon == '\\';
		if (colon + 2 > end)
			break;
		m[n].key = key;
		m[n].key_len = (size_t)(colon - key);
		m[n].value = colon + 2;
		p = after(colon + 2, end);
		m[n].len = (size_t)(p - m[n].value);
		n++;
		p++;
	}
	return n;
}

/* Whether values of this field may have another name: an enum's, or an endpoint's address. */
static bool may_have_other(const struct decoder *d, void *state, const struct item *it,
			   const char *key)
{
	unsigned int can = d->comparable && it->type ? d->comparable(state, it->type, key) : 0;

	if (d->comparable)
		return !can || can == (COMPARABLE_NUMBER | COMPARABLE_TEXT);
	return (d->word && d->word(key, 0)) ||
		(d->never_number && d->never_number(key, INT64_MIN));
}

static struct shape *shape_new(struct html *h, uint32_t i, const struct decoder *d,
			       const struct item *it, size_t ncolumns)
{
	struct shape *s;

	if (!array_grow(h->shapes, i))
		return NULL;
	s = &h->shapes[i];
	*s = (struct shape){ .ncolumns = ncolumns, .own_pid = d->own_pid };
	s->columns = calloc(ncolumns + 1, sizeof(*s->columns));
	if (!s->columns)
		return NULL;
	for (size_t k = 0; k < ncolumns; k++) {
		page_text_init(&s->columns[k].json);
		page_text_init(&s->columns[k].other);
	}
	h->nshapes = i + 1;
	s->name = intern(&h->names, it->name, it->name_len);
	s->source = intern(&h->sources, it->source->name, strlen(it->source->name));
	return s;
}

static bool is_number(const struct value *v)
{
	return v->type == VALUE_UINT || v->type == VALUE_INT;
}

/* Adds the other name of a value that --where takes. The first value decides how all are read. */
static void take_other(struct field_column *c, const struct value *v, bool is_text)
{
	if (c->reading == READ_UNKNOWN && v->type != VALUE_NONE)
		c->reading = v->type == VALUE_BYTES && v->is_list ? READ_ARRAY :
			     is_text && v->type == VALUE_BYTES ? READ_BYTES :
			     is_text && is_number(v) && !v->text ? READ_NUMBER : READ_PLAIN;
	if (!c->ask)
		return;
	if (is_number(v) && !is_text && v->text)
		out_json(&c->other.text, v->text, v->len);
	else if (is_text && v->text && (is_number(v) || v->hex))
		v->type == VALUE_INT ? out_s64(&c->other.text, v->i) :
					     out_u64(&c->other.text, v->u);
	else if (v->has_other)
		out_u64(&c->other.text, v->other);
	out_char(&c->other.text, '\n');
}

/* Appends a field's value to its column. */
static void take_field(const struct decoder *d, void *state, const struct item *it,
		       struct shape *s, size_t k, const struct member *m)
{
	struct field_column *c = &s->columns[k];
	struct value v = { 0 };
	char key[128];

	out_bytes(&c->json.text, m->value, m->len);
	out_char(&c->json.text, '\n');
	if (c->reading != READ_UNKNOWN && !c->ask)
		return;
	snprintf(key, sizeof(key), "%.*s", (int)m->key_len, m->key);
	if (s->count == 1)
		c->ask = may_have_other(d, state, it, key);
	if (d->value && !d->value(state, it, key, &v))
		v.type = VALUE_NONE;
	take_other(c, &v, *m->value == '"');
}

static void pack_columns(struct html *h)
{
	h->text += h->waiting;
	h->waiting = h->packed = 0;
	for (size_t i = 0; i < h->nshapes; i++)
		for (size_t k = 0; k < h->shapes[i].ncolumns; k++) {
			struct field_column *c = &h->shapes[i].columns[k];

			h->failed |= (c->json.text.len && !page_text_pack(&c->json)) ||
				(c->other.text.len && !page_text_pack(&c->other));
			h->packed += c->json.packed.len + c->other.packed.len;
		}
}

/* Whether the page has as much text as memory and browsers allow. */
static bool is_full(const struct html *h)
{
	return h->text + h->waiting > TEXT_TIMES * h->memory ||
		h->packed > h->memory / HELD_SHARE;
}

/* Appends the fields' values to their columns; returns the number of the shape. */
static uint32_t take_fields(struct html *h, const struct decoder *d, void *state,
			    const struct item *it)
{
	struct member m[SHAPE_KEYS];
	size_t n = split(&h->json, m), before = h->shape_keys.n;
	struct shape *s;
	uint32_t i;

	h->keys.len = 0;
	out_bytes(&h->keys, it->name, it->name_len);
	out_char(&h->keys, '\t');
	out_str(&h->keys, it->source->name);
	for (size_t k = 0; k < n; k++) {
		out_char(&h->keys, '\t');
		out_bytes(&h->keys, m[k].key, m[k].key_len);
	}
	i = intern(&h->shape_keys, h->keys.data, h->keys.len);
	s = i < before && i < h->nshapes ? &h->shapes[i]
	    : i < SHAPES && i == h->nshapes ? shape_new(h, i, d, it, n) : NULL;
	if (!s) {
		h->failed = true;
		return 0;
	}
	s->count++;
	for (size_t k = 0; k < n && k < s->ncolumns; k++) {
		struct field_column *c = &s->columns[k];
		size_t other = c->other.text.len, had = c->json.text.len + other;

		take_field(d, state, it, s, k, &m[k]);
		h->waiting += c->json.text.len + c->other.text.len - had;
		c->other_len += c->other.text.len - other;
	}
	if (h->waiting > h->memory / WAITING_SHARE)
		pack_columns(h);
	return i;
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

	h->keys.len = 0;
	d->text(state, it, &h->keys);
	if (!h->keys.len)
		return;
	line = memchr(h->keys.data, '\n', h->keys.len);
	out_str(&h->json, ",\"_text\":");
	out_json(&h->json, h->keys.data, line ? (size_t)(line - h->keys.data) : h->keys.len);
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

static int take_item(struct consumer *c, const struct decoder *d, void *state,
		     const struct item *it)
{
	struct html *h = (struct html *)c;
	uint64_t span = 0;
	const char *began;
	uint32_t endpoint = NONE;
	int64_t since;

	if (h->n == HTML_EVENTS || is_full(h)) {
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
	out_le16(&h->shape_of, (uint16_t)take_fields(h, d, state, it));
	out_le16(&h->cpus, it->cpu == ITEM_NO_CPU || it->cpu >= NONE ? NONE : (uint16_t)it->cpu);
	out_le16(&h->tasks, (uint16_t)task_of(h, it));
	out_le16(&h->endpoints, (uint16_t)endpoint);
	out_char(&h->flags, flags_of(d, state, it));
	return h->failed;
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

/* ---- what the page says about the capture ------------------------------------------------- */

static void steps_json(struct trawl_reader *r, struct out *o)
{
	struct boots boots = { .reader = r };
	size_t n = trawl_sync_count(r), steps = 0;

	out_str(o, ",\"steps\":[");
	for (size_t i = 1; i < n && steps < LOSSES; i++) {
		const struct trawl_sync *a = trawl_sync_at(r, i - 1), *b = trawl_sync_at(r, i);

		if (!summary_is_step(&boots, a, b))
			continue;
		out_printf(o, "%s{\"at\":\"%" PRIu64 "\",\"ns\":\"%" PRId64 "\"}",
			   steps++ ? "," : "",
			   trawl_section_time(r, b->section, TRAWL_CLOCK_MONO, b->mono),
			   (int64_t)((b->real - a->real) - (b->mono - a->mono)));
	}
	out_char(o, ']');
	boots_free(&boots);
}

/* Removes all members of a metadata object but these, which say nothing of the machine's owner. */
static void keep_public(struct json_object *j)
{
	static const char *const keep[] = { "kernel", "kernel_version", "arch", "distro", "cpus",
					    "page_size", "trawl", NULL };
	struct json_object_iterator i = json_object_iter_begin(j), end = json_object_iter_end(j);

	while (!json_object_iter_equal(&i, &end)) {
		const char *key = json_object_iter_peek_name(&i);
		size_t k = 0;

		while (keep[k] && strcmp(keep[k], key))
			k++;
		json_object_iter_next(&i);
		if (!keep[k])
			json_object_object_del(j, key);
	}
}

static void meta_json(struct trawl_reader *r, const char *name, bool whole, struct out *o)
{
	struct json_object *j = jdoc_meta(r, name);

	if (!whole && json_object_is_type(j, json_type_object)) {
		keep_public(j);
	} else if (!whole) {
		json_object_put(j);
		j = NULL;
	}
	out_printf(o, ",\"%s\":%s", name,
		   j && json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN) &&
		   strlen(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN)) < 3500 ?
		   json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN) : "null");
	json_object_put(j);
}

static void edits_json(struct trawl_reader *r, struct out *o)
{
	bool any = false;
	size_t i = 0;

	out_str(o, ",\"edits\":[");
	for (struct json_object *doc; (doc = jdoc_next_edit(r, &i)); any = true) {
		out_str(o, any ? "," : "");
		out_str(o, json_object_to_json_string_ext(doc, JSON_C_TO_STRING_PLAIN));
		json_object_put(doc);
	}
	out_char(o, ']');
}

/* Lists which columns have another name for their values, and which are bytes or numbers. */
static void readings_json(const struct shape *s, struct out *o)
{
	static const char *const names[] = { "other", "bytes", "numbers", "arrays" };
	static const enum reading readings[] = { READ_UNKNOWN, READ_BYTES, READ_NUMBER,
						 READ_ARRAY };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t n = 0;

		for (size_t k = 0; k < s->ncolumns; k++) {
			const struct field_column *c = &s->columns[k];

			if (i ? c->reading != readings[i] : c->other_len <= s->count)
				continue;
			if (!n++)
				out_printf(o, ",\"%s\":[%zu", names[i], k);
			else
				out_printf(o, ",%zu", k);
		}
		out_str(o, n ? "]" : "");
	}
}

static void shapes_json(const struct html *h, struct out *o)
{
	out_str(o, ",\"shapes\":[");
	for (size_t i = 0; i < h->shape_keys.n; i++) {
		const char *p = strchr(h->shape_keys.texts[i], '\t');

		p = p ? strchr(p + 1, '\t') : NULL;
		out_printf(o, "%s{\"name\":%u,\"source\":%u,\"count\":%" PRIu64 ",\"keys\":[",
			   i ? "," : "", h->shapes[i].name, h->shapes[i].source,
			   h->shapes[i].count);
		/* names are already escaped as in JSON */
		for (bool first = true; p; first = false) {
			const char *end = strchr(++p, '\t');
			size_t n = end ? (size_t)(end - p) : strlen(p);

			out_str(o, first ? "\"" : ",\"");
			out_bytes(o, p, n);
			out_char(o, '"');
			p = end;
		}
		out_char(o, ']');
		if (h->shapes[i].own_pid)
			out_str(o, ",\"own_pid\":true");
		readings_json(&h->shapes[i], o);
		out_char(o, '}');
	}
	out_char(o, ']');
}

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
	intern_json("names", &h->names, o);
	intern_json("sources", &h->sources, o);
	intern_json("tasks", &h->task_names, o);
	intern_json("endpoints", &h->endpoint_names, o);
	intern_json("devices", &h->device_names, o);
	intern_json("bytes", &h->bytes, o);
	intern_json("ids", &h->ids, o);
	shapes_json(h, o);
	steps_json(r, o);
	meta_json(r, "machine", h->with_machine, o);
	if (h->with_machine) /* command lines */
		meta_json(r, "capture", true, o);
	meta_json(r, "end", true, o);
	edits_json(r, o);
	out_char(o, '}');
}

/* ---- the page ----------------------------------------------------------------------------- */

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
	char id[48];
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
	for (size_t i = 0; ok && i < h->shape_keys.n; i++)
		for (size_t k = 0; ok && k < h->shapes[i].ncolumns; k++) {
			struct field_column *c = &h->shapes[i].columns[k];

			snprintf(id, sizeof(id), "f%zu_%zu", i, k);
			ok = page_text_write(out, id, &c->json);
			if (!ok || c->other_len <= h->shapes[i].count)
				continue;
			id[0] = 'o';
			ok = page_text_write(out, id, &c->other);
		}
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
			  .with_machine = o->with_machine,
			  .memory = o->memory ? o->memory : DEFAULT_MEMORY };
	struct out *const buffers[] = { &h.times, &h.spans, &h.shape_of, &h.cpus, &h.tasks,
					&h.endpoints, &h.flags, &h.json, &h.keys, &h.losses };
	int ret;

	if (!page_possible())
		return trawl_fail(err, TRAWL_CANNOT, "--to html: built without zlib; install its "
						     "headers and build again");
	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		out_memory(buffers[i]);
	ret = stream_measure(s, err) ? -1 : stream_run(s, &h.consumer, err);
	if (!ret && (h.failed || !write_page(&h, out)))
		ret = trawl_fail(err, TRAWL_CANNOT, "--to html: out of memory, or more event types "
						    "than a page holds; select some with --name");
	if (!ret)
		report_omitted(&h);
	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		out_free(buffers[i]);
	for (size_t i = 0; i < h.nshapes; i++) {
		for (size_t k = 0; k < h.shapes[i].ncolumns; k++) {
			page_text_free(&h.shapes[i].columns[k].json);
			page_text_free(&h.shapes[i].columns[k].other);
		}
		free(h.shapes[i].columns);
	}
	free(h.shapes);
	intern_free(&h.names);
	intern_free(&h.sources);
	intern_free(&h.task_names);
	intern_free(&h.endpoint_names);
	intern_free(&h.device_names);
	intern_free(&h.shape_keys);
	intern_free(&h.bytes);
	intern_free(&h.ids);
	return ret;
}
