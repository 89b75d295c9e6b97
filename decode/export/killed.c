/* SPDX-License-Identifier: MIT */
#include "decode/export/killed.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/escape.h"
#include "decode/base/time.h"

static bool is_crash(int64_t signal)
{
	static const int crashes[] = { SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS };

	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		if (signal == crashes[i])
			return true;
	return false;
}

static bool get_number(const struct decoder *d, void *state, const struct item *it,
		       const char *field, struct value *v)
{
	*v = (struct value){ 0 };
	return d->value(state, it, field, v) && (v->type == VALUE_INT || v->type == VALUE_UINT);
}

void killed_item(struct killed *k, const struct decoder *d, void *state, const struct item *it)
{
	static const char event[] = "signal:signal_deliver";
	struct killed_task *t;
	struct value sig, handler;

	if (it->name_len != sizeof(event) - 1 || memcmp(it->name, event, sizeof(event) - 1) != 0 ||
	    !d->value || !get_number(d, state, it, "sig", &sig) || !is_crash(sig.i) ||
	    !get_number(d, state, it, "sa_handler", &handler) || handler.u || k->n++ >= KILLED_MAX)
		return;
	t = &k->tasks[k->n - 1];
	t->time = it->time;
	t->tid = it->tid;
	snprintf(t->comm, sizeof(t->comm), "%.*s", (int)it->comm_len, it->comm_len ? it->comm : "");
	if (sig.text)
		snprintf(t->signal, sizeof(t->signal), "%.*s", (int)sig.len, sig.text);
	else
		snprintf(t->signal, sizeof(t->signal), "signal %" PRId64, sig.i);
}

void killed_print(const struct killed *k, bool utc, struct out *o)
{
	if (!k->n)
		return;
	out_str(o, "\ncrashed: a signal without a handler\n");
	for (uint64_t i = 0; i < k->n && i < KILLED_MAX; i++) {
		const struct killed_task *t = &k->tasks[i];

		out_printf(o, "  %s ", t->signal);
		out_safe(o, *t->comm ? t->comm : "?", strlen(*t->comm ? t->comm : "?"));
		out_printf(o, "-%" PRId32 " ", t->tid);
		time_full(o, t->time, utc);
		out_char(o, '\n');
	}
	if (k->n > KILLED_MAX)
		out_printf(o, "              and %" PRIu64 " more\n", k->n - KILLED_MAX);
}
