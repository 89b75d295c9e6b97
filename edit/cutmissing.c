/* SPDX-License-Identifier: MIT */
/* What is missing of a damaged file, and how a copy of it says so. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/sources.h"
#include "decode/base/cli.h"
#include "decode/base/output.h"
#include "decode/base/time.h"
#include "edit/cut.h"

enum { LISTED = 20 }; /* damaged chunks that are reported one by one */

struct missing {
	uint64_t events; /* of the damaged chunks whose heads are known */
	size_t chunks;   /* the number of these, without those of the task source */
	bool more;       /* others may be missing */
};

bool cut_is_missing(const struct cut_entry *e)
{
	return e->damaged && !is_task_source(e->p.source->name);
}

static struct missing count_missing(const struct cut *c, const struct trawl_verdict *v)
{
	struct missing m = { 0 };
	uint64_t damaged = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct cut_entry *e = &c->entries[i];

		damaged += e->damaged;
		m.chunks += cut_is_missing(e);
		m.events += cut_is_missing(e) ? e->p.count : 0;
	}
	m.more = !v->complete || v->damaged > damaged;
	return m;
}

char *cut_describe_missing(const struct cut *c, const struct trawl_verdict *v)
{
	struct missing m = count_missing(c, v);
	struct json j = { 0 };
	char *text;

	json_object(&j, NULL);
	json_string(&j, "operation", "repair");
	json_string(&j, "found", v->text);
	json_uint(&j, "lost", m.events);
	json_bool(&j, "more_lost", m.more);
	json_end(&j);
	text = j.text ? strdup(j.text) : NULL;
	json_free(&j);
	return text;
}

static void print_chunk(const struct cut_entry *e, const char *name)
{
	char room[EDIT_EVENTS];
	struct out from, to;

	out_memory(&from);
	out_memory(&to);
	time_full(&from, e->p.from, false);
	time_full(&to, e->p.to, false);
	cli_message("%s: missing: %s of %s, between %.*s and %.*s", name,
		    edit_events(room, e->p.count), e->p.source->name, (int)from.len, from.data,
		    (int)to.len, to.data);
	out_free(&from);
	out_free(&to);
}

void cut_print_missing(const struct cut *c, const struct trawl_verdict *v, const char *name)
{
	struct missing m = count_missing(c, v);
	char room[EDIT_EVENTS];
	size_t n = 0;

	for (size_t i = 0; i < c->n && n < LISTED; i++) {
		if (!cut_is_missing(&c->entries[i]))
			continue;
		print_chunk(&c->entries[i], name);
		n++;
	}
	if (m.chunks > n)
		cli_message("%s: missing in all: %s in %zu damaged blocks", name,
			    edit_events(room, m.events), m.chunks);
	if (m.more)
		cli_message("%s: how many %sevents are missing is not known", name,
			    m.events ? "other " : "");
}
