/* SPDX-License-Identifier: MIT */
#include "capture/kernel/eprobecheck.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/cli/readable.h"
#include "capture/tracefs/readcheck.h"
#include "common/array.h"

#define CONTROL "_trawl_c"
#define END "_trawl_e"

static const char unread[] = "its page was not in memory, or its address is not mapped";
static const char unread_way[] =
	"a page on the way was not in memory, or an address on the way is not mapped";

int eprobe_check_arg(struct eprobe_checks *c, const char *name, const char *fetch)
{
	struct eprobe_check *check;
	struct readable r;

	readable_checks(fetch, &r);
	if (!*r.first)
		return 0;
	if (!array_grow(c->checks, c->n))
		return -1;
	check = &c->checks[c->n++];
	*check = (struct eprobe_check){ 0 };
	check->deep = r.depth > 1;
	snprintf(check->value, sizeof(check->value), "%s", name);
	snprintf(check->fetch[0], sizeof(check->fetch[0]), "%s", r.first);
	snprintf(check->fetch[1], sizeof(check->fetch[1]), "%s", r.last);
	for (unsigned int i = 0; i < 2 && *check->fetch[i]; i++)
		snprintf(check->name[i], sizeof(check->name[i]), "_r%u%c",
			 (unsigned int)c->n & 0xff, "ab"[i]);
	return 0;
}

char *eprobe_check_args(const struct eprobe_checks *c, const char *args)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (c->n)
		fprintf(out, CONTROL "=" READABLE_CONTROL " ");
	for (size_t i = 0; i < c->n; i++)
		for (unsigned int k = 0; k < 2 && *c->checks[i].fetch[k]; k++)
			fprintf(out, "%s=%s ", c->checks[i].name[k], c->checks[i].fetch[k]);
	fprintf(out, "%s%s", args, c->n ? " " END "=" READABLE_END : "");
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* The file's format says that strings without bytes could not be read. */
static void note_texts(struct eventformat *f)
{
	for (uint32_t i = 0; i < f->nfields; i++)
		if (f->fields[i].kind == TRAWL_TEXT && f->fields[i].place == TRAWL_DATA_LOC)
			f->fields[i].note = unread;
}

int eprobe_check_event(struct trace *t, const struct eprobe_checks *c, struct eventformat *f,
		       struct trawl_error *err)
{
	struct read_names names = { .control = CONTROL, .end = END };
	int r = 0;

	names.values = calloc(c->n + 1, sizeof(*names.values));
	for (; names.values && names.n < c->n; names.n++) {
		const struct eprobe_check *check = &c->checks[names.n];
		names.values[names.n] = (struct read_name){
			.first = check->name[0],
			.last = *check->name[1] ? check->name[1] : NULL,
			.value = check->value,
			.shown = check->value,
			.why = check->deep ? unread_way : unread,
		};
	}
	if (!names.values)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (c->n)
		r = trace_add_check(t, f->id, read_check_new(f, &names), err);
	if (!r && c->n && read_check_tune(f, &names))
		r = trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!r)
		note_texts(f);
	free(names.values);
	return r;
}

void eprobe_checks_free(struct eprobe_checks *c)
{
	free(c->checks);
	*c = (struct eprobe_checks){ 0 };
}
