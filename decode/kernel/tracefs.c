/* SPDX-License-Identifier: MIT */
/*
 * Events from the kernel's ring buffer: probes, trace events, and the hidden task source. Each
 * record is one item. What is needed to decode an event type is prepared at its first record
 * (struct pattern).
 */
#include <stdlib.h>

#include "decode/base/boot.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "common/array.h"
#include "common/sources.h"
#include "decode/base/decoder.h"
#include "decode/base/jdoc.h"
#include "decode/base/eventlayout.h"
#include "decode/kernel/numbernames.h"
#include "decode/kernel/printfield.h"
#include "decode/kernel/site.h"
#include "decode/base/task.h"

/* The field of an event type that belongs to a column of a table. */
struct pattern_cell {
	size_t column;
	const struct shown *shown; /* NULL: tracefs_value() finds the value by name */
};

struct pattern {
	const struct trawl_event_type *type;
	struct event_layout *layout;
	struct probe_sites *sites;  /* NULL: not a probe, or nothing is known of it */
	struct shown *ip;           /* the field with the address of the site */
	struct shown *caller;       /* return probes: the field with the return address */
	/* section of the file; descriptions of probes differ between sections */
	uint32_t section;
	int tid_at;                 /* offset of the thread id in the record; -1: none */
	int flags_at;               /* of common_flags; -1: none, or always in its task */
	bool names;                 /* records of this type are passed to tasks_event() */
	bool plain;                 /* the fields of the layout are all that is shown */
	struct printfmt *print;     /* the kernel's print format; NULL: none, or unusable */
	struct print_fields *written; /* texts of single fields, from the print format */
	struct number_names *numbers; /* NULL: none in it */
	struct pattern_cell *cells;
	/* the first ncolumns columns have been searched; ncells fields were found */
	size_t ncells, ncolumns;
};

enum { RECENT = 16 };

struct tracefs {
	const struct decode_context *ctx;
	struct pattern **slots; /* hash table by address of the event type, open addressing */
	size_t nslots, used;
	struct pattern *recent[RECENT]; /* by id of the event type, of the current section */
	uint32_t section;        /* section that the patterns are for */
	struct symbols *symbols; /* for --print */
	struct boots boots;
	struct item item;
	/* scratch for names of numbers in tracefs_value(), one for each operand */
	struct out names[2];
	unsigned int nnames;
};

static void *tracefs_open(const struct decode_context *ctx, struct trawl_error *err)
{
	struct tracefs *t = calloc(1, sizeof(*t));

	if (t) {
		t->ctx = ctx;
		t->boots.reader = ctx->reader;
		t->nslots = 256;
		t->slots = calloc(t->nslots, sizeof(struct pattern *));
	}
	if (t && t->slots)
		return t;
	free(t);
	trawl_fail(err, TRAWL_CANNOT, "decoder: out of memory");
	return NULL;
}

static void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	print_fields_free(p->written);
	number_names_free(p->numbers);
	printfmt_free(p->print);
	sites_free(p->sites);
	event_layout_free(p->layout);
	free(p->cells);
	free(p);
}

static void forget(struct tracefs *t)
{
	for (size_t i = 0; i < t->nslots; i++) {
		pattern_free(t->slots[i]);
		t->slots[i] = NULL;
	}
	t->used = 0;
	symbols_free(t->symbols);
	t->symbols = NULL;
}

static void tracefs_close(void *state)
{
	struct tracefs *t = state;

	forget(t);
	boots_free(&t->boots);
	out_free(&t->names[0]);
	out_free(&t->names[1]);
	free(t->slots);
	free(t);
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* Returns the offset of a common field in the source's records, or -1 if they have none. */
static int common_offset(const struct trawl_source *s, const char *name, uint32_t width,
			 uint32_t size)
{
	for (uint32_t i = 0; s && i < s->ncommon; i++)
		if (!strcmp(s->common[i].name, name) && s->common[i].size == width &&
		    s->common[i].offset + width <= size)
			return s->common[i].offset;
	return -1;
}

/*
 * Reads all saved symbols of the current boot: each source saves those of its own events. After a
 * reboot, other symbols have the same addresses.
 */
static struct symbols *symbols_of(struct tracefs *t)
{
	const struct trawl_reader *reader = t->ctx->reader;
	uint32_t boot = boot_of(&t->boots, t->section);
	const struct trawl_meta *printk = NULL;
	struct symbols *s;
	struct out all;

	out_memory(&all);
	for (size_t i = 0; i < trawl_meta_count(reader); i++) {
		const struct trawl_meta *m = trawl_meta_at(reader, i);

		if (strncmp(m->name, "kernel/", 7) || boot_of(&t->boots, m->section) != boot)
			continue;
		if (!strcmp(m->name, "kernel/kallsyms"))
			out_bytes(&all, m->data, m->len);
		else if (!strcmp(m->name, "kernel/printk_formats"))
			printk = m;
	}
	s = symbols_parse(all.data, all.error ? 0 : all.len, printk ? printk->data : NULL,
			  printk ? printk->len : 0);
	out_free(&all);
	return s;
}

/* The snapshot length (-s) of the capture in the current section, in bytes; 0: none. */
static uint32_t snap_of(const struct tracefs *t)
{
	const struct trawl_reader *r = t->ctx->reader;
	uint32_t most = 0;

	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);
		struct json_object *o;

		if (m->section != t->section || strcmp(m->name, "capture"))
			continue;
		o = jdoc_parse(m->data, m->len);
		most = (uint32_t)jdoc_uint(o, "snaplen", 0);
		json_object_put(o);
	}
	return most;
}

/*
 * The print formats of system calls show every argument in hex, so their fields are shown by their
 * declared types instead.
 */
static bool is_syscall(const struct trawl_event_type *type)
{
	return !strncmp(type->name, "syscalls:", 9);
}

/* Prepares the kernel's own texts for an event and its fields. */
static void pattern_print(struct tracefs *t, struct pattern *p, const struct trawl_source *source)
{
	p->print = printfmt_new(p->type, source, NULL);
	if (!p->print)
		return;
	if (!t->ctx->options->print && !is_syscall(p->type))
		p->written = print_fields_new(p->print, p->type, &t->symbols, p->layout);
	if (!t->symbols && printfmt_symbols(p->print))
		t->symbols = symbols_of(t);
}

static struct pattern *pattern_new(struct tracefs *t, const struct trawl_event_type *type)
{
	const struct trawl_source *source = trawl_source_find(t->ctx->reader, type->source);
	struct pattern *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->type = type;
	p->section = t->section;
	p->names = source && (is_task_source(source->name) || task_event_names(type->name));
	p->tid_at = common_offset(source, "common_pid", 4, type->size);
	p->layout = event_layout_new(type);
	if (!p->layout) {
		free(p);
		return NULL;
	}
	event_layout_snap(p->layout, snap_of(t));
	p->sites = sites_new(t->ctx->reader, source ? source->name : "", t->section,
			     p->layout);
	if (!p->sites || !sites_any(p->sites))
		pattern_print(t, p, source);
	p->numbers = number_names_new(t->ctx->reader, type, p->layout);
	p->plain = !p->sites || sites_plain(p->sites);
	p->ip = event_layout_find(p->layout, "__probe_ip");
	if (!p->ip)
		p->ip = event_layout_find(p->layout, "__probe_func");
	p->caller = event_layout_find(p->layout, "__probe_ret_ip");
	p->flags_at = p->ip ? -1 : common_offset(source, "common_flags", 1, type->size);
	if (p->ip)
		event_layout_probe(p->layout);
	return p;
}

static size_t slot(const struct tracefs *t, const struct trawl_event_type *type, uint32_t section)
{
	size_t i = ((uintptr_t)type >> 4) * 0x9e3779b97f4a7c15u >> 20 & (t->nslots - 1);

	while (t->slots[i] && (t->slots[i]->type != type || t->slots[i]->section != section))
		i = (i + 1) & (t->nslots - 1);
	return i;
}

static bool grow(struct tracefs *t)
{
	struct pattern **old = t->slots;
	size_t n = t->nslots, i;

	t->slots = calloc(n * 2, sizeof(struct pattern *));
	if (!t->slots) {
		t->slots = old;
		return false;
	}
	t->nslots = n * 2;
	for (i = 0; i < n; i++)
		if (old[i])
			t->slots[slot(t, old[i]->type, old[i]->section)] = old[i];
	free(old);
	return true;
}

static struct pattern *pattern_for(struct tracefs *t, const struct trawl_event_type *type)
{
	size_t i = slot(t, type, t->section);

	if (!t->slots[i]) {
		if (t->used * 2 >= t->nslots && !grow(t))
			return NULL;
		i = slot(t, type, t->section);
		t->slots[i] = pattern_new(t, type);
		t->used += t->slots[i] != NULL;
	}
	return t->slots[i];
}

/* ---- items -------------------------------------------------------------------------------- */

/*
 * Switches to another section. Plans are discarded unless both sections have the same timeline, as
 * in merged files, whose sections are read alternately.
 */
static void select_section(struct tracefs *t, uint32_t section)
{
	uint64_t timeline = trawl_section_timeline(t->ctx->reader, section);

	if (!timeline || timeline != trawl_section_timeline(t->ctx->reader, t->section))
		forget(t);
	memset(t->recent, 0, sizeof(t->recent));
	t->section = section;
}

static int tracefs_feed(void *state, const struct trawl_event *ev, struct item_sink *sink,
			struct trawl_error *err)
{
	struct tracefs *t = state;
	struct pattern **recent = &t->recent[ev->type->id % RECENT], *p;
	struct item *it = &t->item;
	const struct task *task;
	int32_t tid = ITEM_NO_TASK;

	if (ev->section != t->section)
		select_section(t, ev->section);
	if (!*recent || (*recent)->type != ev->type)
		*recent = pattern_for(t, ev->type);
	p = *recent;
	if (!p)
		return trawl_fail(err, TRAWL_CANNOT, "decoder: out of memory");
	if (p->tid_at >= 0 && (uint32_t)p->tid_at + 4 <= ev->len)
		memcpy(&tid, (const char *)ev->record + p->tid_at, 4);
	tasks_advance(t->ctx->tasks, ev->section, ev->ts);
	if (p->names)
		tasks_event(t->ctx->tasks, ev, tid);
	task = tasks_find(t->ctx->tasks, tid, ev->cpu);
	it->time = ev->time;
	it->ts = ev->ts;
	it->section = ev->section;
	it->source = ev->source;
	it->type = ev->type;
	it->name = ev->type->name;
	it->name_len = (uint32_t)p->layout->name_len;
	it->comm = task->comm;
	it->comm_len = task->comm_len;
	it->cpu = ev->cpu;
	it->pid = task->pid;
	it->tid = tid;
	it->record = ev->record;
	it->len = ev->len;
	it->detail = p;
	return sink->item(sink, it);
}

static struct site *site_of(const struct item *it)
{
	const struct pattern *p = it->detail;
	const uint8_t *ip;
	size_t n;

	if (!p->sites || !p->ip || !field_bytes(p->ip->field, it->record, it->len, &ip, &n) ||
	    n != 8)
		return NULL;
	return sites_find(p->sites, load_uint(ip, 8), it->pid > 0 ? it->pid : it->tid, it->section,
			  it->ts);
}

/*
 * Returns the kind of interrupt in which an event happened, or NULL: then its task is the one that
 * was interrupted. The bits of common_flags: TRACE_FLAG_* in the kernel's trace_events.h.
 */
static const char *interrupt_of(const struct pattern *p, const struct item *it)
{
	enum { HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };
	unsigned int flags = 0;

	if (p->flags_at >= 0 && (uint32_t)p->flags_at < it->len)
		flags = ((const uint8_t *)it->record)[p->flags_at];
	return flags & NMI ? "nmi" : flags & HARDIRQ ? "hardirq" : flags & SOFTIRQ ? "softirq" :
	       NULL;
}

/* ---- arguments that are not simply their field --------------------------------------------- */

static void unavailable(const char *why, bool json, struct out *o)
{
	if (json) {
		out_str(o, "null");
		return;
	}
	out_str(o, "<unavailable");
	if (*why) {
		out_str(o, ": ");
		out_safe(o, why, strlen(why));
	}
	out_char(o, '>');
}

/* Returns the enumeration name of an argument that is narrower than its field, or NULL. */
static const char *arg_name(const struct site_arg *a, const struct item *it, bool json)
{
	const struct written *w = a->field ? a->field->written : NULL;

	return w && w->name && (!json || w->only_name) ? w->name(w, it->record, it->len) : NULL;
}

/*
 * Returns why the argument has no value, as it is printed: what no event of the site has is printed
 * with its reason at the first of them only, if the user's view is the lines in their order.
 */
static const char *why_once(struct site_arg *a, const char *why, bool once)
{
	if (!once || a->state != ARG_UNAVAILABLE)
		return why;
	if (a->told)
		return "";
	a->told = true;
	return why;
}

static void argument(struct site_arg *a, const struct item *it, bool json, bool once,
		     struct out *o)
{
	const uint8_t *bytes;
	const char *why, *name;

	if (arg_plain(a)) {
		(json ? shown_json : shown_text)(a->field, it->record, it->len, o);
		return;
	}
	bytes = arg_bytes(a, it->record, it->len, &why);
	name = bytes ? arg_name(a, it, json) : NULL;
	if (!bytes)
		unavailable(json ? why : why_once(a, why, once), json, o);
	else if (!name)
		shown_element(a->as, bytes, json, o);
	else if (json)
		out_json(o, name, strlen(name));
	else
		out_safe(o, name, strlen(name));
}

/* Prints the arguments of a site whose fields alone are not sufficient. */
static void arguments(struct site *s, const struct item *it, bool json, bool once, struct out *o)
{
	bool any = false;
	uint32_t i;

	for (i = 0; i < s->nargs; i++) {
		struct site_arg *a = &s->args[i];

		if (!json && a->field && shown_absent(a->field, it->record, it->len))
			continue;
		if (any)
			out_char(o, json ? ',' : ' ');
		any = true;
		if (json) {
			out_json(o, a->name, strlen(a->name));
			out_char(o, ':');
		} else {
			out_safe(o, a->name, strlen(a->name));
			out_char(o, '=');
		}
		argument(a, it, json, once, o);
	}
}

/* ---- printing ----------------------------------------------------------------------------- */

static void site_text(const struct site *s, struct out *o)
{
	out_str(o, " (");
	out_safe(o, s->symbol, strlen(s->symbol));
	if (!*s->symbol) { /* the form that uprobe: accepts */
		out_safe(o, s->object, strlen(s->object));
		out_char(o, ':');
		out_hex(o, s->offset);
	}
	if (*s->file) {
		out_char(o, ' ');
		out_safe(o, s->file, strlen(s->file));
		out_char(o, ':');
		out_u64(o, s->line);
	}
	if (*s->to) {
		out_str(o, !strcmp(s->exit, "tail call") ? " to " : " by ");
		out_safe(o, s->to, strlen(s->to));
	}
	out_char(o, ')');
}

static void tracefs_text(void *state, const struct item *it, struct out *o)
{
	struct tracefs *t = state;
	const struct pattern *p = it->detail;
	struct site *s = p->sites ? site_of(it) : NULL;
	const char *interrupt;
	bool all = t->ctx->options->all_fields || (!s && !p->plain);

	if (p->print && t->ctx->options->print && !t->ctx->options->all_fields) {
		printfmt_text(p->print, t->symbols, it->record, it->len, o);
		return;
	}
	if (p->plain || all) {
		/* the site replaces the address */
		if (p->ip)
			p->ip->hidden = s;
		if (p->caller)
			p->caller->hidden = s;
		event_layout_text(p->layout, it->record, it->len, all, o);
	} else {
		arguments(s, it, false, t->ctx->options->reasons_once, o);
	}
	if (s)
		site_text(s, o);
	interrupt = interrupt_of(p, it);
	if (interrupt) {
		out_str(o, " (in ");
		out_str(o, interrupt);
		out_char(o, ')');
	}
}

static void tracefs_json(void *state, const struct item *it, struct out *o)
{
	struct tracefs *t = state;
	const struct pattern *p = it->detail;
	struct site *s = p->plain ? NULL : site_of(it);
	bool all = t->ctx->options->all_fields || (!s && !p->plain);

	if (p->plain || all) {
		if (p->ip)
			p->ip->hidden = false;
		if (p->caller)
			p->caller->hidden = false;
		event_layout_json(p->layout, it->record, it->len, all, o);
		return;
	}
	if (p->ip) {
		out_json(o, p->ip->field->name, strlen(p->ip->field->name));
		out_char(o, ':');
		shown_json(p->ip, it->record, it->len, o);
		if (s->nargs)
			out_char(o, ',');
	}
	arguments(s, it, true, false, o);
}

/* Appends a member to "unavailable", opening the object before the first one. */
static void reason(const char *name, const char *why, bool *any, struct out *o)
{
	out_str(o, *any ? "," : ",\"unavailable\":{");
	out_json(o, name, strlen(name));
	out_char(o, ':');
	out_json(o, why, strlen(why));
	*any = true;
}

/* Appends for each argument without a value the reason. */
static void reasons(const struct pattern *p, const struct site *s, bool all, const struct item *it,
		    struct out *o)
{
	const struct event_layout *l = p->layout;
	const char *why;
	bool any = false;

	if (p->plain || all || !s) {
		for (const struct shown *f = l->shown; l->lacks && f < l->shown + l->n; f++)
			if ((all || !f->hidden) && (why = shown_why(f, it->record, it->len)))
				reason(f->field->name, why, &any, o);
	}
	for (const struct site_arg *a = s ? s->args : NULL; s && a < s->args + s->nargs; a++) {
		if (!arg_plain(a)) {
			if (!arg_bytes(a, it->record, it->len, &why))
				reason(a->name, why, &any, o);
		} else if (!p->plain && !all && (why = shown_why(a->field, it->record, it->len))) {
			reason(a->name, why, &any, o);
		}
	}
	if (any)
		out_char(o, '}');
}

/* Appends the names of texts that the capture cut. */
static void cuts(const struct event_layout *l, bool all, const struct item *it, struct out *o)
{
	bool any = false;

	for (const struct shown *f = l->shown; l->cuts && f < l->shown + l->n; f++) {
		if ((f->hidden && !all) || !shown_cut(f, it->record, it->len))
			continue;
		out_str(o, any ? "," : ",\"cut\":[");
		out_json(o, f->field->name, strlen(f->field->name));
		any = true;
	}
	if (any)
		out_char(o, ']');
}

/* Appends a member unless its text is empty. `begin` is the comma, the name and the colon. */
static void text_member(struct out *o, const char *begin, const char *text)
{
	if (!*text)
		return;
	out_str(o, begin);
	out_json(o, text, strlen(text));
}

static void tracefs_json_more(void *state, const struct item *it, struct out *o)
{
	const struct tracefs *t = state;
	const struct pattern *p = it->detail;
	const struct site *s = p->sites ? site_of(it) : NULL;
	const char *interrupt = interrupt_of(p, it);

	text_member(o, ",\"interrupt\":", interrupt ? interrupt : "");
	reasons(p, s, t->ctx->options->all_fields || (!s && !p->plain), it, o);
	cuts(p->layout, t->ctx->options->all_fields, it, o);
	if (!s)
		return;
	out_str(o, ",\"site\":{\"offset\":");
	out_u64(o, s->offset);
	text_member(o, ",\"symbol\":", s->symbol);
	text_member(o, ",\"file\":", s->file);
	if (*s->file) {
		out_str(o, ",\"line\":");
		out_u64(o, s->line);
	}
	text_member(o, ",\"exit\":", s->exit);
	text_member(o, ",\"to\":", s->to);
	out_char(o, '}');
}

/* ---- values ------------------------------------------------------------------------------- */

static bool site_value(const struct site *s, const char *name, struct value *v)
{
	const char *text = !strcmp(name, "symbol") ? s->symbol :
			   !strcmp(name, "file") ? s->file :
			   !strcmp(name, "exit") ? s->exit : NULL;

	memset(v, 0, sizeof(*v));
	if (!strcmp(name, "site.offset")) {
		v->type = VALUE_UINT;
		v->u = s->offset;
		v->hex = true;
		return true;
	}
	if (!strcmp(name, "line")) {
		v->type = s->line ? VALUE_UINT : VALUE_NONE;
		v->u = s->line;
		return true;
	}
	if (!text)
		return false;
	v->type = *text ? VALUE_TEXT : VALUE_NONE;
	v->text = text;
	v->len = strlen(text);
	return true;
}

/* If text output shows a name instead of a number, the name can be compared with as well. */
static void name_value(struct tracefs *t, const struct shown *f, const struct item *it,
		       struct value *v)
{
	const char *name = f->written && f->written->name ?
			   f->written->name(f->written, it->record, it->len) : NULL;
	struct out *o = &t->names[t->nnames++ % 2];

	if (!o->data)
		out_memory(o);
	o->len = 0;
	if (name)
		out_str(o, name);
	else
		shown_text(f, it->record, it->len, o);
	v->text = o->error ? NULL : o->data;
	v->len = o->len;
}

/*
 * Stores the value of an argument that is not simply its field. Returns false if the site has no
 * such argument.
 */
static bool arg_value(struct tracefs *t, const struct site *s, const struct item *it,
		      const char *name, struct value *v)
{
	const struct site_arg *a = s->args, *end = s->args + s->nargs;
	const uint8_t *bytes;
	const char *why;

	while (a < end && strcmp(a->name, name))
		a++;
	if (a == end || arg_plain(a))
		return false;
	memset(v, 0, sizeof(*v));
	bytes = arg_bytes(a, it->record, it->len, &why);
	if (bytes)
		shown_element_value(a->as, bytes, v);
	if (bytes && arg_name(a, it, false))
		name_value(t, a->field, it, v);
	return true;
}

/* An element of an array: args[1]. One that is not there has no value. */
static bool element_value(const struct event_layout *l, const struct item *it, const char *name,
			  struct value *v)
{
	size_t n = strcspn(name, "[");
	const struct shown *f = NULL;
	char *end;
	unsigned long nth;

	for (uint32_t i = 0; !f && i < l->n; i++)
		if (!strncmp(l->shown[i].field->name, name, n) && !l->shown[i].field->name[n])
			f = &l->shown[i];
	if (!f || name[n] != '[' || !shown_is_array(f))
		return false;
	nth = strtoul(name + n + 1, &end, 10);
	if (strcmp(end, "]"))
		return false;
	shown_nth_value(f, it->record, it->len, nth, v);
	return true;
}

static bool interrupt_value(const struct pattern *p, const struct item *it, const char *name,
			    struct value *v)
{
	if (p->flags_at < 0 || strcmp(name, "interrupt"))
		return false;
	memset(v, 0, sizeof(*v));
	v->text = interrupt_of(p, it);
	v->type = v->text ? VALUE_TEXT : VALUE_NONE;
	v->len = v->text ? strlen(v->text) : 0;
	return true;
}

static bool tracefs_value(void *state, const struct item *it, const char *name, struct value *v)
{
	const struct pattern *p = it->detail;
	const struct site *s = p->sites ? site_of(it) : NULL;
	const struct shown *f;

	if (s && !p->plain && arg_value(state, s, it, name, v))
		return true;
	f = event_layout_find(p->layout, name);
	if (!f && (element_value(p->layout, it, name, v) || interrupt_value(p, it, name, v)))
		return true;
	if (!f)
		return s && site_value(s, name, v);
	shown_value(f, it->record, it->len, v);
	v->is_list = shown_is_array(f);
	if (f->written && (v->type == VALUE_UINT || v->type == VALUE_INT))
		name_value(state, f, it, v);
	return true;
}

/* Whether the value of this name must be looked up separately in each event. */
static bool varies(const struct pattern *p, const struct shown *f, const char *name)
{
	return (p->sites && !(f && p->plain)) ||
	       (!f && (strchr(name, '[') || !strcmp(name, "interrupt")));
}

/* Finds the fields of columns that were appended. Returns false if memory runs out. */
static bool find_cells(struct pattern *p, const struct columns *columns)
{
	for (; p->ncolumns < columns->n; p->ncolumns++) {
		const char *name = columns->name[p->ncolumns];
		const struct shown *f = event_layout_find(p->layout, name);
		bool by_name = varies(p, f, name);

		if (!f && !by_name)
			continue;
		if (!array_grow(p->cells, p->ncells))
			return false;
		p->cells[p->ncells++] = (struct pattern_cell){
			.column = p->ncolumns,
			.shown = by_name ? NULL : f,
		};
	}
	return true;
}

static bool tracefs_cell(void *state, const struct item *it, const struct columns *columns,
			 size_t nth, struct cell *cell)
{
	struct pattern *p = it->detail;

	if (p->ncolumns < columns->n && !find_cells(p, columns))
		out_lack_memory();
	if (nth >= p->ncells)
		return false;
	cell->column = p->cells[nth].column;
	if (p->cells[nth].shown)
		shown_value(p->cells[nth].shown, it->record, it->len, &cell->value);
	else if (!tracefs_value(state, it, columns->name[cell->column], &cell->value))
		cell->value.type = VALUE_NONE;
	return true;
}

/* Returns a further value of an item: the nth element of an array. */
static bool tracefs_another(void *state, const struct item *it, const char *name, unsigned int nth,
			    struct value *v)
{
	const struct pattern *p = it->detail;
	const struct shown *f = event_layout_find(p->layout, name);

	(void)state;
	return f && shown_nth_value(f, it->record, it->len, nth - 1, v);
}

/* At a probe site, the kind of the value depends on the item. */
static unsigned int tracefs_comparable(void *state, const struct trawl_event_type *type,
				       const char *name)
{
	const struct pattern *p = pattern_for(state, type);
	const struct shown *f = p && !p->sites ? event_layout_find(p->layout, name) : NULL;

	if (!f)
		return p && p->flags_at >= 0 && !strcmp(name, "interrupt") ? COMPARABLE_TEXT : 0;
	switch (f->field->kind) {
	case TRAWL_TEXT:
	case TRAWL_CHAR:
	case TRAWL_BYTES:
		return COMPARABLE_TEXT;
	default:
		break;
	}
	if (f->field->place != TRAWL_FIXED || f->field->count != 1)
		return 0;
	return COMPARABLE_NUMBER | (f->written ? COMPARABLE_TEXT : 0u);
}

static void tracefs_names(void *state, const struct trawl_event_type *type, decoder_name_fn *fn,
			  void *arg)
{
	struct tracefs *t = state;
	const struct pattern *p = pattern_for(t, type);
	const struct site *s;
	uint32_t i;

	if (!p)
		return;
	s = p->sites ? sites_any(p->sites) : NULL;
	if (p->ip)
		fn(arg, p->ip->field->name);
	for (i = 0; s && i < s->nargs; i++)
		fn(arg, s->args[i].name);
	for (i = 0; i < p->layout->n; i++)
		if (!p->layout->shown[i].hidden || t->ctx->options->all_fields)
			fn(arg, p->layout->shown[i].field->name);
	if (p->flags_at >= 0)
		fn(arg, "interrupt");
	if (s) {
		fn(arg, "site.offset");
		fn(arg, "symbol");
		fn(arg, "file");
		fn(arg, "line");
		if (*s->exit)
			fn(arg, "exit");
	}
}

/* An argument that no site has: its reason is that of the first site, as in the field's note. */
static const char *tracefs_why(void *state, const struct trawl_event_type *type, const char *name)
{
	const struct pattern *p = pattern_for(state, type);

	return p && p->sites ? sites_why(p->sites, name) : NULL;
}

/* Also decodes sources of unknown kinds, showing just their fields. */
const struct decoder tracefs_decoder = {
	.kind = "tracefs",
	.open = tracefs_open,
	.close = tracefs_close,
	.feed = tracefs_feed,
	.text = tracefs_text,
	.json = tracefs_json,
	.json_more = tracefs_json_more,
	.value = tracefs_value,
	.cell = tracefs_cell,
	.another = tracefs_another,
	.comparable = tracefs_comparable,
	.names = tracefs_names,
	.why = tracefs_why,
};
