/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "decode/export/contents.h"
#include "decode/base/escape.h"
#include "common/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All items of one source with one name. */
struct kind {
	char *name;
	const struct trawl_source *source;
	const struct trawl_event_type *type; /* type of the first item; NULL: none */
	const struct decoder *decoder;
	void *state;
	uint64_t count;
};

struct contents {
	struct consumer consumer; /* must be first: a struct consumer is cast to its contents */
	struct kind *kinds;
	size_t n;
	size_t last; /* index of the kind of the last item */
	bool failed; /* memory ran out: some kinds are missing */
};

static bool is_of(const struct kind *k, const struct item *it)
{
	return k->source == it->source && strlen(k->name) == it->name_len &&
	       !memcmp(k->name, it->name, it->name_len);
}

static int count_item(struct consumer *consumer, const struct decoder *d, void *state,
		      const struct item *it)
{
	struct contents *c = (struct contents *)consumer;
	struct kind *k;
	size_t i = c->last;

	if (i >= c->n || !is_of(&c->kinds[i], it))
		for (i = 0; i < c->n && !is_of(&c->kinds[i], it); i++)
			;
	if (i == c->n) {
		k = array_grow(c->kinds, c->n) ? &c->kinds[c->n] : NULL;
		if (!k || !(k->name = strndup(it->name, it->name_len))) {
			c->failed = true;
			return 1;
		}
		*k = (struct kind){k->name, it->source, it->type, d, state, 0};
		c->n++;
	}
	c->kinds[i].count++;
	c->last = i;
	return 0;
}

struct contents *contents_new(void)
{
	struct contents *c = calloc(1, sizeof(*c));

	if (c)
		c->consumer.item = count_item;
	return c;
}

void contents_free(struct contents *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		free(c->kinds[i].name);
	if (c)
		free(c->kinds);
	free(c);
}

struct consumer *contents_consumer(struct contents *c)
{
	return &c->consumer;
}

/* limit on the field names that are remembered to avoid printing them twice */
enum { NAMES_MOST = 512 };

struct printing {
	const struct kind *kind;
	struct out *o;
	bool json;
	size_t n;
	const char *names[NAMES_MOST];
};

/* Returns the type as its origin writes it, without the kernel's __data_loc. */
static const char *type_of(const struct trawl_event_type *t, const char *name, uint16_t *count)
{
	static const char *const places[] = {"__data_loc ", "__rel_loc "};

	*count = 1;
	for (uint32_t i = 0; i < t->nfields; i++) {
		const char *type = t->fields[i].ctype;

		if (strcmp(t->fields[i].name, name))
			continue;
		for (size_t k = 0; k < 2; k++)
			if (!strncmp(type, places[k], strlen(places[k])))
				return type + strlen(places[k]);
		if (t->fields[i].place == TRAWL_FIXED)
			*count = t->fields[i].count;
		/* tracefs has the bits of an argument of a program as a number */
		if (t->fields[i].kind == TRAWL_FLOAT)
			return t->fields[i].size == 4 ? "float" : "double";
		return type;
	}
	return "";
}

static bool is_new(struct printing *p, const char *name)
{
	for (size_t i = 0; i < p->n && i < NAMES_MOST; i++)
		if (!strcmp(p->names[i], name))
			return false;
	if (p->n < NAMES_MOST)
		p->names[p->n] = name;
	return true;
}

static void print_field(void *arg, const char *name)
{
	struct printing *p = arg;
	struct out *o = p->o;
	const struct kind *k = p->kind;
	const char *type, *why = k->decoder->why ? k->decoder->why(k->state, k->type, name) : NULL;
	uint16_t count;

	if (!is_new(p, name))
		return;
	type = type_of(k->type, name, &count);
	if (p->json) {
		out_str(o, p->n++ ? ",{\"name\":" : "{\"name\":");
		out_json(o, name, strlen(name));
		out_str(o, ",\"ctype\":");
		out_json(o, type, strlen(type));
		out_printf(o, ",\"count\":%u", count);
		if (why) {
			out_str(o, ",\"unavailable\":");
			out_json(o, why, strlen(why));
		}
		out_char(o, '}');
		return;
	}
	if (!strncmp(name, "__", 2))
		return;
	out_str(o, p->n++ ? ", " : "");
	out_safe(o, type, strlen(type));
	if (*type && type[strlen(type) - 1] != '*')
		out_char(o, ' ');
	out_safe(o, name, strlen(name));
	if (count > 1)
		out_printf(o, "[%u]", count);
	if (why) {
		out_str(o, " (unavailable: ");
		out_safe(o, why, strlen(why));
		out_char(o, ')');
	}
}

static void print_fields(const struct kind *k, bool json, struct out *o)
{
	struct printing p = {.kind = k, .o = o, .json = json};

	if (k->type)
		k->decoder->names(k->state, k->type, print_field, &p);
}

static void print_line(const struct kind *k, struct out *o)
{
	size_t start = o->len;

	out_safe(o, k->name, strlen(k->name));
	out_pad(o, start, 30, 2);
	start = o->len;
	out_safe(o, k->source->name, strlen(k->source->name));
	out_pad(o, start, 8, 2);
	out_printf(o, "%10llu  ", (unsigned long long)k->count);
	print_fields(k, false, o);
	out_char(o, '\n');
}

static void print_object(const struct kind *k, struct out *o)
{
	out_str(o, "{\"name\":");
	out_json(o, k->name, strlen(k->name));
	out_str(o, ",\"source\":");
	out_json(o, k->source->name, strlen(k->source->name));
	out_printf(o, ",\"events\":%llu,\"fields\":[", (unsigned long long)k->count);
	print_fields(k, true, o);
	out_str(o, "]}");
}

void contents_print(const struct contents *c, bool as_json, struct out *o)
{
	if (as_json)
		out_char(o, '[');
	for (size_t i = 0; i < c->n; i++) {
		if (!as_json) {
			print_line(&c->kinds[i], o);
			continue;
		}
		out_str(o, i ? ",\n" : "");
		print_object(&c->kinds[i], o);
	}
	if (as_json)
		out_str(o, "]\n");
	if (c->failed)
		o->error = ENOMEM;
}
