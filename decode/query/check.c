/* SPDX-License-Identifier: MIT */
/* Checks that a file has the sources, fields and words that a selection names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/caret.h"
#include "common/sources.h"
#include "decode/query/enumvalues.h"
#include "decode/query/listing.h"
#include "decode/query/state.h"
#include "decode/query/stream.h"
#include "decode/query/where.h"

static void names(struct stream *s, bool selected, decoder_name_fn *fn, void *arg)
{
	size_t i, n = trawl_event_type_count(s->reader);
	struct trawl_error err;

	for (i = 0; i < n; i++) {
		const struct trawl_event_type *t = trawl_event_type_at(s->reader, i);
		const struct trawl_source *source = stream_source(s, t->source);
		struct engine *e;

		if (!source ||
		    (selected && (!stream_wants(s, source) ||
				  !selection_name(s->selection, t->name, strlen(t->name), false))))
			continue;
		e = stream_engine(s, source, &err);
		if (e)
			e->decoder->names(e->state, t, fn, arg);
	}
}

bool stream_wants_type(struct stream *s, const struct trawl_event_type *type)
{
	const struct trawl_source *source = stream_source(s, type->source);

	return source && stream_wants(s, source) && !decoder_find(source)->items &&
	       selection_name(s->selection, type->name, strlen(type->name), false);
}

void stream_names(struct stream *s, decoder_name_fn *fn, void *arg)
{
	names(s, true, fn, arg);
}

struct lookup {
	struct stream *stream;
	const char *wanted;
	bool found;
};

static void match_name(void *arg, const char *name)
{
	struct lookup *l = arg;
	size_t n = strlen(name);

	/* "setup.request", "args[1]": a part of a field; its decoder knows the parts */
	l->found |= !strncmp(name, l->wanted, n) &&
		(!l->wanted[n] || l->wanted[n] == '.' || l->wanted[n] == '[');
}

static bool known(void *arg, const char *name)
{
	struct lookup l = {arg, name, false};

	names(arg, false, match_name, &l);
	for (struct engine *e = l.stream->engines; e && !l.found; e = e->next)
		l.found = e->decoder->part && e->decoder->part(name);
	return l.found;
}

bool stream_type_has(struct stream *s, const struct trawl_event_type *type, const char *name)
{
	const struct trawl_source *source = stream_source(s, type->source);
	struct lookup l = {s, name, false};
	struct trawl_error err;
	struct engine *e = source ? stream_engine(s, source, &err) : NULL;

	if (e)
		e->decoder->names(e->state, type, match_name, &l);
	return l.found || (e && e->decoder->part && e->decoder->part(name));
}

int stream_known_fields(struct stream *s, const char *option, const char *list,
			struct trawl_error *err)
{
	struct listing l;
	char name[256];

	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		if (n && (n >= sizeof(name) || !known(s, name)))
			break;
	}
	if (!*list || !trawl_event_type_count(s->reader))
		return 0;
	listing_start(&l, name);
	stream_names(s, listing_add, &l);
	trawl_fail(err, TRAWL_USAGE, "%s: no event has a field '%s'%s", option, name,
		   listing_hint(&l));
	listing_free(&l);
	return -1;
}

/* Whether the name at `at` is the right side of a comparison, where usually a text is meant. */
static bool compared_with(const char *expr, size_t at)
{
	while (at && expr[at - 1] == ' ')
		at--;
	return at && strchr("=<>~", expr[at - 1]);
}

/* Whether the name is compared with id, as in id == openat, a system call. */
static bool compares_id(const char *expr, size_t at)
{
	while (at && strchr(" =<>!", expr[at - 1]))
		at--;
	return at >= 2 && !memcmp(expr + at - 2, "id", 2) && (at == 2 || expr[at - 3] == ' ' ||
							      expr[at - 3] == '(');
}

/* Whether a field of this name can have the text in some event. True if no event has the field. */
static bool can_be(void *arg, const char *field, const char *text, bool pattern)
{
	struct stream *s = arg;
	bool has = false;

	for (size_t i = 0; i < trawl_event_type_count(s->reader); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(s->reader, i);
		const struct trawl_source *source = stream_source(s, t->source);

		if (!source || !stream_type_has(s, t, field))
			continue;
		if (enum_values_allow(decoder_find(source), field, text, pattern))
			return true;
		has = true;
	}
	return !has;
}

/* The same for a number. */
static bool can_equal(void *arg, const char *field, int64_t number)
{
	struct stream *s = arg;
	bool has = false;

	for (size_t i = 0; i < trawl_event_type_count(s->reader); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(s->reader, i);
		const struct trawl_source *source = stream_source(s, t->source);
		const struct decoder *d = source ? decoder_find(source) : NULL;

		if (!d || !stream_type_has(s, t, field))
			continue;
		if (!d->never_number || !d->never_number(field, number))
			return true;
		has = true;
	}
	return !has;
}

/* An item's pid is a number; for USB it is a product id or the kind of a packet, a text. */
static unsigned int comparable_pid(const struct decoder *d)
{
	return d != &usb_decoder && d != &bus_decoder ? COMPARABLE_NUMBER : 0;
}

/* Returns enum comparable of a field (NULL: an item's pid), or'd over all events; 0: not known. */
static unsigned int comparable_with(void *arg, const char *field)
{
	struct stream *s = arg;
	unsigned int can = 0, here;

	for (size_t i = 0; i < trawl_event_type_count(s->reader); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(s->reader, i);
		const struct trawl_source *source = stream_source(s, t->source);
		struct trawl_error err;
		struct engine *e = source ? stream_engine(s, source, &err) : NULL;

		if (!e || (field ? !stream_type_has(s, t, field) : is_task_source(source->name)))
			continue;
		here = field ? 0 : comparable_pid(e->decoder);
		if (field && e->decoder->comparable)
			here = e->decoder->comparable(e->state, t, field);
		if (!here)
			return 0;
		can |= here;
	}
	return can;
}

/* Refuses comparisons of a number with a text, which never match. */
static int check_mismatch(struct stream *s, struct trawl_error *err)
{
	const struct selection *sel = s->selection;
	bool is_text;
	size_t at;
	const char *field = where_mismatch(sel->where, comparable_with, s, &at, &is_text);

	if (!field)
		return 0;
	return caret_fail(err, TRAWL_USAGE, sel->where_text, at, "%s: %.60s is a %s",
			  sel->where_option, field,
			  is_text ? "number: write one, without quotes"
				  : "text: write one in quotes, as in name == \"usb:bulk\"");
}

/* Refuses numbers that a field never has: ep == 0x182. */
static int check_numbers(struct stream *s, struct trawl_error *err)
{
	const struct selection *sel = s->selection;
	const char *field, *why = NULL;
	int64_t number;
	size_t at;

	field = where_unknown_number(sel->where, can_equal, s, &at, &number);
	if (!field)
		return 0;
	for (size_t i = 0; decoders[i] && !why; i++)
		why = decoders[i]->never_number ? decoders[i]->never_number(field, number) : NULL;
	return caret_fail(err, TRAWL_USAGE, sel->where_text, at,
			  "%s: %.60s is never %" PRId64 ": %s", sel->where_option, field, number,
			  why);
}

/* Returns our field for another tool's name; NULL: not known. */
static const char *field_called(const struct stream *s, const char *name)
{
	const char *ours = NULL;

	for (const struct engine *e = s->engines; e && !ours; e = e->next)
		ours = e->decoder->field_called ? e->decoder->field_called(name) : NULL;
	return ours;
}

/* Checks the fields and words of --where. Call when all event types are known. */
static int check_where(struct stream *s, struct trawl_error *err)
{
	const struct selection *sel = s->selection;
	const char *bad = NULL, *field;
	struct listing l;
	char text[900];
	size_t at;

	/* a chooser has checked it for whole transfers */
	if (!sel->where || sel->chooser)
		return 0;
	if (trawl_event_type_count(s->reader))
		bad = where_unknown(sel->where, known, s, &at);
	if (!bad) {
		bad = where_unknown_word(sel->where, can_be, s, &at, &field);
		if (!bad)
			return check_mismatch(s, err) || check_numbers(s, err) ? -1 : 0;
		enum_values_refuse(field, bad, text, sizeof(text));
		return caret_fail(err, TRAWL_USAGE, sel->where_text, at, "%s: %s",
				  sel->where_option, text);
	}
	listing_start(&l, bad);
	stream_names(s, listing_add, &l);
	if (compared_with(sel->where_text, at) && compares_id(sel->where_text, at))
		snprintf(text, sizeof(text), "no event has a field '%.60s'; ausyscall %.60s "
			 "prints the number of a system call", bad, bad);
	else if (compared_with(sel->where_text, at))
		snprintf(text, sizeof(text), "no event has a field '%.60s'; if it is meant as "
			 "a text, that stands in quotes: \"%.60s\"", bad, bad);
	else if (field_called(s, bad))
		snprintf(text, sizeof(text), "no event has a field '%.60s'; it is called %.60s here",
			 bad, field_called(s, bad));
	else if (!strcmp(bad, "took"))
		snprintf(text, sizeof(text), "no event has a field 'took'; it is took_ns, in ns");
	else
		snprintf(text, sizeof(text), "no event has a field '%.60s'%s", bad,
			 listing_hint(&l));
	listing_free(&l);
	return caret_fail(err, TRAWL_USAGE, sel->where_text, at, "%s: %s", sel->where_option,
			  text);
}

static int check_sources(struct stream *s, struct trawl_error *err)
{
	const char *missing;
	struct listing l;
	size_t i, n = trawl_source_count(s->reader);

	for (i = 0; i < n; i++)
		stream_wants(s, trawl_source_at(s->reader, i));
	missing = selection_missing(s->selection);
	if (!missing)
		return 0;
	listing_start(&l, missing);
	for (i = 0; i < n; i++)
		listing_add(&l, trawl_source_at(s->reader, i)->name);
	trawl_fail(err, TRAWL_USAGE, "--source: the file has no source '%.100s'%s", missing,
		   listing_hint(&l));
	listing_free(&l);
	return -1;
}

int stream_check(struct stream *s, struct trawl_error *err)
{
	return check_sources(s, err) || check_where(s, err) ? -1 : 0;
}
