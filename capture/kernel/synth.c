/* SPDX-License-Identifier: MIT */
/*
 * The source "synth": an event made from two, with the time between them.
 *
 * 	synth:NAME=GROUP.START,GROUP.END key=FIELD[:ENDFIELD] [[NEW=]start.FIELD|end.FIELD ...]
 *
 * The kernel makes the event (histpair.h). It always has `latency`, the time in ns from the last
 * START with a key to the END with the same key, and `key`.
 */
#include "config.h"
#include "common/caret.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/kernel/histpair.h"
#include "capture/kernel/block.h"
#include "capture/kernel/event.h"
#include "capture/session.h"
#include "capture/kernel/ktest.h"
#include "common/nearest.h"
#include "capture/trace/drain.h"
#include "common/array.h"
#include "common/text.h"

struct synth {
	struct trace *trace;
	const char *text; /* after "synth:" */
	char name[HIST_PAIR_NAME_MAX];
	char display[HIST_PAIR_NAME_MAX + 8];
	struct eventformat start, end;
	struct hist_pair hist;
	bool by_request; /* the event belongs to the task that wants the sectors (block.h) */
};

/* Writes an error with a caret at the position in the user's text. */
static int fail_at(const struct synth *s, const char *at, struct trawl_error *err, const char *fmt,
		   ...) __attribute__((format(printf, 4, 5)));

static int fail_at(const struct synth *s, const char *at, struct trawl_error *err, const char *fmt,
		   ...)
{
	char message[512], shown[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	snprintf(shown, sizeof(shown), "synth:%s", s->text);
	return caret_fail(err, TRAWL_USAGE, shown, (size_t)(at - s->text) + 6, "synth: %s",
			  message);
}

/*
 * Reads [A-Za-z0-9_]+ (also characters of `more`) into word. Returns its end; NULL if there is none
 * or it is too long.
 */
static const char *read_word(const char *at, const char *more, char word[HIST_PAIR_NAME_MAX])
{
	size_t n = 0;

	while (is_word(at[n]) || (at[n] && strchr(more, at[n])))
		n++;
	if (!n || n >= HIST_PAIR_NAME_MAX)
		return NULL;
	memcpy(word, at, n);
	word[n] = '\0';
	return at + n;
}

/* Reads GROUP.EVENT and its format. */
static int read_event(struct synth *s, const char **at, char group[HIST_PAIR_NAME_MAX],
		      char event[HIST_PAIR_NAME_MAX], struct eventformat *f,
		      struct trawl_error *err)
{
	const char *from = *at, *end = read_word(*at, "-", group);
	struct trawl_error ignored;
	char hint[400];

	end = end && *end == '.' ? read_word(end + 1, "-", event) : NULL;
	if (!end)
		return fail_at(s, from, err, "write NAME=GROUP.START,GROUP.END key=FIELD");
	*at = end;
	if (!trace_format(s->trace, group, event, f, &ignored))
		return 0;
	*f = (struct eventformat){ 0 };
	events_hint(s->trace->top, group, '.', event, hint, sizeof(hint));
	return fail_at(s, from, err, "no event %s.%s on this kernel%s", group, event, hint);
}

static int find_field(struct synth *s, const char *at, const struct eventformat *f,
		      const char *name, const struct trawl_field **field, struct trawl_error *err)
{
	struct nearest near = { .wanted = name };
	char hint[256];

	*field = eventformat_field(f, name);
	for (uint32_t i = 0; !*field && i < f->ncommon; i++)
		if (!strcmp(f->common[i].name, name))
			*field = &f->common[i];
	if (*field)
		return 0;
	for (uint32_t i = 0; i < f->nfields; i++)
		nearest_offer(&near, f->fields[i].name);
	fail_at(s, at, err, "%s has no field %s%s", f->name, name,
		nearest_hint(&near, hint, sizeof(hint)));
	nearest_free(&near);
	return -1;
}

/* key=FIELD or key=FIELD:ENDFIELD */
static int read_key(struct synth *s, const char **at, struct trawl_error *err)
{
	struct hist_pair *c = &s->hist;
	const struct trawl_field *field;
	const char *from = *at, *end;

	if (strncmp(from, "key=", 4) || !(end = read_word(from + 4, "", c->start_key)))
		return fail_at(s, from, err,
			       "key=FIELD must follow: what both events have in common");
	if (*end == ',')
		return fail_at(s, end, err, "one field is the key; leave out what follows the comma");
	strcpy(c->end_key, c->start_key);
	if (find_field(s, from + 4, &s->start, c->start_key, &field, err))
		return -1;
	if (*end == ':') {
		from = end + 1;
		end = read_word(from, "", c->end_key);
		if (!end)
			return fail_at(s, from, err, "no field of the second event after the ':'");
	}
	*at = end;
	if (find_field(s, from, &s->end, c->end_key, &field, err))
		return -1;
	return hist_pair_field(c, "key", field, true, err);
}

static const struct hist_pair_field *field_called(const struct hist_pair *c, const char *name)
{
	for (size_t i = 0; i < c->nfields; i++)
		if (!strcmp(c->fields[i].name, name))
			return &c->fields[i];
	return NULL;
}

/* [NEW=]start.FIELD, [NEW=]end.FIELD */
static int read_arg(struct synth *s, const char **at, struct trawl_error *err)
{
	char first[HIST_PAIR_NAME_MAX], name[HIST_PAIR_NAME_MAX], which[HIST_PAIR_NAME_MAX];
	const char *from = *at, *end = read_word(from, "", first);
	const struct trawl_field *field;
	bool of_end;

	if (end && *end == '=') {
		from = end + 1;
		end = read_word(from, "", which);
	} else {
		strcpy(which, first);
		first[0] = '\0';
	}
	if (end && !*first && !strcmp(which, "if") && isspace((unsigned char)*end))
		return fail_at(s, from, err, "a synthetic event takes no filter; use its fields "
					     "in --trigger or trawl-decode --where");
	of_end = !strcmp(which, "end");
	if (!end || *end != '.' || (!of_end && strcmp(which, "start")) ||
	    !(*at = read_word(end + 1, "", name)))
		return fail_at(s, from, err,
			       "write start.FIELD or end.FIELD, as NEW=start.FIELD under "
			       "another name");
	if (find_field(s, end + 1, of_end ? &s->end : &s->start, name, &field, err))
		return -1;
	if (field_called(&s->hist, *first ? first : name))
		return fail_at(s, from, err, "there is a field %s already; give this one another "
			       "name: NEW=%s.%s", *first ? first : name, of_end ? "end" : "start",
			       name);
	return hist_pair_field(&s->hist, *first ? first : name, field, of_end, err);
}

/* Adds the fields that identify the disk request (block.h), unless the user did. */
static int add_request(struct synth *s, struct trawl_error *err)
{
	static const char *const sectors[] = { "dev", "sector", "nr_sector" };
	const struct trawl_field *field;

	for (size_t i = 0; i < ARRAY_SIZE(sectors); i++) {
		const struct hist_pair_field *own = field_called(&s->hist, sectors[i]);

		if (own && (own->of_end || strcmp(own->value, sectors[i])))
			return fail_at(s, s->text, err, "with -p or COMMAND, %s identifies the "
							"disk request; give that field another "
							"name", sectors[i]);
		if (find_field(s, s->text, &s->start, sectors[i], &field, err) ||
		    hist_pair_field(&s->hist, sectors[i], field, false, err))
			return -1;
	}
	return 0;
}

static int parse(struct synth *s, struct trawl_error *err)
{
	struct hist_pair *c = &s->hist;
	const char *at = read_word(s->text, "-", s->name);

	if (!at || *at != '=')
		return fail_at(s, s->text, err, "write NAME=GROUP.START,GROUP.END key=FIELD");
	snprintf(s->display, sizeof(s->display), "synth:%s", s->name);
	if (trace_has_name(s->trace, s->display))
		return fail_at(s, s->text, err, "the name %s is used already; give this one "
			       "another name", s->name);
	at++;
	if (read_event(s, &at, c->start_group, c->start_event, &s->start, err))
		return -1;
	if (*at++ != ',')
		return fail_at(s, at - 1, err, "a comma and the second event must follow");
	if (read_event(s, &at, c->end_group, c->end_event, &s->end, err))
		return -1;
	c->start_filter = c->end_filter = "";
	if (hist_pair_latency(c, err))
		return -1;
	at += strspn(at, " \t");
	if (read_key(s, &at, err))
		return -1;
	for (at += strspn(at, " \t"); *at; at += strspn(at, " \t"))
		if (read_arg(s, &at, err))
			return -1;
	return s->by_request ? add_request(s, err) : 0;
}

static int make(struct synth *s, unsigned int number, struct trawl_error *err)
{
	struct trace *t = s->trace;
	struct eventformat f;
	struct trawl_field *latency;
	int r;

	if (hist_pair_make(t, &s->hist, number, err) ||
	    trace_format(t, "synthetic", s->hist.synthetic, &f, err))
		return -1;
	latency = eventformat_field(&f, "latency");
	if (!latency) {
		eventformat_free(&f);
		return trawl_fail(err, TRAWL_CANNOT, "%s: the kernel's event has no latency",
				  s->display);
	}
	latency->note = "ns from the first event to the second";
	latency->kind = TRAWL_INT;
	r = trace_add(t, &(struct trace_wanted){
		.group = "synthetic", .name = s->hist.synthetic, .display = s->display,
		.format = &f, .filter = "" }, err);
	if (!r)
		t->events[t->nevents - 1].latency_at = latency->offset;
	eventformat_free(&f);
	return r;
}

/* Whether it is a pair of events of disk requests: "OWN=block.block_A,block.block_B key=...". */
static bool is_of_requests(const char *spec)
{
	size_t own = strcspn(spec, "= "), first;
	const char *event = spec + own + (spec[own] == '=');

	first = strcspn(event, ", ");
	return spec[own] == '=' && event[first] == ',' && !strncmp(event, "block.block_", 12) &&
	       !strncmp(event + first + 1, "block.block_", 12);
}

extern const struct source synth_source;
extern const struct source synth_block_source;

static const struct source *synth_scoped(const char *spec)
{
	return is_of_requests(spec) ? &synth_block_source : &synth_source;
}

static int synth_arm(struct input *in, struct trawl_error *err)
{
	struct trace *t = trace_new(in, 0, err);
	int r = 0;

	if (!t || (in->source == &synth_source && trace_limit(t, err)))
		return -1;
	for (size_t i = 0; !r && i < in->nspecs; i++) {
		struct synth s = { .trace = t, .text = in->specs[i],
				   .by_request = in->source != &synth_source };

		if (session_is_repeated(in, i))
			continue;
		r = parse(&s, err);
		if (!r)
			r = make(&s, (unsigned int)i + 1, err);
		eventformat_free(&s.start);
		eventformat_free(&s.end);
	}
	if (!r && in->source != &synth_source)
		r = block_follow(t, err);
	return r ? r : ktest_meta(t, err);
}

static int synth_probe(struct trawl_error *err)
{
	return ktest_probe(ktest_synthetic, err);
}

static void synth_describe(struct source_list *list)
{
	struct trawl_error err;

	source_list_add(list, "synth:NAME=GROUP.START,GROUP.END key=FIELD",
			"latency between two events, and their fields",
			synth_probe(&err) ? err.text : NULL);
}

const struct source synth_source = {
	.name = "synth",
	.summary = "NAME=GROUP.START,GROUP.END key=FIELD[:ENDFIELD] [start.FIELD|end.FIELD ...]",
	.trace_events = true,
	.scoped = synth_scoped,
	.describe = synth_describe,
	.probe = synth_probe,
	.arm = synth_arm,
	TRACE_RECORDING,
	.stats = hist_pair_stats,
	.disarm = hist_pair_disarm,
};

const struct source synth_block_source = {
	.name = "synth",
	.instance = "synthblock",
	.trace_events = true,
	.probe = synth_probe,
	.arm = synth_arm,
	BLOCK_RECORDING,
	.stats = hist_pair_stats,
	.disarm = block_pair_disarm,
};
