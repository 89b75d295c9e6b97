/* SPDX-License-Identifier: MIT */
/*
 * Redacts metadata: of each piece only what edit/redactmembers.c lists is written. Metadata with
 * any other name is left out, because it may contain anything.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/branchrecord.h"
#include "common/mapsmark.h"
#include "common/sources.h"
#include "decode/base/jdoc.h"
#include "edit/metatext.h"
#include "edit/redact.h"
#include "edit/redactmembers.h"
#include "edit/usbroles.h"

/* Redacts the texts in quotes; the last one may have no end. In a sentence also the paths. */
static void change_quoted(struct redact *x, char *p, bool is_sentence)
{
	while (*p) {
		bool quoted = *p == '"';
		size_t n = quoted ? redact_quoted_length(p + 1, '"') : strcspn(p, " \t\n\"");

		if (quoted)
			redact_text(x, SECRET_STRINGS, p + 1, n);
		else if (is_sentence && memchr(p, '/', n))
			redact_path(x, p, n - strspn(p + n - 1, ";:,.)"));
		p += quoted ? 1 + n : n;
		p += *p != '\0';
	}
}

static struct json_object *changed_text(struct redact *x, const struct member *m,
					struct json_object *v)
{
	const char *text =
		json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";
	char *copy = strdup(text);
	struct json_object *new;

	if (!copy) {
		x->failed = true;
		return NULL;
	}
	if (m->rule == PATH || m->rule == PATHS)
		redact_path(x, copy, strlen(copy));
	else if (m->rule == MACHINE)
		redact_text(x, m->class, copy, strcspn(copy, "#"));
	else if (m->rule == SOURCE)
		redact_machine(x, copy);
	else if (m->rule == NOTE || m->rule == EXPRESSION)
		change_quoted(x, copy, m->rule == NOTE);
	else if (m->rule == FILTER)
		redact_filter(x, copy, redact_text);
	else if (m->rule == TRIGGER)
		redact_trigger(x, copy, strlen(copy));
	else if (m->rule == ARGUMENT)
		redact_argument(x, copy, strlen(copy));
	else if (m->rule == SPECS)
		redact_source_text(x, copy);
	else
		redact_text(x, m->class, copy, strlen(copy));
	new = json_object_new_string(copy);
	x->failed |= !new;
	free(copy);
	return new;
}

static struct json_object *changed_array(struct redact *x, const struct member *m,
					 struct json_object *v)
{
	struct json_object *list = json_object_new_array();

	x->failed |= !list;
	for (size_t i = 0; list && i < jdoc_count(v); i++) {
		struct member one = *m;
		struct json_object *text;

		one.rule = m->rule == WORDS && i ? ARGUMENT : m->rule;
		text = changed_text(x, &one, json_object_array_get_idx(v, i));
		x->failed |= json_object_array_add(list, text) != 0;
	}
	return list;
}

static struct json_object *changed_command_line(struct redact *x, struct json_object *v)
{
	struct json_object *list = json_object_new_array();
	size_t n = jdoc_count(v);
	char **argv = calloc(n + 1, sizeof(*argv));
	bool failed = !list || !argv || n > INT_MAX / 2;

	for (size_t i = 0; !failed && i < n; i++) {
		struct json_object *word = json_object_array_get_idx(v, i);

		argv[i] = strdup(json_object_is_type(word, json_type_string) ?
				 json_object_get_string(word) : "");
		failed = !argv[i];
	}
	if (!failed)
		redact_command_line(x, (int)n, argv);
	for (size_t i = 0; argv && argv[i]; i++) {
		struct json_object *text = json_object_new_string(argv[i]);

		failed |= !text || json_object_array_add(list, text) != 0;
		free(argv[i]);
	}
	free(argv);
	x->failed |= failed;
	return list;
}

/* Moves a wall-clock time, such as the start of a capture or a limit of a cut. */
static struct json_object *changed_time(struct redact *x, struct json_object *v)
{
	uint64_t ns = json_object_get_uint64(v);
	struct json_object *new = json_object_new_uint64(ns ? ns + (uint64_t)x->date : 0);

	x->failed |= !new;
	return new;
}

static struct json_object *changed_bos(struct redact *x, struct json_object *v)
{
	const char *hex = json_object_get_string(v);
	size_t n = hex ? strlen(hex) / 2 : 0;
	uint8_t *bytes = n ? hex_bytes(hex) : NULL;
	char *text = n ? malloc(2 * n + 1) : NULL;
	struct json_object *new = NULL;

	x->failed |= n && (!bytes || !text);
	if (bytes && text) {
		redact_bos(x, bytes, n);
		for (size_t i = 0; i < n; i++)
			snprintf(text + 2 * i, 3, "%02x", bytes[i]);
		new = json_object_new_string(text);
		x->failed |= !new;
	}
	free(bytes);
	free(text);
	return new;
}

/*
 * Redacts the event's name in the same way as that of the event type. The source follows from the
 * metadata's name.
 */
static struct json_object *changed_event(struct redact *x, struct json_object *v)
{
	const struct trawl_source source = {
		.name = !strncmp(x->place, "probe/usdt", 10) ? "usdt" : "uprobe",
	};
	char *copy = strdup(json_object_is_type(v, json_type_string) ? json_object_get_string(v) :
			    "");
	struct json_object *new = NULL;

	if (copy) {
		redact_type_name(x, &source, copy);
		new = json_object_new_string(copy);
	}
	x->failed |= !new;
	free(copy);
	return new;
}

/* ---- what is kept --------------------------------------------------------------------------- */

static bool is_number(const struct json_object *v)
{
	return json_object_is_type(v, json_type_int) || json_object_is_type(v, json_type_double) ||
	       json_object_is_type(v, json_type_boolean);
}

/*
 * A number, or a short text in one line: what trawl writes in members that are kept. Anything
 * longer is of another origin.
 */
static bool is_plain(const struct json_object *v)
{
	enum { LONGEST = 256 };
	const char *text;

	if (!json_object_is_type(v, json_type_string))
		return is_number(v);
	text = json_object_get_string((struct json_object *)v);
	for (size_t i = 0; text[i]; i++)
		if (i == LONGEST || (unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	return true;
}

/* Whether all elements of an array have a form; of elements that are arrays, theirs, too. */
static bool is_array_of(struct json_object *v, bool (*has_form)(const struct json_object *),
			bool deep)
{
	if (!json_object_is_type(v, json_type_array))
		return false;
	for (size_t i = 0; i < jdoc_count(v); i++) {
		struct json_object *e = json_object_array_get_idx(v, i);

		if (!has_form(e) && !(deep && is_array_of(e, has_form, false)))
			return false;
	}
	return true;
}

static bool is_named_numbers(struct json_object *v)
{
	if (!json_object_is_type(v, json_type_object))
		return false;
	json_object_object_foreach(v, key, number) {
		(void)key;
		if (!is_number(number))
			return false;
	}
	return true;
}

/* Whether a value may be kept as it is. */
static bool is_kept(struct redact *x, const struct member *m, struct json_object *v)
{
	const char *text;

	switch (m->rule) {
	case KEEP:
		return is_plain(v);
	case DROP:
		return is_plain(v) && !redact_drops(x, m->class);
	case LIST:
		return is_plain(v) || is_array_of(v, is_plain, false);
	case NUMBERS:
		return is_array_of(v, is_number, true);
	case NAMED:
		return is_named_numbers(v);
	case HEX:
		text = json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "-";
		return !text[strspn(text, "0123456789abcdefABCDEF")];
	default:
		return false;
	}
}

/* ---- members -------------------------------------------------------------------------------- */

static void change(struct redact *x, struct json_object *j, const struct member *members);

/* Redacts [address, bytes, name]; anything else is emptied. */
static void change_row(struct redact *x, const struct member *m, struct json_object *row)
{
	if (jdoc_count(row) == 3 && is_number(json_object_array_get_idx(row, 0)) &&
	    is_number(json_object_array_get_idx(row, 1)))
		json_object_array_put_idx(row, 2, changed_text(x, m, json_object_array_get_idx(
			row, 2)));
	else
		json_object_array_del_idx(row, 0, jdoc_count(row));
}

/* Redacts the objects in an array, or an object; returns whether it is one of these. */
static bool change_each(struct redact *x, const struct member *m, struct json_object *v)
{
	if (json_object_is_type(v, json_type_object)) {
		change(x, v, m->inside);
		return true;
	}
	for (size_t i = 0; i < jdoc_count(v); i++) {
		if (!json_object_is_type(json_object_array_get_idx(v, i), json_type_object))
			return false;
		change(x, json_object_array_get_idx(v, i), m->inside);
	}
	return json_object_is_type(v, json_type_array);
}

static bool change_rows(struct redact *x, const struct member *m, struct json_object *v)
{
	for (size_t i = 0; i < jdoc_count(v); i++) {
		struct json_object *row = json_object_array_get_idx(v, i);

		if (!json_object_is_type(row, json_type_array))
			return false;
		change_row(x, m, row);
	}
	return json_object_is_type(v, json_type_array);
}

/* Returns a value's stand-in; NULL: the member is not written. */
static struct json_object *changed(struct redact *x, const struct member *m, struct json_object *v)
{
	switch (m->rule) {
	case COMMAND_LINE:
		return changed_command_line(x, v);
	case WORDS:
	case PATHS:
	case SPECS:
		return changed_array(x, m, v);
	case EACH:
		return change_each(x, m, v) ? json_object_get(v) : NULL;
	case ROWS:
		return change_rows(x, m, v) ? json_object_get(v) : NULL;
	case TIME:
		return changed_time(x, v);
	case BOS:
		return changed_bos(x, v);
	case EVENT:
		return changed_event(x, v);
	case KEEP:
	case LIST:
	case NUMBERS:
	case NAMED:
	case HEX:
	case DROP:
		return is_kept(x, m, v) ? json_object_get(v) : NULL;
	default:
		return changed_text(x, m, v);
	}
}

static void change_member(struct redact *x, struct json_object *j, const struct member *m)
{
	struct json_object *v = jdoc_get(j, m->name), *new;

	if (!v)
		return;
	new = changed(x, m, v);
	if (!new)
		json_object_object_del(j, m->name);
	else if (new == v)
		json_object_put(new); /* changed in place */
	else
		x->failed |= json_object_object_add(j, m->name, new) != 0;
}

static bool is_listed(const struct member *members, const char *name)
{
	for (; members->name; members++)
		if (!strcmp(members->name, name))
			return true;
	return false;
}

static void change(struct redact *x, struct json_object *j, const struct member *members)
{
	json_object_object_foreach(j, key, value) {
		(void)value;
		if (!is_listed(members, key))
			json_object_object_del(j, key);
	}
	for (const struct member *m = members; m->name; m++)
		change_member(x, j, m);
}

/* ---- symbols -------------------------------------------------------------------------------- */

/* Marks the types of a probe's arguments, and the names of their values, as public. */
static void keep_types(struct redact *x, struct json_object *args)
{
	for (size_t i = 0; i < jdoc_count(args); i++) {
		struct json_object *arg = json_object_array_get_idx(args, i);
		struct json_object *values = jdoc_get(arg, "values");
		const char *type = jdoc_string(arg, "ctype");

		removed_public(&x->removed, type, strlen(type));
		if (!json_object_is_type(values, json_type_object))
			continue;
		json_object_object_foreach(values, name, number) {
			if (is_number(number))
				removed_public(&x->removed, name, strlen(name));
		}
	}
}

/* Marks the symbols of a probe, or of a program with branches, as public. */
static void keep_symbols(struct redact *x, struct json_object *j)
{
	struct json_object *sites = jdoc_get(j, "sites"), *functions = jdoc_get(j, "functions");

	keep_types(x, jdoc_get(j, "args"));
	for (size_t i = 0; i < jdoc_count(sites); i++) {
		const char *s = jdoc_string(json_object_array_get_idx(sites, i), "symbol");

		if (s)
			removed_public(&x->removed, s, strlen(s));
		keep_types(x, jdoc_get(json_object_array_get_idx(sites, i), "args"));
	}
	for (size_t i = 0; i < jdoc_count(functions); i++) {
		struct json_object *row = json_object_array_get_idx(functions, i);
		struct json_object *name =
			jdoc_count(row) == 3 ? json_object_array_get_idx(row, 2) : NULL;
		const char *s = name ? json_object_get_string(name) : "";

		removed_public(&x->removed, s, strlen(s));
	}
}

void redact_keep_symbols(struct redact *x)
{
	for (size_t i = 0; !redact_drops(x, SECRET_SYMBOLS) && i < trawl_meta_count(x->r); i++) {
		const struct trawl_meta *m = trawl_meta_at(x->r, i);
		struct json_object *j;

		if (strncmp(m->name, "probe/", strlen("probe/")) != 0 &&
		    strncmp(m->name, BRANCH_MODULE_NAME, strlen(BRANCH_MODULE_NAME)) != 0)
			continue;
		errno = 0;
		j = jdoc_parse(m->data, m->len);
		x->failed |= !j && errno == ENOMEM;
		keep_symbols(x, j);
		json_object_put(j);
	}
}

static char *changed_json(struct redact *x, const struct trawl_meta *m, const struct member *list)
{
	struct json_object *j = jdoc_parse(m->data, m->len);
	const char *json;
	char *text;

	if (!json_object_is_type(j, json_type_object)) {
		x->failed |= !j && errno == ENOMEM;
		json_object_put(j);
		return NULL;
	}
	change(x, j, list);
	errno = 0; /* json-c returns a truncated text with ENOMEM if memory runs out */
	json = json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	text = json ? strdup(json) : NULL;
	x->failed |= !text || errno == ENOMEM;
	json_object_put(j);
	return text;
}

/* ---- lines with addresses ----------------------------------------------------------------- */

static size_t put_address(struct redact *x, const char *p, char *to, char **end)
{
	uint64_t v;
	int n;

	*end = (char *)p;
	if (!isxdigit((unsigned char)*p)) /* strtoull() would accept blanks and signs */
		return 0;
	v = strtoull(p, end, 16);
	n = (int)(*end - p);
	redact_address(x, (uint8_t *)&v);
	return (size_t)sprintf(to, "%0*" PRIx64, n, v);
}

/* Redacts NAME in "[NAME]", which a program may have chosen, but not what every process has. */
static void change_mapping(struct redact *x, char *p)
{
	static const char *const names[] = { "heap", "stack", "vdso", "vvar", "vvar_vclock",
					     "vsyscall", "uprobes" };
	char *name = p + 1, *end = strrchr(p, ']');
	size_t n = end ? (size_t)(end - name) : strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (n == strlen(names[i]) && !memcmp(name, names[i], n))
			return;
	for (const char *kind = "anon:"; *kind && n && *name == *kind; kind++, name++)
		n--;
	redact_text(x, SECRET_STRINGS, name, n);
	if (end && end[1])
		redact_text(x, SECRET_STRINGS, end + 1, strlen(end + 1));
}

/*
 * Redacts what follows a mapping's addresses: " r-xp 00002000 fe:00 248139    /path". Returns
 * whether it is of this form.
 */
static bool change_rest(struct redact *x, char *p)
{
	int at = 0, end = 0;

	if (sscanf(p, " %*4[-rwxsp] %*16[0-9a-f] %*8[0-9a-f]:%*8[0-9a-f] %n%*20[0-9]%n", &at,
		   &end) != 0 || !at || end <= at || !strchr(" ", p[end]))
		return false;
	redact_inode(x, p + at, (size_t)(end - at));
	p += end + strspn(p + end, " ");
	if (*p == '[')
		change_mapping(x, p);
	else
		redact_path(x, p, strlen(p));
	return true;
}

/* Writes a redacted line to *to, without its end. Returns false if it is not of the known form. */
static bool put_line(struct redact *x, char *line, bool maps, char **to)
{
	char *p = line, *out = *to;
	size_t n;

	if (p[0] == '0' && p[1] == 'x') {
		*out++ = *p++;
		*out++ = *p++;
	}
	n = put_address(x, p, out, &p);
	out += n;
	if (n && maps && *p == '-') {
		*out++ = '-';
		n = put_address(x, p + 1, out, &p);
		out += n;
		if (!n || !change_rest(x, p))
			return false;
	} else if (!n || maps || *p != ' ') {
		return false;
	}
	*to = stpcpy(out, p);
	return true;
}

/*
 * Redacts lines that begin with an address; maps: lines of /proc/PID/maps. Other lines are left
 * out, except that a text which was cut still ends with that mark.
 */
static char *changed_lines(struct redact *x, const struct trawl_meta *m, bool maps)
{
	static const char cut[] = "# cut:"; /* of any recorder; ours has one text */
	char *copy = strndup(m->data, m->len), *to = malloc(m->len * 2 + 64), *out = to;

	x->failed |= !copy || !to;
	for (char *line = copy, *next; copy && to && *line; line = next) {
		char *end = line + strcspn(line, "\n");

		next = *end ? end + 1 : end;
		*end = '\0';
		if (maps && !strncmp(line, cut, strlen(cut)))
			to = stpcpy(to, strcmp(line, MAPS_CUT) ? cut : MAPS_CUT);
		else if (!put_line(x, line, maps, &to))
			continue;
		*to++ = '\n';
	}
	free(copy);
	if (out)
		*to = '\0';
	return out;
}

/* Returns a copy of a text of numbers; NULL: it has something else, or x->failed is set. */
static char *copied_numbers(struct redact *x, const struct trawl_meta *m)
{
	char *copy = strndup(m->data, m->len);

	x->failed |= !copy;
	if (!copy || !copy[strspn(copy, "0123456789abcdef -")])
		return copy;
	free(copy);
	return NULL;
}

/* ---- pieces ------------------------------------------------------------------------------- */

/* Redacts a metadata's name, which may contain the name of a probe, a machine or an inode. */
static void change_name(struct redact *x, char *name)
{
	const struct trawl_source uprobe = { .name = "uprobe" };
	char *source = name + strlen("probe/"), *slash, *number;

	if (!strncmp(name, "probe/", strlen("probe/"))) {
		redact_machine(x, source);
		slash = strchr(source, '/');
		if (slash && (!strncmp(source, "uprobe/", 7) || !strncmp(source, "uprobe@", 7)))
			redact_type_name(x, &uprobe, slash + 1);
	} else if (!strncmp(name, BRANCH_MODULE_NAME, strlen(BRANCH_MODULE_NAME))) {
		number = strrchr(name, ':');
		if (number && number[1] && !number[1 + strspn(number + 1, "0123456789")])
			redact_inode(x, number + 1, strlen(number + 1));
	}
}

static char *changed_text_of(struct redact *x, const struct trawl_meta *m,
			     const struct document *d)
{
	switch (d->form) {
	case DOCUMENT_JSON:
		return changed_json(x, m, d->members);
	case DOCUMENT_MAPS:
		return changed_lines(x, m, true);
	case DOCUMENT_SYMBOLS:
		return changed_lines(x, m, false);
	default:
		return copied_numbers(x, m);
	}
}

char *redact_meta(struct redact *x, struct trawl_meta *m, char *name, size_t room)
{
	const struct document *d = redact_document(m->name);
	char *text;

	x->place = m->name;
	text = d ? changed_text_of(x, m, d) : NULL;
	if (!text)
		return NULL;
	snprintf(name, room, "%s", m->name);
	change_name(x, name);
	if (!x->counting && strcmp(m->name, "kernel/kallsyms") != 0) {
		for (struct metatext t = { .data = text, .len = strlen(text) }; metatext_next(&t);)
			redact_scrub(x, text + t.at, t.n);
		redact_scrub(x, name, metatext_of_name(name));
	}
	m->name = name;
	m->type = d->form == DOCUMENT_JSON ? "application/json" : "text/plain";
	m->data = text;
	m->len = strlen(text);
	return text;
}

void redact_read_tasks(struct redact *x)
{
	out_memory(&x->kernel_tasks);
	for (size_t i = 0; i < trawl_meta_count(x->r); i++) {
		const struct trawl_meta *m = trawl_meta_at(x->r, i);
		struct json_object *j;

		if (strncmp(m->name, "task/", 5))
			continue;
		j = jdoc_parse(m->data, m->len);
		if (json_object_get_boolean(jdoc_get(j, "kernel")))
			out_bytes(&x->kernel_tasks, jdoc_string(j, "comm"),
				  strlen(jdoc_string(j, "comm")) + 1);
		json_object_put(j);
	}
	x->failed |= x->kernel_tasks.error != 0;
}
