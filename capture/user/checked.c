/* SPDX-License-Identifier: MIT */
#include "capture/user/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* uprobes can cause page faults, so pages that are not in memory are no reason. */
static const char unmapped[] = "its address is not mapped";
static const char unmapped_way[] = "an address on the way is not mapped";

enum { NAME = 24 };

/* Names of the fields of an event's checks. */
struct names {
	struct read_names all;
	char (*made)[NAME]; /* names of a companion's fields: two for each argument */
};

/* Returns the field of an argument: in the event its own name, in the companion aK, wK or pK. */
static const char *field(struct names *n, const struct probe *p, size_t arg, char letter)
{
	char *name;

	if (!n->made)
		return p->args[arg].name;
	name = n->made[2 * arg + (letter == 'p')];
	snprintf(name, NAME, "%c%zu", letter, arg);
	return name;
}

static bool is_text(const struct probe_arg *a)
{
	return !strcmp(a->type, "string") || !strcmp(a->type, "ustring");
}

static void take_value(struct names *n, const struct probe *p, size_t check)
{
	const struct probe_arg *a = &p->args[check], *of = &p->args[a->of];
	struct read_name *v = &n->all.values[n->all.n++];
	bool text = is_text(of);

	v->first = field(n, p, check, 'a');
	v->value = field(n, p, a->of, text ? 'w' : 'a');
	v->address = n->made && text ? field(n, p, a->of, 'p') : NULL;
	v->shown = of->label ? of->label : of->name;
	v->zeroed = a->zeroed;
	v->why = a->zeroed ? unmapped : unmapped_way;
}

static bool take_names(struct names *n, const struct probe *p, bool companion)
{
	n->all.values = calloc(p->nargs + 1, sizeof(*n->all.values));
	n->made = companion ? calloc(2 * p->nargs + 1, sizeof(*n->made)) : NULL;
	if (!n->all.values || (companion && !n->made))
		return false;
	for (size_t k = 0; k < p->nargs; k++) {
		const struct probe_arg *a = &p->args[k];

		if (a->check == PROBE_CHECK_CONTROL)
			n->all.control = field(n, p, k, 'a');
		else if (a->check == PROBE_CHECK_FIRST)
			take_value(n, p, k);
		else if (a->check == PROBE_CHECK_LAST && n->all.n)
			n->all.values[n->all.n - 1].last = field(n, p, k, 'a');
		else if (a->check == PROBE_CHECK_END)
			n->all.end = field(n, p, k, 'a');
	}
	return true;
}

static void names_free(struct names *n)
{
	free(n->all.values);
	free(n->made);
}

/* Adds the check of one event. have: what take_names() returned. */
static int add_check(struct trace *t, const struct eventformat *f, const struct names *n, bool have,
		     struct trawl_error *err)
{
	if (have && !n->all.n)
		return 0;
	return trace_add_check(t, f->id, have ? read_check_new(f, &n->all) : NULL, err);
}

int checked_event(struct trace *t, const struct probe *p, struct eventformat *f,
		  struct trawl_error *err)
{
	struct names n = { 0 };
	int r = add_check(t, f, &n, take_names(&n, p, false), err);

	if (!r && n.all.n && read_check_tune(f, &n.all))
		r = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	names_free(&n);
	return r;
}

int checked_companion(struct trace *t, const struct probe *p, const struct eventformat *f,
		      struct trawl_error *err)
{
	struct names n = { 0 };
	int r = add_check(t, f, &n, take_names(&n, p, true), err);

	names_free(&n);
	return r;
}
