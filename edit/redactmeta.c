/* SPDX-License-Identifier: MIT */
/*
 * Redacts metadata. The tables list what may be secret in each piece of metadata that
 * docs/format.md describes. Metadata with any other name is left out, because it may contain
 * anything.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/branchrecord.h"
#include "common/sources.h"
#include "decode/base/jdoc.h"
#include "edit/metatext.h"
#include "edit/redact.h"

enum rule { KEEP, DROP, TEXT, PATH, WORDS, PATHS, EACH, TRIGGER, SOURCE, MACHINE, THIRD, NOTE };

struct member {
	const char *name;
	enum rule rule;
	enum secret_class class;
	const struct member *inside; /* EACH: the members of the objects in an array */
};

/* ---- members ------------------------------------------------------------------------------ */

static const struct member machine_members[] = {
	{ "hostname", TEXT, SECRET_NAMES, NULL }, { "boot_id", TEXT, SECRET_IDENTITY, NULL }, { 0 },
};
static const struct member capture_members[] = {
	{ "argv", WORDS, SECRET_COMMANDS, NULL }, { "sources", WORDS, SECRET_COMMANDS, NULL },
	{ "command", WORDS, SECRET_COMMANDS, NULL }, { "user", TEXT, SECRET_NAMES, NULL },
	{ "uid", DROP, SECRET_NAMES, NULL }, { "from", PATH, SECRET_PATHS, NULL }, { 0 },
};
static const struct member source_members[] = {
	{ "source", SOURCE, SECRET_NAMES, NULL }, { 0 },
};
static const struct member end_members[] = {
	{ "trigger", TRIGGER, SECRET_STRINGS, NULL },
	{ "sources", EACH, SECRET_NAMES, source_members },
	{ 0 },
};
static const struct member timeline_members[] = {
	{ "machine", MACHINE, SECRET_NAMES, NULL }, { 0 },
};
/* Functions are rows [address, bytes, name]. */
static const struct member module_members[] = {
	{ "path", PATH, SECRET_PATHS, NULL }, { "files", PATHS, SECRET_PATHS, NULL },
	{ "functions", THIRD, SECRET_SYMBOLS, NULL }, { 0 },
};
static const struct member task_members[] = {
	{ "comm", TEXT, SECRET_COMMANDS, NULL }, { "exe", PATH, SECRET_PATHS, NULL },
	{ "cmdline", WORDS, SECRET_COMMANDS, NULL }, { 0 },
};
/*
 * "why" and "note" are sentences with names of parameters and files; "fetch" has texts in quotes.
 * The rule for the note comes last, when dropped members are gone.
 */
static const struct member argument_members[] = {
	{ "why", DROP, SECRET_SYMBOLS, NULL }, { "note", DROP, SECRET_SYMBOLS, NULL },
	{ "ctype", DROP, SECRET_SYMBOLS, NULL },
	{ "why", NOTE, SECRET_STRINGS, NULL }, { "note", NOTE, SECRET_STRINGS, NULL },
	{ "fetch", NOTE, SECRET_STRINGS, NULL }, { 0 },
};
static const struct member site_members[] = {
	{ "file", PATH, SECRET_PATHS, NULL }, { "symbol", TEXT, SECRET_SYMBOLS, NULL },
	{ "to", TEXT, SECRET_SYMBOLS, NULL }, { "args", EACH, SECRET_SYMBOLS, argument_members },
	{ 0 },
};
static const struct member probe_members[] = {
	{"path", PATH, SECRET_PATHS, NULL},
	{"remark", DROP, SECRET_STRINGS, NULL},
	/* of an eprobe: its filter has names of tasks and files, in quotes or not */
	{"spec", DROP, SECRET_STRINGS, NULL},
	{"filter", DROP, SECRET_STRINGS, NULL},
	{"tracefs", DROP, SECRET_PATHS, NULL},
	{"inode", DROP, SECRET_IDENTITY, NULL},
	{"dev", DROP, SECRET_IDENTITY, NULL},
	{"args", EACH, SECRET_SYMBOLS, argument_members},
	{"sites", EACH, SECRET_PATHS, site_members},
	{0},
};
static const struct member device_members[] = {
	{ "serial", TEXT, SECRET_SERIALS, NULL }, { 0 },
};
static const struct member no_members[] = { { 0 } };
static const struct member edit_members[] = { { 0 } };

/*
 * Whether a word of trawl's command line reveals nothing about its user, such as an option or a
 * trace event.
 */
static bool is_ours(const struct member *m, const char *word)
{
	static const char *const words[] = {"trawl",	 "--",	    "-i",	 "-w",
					    "-p",	 "-c",	    "-C",	 "-G",
					    "-W",	 "-s",	    "-q",	 "--ring",
					    "--trigger", "--after", "--duration"};
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz_:*";

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return !strcmp(m->name, "sources") && !strncmp(word, "event:", 6) &&
		!word[strspn(word, plain)];
}

/* Redacts the texts in quotes and the paths of a sentence. */
static void change_note(struct redact *x, char *p)
{
	while (*p) {
		char *end = *p == '"' ? strchr(p + 1, '"') : NULL;
		size_t n = end ? (size_t)(end - p) + 1 : strcspn(p, " \t\n\"");

		if (end)
			redact_text(x, SECRET_STRINGS, p + 1, n - 2);
		else if (memchr(p, '/', n))
			redact_path(x, p, n - strspn(p + n - 1, ";:,.)"));
		p += n ? n : 1;
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
	else if (m->rule == NOTE)
		change_note(x, copy);
	else if (m->rule == TRIGGER)
		redact_trigger(x, copy, strlen(copy));
	else if (m->rule != WORDS || !is_ours(m, copy))
		redact_text(x, m->class, copy, strlen(copy));
	new = json_object_new_string(copy);
	x->failed |= !new;
	free(copy);
	return new;
}

static void change(struct redact *x, struct json_object *j, const struct member *members);

static void change_third(struct redact *x, const struct member *m, struct json_object *row)
{
	struct json_object *name = jdoc_count(row) == 3 ? json_object_array_get_idx(row, 2) : NULL;

	if (name)
		json_object_array_put_idx(row, 2, changed_text(x, m, name));
}

static void change_member(struct redact *x, struct json_object *j, const struct member *m)
{
	struct json_object *v = jdoc_get(j, m->name), *list;

	if (!v)
		return;
	switch (m->rule) {
	case DROP:
		if (redact_drops(x, m->class))
			json_object_object_del(j, m->name);
		return;
	case WORDS:
	case PATHS:
		list = json_object_new_array();
		x->failed |= !list;
		for (size_t i = 0; list && i < jdoc_count(v); i++)
			x->failed |= json_object_array_add(list, changed_text(
				x, m, json_object_array_get_idx(v, i))) != 0;
		json_object_object_add(j, m->name, list);
		return;
	case THIRD:
		for (size_t i = 0; i < jdoc_count(v); i++)
			change_third(x, m, json_object_array_get_idx(v, i));
		return;
	case EACH:
		for (size_t i = 0; i < jdoc_count(v); i++)
			change(x, json_object_array_get_idx(v, i), m->inside);
		return;
	default:
		json_object_object_add(j, m->name, changed_text(x, m, v));
	}
}

static void change(struct redact *x, struct json_object *j, const struct member *members)
{
	if (json_object_is_type(j, json_type_object))
		for (const struct member *m = members; m->name; m++)
			change_member(x, j, m);
}

/* ---- members that need their own functions --------------------------------------------------- */

/* Moves a wall-clock time, such as the start of a capture or a limit of a cut. */
static void change_time(struct redact *x, struct json_object *j, const char *name)
{
	uint64_t ns = jdoc_uint(j, name, 0);

	if (ns && x->date)
		json_object_object_add(j, name, json_object_new_uint64(ns + (uint64_t)x->date));
}

static void change_bos(struct redact *x, struct json_object *j)
{
	const char *hex = jdoc_string(j, "bos");
	size_t n = strlen(hex) / 2;
	uint8_t *bytes = n ? hex_bytes(hex) : NULL;
	char *text = n ? malloc(2 * n + 1) : NULL;

	x->failed |= n && (!bytes || !text);
	if (bytes && text) {
		redact_bos(x, bytes, n);
		for (size_t i = 0; i < n; i++)
			snprintf(text + 2 * i, 3, "%02x", bytes[i]);
		json_object_object_add(j, "bos", json_object_new_string(text));
	}
	free(bytes);
	free(text);
}

/*
 * Redacts the event's name in the same way as that of the event type. The source follows from the
 * metadata's name.
 */
static void change_event(struct redact *x, struct json_object *j, const char *meta)
{
	const struct trawl_source source = {
		.name = !strncmp(meta, "probe/usdt", 10) ? "usdt" : "uprobe",
	};
	const char *event = jdoc_string(j, "event");
	char *copy = strdup(event);

	x->failed |= !copy;
	if (copy && *copy) {
		struct json_object *name;

		redact_type_name(x, &source, copy);
		name = json_object_new_string(copy);
		x->failed |= !name;
		json_object_object_add(j, "event", name);
	}
	free(copy);
}

static bool is_called(const struct trawl_meta *m, const char *name)
{
	size_t n = strlen(name);

	return name[n - 1] == '/' ? !strncmp(m->name, name, n) : !strcmp(m->name, name);
}

/* Marks the symbols of a probe, or of a program with branches, as public. */
static void keep_symbols(struct redact *x, struct json_object *j)
{
	struct json_object *sites = jdoc_get(j, "sites"), *functions = jdoc_get(j, "functions");

	for (size_t i = 0; i < jdoc_count(sites); i++) {
		const char *s = jdoc_string(json_object_array_get_idx(sites, i), "symbol");

		if (s)
			removed_public(&x->removed, s, strlen(s));
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

		if (!is_called(m, "probe/") && !is_called(m, BRANCH_MODULE_NAME))
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

	if (!j) {
		x->failed |= errno == ENOMEM;
		return NULL;
	}
	change(x, j, list);
	if (list == capture_members)
		change_time(x, j, "start_ns");
	if (list == edit_members) {
		change_time(x, j, "from_ns");
		change_time(x, j, "until_ns");
	}
	if (list == device_members)
		change_bos(x, j);
	if (list == probe_members)
		change_event(x, j, m->name);
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

/*
 * Redacts the inode in the rest of a line after a mapping's addresses: " r-xp 00002000 fe:00 248139
 * /path".
 */
static void change_inode(struct redact *x, char *p)
{
	int at = 0, end = 0;

	if (sscanf(p, " %*[-rwxsp] %*x %*x:%*x %n%*[0-9]%n", &at, &end) == 0 && end > at && at)
		redact_inode(x, p + at, (size_t)(end - at));
}

/* Redacts NAME in "[anon:NAME]", which the program chose; names such as "[heap]" stay. */
static void change_mapping(struct redact *x, char *p)
{
	char *name = strchr(p, ':'), *end = strrchr(p, ']');

	if (name && end && end > name)
		redact_text(x, SECRET_STRINGS, name + 1, (size_t)(end - name) - 1);
}

/* Redacts lines that begin with an address; maps: lines of /proc/PID/maps. */
static char *changed_lines(struct redact *x, const struct trawl_meta *m, bool maps)
{
	char *copy = strndup(m->data, m->len), *to = malloc(m->len * 2 + 64), *out = to;

	x->failed |= !copy || !to;
	for (char *line = copy, *next; copy && to && *line; line = next) {
		char *end = line + strcspn(line, "\n"), *p = line, *path;

		next = *end ? end + 1 : end;
		*end = '\0';
		if (p[0] == '0' && p[1] == 'x') {
			*to++ = *p++;
			*to++ = *p++;
		}
		to += put_address(x, p, to, &p);
		if (maps && *p == '-') {
			*to++ = '-';
			to += put_address(x, p + 1, to, &p);
			change_inode(x, p);
			path = strpbrk(p, "/[");
			if (path && *path == '/')
				redact_path(x, path, strlen(path));
			else if (path)
				change_mapping(x, path);
		}
		memcpy(to, p, (size_t)(end - p));
		to += end - p;
		*to++ = '\n';
	}
	free(copy);
	if (out)
		*to = '\0';
	return out;
}

/* ---- pieces ------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const struct member *members;
} documents[] = {
	{ "machine", machine_members }, { "capture", capture_members }, { "end", end_members },
	{ "kernel/tracing", no_members }, { "import/halves", no_members },
	{ "usb/verdict", no_members }, { "task/", task_members }, { "probe/", probe_members },
	{ BRANCH_MODULE_NAME, module_members }, { "timeline/how", timeline_members },
	{ "usb/", device_members }, { "edit/", edit_members },
};

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

char *redact_meta(struct redact *x, const struct trawl_meta *m, char *name, size_t room,
		  size_t *len)
{
	char *text = NULL;

	x->place = m->name;
	snprintf(name, room, "%s", m->name);
	if (is_called(m, "timeline")) /* only numbers: how far the section's times are moved */
		x->failed |= !(text = strndup(m->data, m->len));
	else if (is_called(m, "maps/") || is_called(m, BRANCH_MAPS_NAME))
		text = changed_lines(x, m, true);
	else if (is_called(m, "kernel/kallsyms") || is_called(m, "kernel/printk_formats"))
		text = changed_lines(x, m, false);
	for (size_t i = 0; !text && i < ARRAY_SIZE(documents); i++)
		if (is_called(m, documents[i].name)) {
			text = changed_json(x, m, documents[i].members);
			break;
		}
	if (!text)
		return NULL;
	change_name(x, name);
	*len = strlen(text);
	if (!x->counting && strcmp(m->name, "kernel/kallsyms")) {
		for (struct metatext t = { .data = text, .len = *len }; metatext_next(&t);)
			redact_scrub(x, text + t.at, t.n);
		redact_scrub(x, name, metatext_of_name(name));
	}
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
