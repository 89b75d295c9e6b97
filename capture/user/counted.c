/* SPDX-License-Identifier: MIT */
#include "capture/user/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_counted(const struct probe *p)
{
	for (size_t k = 0; k < p->nargs; k++)
		if (p->args[k].counted)
			return true;
	return false;
}

struct counted_text *counted_places(const struct probe *p, struct eventformat *f, size_t *n)
{
	struct counted_text *texts = has_counted(p) ? calloc(p->nargs, sizeof(*texts)) : NULL;

	*n = 0;
	for (size_t k = 0; texts && k < p->nargs; k++) {
		const struct probe_arg *a = &p->args[k];
		const struct trawl_field *window, *pointer, *length;

		if (!a->counted)
			continue;
		window = eventformat_field(f, a->name);
		pointer = eventformat_field(f, p->args[a->pointer].name);
		length = eventformat_field(f, p->args[a->length].name);
		if (!window || !pointer || !length || window->place != TRAWL_FIXED)
			continue;
		texts[(*n)++] = (struct counted_text){
			.never_null = a->counted == COUNTED_NEVER_NULL,
			.libcxx = a->counted == COUNTED_LIBCXX,
			.at = window->offset,
			.room = (uint32_t)window->size * window->count,
			.pointer_at = pointer->offset,
			.length_at = length->offset,
		};
	}
	return texts;
}

/* ---- the format in the file ---------------------------------------------------------------- */

static const struct probe_arg *arg_named(const struct probe *p, const char *name, size_t len)
{
	for (size_t k = 0; k < p->nargs; k++)
		if (strlen(p->args[k].name) == len && !memcmp(p->args[k].name, name, len))
			return &p->args[k];
	return NULL;
}

static void describe_fields(const struct probe *p, struct eventformat *f)
{
	for (size_t k = 0; k < p->nargs; k++) {
		struct trawl_field *field = eventformat_field(f, p->args[k].name);

		if (!field)
			continue;
		if (p->args[k].spent) {
			eventformat_drop(f, field);
		} else if (p->args[k].counted) {
			field->place = TRAWL_DATA_LOC;
			field->kind = TRAWL_TEXT;
			field->size = field->count = 1;
		}
	}
}

/*
 * Writes a line "\tfield:u64 name[32];\toffset:8;..." for the file: as a text, or drops it. Returns
 * false if the line is to be copied.
 */
static bool rewrite_field(const struct probe *p, const char *line, FILE *out)
{
	const char *end = strchr(line, ';'), *name, *offset;
	const struct probe_arg *a;
	size_t len;

	if (!end || strncmp(line, "\tfield:", 7))
		return false;
	name = end;
	while (name > line && name[-1] != ' ')
		name--;
	len = strcspn(name, "[;");
	offset = strstr(end, "offset:");
	a = arg_named(p, name, len);
	if (!a || !offset || (!a->spent && !a->counted))
		return false;
	if (a->counted)
		fprintf(out, "\tfield:__data_loc char[] %s;\toffset:%d;\tsize:4;\tsigned:1;\n",
			a->name, atoi(offset + 7));
	return true;
}

/*
 * Returns the conversion in the print format for a value of this type; NULL if the print format
 * lacks it.
 */
static const char *conversion(const struct probe_arg *a)
{
	if (a->counted || !strcmp(a->type, "string") || !strcmp(a->type, "ustring"))
		return "\\\"%s\\\"";
	if (strchr(a->type, '['))
		return NULL;
	switch (*a->type) {
	case 'u':
		return strcmp(a->type, "u64") ? "%u" : "%Lu";
	case 's':
		return strcmp(a->type, "s64") ? "%d" : "%Ld";
	case 'x':
		return strcmp(a->type, "x64") ? "0x%x" : "0x%Lx";
	default:
		return NULL;
	}
}

static void rewrite_print(const struct probe *p, FILE *out)
{
	bool returns = p->kind == PROBE_URETPROBE;

	fprintf(out, "print fmt: \"(%%lx%s)", returns ? " <- %lx" : "");
	for (size_t k = 0; k < p->nargs; k++)
		if (!p->args[k].spent && conversion(&p->args[k]))
			fprintf(out, " %s=%s", p->args[k].name, conversion(&p->args[k]));
	fprintf(out, "\", REC->%s", returns ? "__probe_func, REC->__probe_ret_ip" : "__probe_ip");
	for (size_t k = 0; k < p->nargs; k++) {
		const char *how = p->args[k].spent ? NULL : conversion(&p->args[k]);

		if (how)
			fprintf(out, how[0] == '\\' ? ", __get_str(%s)" : ", REC->%s",
				p->args[k].name);
	}
	fputc('\n', out);
}

/* Returns the text of the format of the records in the file, malloc'd; NULL without memory. */
static char *rewrite_format(const struct probe *p, const char *text)
{
	char *rewritten = NULL;
	size_t size;
	FILE *out = open_memstream(&rewritten, &size);
	const char *next;

	if (!out)
		return NULL;
	for (; *text; text = next) {
		next = strchr(text, '\n');
		next = next ? next + 1 : text + strlen(text);
		if (!strncmp(text, "print fmt:", 10))
			rewrite_print(p, out);
		else if (!rewrite_field(p, text, out))
			fwrite(text, 1, (size_t)(next - text), out);
	}
	if (!fclose(out))
		return rewritten;
	free(rewritten);
	return NULL;
}

int counted_describe(const struct probe *p, const char *text, struct eventformat *f)
{
	if (!has_counted(p) && !p->conditions)
		return 0;
	f->text = rewrite_format(p, text);
	describe_fields(p, f);
	return f->text ? 0 : -1;
}
