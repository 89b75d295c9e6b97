/* SPDX-License-Identifier: MIT */
#include "decode/export/csv.h"

#include <stdlib.h>

struct csv {
	struct consumer consumer; /* first: the stream hands it back */
	struct out *out;
	char **columns;
	size_t n;
	bool failed;
};

static const char *const fixed[] = {"ts_ns", "source", "name", "cpu", "pid", "tid", "comm"};
#define NFIXED (sizeof(fixed) / sizeof(fixed[0]))

static void add(struct csv *c, const char *name, size_t n)
{
	char **more;
	size_t i;

	for (i = 0; i < c->n; i++)
		if (strlen(c->columns[i]) == n && !memcmp(c->columns[i], name, n))
			return;
	more = realloc(c->columns, (c->n + 1) * sizeof(*more));
	if (!more) {
		c->failed = true;
		return;
	}
	c->columns = more;
	more[c->n] = strndup(name, n);
	if (more[c->n])
		c->n++;
	else
		c->failed = true;
}

static void add_name(void *arg, const char *name)
{
	add(arg, name, strlen(name));
}

static void add_list(struct csv *c, const char *list)
{
	size_t n;

	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n)
			add(c, list, n);
	}
}

static void header(struct csv *c)
{
	size_t i, k;

	for (i = 0; i < NFIXED; i++) {
		if (i)
			out_char(c->out, ',');
		out_str(c->out, fixed[i]);
	}
	for (i = 0; i < c->n; i++) {
		out_char(c->out, ',');
		for (k = 0; k < NFIXED; k++)
			if (!strcmp(fixed[k], c->columns[i]))
				out_str(c->out, "fields.");
		out_csv(c->out, c->columns[i], strlen(c->columns[i]));
	}
	out_str(c->out, "\r\n");
}

static void cell(struct out *o, const struct value *v)
{
	switch (v->type) {
	case VALUE_UINT:
		out_u64(o, v->u);
		break;
	case VALUE_INT:
		out_s64(o, v->i);
		break;
	case VALUE_FLOAT:
		out_double(o, v->f);
		break;
	case VALUE_TEXT:
		out_csv(o, v->text, v->len);
		break;
	case VALUE_BYTES:
		if (v->len)
			out_hexbytes(o, v->text, v->len);
		else
			out_csv(o, "", 0);
		break;
	case VALUE_NONE:
		break;
	}
}

static void number(struct out *o, bool known, int64_t v)
{
	out_char(o, ',');
	if (known)
		out_s64(o, v);
}

static int csv_item(struct consumer *consumer, const struct decoder *d, void *state,
		    const struct item *it)
{
	struct csv *c = (struct csv *)consumer;
	struct out *o = c->out;
	struct value v;
	size_t i;

	out_u64(o, it->time);
	out_char(o, ',');
	out_csv(o, it->source->name, strlen(it->source->name));
	out_char(o, ',');
	out_csv(o, it->name, it->name_len);
	number(o, it->cpu != ITEM_NO_CPU, it->cpu);
	number(o, it->pid != ITEM_NO_TASK, it->pid);
	number(o, it->tid != ITEM_NO_TASK, it->tid);
	out_char(o, ',');
	if (it->comm_len)
		out_csv(o, it->comm, it->comm_len);
	for (i = 0; i < c->n; i++) {
		out_char(o, ',');
		if (d->value(state, it, c->columns[i], &v))
			cell(o, &v);
	}
	out_str(o, "\r\n");
	return o->error != 0;
}

struct csv *csv_new(struct stream *s, const char *columns, struct out *out)
{
	struct csv *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->consumer.item = csv_item;
	c->out = out;
	if (columns)
		add_list(c, columns);
	else
		stream_names(s, add_name, c);
	if (c->failed) {
		csv_free(c);
		return NULL;
	}
	header(c);
	return c;
}

struct consumer *csv_consumer(struct csv *c)
{
	return &c->consumer;
}

void csv_free(struct csv *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->n; i++)
		free(c->columns[i]);
	free(c->columns);
	free(c);
}
