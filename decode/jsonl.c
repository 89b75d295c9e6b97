/* SPDX-License-Identifier: MIT */
#include "decode/jsonl.h"

/* Name and value of a number that may not be known. */
static void number(struct out *o, const char *label, bool known, int64_t v)
{
	out_str(o, label);
	if (known)
		out_s64(o, v);
	else
		out_bytes(o, "null", 4);
}

void jsonl_object(const struct decoder *d, void *state, const struct item *it,
		  const uint64_t *bound, struct out *o)
{
	out_str(o, "{\"ts_ns\":");
	out_u64(o, it->time);
	if (bound) {
		out_str(o, ",\"bound_ns\":");
		out_u64(o, *bound);
	}
	out_str(o, ",\"source\":");
	out_json(o, it->source->name, strlen(it->source->name));
	out_str(o, ",\"name\":");
	out_json(o, it->name, it->name_len);
	number(o, ",\"cpu\":", it->cpu != ITEM_NO_CPU, it->cpu);
	number(o, ",\"pid\":", it->pid != ITEM_NO_TASK, it->pid);
	number(o, ",\"tid\":", it->tid != ITEM_NO_TASK, it->tid);
	out_str(o, ",\"comm\":");
	out_json(o, it->comm, it->comm_len);
	out_str(o, ",\"fields\":{");
	d->json(state, it, o);
	out_char(o, '}');
	if (d->json_more)
		d->json_more(state, it, o);
	out_char(o, '}');
}

static int jsonl_item(struct consumer *c, const struct decoder *d, void *state,
		      const struct item *it)
{
	struct jsonl_printer *j = (struct jsonl_printer *)c;
	uint64_t bound = 0;

	if (j->bounds)
		trawl_to_timeline(j->reader, it->source->clock, it->ts, &bound);
	jsonl_object(d, state, it, j->bounds ? &bound : NULL, j->out);
	out_char(j->out, '\n');
	if (j->at_once)
		out_flush(j->out);
	return j->out->error != 0;
}

void jsonl_printer_start(struct jsonl_printer *j)
{
	j->consumer.item = jsonl_item;
	j->consumer.loss = NULL;
}
