/* SPDX-License-Identifier: MIT */
/* Prints the protocol of a conversation: tables and patterns for people, or one JSON object. */
#include <stdio.h>

#include "decode/base/valuetree.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "decode/usb/protocol.h"

enum {
	KEY_SHOWN = 8,       /* first bytes shown in the table of types */
	PATTERN_SHOWN = 64,  /* maximum number of elements in a pattern */
	EXAMPLE_SHOWN = 32,  /* bytes of an example message */
	RUN = 4,             /* this many equal bytes are written once, with their count */
};

/* ---- names ----------------------------------------------------------------------------------- */

static const char *kind_text(const struct conversation *c)
{
	switch (c->kind) {
	case PIPE_VENDOR:
		return "vendor requests";
	case PIPE_REPORT:
		return c->in ? "HID reports: SET_REPORT, then interrupt"
			     : "HID reports over the control endpoint";
	case PIPE_SERIAL:
		return "serial data";
	default:
		return urb_xfer_name(c->xfer);
	}
}

/* Sets of endpoints: bit n for endpoint n. */
static bool are_several(uint16_t endpoints)
{
	return endpoints & (endpoints - 1);
}

static uint16_t endpoints_of(const struct protocol *p, const struct message_type *t)
{
	uint16_t endpoints = 0;

	for (uint32_t i = 0; i < t->count; i++)
		endpoints |= (uint16_t)(1 << (p->of->messages[t->messages[i]].endpoint & 15));
	return endpoints;
}

/* Appends the numbers, each after `before`: " ep3, ep4". */
static void endpoint_numbers(uint16_t endpoints, const char *before, const char *between,
			     struct out *o)
{
	bool any = false;

	for (unsigned int i = 0; i < 16; i++) {
		if (!(endpoints >> i & 1))
			continue;
		out_printf(o, "%s%s%u", any ? between : "", before, i);
		any = true;
	}
}

static void endpoints_tree(const char *name, uint16_t endpoints, struct tree *t)
{
	tree_list(t, name);
	for (unsigned int i = 0; i < 16; i++)
		if (endpoints >> i & 1)
			tree_uint(t, "ep", i);
	tree_close(t);
}

static void endpoints_text(const struct conversation *c, struct out *o)
{
	if (c->kind == PIPE_VENDOR || (c->kind == PIPE_REPORT && !c->in)) {
		out_str(o, " ep0");
		return;
	}
	if (c->has_out)
		out_printf(o, " ep%u out", c->out & 0x7f);
	if (c->has_out && c->has_in)
		out_str(o, " ->");
	if (c->has_in) {
		endpoint_numbers(c->ins, " ep", ",", o);
		out_str(o, " in");
	}
}

static void duration_text(uint64_t ns, struct out *o)
{
	if (ns < 1000000)
		out_printf(o, "%llu us", (unsigned long long)ns / 1000);
	else if (ns < 1000000000)
		out_printf(o, "%.1f ms", (double)ns / 1e6);
	else
		out_printf(o, "%.2f s", (double)ns / 1e9);
}

static const struct message *example_of(const struct protocol *p, const struct message_type *t)
{
	return &p->of->messages[t->messages[0]];
}

/* ---- patterns -------------------------------------------------------------------------------- */

static const char *symbol(enum bytefield_kind kind)
{
	static const char *const symbols[] = {
		[BYTES_CHECKSUM] = "kk", [BYTES_LENGTH] = "LL", [BYTES_COUNTER] = "cc",
		[BYTES_ECHO] = "ee", [BYTES_RISING] = "^^", [BYTES_NUMBER] = "##",
		[BYTES_FEW] = "vv", [BYTES_TEXT] = "tt", [BYTES_VARY] = "..",
	};

	return symbols[kind];
}

/* Appends constant bytes; a run of equal bytes is written as "00*57". */
static unsigned int constants(const uint8_t *p, uint32_t n, struct out *o)
{
	unsigned int elements = 0;

	for (uint32_t i = 0, run; i < n; i += run, elements++) {
		for (run = 1; i + run < n && p[i + run] == p[i];)
			run++;
		if (run < RUN)
			run = 1;
		out_printf(o, " %02x", p[i]);
		if (run > 1)
			out_printf(o, "*%u", run);
		if (elements == PATTERN_SHOWN)
			return elements;
	}
	return elements;
}

/* Appends all bytes of a type: constants in hex, others as a symbol for their kind. */
static void pattern(const struct protocol *p, const struct message_type *t, struct out *o)
{
	const struct message *m = example_of(p, t);
	const uint8_t *bytes = message_bytes(p->of, m);
	unsigned int elements = 0;
	uint32_t end = 0;

	for (size_t i = 0; i < t->nfields && elements < PATTERN_SHOWN; i++) {
		const struct bytefield *f = &t->fields[i];

		end = f->at + f->width;
		if (f->kind == BYTES_CONSTANT) {
			elements += constants(bytes + f->at, f->width, o);
			continue;
		}
		if (f->width < RUN)
			for (uint32_t k = 0; k < f->width; k++, elements++)
				out_printf(o, " %s", symbol(f->kind));
		else
			out_printf(o, " %s*%u", symbol(f->kind), f->width);
		elements++;
	}
	if (end < t->longest)
		out_printf(o, " ... (%u more)", t->longest - end);
}

static void example(const struct protocol *p, const struct message_type *t,
		    const struct protocol_names *names, struct out *o)
{
	const struct message *m = example_of(p, t);
	const uint8_t *bytes = message_bytes(p->of, m);
	uint32_t n = m->kept;

	while (n > 1 && !bytes[n - 1]) /* omit the zero padding */
		n--;
	out_str(o, "       e.g.");
	for (uint32_t i = 0; i < n && i < EXAMPLE_SHOWN; i++)
		out_printf(o, " %02x", bytes[i]);
	if (n > EXAMPLE_SHOWN || m->length > m->kept)
		out_str(o, " ...");
	else if (n < m->kept)
		out_str(o, " 00 ...");
	out_str(o, "  |");
	for (uint32_t i = 0; i < n && i < EXAMPLE_SHOWN; i++)
		out_char(o, bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.');
	out_str(o, "|  at ");
	names->time(names->arg, m->time, o);
	if (names->n > 1 && m->capture < names->n) {
		out_str(o, " in ");
		out_safe(o, names->captures[m->capture], strlen(names->captures[m->capture]));
	}
	out_char(o, '\n');
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool is_key(const struct message_type *t, uint32_t at)
{
	for (uint32_t i = 0; i < t->keys; i++)
		if (t->key[i].at == at)
			return true;
	return false;
}

static bool is_constant_at(const struct message_type *t, uint32_t at)
{
	for (size_t i = 0; i < t->nfields; i++) {
		const struct bytefield *f = &t->fields[i];

		if (at >= f->at && at < f->at + f->width)
			return f->kind == BYTES_CONSTANT;
	}
	return false;
}

/* Appends the first bytes that identify the type: constants up to the last byte of the key. */
static void first_bytes(const struct protocol *p, const struct message_type *t, struct out *o)
{
	const struct message *m = example_of(p, t);
	const uint8_t *bytes = message_bytes(p->of, m);
	uint32_t end = t->keys ? t->key[t->keys - 1].at + 1u : 0;
	size_t start = o->len;

	if (p->of->kind == PIPE_VENDOR && !t->in)
		end = 8;
	while (end < 2 && end < m->kept && is_constant_at(t, end))
		end++;
	for (uint32_t i = 0; i < end && i < m->kept && i < KEY_SHOWN; i++) {
		if (is_key(t, i) || is_constant_at(t, i))
			out_printf(o, "%s%02x", i ? " " : "", bytes[i]);
		else
			out_printf(o, "%s..", i ? " " : "");
	}
	if (!end)
		out_str(o, "(any)");
	out_pad(o, start, 3 * KEY_SHOWN, 1);
}

static void lengths(const struct message_type *t, struct out *o)
{
	char text[32];

	if (t->shortest == t->longest)
		snprintf(text, sizeof(text), "%u", t->shortest);
	else
		snprintf(text, sizeof(text), "%u-%u", t->shortest, t->longest);
	out_printf(o, "%11s  ", text);
}

static void answer(const struct protocol *p, const struct message_type *t, struct out *o)
{
	if (t->in || t->answer == TYPES_MAX)
		return;
	out_printf(o, "  answered by %s after ",
		   t->answer == ANY_TYPE ? "the next" : p->types[t->answer].id);
	duration_text(t->delay, o);
	if (t->answered < t->count)
		out_printf(o, " (%u of %u)", t->answered, t->count);
}

static int way_width(const struct protocol *p)
{
	return are_several(p->of->ins) ? 6 : 4;
}

/* Appends "out" or "in", with the endpoints if several answer in turn: "in 3,4". */
static void way(const struct protocol *p, const struct message_type *t, struct out *o)
{
	struct out text;

	out_memory(&text);
	out_str(&text, t->in ? "in" : "out");
	if (t->in && are_several(p->of->ins)) {
		out_char(&text, ' ');
		endpoint_numbers(endpoints_of(p, t), "", ",", &text);
	}
	out_char(&text, '\0');
	out_printf(o, "%-*s", way_width(p), text.data);
	out_free(&text);
}

static void table(const struct protocol *p, struct out *o)
{
	out_printf(o, "  %-4s %-*s %8s %11s  %-*s\n", "type", way_width(p), "way", "messages",
		   "bytes", 3 * KEY_SHOWN, "first bytes");
	for (uint32_t i = 0; i < p->ntypes; i++) {
		const struct message_type *t = &p->types[i];

		out_printf(o, "  %-4s ", t->id);
		way(p, t, o);
		out_printf(o, " %8u ", t->count);
		lengths(t, o);
		first_bytes(p, t, o);
		answer(p, t, o);
		if (t->period) {
			out_str(o, "  every ");
			duration_text(t->period, o);
		}
		if (t->unsolicited)
			out_str(o, t->period ? ", unasked" : "  unasked");
		out_char(o, '\n');
	}
	if (p->ntypes == TYPES_MAX)
		out_printf(o, "  there are more types: only %d are distinguished\n", TYPES_MAX);
}

/* ---- what all messages of a direction have in common ----------------------------------------- */

static void counter_text(const struct direction *d, uint32_t at, const char *way, struct out *o)
{
	out_printf(o, "  all messages %s: [%u] counts", way, at);
	if (d->counters[at].shift)
		out_printf(o, " in bits %u to 7", d->counters[at].shift);
	out_printf(o, ", %+d each", d->counters[at].step);
	if (d->counters[at].kept < d->counters[at].steps)
		out_printf(o, " (%u of %u times)", d->counters[at].kept, d->counters[at].steps);
	out_char(o, '\n');
}

static void direction_text(const struct direction *d, const char *way, uint32_t pairs,
			   struct out *o)
{
	if (d->has_checksum) {
		out_printf(o, "  all %smessages %s: checksum", d->large ? "large " : "", way);
		if (d->checksum.place == PLACE_START)
			out_printf(o, " at [%u]", d->checksum.at);
		else if (d->checksum.place == PLACE_END)
			out_printf(o, " %u from the end", d->checksum.at);
		else if (d->checksum.place == PLACE_LENGTH)
			out_printf(o, " at the number in [%u] plus %u", d->checksum.at,
				   d->checksum.plus);
		else
			out_str(o, " before the zeros at the end");
		out_str(o, ": ");
		checksum_text(&d->checksum, o);
		out_char(o, '\n');
	}
	if (d->has_length) {
		out_printf(o, "  all messages %s: ", way);
		bytefield_text(&d->length, d, o);
		out_char(o, '\n');
	}
	for (uint32_t at = 0; at < FIELD_POSITIONS; at++)
		if (d->counters[at].is)
			counter_text(d, at, way, o);
	for (uint32_t at = 0; at < FIELD_POSITIONS; at++) {
		if (!d->echoes[at].is)
			continue;
		out_printf(o, "  all %u answers: [%u] is [%u] of the request", pairs, at,
			   d->echoes[at].from);
		if (d->echoes[at].change)
			out_printf(o, " plus 0x%02x", d->echoes[at].change & 0xff);
		out_char(o, '\n');
	}
}

static void type_text(const struct protocol *p, const struct message_type *t,
		      const struct protocol_names *names, struct out *o)
{
	out_printf(o, "\n  %-4s ", t->id);
	pattern(p, t, o);
	out_char(o, '\n');
	for (size_t i = 0; i < t->nfields; i++) {
		if (t->fields[i].kind == BYTES_CONSTANT)
			continue;
		out_str(o, "       ");
		bytefield_text(&t->fields[i], &t->common, o);
		out_char(o, '\n');
	}
	if (t->own_checksum && t->common.checksum.place != PLACE_START) {
		out_str(o, "       at the end, checksum: ");
		checksum_text(&t->common.checksum, o);
		out_char(o, '\n');
	}
	if (t->count > 1)
		example(p, t, names, o);
}

static void heading(const struct protocol *p, unsigned int number, struct out *o)
{
	const struct conversation *c = p->of;

	out_printf(o, "%u. ", number);
	out_safe(o, c->device, strlen(c->device));
	out_printf(o, " (%s): %s", c->addresses, kind_text(c));
	endpoints_text(c, o);
	out_str(o, ", ");
	out_count(o, c->count, "message");
	out_char(o, '\n');
	if (c->guessed)
		out_str(o, "  no descriptors: devices of several captures with the same endpoints "
			   "are taken as one\n");
	if (c->left_out)
		out_printf(o, "  %llu more messages are not analysed: select some with --where\n",
			   (unsigned long long)c->left_out);
	if (c->masked)
		out_printf(o, "  %llu messages are masked (keystrokes, keys): see --show-keys\n",
			   (unsigned long long)c->masked);
}

void protocol_text(const struct protocol *p, unsigned int number,
		   const struct protocol_names *names, struct out *o)
{
	heading(p, number, o);
	table(p, o);
	direction_text(&p->out, "out", p->pairs, o);
	direction_text(&p->in, "in", p->pairs, o);
	for (uint32_t i = 0; i < p->ntypes; i++)
		type_text(p, &p->types[i], names, o);
	out_char(o, '\n');
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void text_member(struct tree *t, const char *name, struct out *text)
{
	tree_text(t, name, text->data, text->len);
	text->len = 0;
}

static void field_tree(const struct bytefield *f, const struct direction *d, struct out *text,
		       struct tree *t)
{
	tree_object(t, "field");
	tree_uint(t, "at", f->at);
	tree_uint(t, "width", f->width);
	tree_str(t, "kind", bytefield_name(f->kind));
	if (f->width > 1 && (f->kind == BYTES_COUNTER || f->kind == BYTES_NUMBER ||
			     f->kind == BYTES_RISING || f->kind == BYTES_LENGTH))
		tree_str(t, "order", f->big ? "big" : "little");
	if (f->kind == BYTES_NUMBER || f->kind == BYTES_RISING ||
	    (f->kind == BYTES_VARY && f->width == 1)) {
		tree_uint(t, "min", f->min);
		tree_uint(t, "max", f->max);
	}
	if (f->kind == BYTES_COUNTER)
		tree_int(t, "step", f->step);
	if (f->kind == BYTES_COUNTER) {
		tree_uint(t, "steps", f->steps);
		tree_uint(t, "steps_kept", f->kept);
	}
	if (f->kind == BYTES_COUNTER && f->shift)
		tree_uint(t, "shift", f->shift);
	if (f->kind == BYTES_LENGTH)
		tree_int(t, "less", f->offset);
	if (f->kind == BYTES_ECHO) {
		tree_uint(t, "request_at", f->from);
		tree_int(t, "plus", f->change);
	}
	if (f->kind == BYTES_FEW)
		tree_bytes(t, "values", f->few, f->values);
	if (f->kind == BYTES_CHECKSUM) {
		checksum_text(&d->checksum, text);
		text_member(t, "checksum", text);
	}
	tree_close(t);
}

static void type_tree(const struct protocol *p, const struct message_type *m,
		      const struct protocol_names *names, struct out *text, struct tree *t)
{
	const struct message *first = example_of(p, m);

	tree_object(t, "type");
	tree_str(t, "type", m->id);
	tree_str(t, "dir", m->in ? "in" : "out");
	if (m->in && are_several(p->of->ins))
		endpoints_tree("eps", endpoints_of(p, m), t);
	tree_uint(t, "messages", m->count);
	tree_uint(t, "shortest", m->shortest);
	tree_uint(t, "longest", m->longest);
	tree_list(t, "key");
	for (uint32_t i = 0; i < m->keys; i++) {
		tree_object(t, "byte");
		tree_uint(t, "at", m->key[i].at);
		tree_uint(t, "value", m->key[i].value);
		tree_close(t);
	}
	tree_close(t);
	if (!m->in && m->answer != TYPES_MAX) {
		tree_str(t, "answer", m->answer == ANY_TYPE ? "any" : p->types[m->answer].id);
		tree_uint(t, "answered", m->answered);
		tree_uint(t, "delay_ns", m->delay);
	}
	if (m->period)
		tree_uint(t, "period_ns", m->period);
	if (m->in)
		tree_bool(t, "unasked", m->unsolicited);
	pattern(p, m, text);
	text_member(t, "pattern", text);
	tree_list(t, "fields");
	for (size_t i = 0; i < m->nfields; i++)
		field_tree(&m->fields[i], &m->common, text, t);
	tree_close(t);
	if (m->own_checksum) {
		checksum_text(&m->common.checksum, text);
		text_member(t, "checksum", text);
	}
	tree_bytes(t, "example", message_bytes(p->of, first), first->kept);
	tree_uint(t, "example_ts_ns", first->time);
	if (first->capture < names->n)
		tree_str(t, "example_file", names->captures[first->capture]);
	tree_close(t);
}

void protocol_json(const struct protocol *p, const struct protocol_names *names, struct out *o)
{
	const struct conversation *c = p->of;
	struct out text;
	struct tree t;

	tree_init(&t);
	out_memory(&text);
	tree_str(&t, "device", c->device);
	tree_str(&t, "addresses", c->addresses);
	tree_str(&t, "kind", kind_text(c));
	if (c->has_out)
		tree_uint(&t, "ep_out", c->out & 0x7f);
	if (c->has_in && are_several(c->ins))
		endpoints_tree("eps_in", c->ins, &t);
	else if (c->has_in)
		tree_uint(&t, "ep_in", c->in & 0x7f);
	tree_uint(&t, "messages", c->count);
	tree_uint(&t, "left_out", c->left_out);
	tree_uint(&t, "masked", c->masked);
	for (int in = 0; in < 2; in++) {
		const struct direction *d = in ? &p->in : &p->out;

		if (!d->has_checksum)
			continue;
		checksum_text(&d->checksum, &text);
		text_member(&t, in ? "checksum_in" : "checksum_out", &text);
	}
	tree_list(&t, "types");
	for (uint32_t i = 0; i < p->ntypes; i++)
		type_tree(p, &p->types[i], names, &text, &t);
	tree_close(&t);
	out_char(o, '{');
	tree_json(&t, 0, t.count, o);
	out_str(o, "}\n");
	out_free(&text);
	tree_free(&t);
}
