/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/param.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/probe/die.h"
#include "capture/probe/typed.h"
#include "capture/sys/alloc.h"

enum { PARAMS_MAX = 64 };

/* number: of the parameter, from 1, which names one that has no name. */
static void add_param(struct param_finder *f, Dwarf_Die *die, unsigned int number,
		      struct dwarf_function *out)
{
	const char *given = dwarf_diename(die);
	char *name = given && *given ? xstrdup(given) : xasprintf("arg%u", number);
	struct param q;
	Dwarf_Die type;

	if (param_begin(f, die, &q, &type))
		typed_add(&q, &type, name, 0, true, out);
	else
		typed_add_missing(out, name, "the debug information lacks its type");
	free(name);
}

void param_add_result(struct param_finder *f, Dwarf_Die *type, const char *name,
		      const struct location *loc, const char *why, struct dwarf_function *out)
{
	struct param q = { .f = f, .found = loc ? LOCATION_FOUND : LOCATION_UNKNOWN };

	if (loc)
		q.loc = *loc;
	else
		snprintf(q.why, sizeof(q.why), "%s", why);
	typed_add(&q, type, name, 0, true, out);
}

void param_find_all(struct param_finder *f, struct dwarf_function *out)
{
	struct parameters all = { 0 };
	unsigned int n = 0;
	Dwarf_Die die;

	param_prepare(f);
	while (out->nparams < PARAMS_MAX && parameters_next(&all, f->function, &die)) {
		if (!param_is_result(&die))
			add_param(f, &die, ++n, out);
	}
}

void param_add_part(const struct param *q, const struct param_part *part, const char *name,
		    struct dwarf_function *out)
{
	Dwarf_Die type = part->type;

	if (!part->width) {
		typed_add(q, &type, name, part->offset, part->whole, out);
		return;
	}
	typed_add_bits(q, &type, name, part->offset * 8 + part->bit, part->width, out);
}
#endif
