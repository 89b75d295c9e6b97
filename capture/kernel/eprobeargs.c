/* SPDX-License-Identifier: MIT */
#include "capture/kernel/eprobeargs.h"
#include "capture/kernel/ktest.h"
#include "common/nearest.h"
#include "common/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the kernel (kernel/trace/trace_probe.h). */
enum { ARGS_MAX = 128, ARG_TEXT_MAX = 63, NAME_MAX_ = 31 };

static bool is_number_type(const struct trawl_field *f)
{
	return f->place == TRAWL_FIXED && f->count == 1 && f->kind != TRAWL_TEXT &&
	       f->kind != TRAWL_BYTES;
}

/* Writes the type of a field in the kernel's notation; "" for the kernel's default. */
static void own_type(const struct trawl_field *f, char type[16])
{
	char letter = f->kind == TRAWL_INT || f->kind == TRAWL_PID ? 's' :
		      f->kind == TRAWL_HEX || f->kind == TRAWL_ADDR ? 'x' : 'u';

	type[0] = '\0';
	if (f->kind == TRAWL_TEXT)
		strcpy(type, "string");
	else if (is_number_type(f))
		snprintf(type, 16, "%c%u", letter, 8 * f->size);
}

static int fail_field(const struct eprobe *e, const char *name, size_t at, struct trawl_error *err)
{
	struct nearest near = { .wanted = name };
	char hint[256];

	for (uint32_t i = 0; i < e->format.nfields; i++)
		nearest_offer(&near, e->format.fields[i].name);
	spec_fail(&e->spec, at, err, "eprobe: %s.%s has no field %s%s", e->spec.group,
		  e->spec.event, name, nearest_hint(&near, hint, sizeof(hint)));
	nearest_free(&near);
	return -1;
}

/*
 * Returns why an eprobe cannot have a field that other probes have, and the remedy; NULL for any
 * other name.
 */
static const char *instead_of(const char *name)
{
	if (!strncmp(name, "common_pid", 10) || !strncmp(name, "common_cpu", 10))
		return "every record has its task and CPU anyway; leave it out";
	if (!strncmp(name, "common_", 7))
		return "every record has the common fields anyway; leave it out";
	if (!strncmp(name, "stack", 5) || !strcmp(name, "retval") ||
	    (!strncmp(name, "arg", 3) && isdigit((unsigned char)name[3])))
		return "an eprobe has only the fields of its event";
	return NULL;
}

/*
 * Refuses an array of numbers on kernels that read it wrongly. It can only be read by its address,
 * +8($args); kernels before 6.17 use its first element as the address, without an error.
 */
static int check_array(const struct eprobe *e, const struct trawl_field *f, bool followed,
		       size_t at, struct trawl_error *err)
{
	struct kernel_features k;

	if (f->place != TRAWL_FIXED || f->count == 1 || f->kind == TRAWL_TEXT ||
	    f->kind == TRAWL_BYTES)
		return 0;
	if (!followed)
		return spec_fail(&e->spec, at, err,
				 "eprobe: %s is an array; write +%u($%s) for its second element",
				 f->name, f->size, f->name);
	if (e->at_exit || ktest_run(e->trace->top, &k, err))
		return e->at_exit ? 0 : -1;
	if (k.arrays)
		return 0;
	spec_fail(&e->spec, at, err,
		  "eprobe: %s is an array, which this kernel reads wrongly (Linux 6.17 is "
		  "needed); use an event that has the value as a field, such as "
		  "syscalls.sys_enter_NAME",
		  f->name);
	err->status = TRAWL_CANNOT;
	return -1;
}

/* Checks that every $NAME of an expression is a field of the event, or $comm. */
static int check_fields(struct eprobe *e, const struct spec_arg *arg, struct trawl_error *err)
{
	size_t shift = *arg->field ? strlen(arg->field) + 1 : 0;
	char name[HIST_PAIR_NAME_MAX];

	for (const char *p = arg->expr; *p; p++) {
		size_t n = 0, at = arg->at + shift + (size_t)(p - arg->expr);
		const struct trawl_field *f;

		if (*p == '%')
			return spec_fail(&e->spec, at, err, "eprobe: an eprobe cannot read "
							    "registers, only the fields of its "
							    "event");
		if (*p != '$')
			continue;
		while (is_word(p[1 + n]) && n < sizeof(name) - 1) {
			name[n] = p[1 + n];
			n++;
		}
		name[n] = '\0';
		if (!strcmp(name, "comm") || !strcmp(name, "COMM"))
			continue;
		f = eventformat_field(&e->format, name);
		if (!f && instead_of(name))
			return spec_fail(&e->spec, at, err, "eprobe: $%s: %s", name,
					 instead_of(name));
		if (!f)
			return fail_field(e, name, at, err);
		if (check_array(e, f, p > arg->expr && p[-1] == '(', at, err))
			return -1;
		if (e->at_exit && strcmp(name, "ret") &&
		    hist_pair_field(&e->hist, name, f, false, err))
			return -1;
	}
	return 0;
}

/* Adds the checks of an argument, which may read memory that is not present. */
static int check_read(struct eprobe *e, const struct spec_arg *arg, const char *name)
{
	char *fetch;
	int r;

	if (asprintf(&fetch, "%s%s%s", arg->expr, *arg->type ? ":" : "", arg->type) < 0)
		return -1;
	r = eprobe_check_arg(&e->checks, name, fetch);
	free(fetch);
	return r;
}

static int add_argument(struct eprobe *e, size_t i, struct trawl_error *err)
{
	const struct spec_arg *arg = &e->spec.args[i];
	const struct trawl_field *f =
		arg->expr[0] == '$' ? eventformat_field(&e->format, arg->expr + 1) : NULL;
	char name[HIST_PAIR_NAME_MAX], type[16] = "", *grown;
	bool comm = !strcmp(arg->expr, "$comm") || !strcmp(arg->expr, "$COMM");
	int n;

	if (check_fields(e, arg, err))
		return -1;
	if (*arg->field)
		snprintf(name, sizeof(name), "%s", arg->field);
	else if (f || comm)
		snprintf(name, sizeof(name), "%s", arg->expr + 1);
	else
		snprintf(name, sizeof(name), "arg%zu", i + 1);
	if (strlen(name) > NAME_MAX_)
		return spec_fail(&e->spec, arg->at, err, "eprobe: %s: a field name has at most %d "
				 "characters", name, NAME_MAX_);
	if (f)
		own_type(f, type);
	else if (comm)
		strcpy(type, "string");
	n = asprintf(&grown, "%s%s%s=%s%s%s", e->args ? e->args : "", e->args ? " " : "", name,
		     arg->expr, *arg->type || *type ? ":" : "", *arg->type ? arg->type : type);
	if (n < 0 || check_read(e, arg, name)) {
		if (n >= 0)
			free(grown);
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	if (strlen(arg->expr) + strlen(*arg->type ? arg->type : type) + 1 > ARG_TEXT_MAX) {
		free(grown);
		return spec_fail(&e->spec, arg->at, err, "eprobe: the kernel takes at most %d "
				 "characters for an argument", ARG_TEXT_MAX);
	}
	free(e->args);
	e->args = grown;
	return 0;
}

static int append_argument(struct eprobe *e, const char *arg, struct trawl_error *err)
{
	char *grown;

	if (asprintf(&grown, "%s%s%s", e->args ? e->args : "", e->args ? " " : "", arg) < 0)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	free(e->args);
	e->args = grown;
	return 0;
}

/* Adds a field that identifies the event's disk request (block.h), unless an argument has it. */
static int add_request_field(struct eprobe *e, const char *name, struct trawl_error *err)
{
	const struct trawl_field *f = eventformat_field(&e->format, name);
	char arg[64], type[16];

	for (size_t i = 0; i < e->spec.nargs; i++) {
		const struct spec_arg *a = &e->spec.args[i];
		const char *field = *a->field ? a->field : *a->expr == '$' ? a->expr + 1 : "";

		if (strcmp(field, name))
			continue;
		if (*a->expr == '$' && !strcmp(a->expr + 1, name) && !*a->type)
			return 0;
		return spec_fail(&e->spec, a->at, err,
				 "eprobe: with -p or COMMAND, %s identifies the disk request; "
				 "give this argument another name",
				 name);
	}
	own_type(f, type);
	snprintf(arg, sizeof(arg), "%s=$%s:%s", name, name, type);
	return append_argument(e, arg, err);
}

static int add_request(struct eprobe *e, struct trawl_error *err)
{
	static const char *const fields[] = { "dev", "sector", "nr_sector" };

	for (size_t i = 0; i < 3; i++)
		if (!eventformat_field(&e->format, fields[i]))
			return 0;
	for (size_t i = 0; i < 3; i++)
		if (add_request_field(e, fields[i], err))
			return -1;
	e->of_request = true;
	return 0;
}

int eprobe_add_arguments(struct eprobe *e, struct trawl_error *err)
{
	bool ret = false;

	if (e->spec.nargs > ARGS_MAX)
		return spec_fail(&e->spec, e->spec.args[ARGS_MAX].at, err,
				 "eprobe: the kernel takes at most %d arguments", ARGS_MAX);
	for (size_t i = 0; i < e->spec.nargs; i++) {
		if (add_argument(e, i, err))
			return -1;
		ret |= !strcmp(e->spec.args[i].field, "ret") ||
		       !strcmp(e->spec.args[i].expr, "$ret");
	}
	if (e->at_exit && !ret && append_argument(e, "ret=$ret:s64", err))
		return -1;
	if (e->with_request && !strcmp(e->spec.group, "block") && add_request(e, err))
		return -1;
	if (e->checks.n) {
		char *checked = eprobe_check_args(&e->checks, e->args);

		if (!checked)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
		free(e->args);
		e->args = checked;
	}
	return 0;
}
