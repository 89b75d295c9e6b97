/* SPDX-License-Identifier: MIT */
#include "decode/selection.h"

#include <errno.h>
#include <stdlib.h>

#include "decode/glob.h"
#include "decode/where.h"

static int add_text(const char **list, size_t *n, const char *option, const char *arg,
		    struct trawl_error *err)
{
	if (*n == SELECTION_MAX)
		return trawl_fail(err, TRAWL_USAGE, "%s: more than %d of them: use a glob",
				  option, SELECTION_MAX);
	if (glob_unclosed(arg))
		return where_fail(err, option, arg, (size_t)(glob_unclosed(arg) - arg),
				  "no ] closes this set; \\[ is the character");
	list[(*n)++] = arg;
	return 0;
}

static int number(const char *option, const char *arg, uint64_t most, uint64_t *v,
		  struct trawl_error *err)
{
	char *end;

	errno = 0;
	*v = strtoull(arg, &end, 10);
	if (errno || *end || end == arg || *arg == '-' || *v > most)
		return trawl_fail(err, TRAWL_USAGE, "%s: '%s' is not a number from 0 to %llu",
				  option, arg, (unsigned long long)most);
	return 0;
}

int selection_option(struct selection *s, int option, const char *arg, struct trawl_error *err)
{
	uint64_t v;

	switch (option) {
	case OPTION_FROM:
		s->from_text = arg;
		return 0;
	case OPTION_TO:
	case OPTION_UNTIL:
		s->to_option = option == OPTION_TO ? "--to" : "--until";
		s->to_text = arg;
		return 0;
	case OPTION_SOURCE:
		return add_text(s->sources, &s->nsources, "--source", arg, err);
	case OPTION_NAME:
		return add_text(s->names, &s->nnames, "--name", arg, err);
	case OPTION_PID:
		if (s->npids == SELECTION_MAX)
			return trawl_fail(err, TRAWL_USAGE, "--pid: more than %d of them",
					  SELECTION_MAX);
		if (number("--pid", arg, INT32_MAX, &v, err))
			return -1;
		s->pids[s->npids++] = (int32_t)v;
		return 0;
	case OPTION_WHERE:
		if (s->where)
			return trawl_fail(err, TRAWL_USAGE,
					  "--where: given twice: join the two with 'and'");
		s->where_text = arg;
		s->where = where_parse("--where", arg, err);
		return s->where ? 0 : -1;
	case 'c':
		if (number("-c", arg, UINT64_MAX, &s->count, err))
			return -1;
		if (!s->count)
			return trawl_fail(err, TRAWL_USAGE, "-c: 0 events are not worth a run");
		return 0;
	default:
		return 1;
	}
}

int selection_done(struct selection *s, bool utc, struct trawl_error *err)
{
	if (s->from_text && when_parse("--from", s->from_text, utc, &s->from, err))
		return -1;
	if (s->to_text && when_parse(s->to_option, s->to_text, utc, &s->to, err))
		return -1;
	s->begin = 0;
	s->end = UINT64_MAX;
	return 0;
}

void selection_free(struct selection *s)
{
	where_free(s->where);
	s->where = NULL;
}

static bool relative(const struct when *w)
{
	return w->kind == WHEN_RELATIVE || w->kind == WHEN_CLOCK;
}

bool selection_relative(const struct selection *s)
{
	return relative(&s->from) || relative(&s->to);
}

void selection_times(struct selection *s, uint64_t first)
{
	if (s->from.kind != WHEN_NONE)
		s->begin = when_resolve(&s->from, first);
	if (s->to.kind != WHEN_NONE)
		s->end = when_resolve(&s->to, first);
	s->all = !s->begin && s->end == UINT64_MAX && !s->nnames && !s->npids && !s->where;
}

bool selection_source(struct selection *s, const char *name)
{
	bool wanted = false;
	size_t i;

	if (!s->nsources)
		return strcmp(name, "task") != 0;
	for (i = 0; i < s->nsources; i++) {
		if (glob_match(s->sources[i], name, strlen(name))) {
			s->source_seen[i] = true;
			wanted = true;
		}
	}
	return wanted;
}

const char *selection_missing(const struct selection *s)
{
	size_t i;

	for (i = 0; i < s->nsources; i++)
		if (!s->source_seen[i])
			return s->sources[i];
	return NULL;
}

static bool wants_name(const struct selection *s, const struct item *it)
{
	size_t i;

	for (i = 0; i < s->nnames; i++)
		if (glob_match(s->names[i], it->name, it->name_len))
			return true;
	return !s->nnames;
}

static bool wants_task(const struct selection *s, const struct item *it)
{
	size_t i;

	for (i = 0; i < s->npids; i++)
		if (s->pids[i] == it->pid || s->pids[i] == it->tid)
			return true;
	return !s->npids;
}

bool selection_wants(const struct selection *s, const struct decoder *d, void *state,
		     const struct item *it)
{
	return it->time >= s->begin && it->time < s->end && wants_name(s, it) &&
	       wants_task(s, it) && (!s->where || where_match(s->where, d, state, it));
}
