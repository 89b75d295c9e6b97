/* SPDX-License-Identifier: MIT */
#include "common/caret.h"
#include "common/sources.h"
#include "decode/query/selection.h"

#include <errno.h>
#include <stdlib.h>

#include "decode/base/cli.h"
#include "decode/base/glob.h"
#include "decode/query/where.h"

static int add_text(const char **list, size_t *n, const char *option, const char *arg,
		    struct trawl_error *err)
{
	if (*n == SELECTION_MAX)
		return trawl_fail(err, TRAWL_USAGE, "%s: given more than %d times; use a glob",
				  option, SELECTION_MAX);
	if (glob_unclosed(arg))
		return caret_fail(err, TRAWL_USAGE, arg, (size_t)(glob_unclosed(arg) - arg),
				  "%s: %s", option, "no ] closes this set; \\[ is the character");
	list[(*n)++] = arg;
	return 0;
}

/* An option that takes a whole number. */
struct number_option {
	const char *name;
	uint64_t least, most;
	const char *wanted; /* for the error: what the number is, and its range */
};

static const struct number_option pid_option = {
	"--pid", 0, INT32_MAX,
	"the id of a process or thread: give a number from 0 to 2147483647",
};

static const struct number_option count_option = {
	"-c", 1, UINT64_MAX,
	"a number of events: give a whole number above 0, as in -c 100",
};

static int number(const struct number_option *o, const char *arg, uint64_t *v,
		  struct trawl_error *err)
{
	errno = 0;
	*v = strtoull(arg, NULL, 10);
	if (errno || !*arg || arg[strspn(arg, "0123456789")] || *v < o->least || *v > o->most)
		return trawl_fail(err, TRAWL_USAGE, "%s: '%.100s' is not %s", o->name, arg,
				  o->wanted);
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
		if (s->to_text)
			return trawl_fail(err, TRAWL_USAGE,
					  "--until, --to: mean the same; leave one out");
		s->to_option = option == OPTION_TO ? "--to" : "--until";
		s->to_text = arg;
		return 0;
	case OPTION_SOURCE:
		return add_text(s->sources, &s->nsources, "--source", arg, err);
	case OPTION_NAME:
		return add_text(s->names, &s->nnames, "--name", arg, err);
	case OPTION_PID:
		if (s->npids == SELECTION_MAX)
			return trawl_fail(err, TRAWL_USAGE,
					  "--pid: given more than %d times; use --where 'pid == 1 "
					  "or pid == 2'", SELECTION_MAX);
		if (number(&pid_option, arg, &v, err))
			return -1;
		s->pids[s->npids++] = (int32_t)v;
		return 0;
	case OPTION_WHERE:
		if (s->where)
			return trawl_fail(err, TRAWL_USAGE,
					  "--where: given twice; join the expressions with 'and'");
		s->where_option = "--where";
		s->where_text = arg;
		s->where = where_parse("--where", arg, err);
		if (!s->where)
			return -1;
		where_set_on_mismatch(s->where, cli_note, NULL);
		return 0;
	case 'c':
		return number(&count_option, arg, &s->count, err);
	default:
		return 1;
	}
}

int selection_done(struct selection *s, bool utc, struct trawl_error *err)
{
	if (s->from_text && time_arg_parse("--from", s->from_text, utc, &s->from, err))
		return -1;
	if (s->to_text && time_arg_parse(s->to_option, s->to_text, utc, &s->to, err))
		return -1;
	s->utc = utc;
	s->begin = 0;
	s->end = UINT64_MAX;
	return 0;
}

bool selection_needs_took(const struct selection *s)
{
	size_t at;

	return s->where && where_uses_took(s->where, &at);
}

void selection_free(struct selection *s)
{
	where_free(s->where);
	s->where = NULL;
}

static bool relative(const struct time_arg *w)
{
	return w->kind == TIME_ARG_RELATIVE || w->kind == TIME_ARG_CLOCK;
}

bool selection_relative(const struct selection *s)
{
	return relative(&s->from) || relative(&s->to);
}

void selection_times(struct selection *s, uint64_t first)
{
	if (s->from.kind != TIME_ARG_NONE)
		s->begin = time_arg_resolve(&s->from, first);
	if (s->to.kind != TIME_ARG_NONE)
		s->end = time_arg_resolve(&s->to, first);
	s->all = !s->begin && s->end == UINT64_MAX && !s->nnames && !s->npids && !s->where;
}

bool selection_source(struct selection *s, const char *name)
{
	bool wanted = false;
	size_t i;

	if (!s->nsources)
		return !is_task_source(name);
	for (i = 0; i < s->nsources; i++) {
		if (glob_match(s->sources[i], name, strlen(name)) ||
		    glob_match(s->sources[i], name, strcspn(name, "@"))) {
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

bool selection_name(struct selection *s, const char *name, size_t len, bool event)
{
	bool wanted = !s->nnames;

	for (size_t i = 0; i < s->nnames; i++) {
		if (glob_match(s->names[i], name, len)) {
			s->name_seen[i] |= event;
			wanted = true;
		}
	}
	return wanted;
}

const char *selection_unseen(const struct selection *s)
{
	for (size_t i = 0; i < s->nnames; i++)
		if (!s->name_seen[i])
			return s->names[i];
	return NULL;
}

const int32_t *selection_unseen_pid(const struct selection *s)
{
	for (size_t i = 0; i < s->npids; i++)
		if (!s->pid_seen[i])
			return &s->pids[i];
	return NULL;
}

static bool wants_task(struct selection *s, const struct item *it)
{
	bool wanted = false;

	for (size_t i = 0; i < s->npids; i++) {
		if (s->pids[i] == it->pid || s->pids[i] == it->tid) {
			s->pid_seen[i] = true;
			wanted = true;
		}
	}
	return wanted;
}

bool selection_wants(struct selection *s, const struct decoder *d, void *state,
		     const struct item *it, const uint64_t *took)
{
	bool task;

	if (s->chooser && d == s->chooser->decoder)
		return s->chooser->has(s->chooser, it);
	/* called for every item, to note which pids occur */
	task = !s->npids || wants_task(s, it);

	return (!s->nnames || selection_name(s, it->name, it->name_len, true)) &&
	       (it->time >= s->begin || s->begin - it->time <= it->lasts) && it->time < s->end &&
	       task &&
	       (!s->where || where_match(s->where, d, state, it, took));
}
