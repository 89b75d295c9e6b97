/* SPDX-License-Identifier: MIT */
#include "decode/export/jsonl.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

#define LITERAL(p, text) ((char *)memcpy(p, text, sizeof(text) - 1) + sizeof(text) - 1)

/*
 * Members whose texts have at most LONGEST bytes each fit in PIECE_ROOM, so they can be built at
 * once and cached.
 */
enum { LONGEST = 256, PIECE_ROOM = 4096 };

static char *put_known(char *p, bool known, int64_t v)
{
	return known ? put_s64(p, v) : LITERAL(p, "null");
}

/* Writes source and name. */
static void name_members(struct print_caches *caches, const struct item *it, struct out *o)
{
	struct print_cache *c = print_cache_of_name(caches, it);
	size_t n = strlen(it->source->name), at;

	if (print_cache_is_name(c, it, it->source->id)) {
		out_used(o, print_cache_put(out_need(o, PRINT_CACHE_TEXT), c));
		return;
	}
	out_need(o, PIECE_ROOM);
	at = o->len;
	out_str(o, ",\"source\":");
	out_json(o, it->source->name, n);
	out_str(o, ",\"name\":");
	out_json(o, it->name, it->name_len);
	if (n + it->name_len <= LONGEST)
		print_cache_keep_name(c, it, it->source->id, o->data + at, o->data + o->len);
}

/* Writes CPU and task, and the start of the fields. */
static void task_members(struct print_caches *caches, const struct item *it, struct out *o)
{
	struct print_cache *c = print_cache_of_task(caches, it);
	size_t at;
	char *p;

	if (print_cache_is_task(c, it)) {
		out_used(o, print_cache_put(out_need(o, PRINT_CACHE_TEXT), c));
		return;
	}
	p = out_need(o, PIECE_ROOM);
	at = o->len;
	p = LITERAL(p, ",\"cpu\":");
	p = put_known(p, it->cpu != ITEM_NO_CPU, it->cpu);
	p = LITERAL(p, ",\"pid\":");
	p = put_known(p, it->pid != ITEM_NO_TASK, it->pid);
	p = LITERAL(p, ",\"tid\":");
	p = put_known(p, it->tid != ITEM_NO_TASK, it->tid);
	p = LITERAL(p, ",\"comm\":");
	out_used(o, p);
	if (it->comm_len)
		out_json(o, it->comm, it->comm_len);
	else
		out_str(o, "null");
	out_str(o, ",\"fields\":{");
	if (it->comm_len <= LONGEST)
		print_cache_keep_task(c, it, o->data + at, o->data + o->len);
}

/* Writes the object without its closing brace. */
static void members(struct print_caches *caches, const struct decoder *d, void *state,
		    const struct item *it, const uint64_t *bound, struct out *o)
{
	char *p = out_need(o, 80);

	p = LITERAL(p, "{\"ts_ns\":");
	p = put_u64(p, it->time);
	if (bound) {
		p = LITERAL(p, ",\"bound_ns\":");
		p = put_u64(p, *bound);
	}
	out_used(o, p);
	name_members(caches, it, o);
	task_members(caches, it, o);
	d->json(state, it, o);
	out_char(o, '}');
	if (d->json_more)
		d->json_more(state, it, o);
}

void jsonl_object(struct print_caches *caches, const struct decoder *d, void *state,
		  const struct item *it, const uint64_t *bound, struct out *o)
{
	members(caches, d, state, it, bound, o);
	out_char(o, '}');
}

static void join_member(const struct join_causes *causes, struct out *o)
{
	static const char *const how[] = {
		[JOIN_URB] = "urb", [JOIN_SECTORS] = "sectors", [JOIN_PROBE] = "probe",
	};

	for (size_t i = 0; i < causes->n; i++) {
		const struct join_cause *c = &causes->cause[i];

		out_str(o, i ? ",{\"how\":\"" : ",\"join\":[{\"how\":\"");
		out_str(o, how[c->how]);
		out_str(o, "\",\"tid\":");
		out_s64(o, c->tid);
		out_str(o, ",\"comm\":");
		if (*c->comm)
			out_json(o, c->comm, strlen(c->comm));
		else
			out_str(o, "null");
		out_str(o, ",\"name\":");
		out_json(o, c->name, strlen(c->name));
		out_str(o, ",\"before_ns\":");
		out_s64(o, c->before);
		out_str(o, i + 1 < causes->n ? "}" : "}]");
	}
}

static int jsonl_item(struct consumer *c, const struct decoder *d, void *state,
		      const struct item *it)
{
	struct jsonl_printer *j = (struct jsonl_printer *)c;
	struct join_causes causes;
	uint64_t bound = 0;

	if (j->bounds)
		bound = stream_bound(j->stream, it);
	members(&j->caches, d, state, it, j->bounds ? &bound : NULL, j->out);
	if (j->join) {
		join_see(j->join, d, state, it, &causes);
		join_member(&causes, j->out);
	}
	out_str(j->out, "}\n");
	return j->out->error != 0;
}

static void jsonl_aside(struct consumer *c, const struct decoder *d, void *state,
			const struct item *it)
{
	struct join_causes causes;

	join_see(((struct jsonl_printer *)c)->join, d, state, it, &causes);
}

void jsonl_printer_start(struct jsonl_printer *j)
{
	j->consumer.item = jsonl_item;
	j->consumer.loss = NULL;
	j->consumer.aside = j->join ? jsonl_aside : NULL;
	memset(&j->caches, 0, sizeof(j->caches));
}
