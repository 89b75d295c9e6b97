/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "common/array.h"
#include "decode/base/number.h"
#include "decode/kernel/tracefsvalue.h"

static bool site_value(const struct site *s, const char *name, struct value *v)
{
	const char *text = !strcmp(name, "symbol") ? s->symbol :
			   !strcmp(name, "file") ? s->file :
			   !strcmp(name, "exit") ? s->exit : NULL;

	memset(v, 0, sizeof(*v));
	if (!strcmp(name, "site.offset")) {
		v->type = VALUE_UINT;
		v->u = s->offset;
		v->hex = true;
		return true;
	}
	if (!strcmp(name, "line")) {
		v->type = s->line ? VALUE_UINT : VALUE_NONE;
		v->u = s->line;
		return true;
	}
	if (!text)
		return false;
	v->type = *text ? VALUE_TEXT : VALUE_NONE;
	v->text = text;
	v->len = strlen(text);
	return true;
}

/* If text output shows a name instead of a number, the name can be compared with as well. */
static void name_value(struct tracefs *t, const struct shown *f, const struct item *it,
		       struct value *v)
{
	const char *name = f->written && f->written->name ?
			   f->written->name(f->written, it->record, it->len) : NULL;
	struct out *o = &t->names[t->nnames++ % 2];

	if (!o->data)
		out_memory(o);
	o->len = 0;
	if (name)
		out_str(o, name);
	else
		shown_text(f, it->record, it->len, o);
	v->text = o->error ? NULL : o->data;
	v->len = o->len;
}

/*
 * Stores the value of an argument that is not simply its field. Returns false if the site has no
 * such argument.
 */
static bool arg_value(struct tracefs *t, const struct site *s, const struct item *it,
		      const char *name, struct value *v)
{
	const struct site_arg *a = s->args, *end = s->args + s->nargs;
	const uint8_t *bytes;
	const char *why;

	while (a < end && strcmp(a->name, name))
		a++;
	if (a == end || arg_plain(a))
		return false;
	memset(v, 0, sizeof(*v));
	bytes = arg_bytes(a, it->record, it->len, &why);
	if (bytes)
		shown_element_value(a->as, bytes, v);
	if (bytes && arg_name(a, it->record, it->len, false))
		name_value(t, a->field, it, v);
	return true;
}

/* An element of an array: args[1]. One that is not there has no value. */
static bool element_value(const struct event_layout *l, const struct item *it, const char *name,
			  struct value *v)
{
	size_t n = strcspn(name, "[");
	const struct shown *f = NULL;
	char *end;
	unsigned long nth;

	for (uint32_t i = 0; !f && i < l->n; i++)
		if (!strncmp(l->shown[i].field->name, name, n) && !l->shown[i].field->name[n])
			f = &l->shown[i];
	if (!f || name[n] != '[' || !shown_is_array(f))
		return false;
	nth = strtoul(name + n + 1, &end, 10);
	if (strcmp(end, "]"))
		return false;
	shown_nth_value(f, it->record, it->len, nth, v);
	return true;
}

static bool interrupt_value(const struct pattern *p, const struct item *it, const char *name,
			    struct value *v)
{
	if (p->flags_at < 0 || strcmp(name, "interrupt"))
		return false;
	memset(v, 0, sizeof(*v));
	v->text = pattern_interrupt(p, it);
	v->type = v->text ? VALUE_TEXT : VALUE_NONE;
	v->len = v->text ? strlen(v->text) : 0;
	return true;
}

bool tracefs_value(void *state, const struct item *it, const char *name, struct value *v)
{
	const struct pattern *p = it->detail;
	const struct site *s = p->sites ? pattern_site(it) : NULL;
	const struct shown *f;

	if (s && !p->plain && arg_value(state, s, it, name, v))
		return true;
	f = event_layout_find(p->layout, name);
	if (!f && (element_value(p->layout, it, name, v) || interrupt_value(p, it, name, v)))
		return true;
	if (!f)
		return s && site_value(s, name, v);
	shown_value(f, it->record, it->len, v);
	v->is_list = shown_is_array(f);
	if (f->written && (v->type == VALUE_UINT || v->type == VALUE_INT))
		name_value(state, f, it, v);
	return true;
}

/* Whether the value of this name must be looked up separately in each event. */
static bool varies(const struct pattern *p, const struct shown *f, const char *name)
{
	return (p->sites && !(f && p->plain)) ||
	       (!f && (strchr(name, '[') || !strcmp(name, "interrupt")));
}

/* Finds the fields of columns that were appended. Returns false if memory runs out. */
static bool find_cells(struct pattern *p, const struct columns *columns)
{
	for (; p->ncolumns < columns->n; p->ncolumns++) {
		const char *name = columns->name[p->ncolumns];
		const struct shown *f = event_layout_find(p->layout, name);
		bool by_name = varies(p, f, name);

		if (!f && !by_name)
			continue;
		if (!array_grow(p->cells, p->ncells))
			return false;
		p->cells[p->ncells++] = (struct pattern_cell){
			.column = p->ncolumns,
			.shown = by_name ? NULL : f,
		};
	}
	return true;
}

bool tracefs_cell(void *state, const struct item *it, const struct columns *columns,
			 size_t nth, struct cell *cell)
{
	struct pattern *p = it->detail;

	if (p->ncolumns < columns->n && !find_cells(p, columns))
		out_lack_memory();
	if (nth >= p->ncells)
		return false;
	cell->column = p->cells[nth].column;
	if (p->cells[nth].shown)
		shown_value(p->cells[nth].shown, it->record, it->len, &cell->value);
	else if (!tracefs_value(state, it, columns->name[cell->column], &cell->value))
		cell->value.type = VALUE_NONE;
	return true;
}

/* Returns a further value of an item: the nth element of an array. */
bool tracefs_another(void *state, const struct item *it, const char *name, unsigned int nth,
			    struct value *v)
{
	const struct pattern *p = it->detail;
	const struct shown *f = event_layout_find(p->layout, name);

	(void)state;
	return f && shown_nth_value(f, it->record, it->len, nth - 1, v);
}

/* At a probe site, the kind of the value depends on the item. */
unsigned int tracefs_comparable(void *state, const struct trawl_event_type *type,
				       const char *name)
{
	const struct pattern *p = pattern_for(&((struct tracefs *)state)->patterns, type);
	const struct shown *f = p && !p->sites ? event_layout_find(p->layout, name) : NULL;

	if (!f)
		return p && p->flags_at >= 0 && !strcmp(name, "interrupt") ? COMPARABLE_TEXT : 0;
	switch (f->field->kind) {
	case TRAWL_TEXT:
	case TRAWL_CHAR:
	case TRAWL_BYTES:
		return COMPARABLE_TEXT;
	default:
		break;
	}
	if (f->field->place != TRAWL_FIXED || f->field->count != 1)
		return 0;
	return COMPARABLE_NUMBER | (f->written ? COMPARABLE_TEXT : 0u);
}

void tracefs_names(void *state, const struct trawl_event_type *type, decoder_name_fn *fn,
			  void *arg)
{
	struct tracefs *t = state;
	const struct pattern *p = pattern_for(&t->patterns, type);
	const struct site *s;
	uint32_t i;

	if (!p)
		return;
	s = p->sites ? sites_any(p->sites) : NULL;
	if (p->ip)
		fn(arg, p->ip->field->name);
	for (i = 0; s && i < s->nargs; i++)
		fn(arg, s->args[i].name);
	for (i = 0; i < p->layout->n; i++)
		if (!p->layout->shown[i].hidden || t->patterns.ctx->options->all_fields)
			fn(arg, p->layout->shown[i].field->name);
	if (p->flags_at >= 0)
		fn(arg, "interrupt");
	if (s) {
		fn(arg, "site.offset");
		fn(arg, "symbol");
		fn(arg, "file");
		fn(arg, "line");
		if (*s->exit)
			fn(arg, "exit");
	}
}
