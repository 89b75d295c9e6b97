/* SPDX-License-Identifier: MIT */
#include "decode/kernel/numbernames.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/errnoname.h"
#include "decode/base/jdoc.h"
#include "decode/base/output.h"

struct number_names {
	/* must be first: a struct written is cast to the number_names that contains it */
	struct written written;
	const struct shown *shown;
};

/* The numbers of Linux on all processors but those of other_numbers. */
static const char *const names[] = {
	NULL, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
	"SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
	"SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
	"SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
};

static const char *const other_numbers[] = { "alpha", "mips", "parisc", "sparc" };

static const char *name_in(const struct written *w, const void *record, size_t len)
{
	const struct number_names *s = (const struct number_names *)w;
	const uint8_t *bytes;
	uint64_t sig;
	size_t n;

	if (!field_bytes(s->shown->field, record, len, &bytes, &n) || n > 8)
		return NULL;
	sig = load_uint(bytes, n);
	return sig < ARRAY_SIZE(names) ? names[sig] : NULL;
}

static void put(const struct written *w, const void *record, size_t len, struct out *o)
{
	const struct number_names *s = (const struct number_names *)w;
	const char *name = name_in(w, record, len);

	if (name)
		out_str(o, name);
	else
		shown_plain_text(s->shown, record, len, o);
}

/* The error with which a system call failed. */
static const char *error_in(const struct written *w, const void *record, size_t len)
{
	const struct number_names *s = (const struct number_names *)w;
	const uint8_t *bytes;
	size_t n;

	if (!field_bytes(s->shown->field, record, len, &bytes, &n) || n > 8)
		return NULL;
	return errno_name(-load_int(bytes, n));
}

static void put_error(const struct written *w, const void *record, size_t len, struct out *o)
{
	const struct number_names *s = (const struct number_names *)w;
	const char *name = error_in(w, record, len);

	shown_plain_text(s->shown, record, len, o);
	if (name)
		out_printf(o, " (%s)", name);
}

/* Whether the event type's field "ret" is the result of a system call. */
static bool has_error(const char *name)
{
	return !strncmp(name, "syscalls:sys_exit_", 18) || !strcmp(name, "raw_syscalls:sys_exit");
}

/* Whether the event type's field "sig" is a signal. */
static bool has_signal(const char *name)
{
	static const char *const calls[] = { "kill", "tkill", "tgkill", "rt_sigaction",
					     "rt_sigqueueinfo", "rt_tgsigqueueinfo",
					     "pidfd_send_signal" };

	if (!strcmp(name, "signal:signal_generate") || !strcmp(name, "signal:signal_deliver"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strncmp(name, "syscalls:sys_enter_", 19) && !strcmp(name + 19, calls[i]))
			return true;
	return false;
}

static bool has_usual_numbers(const struct trawl_reader *r)
{
	struct json_object *machine = jdoc_meta(r, "machine");
	const char *arch = jdoc_string(machine, "arch");
	bool usual = *arch;

	for (size_t i = 0; i < ARRAY_SIZE(other_numbers); i++)
		usual &= strncmp(arch, other_numbers[i], strlen(other_numbers[i])) != 0;
	json_object_put(machine);
	return usual;
}

struct number_names *number_names_new(const struct trawl_reader *r,
				      const struct trawl_event_type *type, struct event_layout *l)
{
	bool error = has_error(type->name);
	struct shown *shown = error                    ? event_layout_find(l, "ret")
			      : has_signal(type->name) ? event_layout_find(l, "sig")
						       : NULL;
	struct number_names *s;

	if (!shown || shown->written || shown->field->place != TRAWL_FIXED ||
	    shown->field->count != 1 || !has_usual_numbers(r))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s) {
		out_lack_memory();
		return NULL;
	}
	s->shown = shown;
	s->written.put = error ? put_error : put;
	s->written.only_negative = error;
	s->written.name = error ? error_in : name_in;
	shown->written = &s->written;
	return s;
}

void number_names_free(struct number_names *s)
{
	free(s);
}
