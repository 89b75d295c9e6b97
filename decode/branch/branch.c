/* SPDX-License-Identifier: MIT */
#include "decode/branch/branch.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/task.h"
#include "decode/branch/held.h"

/*
 * Memory limit of the held batches. Beyond it, the rest of the earliest batch is emitted at once,
 * out of order with other sources.
 */
enum { HELD_BYTES = 64 << 20 };

static const char *const item_names[] = {
	"branch:unknown", "branch:jcc", "branch:jmp", "branch:jmp*", "branch:call", "branch:call*",
	"branch:ret", "branch:syscall", "branch:sysret", "branch:cond-call", "branch:cond-ret",
	"branch:eret", "branch:irq", "branch:far", "branch:signal", "branch:sigreturn",
	"branch:exec", "branch:lost", "branch:stack", "branch:break", "branch:last", "branch:damaged",
	NULL,
};
enum { NAME_LOST = BRANCH_KINDS, NAME_STACK, NAME_BREAK, NAME_LAST, NAME_DAMAGED };

static const char *const how_names[BRANCH_HOWS] = {
	[BRANCH_HOW_UNKNOWN] = "unknown",
	[BRANCH_HOW_PTRACE] = "ptrace",
	[BRANCH_HOW_PERF_LBR] = "perf-lbr",
	[BRANCH_HOW_PERF_BTS] = "perf-bts",
	[BRANCH_HOW_INTEL_BTS] = "intel-bts",
	[BRANCH_HOW_KMOD_STEP] = "kmod-step",
	[BRANCH_HOW_KMOD_LBR] = "kmod-lbr",
	[BRANCH_HOW_PERF_JOINED] = "perf-joined",
};
_Static_assert(BRANCH_HOWS == 8, "who records branches has a name here");

struct state {
	const struct decode_context *ctx;
	struct images *images;
	struct branch_batch_detail batch; /* --raw: the current batch */
	struct held held;
	struct branch_detail detail;
	char comm[16]; /* task name of an item that is not of a held batch */
	char text[4][IMAGE_TEXT]; /* buffers for text values, used in turn */
	unsigned int next_text;
	uint64_t kinds[BRANCH_KINDS], branches, batches, lost, lost_unknown;
};

static void *branch_open(const struct decode_context *ctx, struct trawl_error *err)
{
	struct state *s = calloc(1, sizeof(*s));

	if (s)
		s->images = images_new(ctx->reader);
	if (s && s->images) {
		s->ctx = ctx;
		return s;
	}
	free(s);
	trawl_fail(err, TRAWL_CANNOT, "out of memory");
	return NULL;
}

static void branch_close(void *state)
{
	struct state *s = state;

	branch_batch_free(&s->batch.batch);
	held_clear(&s->held);
	images_free(s->images);
	free(s);
}

const struct branch_batch_detail *branch_batch_of(const struct decoder *d, const struct item *it)
{
	return d == &branch_decoder && it->name == it->type->name ? it->detail : NULL;
}

/* Whether the item is a mark between branches and not a branch. */
static bool is_mark(const struct item *it)
{
	return it->name == item_names[NAME_LOST] || it->name == item_names[NAME_STACK] ||
	       it->name == item_names[NAME_BREAK] || it->name == item_names[NAME_LAST] ||
	       it->name == item_names[NAME_DAMAGED];
}

const struct branch_detail *branch_of(const struct decoder *d, const struct item *it)
{
	return d == &branch_decoder && it->name != it->type->name && !is_mark(it) ? it->detail
										  : NULL;
}

bool branch_cuts(const struct decoder *d, const struct item *it)
{
	const struct branch_detail *detail = it->detail;

	return d == &branch_decoder && it->name != it->type->name && is_mark(it) &&
		(it->name == item_names[NAME_DAMAGED] || !detail->batch->last);
}

/* ---- records ----------------------------------------------------------------------------- */

/* Parses the record into *d, which is empty; a damaged record yields an empty batch. */
static void read_batch(struct state *s, const struct trawl_event *ev,
		       struct branch_batch_detail *d)
{
	const char *problem = NULL;
	struct branch_last_record r = { 0 };
	size_t fixed;

	d->last = ev->type->id == BRANCH_TYPE_LAST;
	fixed = d->last ? sizeof(r) : sizeof(r.branch);
	if (ev->len < fixed)
		problem = "shorter than a record can be";
	else
		memcpy(&r, ev->record, fixed);
	d->fixed = r.branch;
	d->address = r.address;
	if (!problem)
		problem = branch_batch_decode(&d->batch, (const char *)ev->record + fixed,
					      ev->len - fixed, d->fixed.count, ev->ts);
	if (problem)
		branch_batch_free(&d->batch);
	d->problem = problem;
	d->images = s->images;
	/*
	 * A batch ends when its process's maps change, but its first branches may have happened
	 * before the change that it follows: they were collected later.
	 */
	d->maps = images_maps(s->images, ev->section, (int32_t)d->fixed.pid, d->fixed.until);
}

/* Returns an item of the record, for the batch's task. Writes the task's name to comm. */
static struct item item_of(struct state *s, const struct trawl_event *ev,
			   const struct branch_batch_detail *batch, char comm[16])
{
	struct item it = {
		.time = ev->time, .ts = ev->ts, .source = ev->source, .type = ev->type,
		.record = ev->record, .len = ev->len, .section = ev->section,
		.cpu = ITEM_NO_CPU, .tid = (int32_t)batch->fixed.tid,
		.pid = (int32_t)batch->fixed.pid, .comm = comm,
	};
	const struct task *t;

	tasks_advance(s->ctx->tasks, ev->section, ev->ts);
	t = tasks_find(s->ctx->tasks, it.tid, 0);
	memcpy(comm, t->comm, sizeof(t->comm));
	it.comm_len = t->named ? t->comm_len : 0;
	return it;
}

static void set_name(struct item *it, const char *name)
{
	it->name = name;
	it->name_len = (uint32_t)strlen(name);
}

/* ---- branches ---------------------------------------------------------------------------- */

static int emit_mark(struct state *s, struct held_batch *b, const struct branch_mark *m,
		     struct item_sink *sink)
{
	bool lost = m->kind == BRANCH_MARK_LOST, breaks = m->kind == BRANCH_MARK_BREAK;
	struct item *it = &b->item;

	it->ts = m->time;
	it->time = held_time(b, m->time);
	if (!lost && !breaks && m->kind != BRANCH_MARK_STACK)
		return 0;
	s->lost += m->count;
	s->lost_unknown += lost && !m->count;
	s->detail = (struct branch_detail){ .lost = m->count, .batch = &b->batch };
	if (b->batch.last)
		images_place(s->images, b->batch.maps, b->batch.address, &s->detail.at);
	it->problem = lost;
	it->detail = &s->detail;
	set_name(it, item_names[lost ? NAME_LOST : breaks ? NAME_BREAK :
				b->batch.last ? NAME_LAST : NAME_STACK]);
	return sink->item(sink, it);
}

static int emit_branch(struct state *s, struct held_batch *held, struct item_sink *sink)
{
	const struct branch_batch *b = &held->batch.batch;
	struct item *it = &held->item;
	uint64_t until = branch_batch_latest(b, held->mark, held->batch.fixed.until);
	uint32_t i = held->branch;

	s->detail = (struct branch_detail){ .pair = b->pairs[b->ids[i]],
				     .cycles = b->cycles ? b->cycles[i] : 0,
				     .flags = b->flags ? b->flags[i] : 0,
				     .late = until > it->ts ? until - it->ts : 0,
				     .batch = &held->batch };
	images_place(s->images, held->batch.maps, s->detail.pair.from, &s->detail.from);
	images_place(s->images, held->batch.maps, s->detail.pair.to, &s->detail.to);
	if (held->batch.last)
		images_place(s->images, held->batch.maps, held->batch.address, &s->detail.at);
	it->problem = false;
	it->detail = &s->detail;
	set_name(it, item_names[s->detail.pair.kind < BRANCH_KINDS ? s->detail.pair.kind : 0]);
	return sink->item(sink, it);
}

/*
 * Emits the next mark, and the branches up to the mark after it, which have the time of the first.
 */
static int emit_stretch(struct state *s, struct held_batch *b, struct item_sink *sink)
{
	const struct branch_mark *m = held_mark(b);
	int got = 0;

	if (m) {
		b->mark++;
		got = emit_mark(s, b, m, sink);
	}
	while (!got && b->branch < b->batch.batch.count && !held_mark(b)) {
		got = emit_branch(s, b, sink);
		b->branch++;
	}
	return got;
}

static int emit_all(struct state *s, struct held_batch *b, struct item_sink *sink)
{
	int got = 0;

	while (!got && !held_done(b))
		got = emit_stretch(s, b, sink);
	return got;
}

/* Counts the branches of the times that are wanted. */
static void count(struct state *s, const struct branch_batch *b, const struct trawl_event *ev)
{
	uint64_t time = ev->time;
	uint32_t mark = 0;

	s->batches++;
	for (uint32_t i = 0; i < b->count; i++) {
		uint8_t kind = b->pairs[b->ids[i]].kind;

		for (; mark < b->nmarks && b->marks[mark].at <= i; mark++)
			time = ev->time + (b->marks[mark].time - ev->ts);
		if (time < s->ctx->from || time >= s->ctx->to)
			continue;
		s->branches++;
		s->kinds[kind < BRANCH_KINDS ? kind : 0]++;
	}
}

static int emit_damaged(struct state *s, const struct trawl_event *ev,
			const struct branch_batch_detail *batch, struct item_sink *sink)
{
	struct item it = item_of(s, ev, batch, s->comm);

	s->detail = (struct branch_detail){ .problem = batch->problem };
	it.problem = true;
	it.detail = &s->detail;
	set_name(&it, item_names[NAME_DAMAGED]);
	return sink->item(sink, &it);
}

static int feed_raw(struct state *s, const struct trawl_event *ev, struct item_sink *sink)
{
	struct item it;

	branch_batch_free(&s->batch.batch);
	s->batch = (struct branch_batch_detail){ 0 };
	read_batch(s, ev, &s->batch);
	if (s->batch.problem == branch_no_memory)
		return -1;
	if (s->ctx->options->summary)
		count(s, &s->batch.batch, ev);
	it = item_of(s, ev, &s->batch, s->comm);
	it.detail = &s->batch;
	it.lasts = s->batch.fixed.until > ev->ts ? s->batch.fixed.until - ev->ts : 0;
	set_name(&it, ev->type->name);
	return sink->item(sink, &it);
}

/* Emits the earliest batches while the held ones exceed HELD_BYTES. */
static int emit_excess(struct state *s, struct item_sink *sink)
{
	int got = 0;

	while (!got && s->held.bytes > HELD_BYTES) {
		got = emit_all(s, held_first(&s->held), sink);
		held_moved(&s->held);
	}
	return got;
}

/*
 * Takes over the batch and holds it. The branches before a hit of a probe have the time of the hit,
 * and are emitted at once.
 */
static int hold(struct state *s, const struct trawl_event *ev, struct held_batch *b,
		struct item_sink *sink)
{
	int got;

	b->time = ev->time;
	b->ts = ev->ts;
	b->item = item_of(s, ev, &b->batch, b->comm);
	b->item.record = NULL; /* the record is not valid any longer */
	b->item.len = 0;
	b->item.held = true;
	b->item.chunk = ev->chunk;
	if (!b->batch.last && held_add(&s->held, b))
		return emit_excess(s, sink);
	got = b->batch.last ? emit_all(s, b, sink) : -1;
	held_free_batch(b);
	return got;
}

static int feed_branches(struct state *s, const struct trawl_event *ev, struct item_sink *sink)
{
	struct held_batch *b = held_new_batch();
	int got;

	if (!b)
		return -1;
	read_batch(s, ev, &b->batch);
	if (s->ctx->options->summary)
		count(s, &b->batch.batch, ev);
	if (!b->batch.problem)
		return hold(s, ev, b, sink);
	got = b->batch.problem == branch_no_memory ? -1 : emit_damaged(s, ev, &b->batch, sink);
	held_free_batch(b);
	return got;
}

/* Whether the record's branches are all before the times that are wanted. */
static bool ends_early(const struct state *s, const struct trawl_event *ev)
{
	struct branch_record head;

	if (ev->time >= s->ctx->from || ev->len < sizeof(head))
		return false;
	memcpy(&head, ev->record, sizeof(head));
	return head.until < ev->ts || head.until - ev->ts < s->ctx->from - ev->time;
}

static int branch_feed(void *state, const struct trawl_event *ev, struct item_sink *sink,
		       struct trawl_error *err)
{
	struct state *s = state;
	int got;

	if (ends_early(s, ev))
		return 0;
	got = s->ctx->options->raw ? feed_raw(s, ev, sink) : feed_branches(s, ev, sink);

	return got < 0 ? trawl_fail(err, TRAWL_CANNOT, "out of memory") : got;
}

static int branch_advance(void *state, uint64_t time, struct item_sink *sink,
			  struct trawl_error *err)
{
	struct state *s = state;
	struct held_batch *b;
	int got = 0;

	(void)err;
	while (!got && (b = held_first(&s->held)) && b->next < time) {
		got = emit_stretch(s, b, sink);
		held_moved(&s->held);
	}
	return got;
}

/* ---- showing ----------------------------------------------------------------------------- */

static const char *how_name(uint32_t how)
{
	return how_names[how < BRANCH_HOWS ? how : 0];
}

static void batch_text(const struct branch_batch_detail *d, struct out *o)
{
	if (d->problem) {
		out_printf(o, "damaged: %s", d->problem);
		return;
	}
	out_count(o, d->fixed.count, "branch");
	out_printf(o, " of %u pairs, by %s", d->batch.npairs, how_name(d->fixed.backend));
}

/* Prints how much later than the printed time the branch may have happened. */
static void put_late(struct out *o, uint64_t ns)
{
	if (!ns)
		return;
	if (ns < 10000)
		out_printf(o, " (+<%" PRIu64 "ns)", ns + 1);
	else if (ns < 10000000)
		out_printf(o, " (+<%" PRIu64 "us)", ns / 1000 + 1);
	else
		out_printf(o, " (+<%" PRIu64 "ms)", ns / 1000000 + 1);
}

static void put_place(struct out *o, const struct image_place *p, bool module)
{
	char buf[IMAGE_TEXT];

	image_describe(p, buf);
	out_safe(o, buf, strlen(buf));
	if (module && p->function) {
		out_str(o, " (");
		out_safe(o, p->module->name, strlen(p->module->name));
		out_char(o, ')');
	}
}

static void put_lines(struct out *o, const struct branch_detail *d)
{
	char from[IMAGE_TEXT], to[IMAGE_TEXT];

	image_describe_line(&d->from, false, from);
	image_describe_line(&d->to, false, to);
	if (!*from && !*to)
		return;
	out_str(o, "  ");
	out_safe(o, *from ? from : "?", *from ? strlen(from) : 1);
	if (!strcmp(from, to))
		return;
	out_str(o, " -> ");
	out_safe(o, *to ? to : "?", *to ? strlen(to) : 1);
}

static void put_flags(struct out *o, const struct branch_detail *d)
{
	static const char *const names[] = {"mispredicted", "predicted", "in-transaction", "abort"};

	for (unsigned int i = 0; i < 4; i++) {
		if (d->flags & 1u << i)
			out_printf(o, " %s", names[i]);
	}
	if (d->cycles)
		out_printf(o, " %u cycles", d->cycles);
}

static void last_text(const struct branch_detail *d, struct out *o)
{
	uint32_t count = d->batch->fixed.count;

	if (count) {
		out_str(o, "the last ");
		out_count(o, count, "branch");
		out_str(o, " before ");
	} else {
		out_str(o, "the branches are unknown before ");
	}
	put_place(o, &d->at, true);
}

static void branch_text(void *state, const struct item *it, struct out *o)
{
	const struct branch_batch_detail *batch = branch_batch_of(&branch_decoder, it);
	const struct branch_detail *d = it->detail;
	bool leaves;

	(void)state;
	if (batch) {
		batch_text(batch, o);
		return;
	}
	if (it->name == item_names[NAME_DAMAGED]) {
		out_str(o, d->problem);
		return;
	}
	if (it->name == item_names[NAME_LOST]) {
		if (d->lost)
			out_count(o, d->lost, "branch");
		out_str(o,
			d->lost ? " lost here" : "an unknown number of branches lost here");
		return;
	}
	if (it->name == item_names[NAME_LAST]) {
		last_text(d, o);
		return;
	}
	if (it->name == item_names[NAME_STACK]) {
		out_str(o, "the last branches before a sample; what was before them is not known");
		return;
	}
	if (it->name == item_names[NAME_BREAK]) {
		out_str(o, "the code does not lead to the next branch: a signal or the return from "
			   "its handler, or branches are missing");
		return;
	}
	leaves = d->from.module != d->to.module;
	if (it->name != item_names[BRANCH_EXEC])
		put_place(o, &d->from, leaves);
	else
		out_str(o, "new program");
	out_str(o, " -> ");
	put_place(o, &d->to, leaves);
	put_lines(o, d);
	put_flags(o, d);
	put_late(o, d->late);
}

static void json_place(struct out *o, const char *end, const struct image_place *p)
{
	char buf[IMAGE_TEXT];

	out_printf(o, "\"%s\":\"0x%" PRIx64 "\",\"%s_symbol\":", end, p->address, end);
	image_describe(p, buf);
	out_json(o, buf, strlen(buf));
	out_printf(o, ",\"%s_module\":", end);
	out_json(o, image_module_name(p), strlen(image_module_name(p)));
	if (p->module)
		out_printf(o, ",\"%s_vaddr\":\"0x%" PRIx64 "\"", end, p->vaddr);
	if (p->file) {
		out_printf(o, ",\"%s_line\":", end);
		image_describe_line(p, true, buf);
		out_json(o, buf, strlen(buf));
	}
}

static void branch_json(void *state, const struct item *it, struct out *o)
{
	const struct branch_batch_detail *batch = branch_batch_of(&branch_decoder, it);
	const struct branch_detail *d = it->detail;

	(void)state;
	if (batch) {
		out_printf(o, "\"count\":%u,\"pairs\":%u,\"backend\":\"%s\"", batch->fixed.count,
			   batch->batch.npairs, how_name(batch->fixed.backend));
		return;
	}
	if (is_mark(it)) {
		if (d->problem) {
			out_str(o, "\"problem\":");
			out_json(o, d->problem, strlen(d->problem));
		} else if (it->name == item_names[NAME_LOST]) {
			out_printf(o, "\"lost\":%" PRIu64, d->lost);
		} else if (it->name == item_names[NAME_LAST]) {
			out_printf(o, "\"count\":%u,", d->batch->fixed.count);
			json_place(o, "before", &d->at);
		}
		return;
	}
	out_printf(o, "\"kind\":\"%s\",", branch_kind_name(d->pair.kind));
	json_place(o, "from", &d->from);
	out_char(o, ',');
	json_place(o, "to", &d->to);
	if (d->flags & (BRANCH_MISPREDICTED | BRANCH_PREDICTED))
		out_printf(o, ",\"mispredicted\":%s",
			   d->flags & BRANCH_MISPREDICTED ? "true" : "false");
	if (d->flags & BRANCH_IN_TX)
		out_str(o, ",\"in_transaction\":true");
	if (d->flags & BRANCH_ABORT)
		out_str(o, ",\"abort\":true");
	if (d->cycles)
		out_printf(o, ",\"cycles\":%u", d->cycles);
	if (!d->batch->last) {
		out_printf(o, ",\"late_ns\":%" PRIu64, d->late);
		return;
	}
	out_char(o, ',');
	json_place(o, "before", &d->at);
}

/* ---- values ------------------------------------------------------------------------------ */

static const char *const value_names[] = {
	"kind", "from", "to", "mispredicted", "cycles", "late_ns", "lost", "before", NULL,
};
static const char *const code_names[] = {
	"from_symbol", "to_symbol", "from_function", "to_function", "from_module", "to_module",
	"from_vaddr", "to_vaddr", "from_line", "to_line", "before_symbol", "before_function",
	"before_module", "before_vaddr", "before_line", NULL,
};

static bool number(struct value *v, uint64_t u, bool hex)
{
	*v = (struct value){ .type = VALUE_UINT, .u = u, .hex = hex };
	return true;
}

static bool text(struct value *v, const char *s)
{
	*v = (struct value){ .type = *s ? VALUE_TEXT : VALUE_NONE, .text = s, .len = strlen(s) };
	return true;
}

static bool place_value(struct state *s, const struct image_place *p, const char *name,
			struct value *v)
{
	char *buf = s->text[s->next_text++ % 4];

	if (!*name)
		return number(v, p->address, true);
	if (!strcmp(name, "_symbol"))
		return text(v, image_describe(p, buf));
	if (!strcmp(name, "_function"))
		return text(v, image_describe_function(p, buf));
	if (!strcmp(name, "_module")) { /* "" if it is in no module, as in JSON */
		text(v, image_module_name(p));
		v->type = VALUE_TEXT;
		return true;
	}
	if (!strcmp(name, "_vaddr"))
		return !p->module || number(v, p->vaddr, true);
	if (!strcmp(name, "_line"))
		return text(v, image_describe_line(p, false, buf));
	return false;
}

static bool branch_value(void *state, const struct item *it, const char *name, struct value *v)
{
	struct state *s = state;
	const struct branch_detail *d = it->detail;

	*v = (struct value){ .type = VALUE_NONE };
	if (branch_batch_of(&branch_decoder, it))
		return !strcmp(name, "count") && number(v, s->batch.fixed.count, false);
	if (!strcmp(name, "lost"))
		return it->name != item_names[NAME_LOST] || number(v, d->lost, false);
	if (!strncmp(name, "before", 6) && it->name != item_names[NAME_DAMAGED])
		return !d->batch->last || place_value(s, &d->at, name + 6, v);
	if (is_mark(it))
		return false;
	if (!strcmp(name, "kind"))
		return text(v, branch_kind_name(d->pair.kind));
	if (!strncmp(name, "from", 4))
		return place_value(s, &d->from, name + 4, v);
	if (!strncmp(name, "to", 2))
		return place_value(s, &d->to, name + 2, v);
	/* both are missing if the processor did not record the prediction */
	if (!strcmp(name, "mispredicted"))
		return !(d->flags & (BRANCH_MISPREDICTED | BRANCH_PREDICTED)) ||
			number(v, d->flags & BRANCH_MISPREDICTED ? 1 : 0, false);
	if (!strcmp(name, "cycles"))
		return !d->cycles || number(v, d->cycles, false);
	return !strcmp(name, "late_ns") && (d->batch->last || number(v, d->late, false));
}

static void branch_names(void *state, const struct trawl_event_type *type, decoder_name_fn *fn,
			 void *arg)
{
	const struct state *s = state;

	(void)type;
	if (s->ctx->options->raw) {
		fn(arg, "count");
		return;
	}
	for (size_t i = 0; value_names[i]; i++)
		fn(arg, value_names[i]);
	for (size_t i = 0; !s->ctx->options->no_code && code_names[i]; i++)
		fn(arg, code_names[i]);
}

static void branch_summary(void *state, struct out *o)
{
	const struct state *s = state;

	if (!s->batches)
		return;
	out_printf(o, "branches: %" PRIu64, s->branches);
	for (unsigned int i = 0; i < BRANCH_KINDS; i++) {
		if (s->kinds[i])
			out_printf(o, ", %s %" PRIu64, branch_kind_name(i), s->kinds[i]);
	}
	out_char(o, '\n');
	if (s->lost || s->lost_unknown)
		out_printf(o, "branches lost: %" PRIu64 "%s\n", s->lost,
			   s->lost_unknown ? " and an unknown number more" : "");
	images_summary(s->images, o);
}

const struct decoder branch_decoder = {
	.kind = BRANCH_SOURCE_KIND,
	.lookback = UINT64_MAX, /* a batch may last as long as the recording */
	.items = item_names,
	.open = branch_open,
	.close = branch_close,
	.feed = branch_feed,
	.advance = branch_advance,
	.text = branch_text,
	.json = branch_json,
	.value = branch_value,
	.names = branch_names,
	.summary = branch_summary,
};
