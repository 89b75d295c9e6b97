/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "capture/probe/list.h"
#include "capture/probe/passed.h"
#include "capture/sys/alloc.h"

struct passed_over {
	char *reason; /* what the errors of all of them have in common */
	size_t n;
	char *name;               /* of the first one */
	struct trawl_error error; /* likewise */
};

/* Returns the error's problem without what differs from one match to the next, malloc'd. */
static char *reason_of(const struct trawl_error *error, const char *name)
{
	size_t len = strlen(name), n = 0;
	const char *from = error->text, *end = from + strcspn(from, "\n;");
	char *reason = xcalloc((size_t)(end - from) + 1, 1);

	while (from < end) {
		if (len && !strncmp(from, name, len))
			from += len;
		else if (isdigit((unsigned char)*from))
			from++;
		else
			reason[n++] = *from++;
	}
	return reason;
}

void passed_add(struct resolve *r, const char *name)
{
	char *reason = reason_of(r->err, name);
	struct passed_over *p;
	size_t i = 0;

	while (i < r->npassed && strcmp(r->passed[i].reason, reason))
		i++;
	if (i < r->npassed) {
		r->passed[i].n++;
		free(reason);
		return;
	}
	xgrow(r->passed, r->npassed);
	p = &r->passed[r->npassed++];
	*p = (struct passed_over){ reason, 1, xstrdup(name), *r->err };
}

int passed_report(struct resolve *r)
{
	const char *what = r->spec->kind == SPEC_UPROBE ? "functions" : "probes";

	if (r->npassed && r->list->n == r->before) {
		*r->err = r->passed[0].error;
		return -1;
	}
	for (size_t i = 0; i < r->npassed; i++) {
		const struct passed_over *p = &r->passed[i];

		probe_remark(r->list, xasprintf("%s: %zu of the %s it matches %s passed over, %s "
						"for one: %.*s", r->spec->text, p->n, what,
						p->n == 1 ? "is" : "are", p->name,
						(int)strcspn(p->error.text, "\n"), p->error.text));
	}
	return 0;
}

void passed_free(struct resolve *r)
{
	for (size_t i = 0; i < r->npassed; i++) {
		free(r->passed[i].reason);
		free(r->passed[i].name);
	}
	free(r->passed);
}
