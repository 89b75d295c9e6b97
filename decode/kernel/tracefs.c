/* SPDX-License-Identifier: MIT */
/*
 * Events from the kernel's ring buffer: probes, trace events, and the hidden task source. Each
 * record is one item.
 */
#include <stdlib.h>

#include "common/array.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "decode/base/task.h"
#include "decode/kernel/printfield.h"
#include "decode/kernel/tracefsvalue.h"

static void *tracefs_open(const struct decode_context *ctx, struct trawl_error *err)
{
	struct tracefs *t = calloc(1, sizeof(*t));

	if (t && patterns_init(&t->patterns, ctx))
		return t;
	free(t);
	trawl_fail(err, TRAWL_CANNOT, "decoder: out of memory");
	return NULL;
}

static void tracefs_close(void *state)
{
	struct tracefs *t = state;

	patterns_free(&t->patterns);
	out_free(&t->names[0]);
	out_free(&t->names[1]);
	free(t);
}

static int tracefs_feed(void *state, const struct trawl_event *ev, struct item_sink *sink,
			struct trawl_error *err)
{
	struct tracefs *t = state;
	struct pattern **recent = &t->recent[ev->type->id % ARRAY_SIZE(t->recent)], *p;
	struct item *it = &t->item;
	const struct task *task;
	int32_t tid = ITEM_NO_TASK;

	if (ev->section != t->patterns.section) {
		patterns_select(&t->patterns, ev->section);
		memset(t->recent, 0, sizeof(t->recent));
	}
	if (!*recent || (*recent)->type != ev->type)
		*recent = pattern_for(&t->patterns, ev->type);
	p = *recent;
	if (!p)
		return trawl_fail(err, TRAWL_CANNOT, "decoder: out of memory");
	if (p->tid_at >= 0 && (uint32_t)p->tid_at + 4 <= ev->len)
		memcpy(&tid, (const char *)ev->record + p->tid_at, 4);
	tasks_advance(t->patterns.ctx->tasks, ev->section, ev->ts);
	if (p->names)
		tasks_event(t->patterns.ctx->tasks, ev, tid);
	task = tasks_find(t->patterns.ctx->tasks, tid, ev->cpu);
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
	name = bytes ? arg_name(a, it->record, it->len, json) : NULL;
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
	struct site *s = p->sites ? pattern_site(it) : NULL;
	const char *interrupt;
	bool all = t->patterns.ctx->options->all_fields || (!s && !p->plain);

	if (p->print && t->patterns.ctx->options->print && !t->patterns.ctx->options->all_fields) {
		printfmt_text(p->print, t->patterns.symbols, it->record, it->len, o);
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
		arguments(s, it, false, t->patterns.ctx->options->reasons_once, o);
	}
	if (s)
		site_text(s, o);
	interrupt = pattern_interrupt(p, it);
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
	struct site *s = p->plain ? NULL : pattern_site(it);
	bool all = t->patterns.ctx->options->all_fields || (!s && !p->plain);

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
	for (size_t i = 0; s && i < s->nargs; i++) {
		const struct site_arg *a = &s->args[i];

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
	const struct site *s = p->sites ? pattern_site(it) : NULL;
	const char *interrupt = pattern_interrupt(p, it);

	text_member(o, ",\"interrupt\":", interrupt ? interrupt : "");
	reasons(p, s, t->patterns.ctx->options->all_fields || (!s && !p->plain), it, o);
	cuts(p->layout, t->patterns.ctx->options->all_fields, it, o);
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

/* An argument that no site has: its reason is that of the first site, as in the field's note. */
static const char *tracefs_why(void *state, const struct trawl_event_type *type, const char *name)
{
	const struct pattern *p = pattern_for(&((struct tracefs *)state)->patterns, type);

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
