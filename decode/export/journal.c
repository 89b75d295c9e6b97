/* SPDX-License-Identifier: MIT */
#include "decode/export/journal.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

#include "decode/export/jsonl.h"

void journal_open(struct journal *j)
{
	memset(&j->caches, 0, sizeof(j->caches));
	out_memory(&j->fields);
}

void journal_free(struct journal *j)
{
	out_free(&j->fields);
}

static void number(struct out *o, const char *label, bool known, int64_t v)
{
	if (!known)
		return;
	out_str(o, label);
	out_s64(o, v);
	out_char(o, '\n');
}

/* Returns the end of the JSON string that begins at p. */
static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

/* Returns the end of a JSON value: the comma after it, or `end`. */
static const char *value_end(const char *p, const char *end)
{
	int depth = 0;

	while (p < end && (depth || *p != ',')) {
		depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
		p = *p == '"' ? string_end(p, end) : p + 1;
	}
	return p;
}

/* Writes `"a":1,"b":[2,3]` as the lines a=1 and b=[2,3]. Our JSON contains no line breaks. */
static void field_lines(const struct out *json, struct out *o)
{
	const char *p = json->data, *end = p + json->len, *next;

	for (; p < end; p = next + 1) {
		const char *name_end = string_end(p, end);

		next = value_end(name_end, end);
		if (name_end >= next)
			return;
		out_bytes(o, p + 1, (size_t)(name_end - p) - 2);
		out_char(o, '=');
		out_bytes(o, name_end + 1, (size_t)(next - name_end) - 1);
		out_char(o, '\n');
	}
}

void journal_entry(struct journal *j, const struct decoder *d, void *state, const struct item *it,
		   struct out *o)
{
	out_str(o, "MESSAGE=");
	out_safe(o, it->name, it->name_len);
	out_char(o, ' ');
	d->text(state, it, o);
	out_str(o, "\nSYSLOG_IDENTIFIER=");
	out_safe(o, it->source->name, strlen(it->source->name));
	out_char(o, '\n');
	number(o, "CPU=", it->cpu != ITEM_NO_CPU, it->cpu);
	number(o, "_PID=", it->pid != ITEM_NO_TASK, it->pid);
	number(o, "TID=", it->tid != ITEM_NO_TASK, it->tid);
	if (it->comm_len) {
		out_str(o, "_COMM=");
		out_safe(o, it->comm, it->comm_len);
		out_char(o, '\n');
	}
	j->fields.len = 0;
	d->json(state, it, &j->fields);
	field_lines(&j->fields, o);
	out_str(o, "TRAWL=");
	jsonl_object(&j->caches, d, state, it, NULL, o);
	out_char(o, '\n');
}
