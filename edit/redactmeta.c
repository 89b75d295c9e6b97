/* SPDX-License-Identifier: MIT */
/*
 * Metadata without secrets. The tables list what may be secret in each piece of metadata that
 * docs/format.md names. A piece with any other name is left out, because it may hold anything.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/branchrecord.h"
#include "common/sources.h"
#include "decode/base/jdoc.h"
#include "edit/redact.h"

enum rule { KEEP, DROP, TEXT, PATH, WORDS, PATHS, EACH, TRIGGER, SOURCE, MACHINE, THIRD };

struct member {
	const char *name;
	enum rule rule;
	enum secret_class class;
	const struct member *inside; /* EACH: of the objects of an array */
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
/* Of functions [address, bytes, name]. */
static const struct member module_members[] = {
	{ "path", PATH, SECRET_PATHS, NULL }, { "files", PATHS, SECRET_PATHS, NULL },
	{ "functions", THIRD, SECRET_SYMBOLS, NULL }, { 0 },
};
static const struct member task_members[] = {
	{ "comm", TEXT, SECRET_COMMANDS, NULL }, { "exe", PATH, SECRET_PATHS, NULL },
	{ "cmdline", WORDS, SECRET_COMMANDS, NULL }, { 0 },
};
static const struct member site_members[] = {
	{ "file", PATH, SECRET_PATHS, NULL }, { "symbol", TEXT, SECRET_SYMBOLS, NULL }, { 0 },
};
static const struct member probe_members[] = {
	{"path", PATH, SECRET_PATHS, NULL},
	{"remark", DROP, SECRET_STRINGS, NULL},
	{"tracefs", DROP, SECRET_PATHS, NULL},
	{"inode", DROP, SECRET_IDENTITY, NULL},
	{"dev", DROP, SECRET_IDENTITY, NULL},
	{"sites", EACH, SECRET_PATHS, site_members},
	{0},
};
static const struct member device_members[] = {
	{ "serial", TEXT, SECRET_SERIALS, NULL }, { 0 },
};
static const struct member no_members[] = { { 0 } };

/* A word of trawl's own command line that tells nothing of its user: an option, a trace event. */
static bool is_ours(const struct member *m, const char *word)
{
	static const char *const words[] = {"trawl",	 "--",	    "-i",	 "-w",
					    "-p",	 "-c",	    "-C",	 "-G",
					    "-W",	 "-s",	    "-q",	 "--ring",
					    "--trigger", "--after", "--duration"};
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz_:*";

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return !strcmp(m->name, "sources") && !strncmp(word, "event:", 6) &&
		!word[strspn(word, plain)];
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

/* ---- what needs more than a list ---------------------------------------------------------- */

static void change_time(struct redact *x, struct json_object *j)
{
	uint64_t start = jdoc_uint(j, "start_ns", 0);

	if (start && x->date)
		json_object_object_add(j, "start_ns",
				       json_object_new_uint64(start + (uint64_t)x->date));
}

/* Overwrites the container id in a BOS descriptor, which is in hex, with zeros. */
static void change_bos(struct redact *x, struct json_object *j)
{
	const char *hex = jdoc_string(j, "bos");
	bool drop = *hex && redact_drops(x, SECRET_IDENTITY);
	char *copy = drop ? strdup(hex) : NULL, *id;

	x->failed |= drop && !copy;
	id = copy ? strstr(copy, "141004") : NULL;
	if (id && strlen(id) >= 40)
		memset(id + 8, '0', 32);
	if (copy)
		json_object_object_add(j, "bos", json_object_new_string(copy));
	free(copy);
}

/* Changes the event's name as in the event type; the name of the metadata says which source it is
 * of. */
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

/* Symbols that are kept: a removed value that is part of one is public. */
static void keep_symbols(struct redact *x, struct json_object *j)
{
	struct json_object *sites = jdoc_get(j, "sites"), *functions = jdoc_get(j, "functions");

	if (redact_drops(x, SECRET_SYMBOLS))
		return;
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
		change_time(x, j);
	if (list == device_members)
		change_bos(x, j);
	if (list == probe_members)
		change_event(x, j, m->name);
	if (list == probe_members || list == module_members)
		keep_symbols(x, j);
	errno = 0; /* the text ends early where json-c has no memory for all of it */
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
	if (!isxdigit((unsigned char)*p)) /* strtoull() takes blanks and signs */
		return 0;
	v = strtoull(p, end, 16);
	n = (int)(*end - p);
	redact_address(x, (uint8_t *)&v);
	return (size_t)sprintf(to, "%0*" PRIx64, n, v);
}

/* After the addresses: " r-xp 00002000 fe:00 248139    /path". */
static void change_inode(struct redact *x, char *p)
{
	int at = 0, end = 0;

	if (sscanf(p, " %*[-rwxsp] %*x %*x:%*x %n%*[0-9]%n", &at, &end) == 0 && end > at && at)
		redact_inode(x, p + at, (size_t)(end - at));
}

/* Lines of /proc/PID/maps, or that begin with an address. */
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
			path = strchr(p, '/');
			if (path)
				redact_path(x, path, strlen(path));
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
	{ "usb/", device_members }, { "edit/", no_members },
};

static bool is_called(const struct trawl_meta *m, const char *name)
{
	size_t n = strlen(name);

	return name[n - 1] == '/' ? !strncmp(m->name, name, n) : !strcmp(m->name, name);
}

/* The name says a probe, a machine or a file. */
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
	if (is_called(m, "timeline")) /* numbers: by how much the section's times are moved */
		x->failed |= !(text = strndup(m->data, m->len));
	else if (is_called(m, "maps/") || is_called(m, BRANCH_MAPS_NAME))
		text = changed_lines(x, m, true);
	else if (is_called(m, "kernel/kallsyms") || is_called(m, "kernel/printk_formats"))
		text = changed_lines(x, m, false);
	for (size_t i = 0; !text && i < sizeof(documents) / sizeof(*documents); i++)
		if (is_called(m, documents[i].name)) {
			text = changed_json(x, m, documents[i].members);
			break;
		}
	if (!text)
		return NULL;
	change_name(x, name);
	if (!x->counting && strcmp(m->name, "kernel/kallsyms")) {
		redact_scrub(x, text, strlen(text));
		redact_scrub(x, name, strlen(name));
	}
	*len = strlen(text);
	return text;
}
