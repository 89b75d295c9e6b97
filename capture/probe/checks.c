/* SPDX-License-Identifier: MIT */
/* Which addresses of a probe have to be readable for its arguments, and at which sites. */
#include "capture/cli/readable.h"
#include "capture/probe/build.h"
#include "capture/sys/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The readability checks that an argument needs at one site. */
static struct readable checks_at(const struct probe *p, size_t site, size_t arg)
{
	const struct probe_arg *is = &p->args[arg];
	/*
	 * The window of a string with a length may reach beyond mapped memory;
	 * capture/tracefs/countedtext.h finds whether the string could be read. Its object, of
	 * which the recorded pointer is a part, is checked.
	 */
	const struct probe_arg_site *a = &p->sites[site].args[is->counted ? is->pointer : arg];
	struct readable r = { 0 };

	if (a->state == PROBE_ARG_EXACT && !is->spent)
		readable_checks(a->fetch, &r);
	/*
	 * An address that the program itself uses is taken to be readable; only pointers that the
	 * user follows are checked.
	 */
	if (r.depth < 2 && !is->followed)
		r.first[0] = r.last[0] = '\0';
	return r;
}

static size_t add_helper(struct probe *p, const char *name, enum probe_check check, size_t of)
{
	size_t k = probe_add_arg(p, name, "string");

	p->args[k].helper = true;
	p->args[k].spent = check != PROBE_CHECK_FIRST;
	p->args[k].check = check;
	p->args[k].of = of;
	return k;
}

static void set_text(struct probe *p, size_t site, size_t arg, const char *fetch)
{
	const struct arg_at_site is = { .fetch = fetch, .type = "string" };

	probe_set_arg(p, site, arg, &is);
}

static int add_check(struct resolve *r, struct probe *p, size_t of, enum probe_check check)
{
	size_t k = add_helper(p, "_r", check, of);
	bool zeroed = true;

	for (size_t i = 0; i < p->nsites; i++) {
		struct readable at = checks_at(p, i, of);
		const char *fetch = check == PROBE_CHECK_LAST ? at.last : at.first;

		if (strlen(p->args[k].name) + 1 + strlen(fetch) > PROBE_ARG_MAX)
			return trawl_fail(r->err, TRAWL_USAGE,
					  "%s: argument %s: the check whether '%s' can be read "
					  "takes more than %d characters; use fewer levels or "
					  "shorter offsets",
					  p->display_name, p->args[of].name,
					  p->sites[i].args[of].fetch, PROBE_ARG_MAX);
		/* the window of a string is behind a further pointer, and keeps what it was */
		zeroed &= at.depth == 1 && !at.text && !p->args[of].counted;
		set_text(p, i, k, *fetch ? fetch : READABLE_ALWAYS);
	}
	p->args[k].zeroed = zeroed;
	return 0;
}

static int add_checks_of(struct resolve *r, struct probe *p, size_t arg)
{
	bool first = false, last = false;

	for (size_t i = 0; i < p->nsites; i++) {
		struct readable at = checks_at(p, i, arg);

		first |= *at.first;
		last |= *at.last;
	}
	if (first && add_check(r, p, arg, PROBE_CHECK_FIRST) < 0)
		return -1;
	return last ? add_check(r, p, arg, PROBE_CHECK_LAST) : 0;
}

/* Moves the last n of the array's `all` elements to the front. size: bytes of an element. */
static void rotate(void *array, size_t all, size_t n, size_t size)
{
	char *copy = xcalloc(all, size), *from = array;

	memcpy(copy, from + (all - n) * size, n * size);
	memcpy(copy + n * size, from, (all - n) * size);
	memcpy(from, copy, all * size);
	free(copy);
}

int probe_add_checks(struct resolve *r, struct probe *p)
{
	size_t own = p->nargs, n, k;

	for (k = 0; k < own; k++)
		if (!p->args[k].helper && add_checks_of(r, p, k) < 0)
			return -1;
	n = p->nargs - own;
	if (!n)
		return 0;
	/*
	 * Control and checks come first: a string that is too long uses up the record's room, and
	 * what follows it is lost.
	 */
	rotate(p->args, p->nargs, n, sizeof(*p->args));
	for (size_t i = 0; i < p->nsites; i++)
		rotate(p->sites[i].args, p->nargs, n, sizeof(*p->sites[i].args));
	k = add_helper(p, "_c", PROBE_CHECK_CONTROL, 0);
	for (size_t i = 0; i < p->nsites; i++)
		set_text(p, i, k, READABLE_CONTROL);
	rotate(p->args, p->nargs, 1, sizeof(*p->args));
	for (size_t i = 0; i < p->nsites; i++)
		rotate(p->sites[i].args, p->nargs, 1, sizeof(*p->sites[i].args));
	k = add_helper(p, "_e", PROBE_CHECK_END, 0);
	for (size_t i = 0; i < p->nsites; i++)
		set_text(p, i, k, READABLE_END);
	for (k = 0; k < p->nargs; k++) {
		struct probe_arg *a = &p->args[k];

		if (a->check == PROBE_CHECK_FIRST || a->check == PROBE_CHECK_LAST)
			a->of += n + 1;
		if (a->only_of)
			a->only_of += n + 1;
		if (a->counted) {
			a->pointer += n + 1;
			a->length += n + 1;
		}
	}
	return 0;
}
