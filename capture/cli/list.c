/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/plain.h"
#include "capture/cli/list.h"
#include "capture/source.h"
#include "capture/sys/alloc.h"
#include "decode/base/fit.h"

/* Prints a text without control characters: it may come from a program or a device. */
static void print_safe(const char *text, int width, FILE *out)
{
	char *copy = xstrdup(text);

	fprintf(out, "%-*s", width, plain_text(copy, false));
	free(copy);
}

static void print_text(const struct source_list *list, FILE *out)
{
	int width = 0;

	for (size_t i = 0; i < list->count; i++) {
		int len = (int)strlen(list->entries[i].name);

		width = len > width && len < 40 ? len : width;
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct source_entry *e = &list->entries[i];

		print_safe(e->name, width, out);
		fputs("  ", out);
		print_safe(e->what, 0, out);
		fputc('\n', out);
		if (!e->usable) {
			fprintf(out, "%-*s    not usable: ", width, "");
			print_safe(e->why, 0, out);
			fputc('\n', out);
		}
	}
}

/* Prints the list; on a terminal, a line that is too long goes on in the next row. */
static int print_folded(const struct source_list *list, FILE *out, struct trawl_error *err)
{
	unsigned int columns = fit_terminal(fileno(out));
	size_t n = 0;
	char *text = NULL;
	FILE *memory;
	struct out o;
	int r = 0;

	if (!columns) {
		print_text(list, out);
		return 0;
	}
	memory = open_memstream(&text, &n);
	if (memory)
		print_text(list, memory);
	if (!memory || fclose(memory)) {
		free(text);
		return trawl_fail(err, TRAWL_CANNOT, "-D: out of memory");
	}
	out_memory(&o);
	for (const char *at = text, *end = text + n, *eol; at < end; at = eol + 1) {
		eol = memchr(at, '\n', (size_t)(end - at));
		fit_fold(&o, at, (size_t)(eol + 1 - at), columns);
	}
	if (o.error)
		r = trawl_fail(err, TRAWL_CANNOT, "-D: out of memory");
	else
		fwrite(o.data, 1, o.len, out);
	out_free(&o);
	free(text);
	return r;
}

static void print_json(const struct source_list *list, FILE *out)
{
	struct json j = { 0 };

	json_array(&j, NULL);
	for (size_t i = 0; i < list->count; i++) {
		const struct source_entry *e = &list->entries[i];

		json_object(&j, NULL);
		json_string(&j, "name", e->name);
		json_string(&j, "what", e->what);
		json_bool(&j, "usable", e->usable);
		if (!e->usable)
			json_string(&j, "why", e->why);
		json_members(&j, &e->more);
		json_end(&j);
	}
	json_end(&j);
	fprintf(out, "%s\n", j.text);
	json_free(&j);
}

/* Adds those of the source's plain -D entries that begin with `text`. */
static int describe_some(const struct source *source, const char *text, struct source_list *list,
			 struct trawl_error *err)
{
	struct source_list all = { 0 };
	size_t before = list->count;

	if (source->describe)
		source->describe(&all);
	for (size_t i = 0; i < all.count; i++) {
		struct source_entry *e = &all.entries[i], *copy;

		if (strncmp(e->name, text, strlen(text)))
			continue;
		copy = source_list_add(list, e->name, e->what, e->why);
		copy->more = e->more;
		e->more = (struct json){ 0 };
	}
	source_list_free(&all);
	return list->count > before ? 0 :
	       trawl_fail(err, TRAWL_USAGE, "-D %s: no such source; trawl -D lists all", text);
}

static int list_some(const char *text, struct source_list *list, struct trawl_error *err)
{
	const char *spec;
	const struct source *source = source_find("-D", text, &spec, err);

	if (!source)
		return -1;
	return *spec && source->list ? source->list(spec, list, err) :
				       describe_some(source, text, list, err);
}

int list_sources(char **texts, size_t n, bool as_json, FILE *out, struct trawl_error *err)
{
	struct source_list list = { 0 };
	int r = 0;

	for (size_t i = 0; !n && sources[i]; i++) {
		if (sources[i]->describe)
			sources[i]->describe(&list);
	}
	for (size_t i = 0; i < n && !r; i++)
		r = list_some(texts[i], &list, err);
	if (!r && as_json)
		print_json(&list, out);
	else if (!r)
		r = print_folded(&list, out, err);
	source_list_free(&list);
	return r;
}
