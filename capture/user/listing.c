/* SPDX-License-Identifier: MIT */
/*
 * trawl -D usdt:PATH and -D uprobe:PATH: the probes and functions of a program, with their
 * arguments.
 */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/list.h"
#include "capture/probe/probe.h"
#include "capture/sys/alloc.h"
#include "capture/sys/path.h"
#include "capture/user/listing.h"

enum { LISTED_MOST = 1 << 20 };

/*
 * Returns the -i text for the user's text after "usdt:"; to a program alone it adds a glob for all
 * probes.
 */
static char *whole_spec(const char *kind, const char *text, const char *arguments)
{
	char *path = strncmp(text, "pid=", 4) ? path_find(text) : NULL, *whole;
	bool all = path || (!strncmp(text, "pid=", 4) && !strchr(text, ':'));

	free(path);
	whole = xasprintf("%s:%s%s%s", kind, text, all ? ":*" : "", arguments);
	return whole;
}

/* *nargs, unless that is NULL: how many ARGs there are, with those in `arguments`. */
static int resolve(const char *kind, const char *text, const char *arguments,
		   struct probe_list *list, size_t *nargs, struct trawl_error *err)
{
	struct spec spec;
	char *whole;
	int r;

	if (!strchr(text, ':') && strncmp(text, "pid=", 4)) {
		char *path = path_find(text);

		if (!path)
			return trawl_fail(err, TRAWL_USAGE, "-D %s:%s: no such file", kind, text);
		free(path);
	}
	whole = whole_spec(kind, text, arguments);
	r = spec_parse(whole, &spec, err);
	if (nargs)
		*nargs = r ? 0 : spec.nargs;
	if (!r)
		r = probe_resolve(&spec, LISTED_MOST, list, err);
	spec_free(&spec);
	free(whole);
	return r;
}

/* Appends to *text, which is malloc'd or NULL. */
static void append(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void append(char **text, const char *fmt, ...)
{
	char *more, *all;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&more, fmt, ap) < 0)
		more = NULL;
	va_end(ap);
	alloc_checked(more);
	all = xasprintf("%s%s", *text ? *text : "", more);
	free(more);
	free(*text);
	*text = all;
}

/* Returns the length of a name without the suffix "_na", which arguments have that no site has. */
static size_t without_na(const char *name)
{
	size_t n = strlen(name);

	return n > 3 && !strcmp(name + n - 3, "_na") ? n - 3 : n;
}

/* The type of a static probe's argument, which the kernel records as a number of its size. */
static const char *shown_type(const struct probe_arg *arg)
{
	if (arg->show != PROBE_SHOW_FLOAT)
		return arg->type;
	return !strcmp(arg->type, "x32") ? "float" : !strcmp(arg->type, "x64") ? "double" : arg->type;
}

/* Appends the arguments at the probe's first site: "int n, const char *name". */
static void add_arguments(const struct probe *p, char **text)
{
	const char *comma = "";

	for (size_t i = 0; i < p->nargs; i++) {
		const struct probe_arg *arg = &p->args[i];
		const struct probe_arg_site *site = &p->sites[0].args[i];
		const char *name = probe_arg_name(arg);

		if (arg->helper)
			continue;
		if (site->state == PROBE_ARG_UNAVAILABLE)
			append(text, "%s%.*s (unavailable: %s)", comma,
			       (int)without_na(name), name, site->why);
		else if (*arg->ctype)
			append(text, "%s%s%s%s", comma, arg->ctype,
			       arg->ctype[strlen(arg->ctype) - 1] == '*' ? "" : " ", name);
		else
			append(text, "%s%s%s%s", comma, name, *arg->type ? ":" : "",
			       shown_type(arg));
		comma = ", ";
	}
}

static void add_json(struct json *j, const struct probe *p, const struct probe *with)
{
	json_string(j, "file", p->file->path);
	json_array(j, "args");
	for (size_t i = 0; with && i < with->nargs; i++) {
		const struct probe_arg *arg = &with->args[i];

		if (arg->helper)
			continue;
		json_object(j, NULL);
		json_string(j, "name", probe_arg_name(arg));
		json_string(j, "type", arg->counted ? "string" : arg->type);
		json_string(j, "ctype", arg->ctype);
		json_bool(j, "available", with->sites[0].args[i].state != PROBE_ARG_UNAVAILABLE);
		json_end(j);
	}
	json_end(j);
	json_array(j, "sites");
	for (size_t i = 0; i < p->nsites; i++) {
		json_object(j, NULL);
		json_uint(j, "offset", p->sites[i].offset);
		json_string(j, "symbol", p->sites[i].symbol);
		json_string(j, "file", p->sites[i].file ? p->sites[i].file : "");
		json_uint(j, "line", p->sites[i].line);
		json_end(j);
	}
	json_end(j);
}

/* Returns the part of the user's text that names the file or process, with its colon, malloc'd. */
static char *beginning(const char *text)
{
	const char *colon;
	char *path = path_find(text), *part;

	if (path || (!strncmp(text, "pid=", 4) && !strchr(text, ':'))) {
		free(path);
		return xasprintf("%s:", text);
	}
	/* The longest prefix that is a file; for a process, its number. */
	for (colon = text + strlen(text); colon > text; colon--) {
		if (*colon != ':')
			continue;
		part = xstrndup(text, (size_t)(colon - text));
		path = strncmp(text, "pid=", 4) ? path_find(part) : NULL;
		free(part);
		if (path ||
		    (!strncmp(text, "pid=", 4) && !memchr(text, ':', (size_t)(colon - text)))) {
			free(path);
			return xstrndup(text, (size_t)(colon - text) + 1);
		}
	}
	return xstrdup("");
}

int usdt_list(const char *text, struct source_list *list, struct trawl_error *err)
{
	struct probe_list probes = { 0 };
	int r = resolve("usdt", text, "", &probes, NULL, err);
	char *front = beginning(text);

	for (size_t i = 0; i < probes.n; i++) {
		const struct probe *p = probes.probes[i];
		char *name = xasprintf("usdt:%s%s:%s", front, p->provider, p->name), *what = NULL;
		struct source_entry *e;

		append(&what, "(");
		add_arguments(p, &what);
		append(&what, ")");
		if (p->nsites > 1)
			append(&what, "  %zu sites", p->nsites);
		if (*p->sites[0].symbol)
			append(&what, "  %s", p->sites[0].symbol);
		if (!strncmp(text, "pid=", 4))
			append(&what, "  %s", p->file->path);
		e = source_list_add(list, name, what, NULL);
		add_json(&e->more, p, p);
		free(name);
		free(what);
	}
	free(front);
	probe_list_free(&probes);
	return r;
}

/* Returns the symbol in "BASENAME:SYMBOL". */
static const char *symbol_of(const struct probe *p)
{
	return p->display_name + strlen(probe_file_name(p->file)) + 1;
}

/* Returns the name with a backslash before each blank and backslash, as -i needs it, malloc'd. */
static char *escaped(const char *name)
{
	char *text = xcalloc(2 * strlen(name) + 1, 1);
	size_t n = 0;

	for (; *name; name++) {
		if (*name == ' ' || *name == '\\')
			text[n++] = '\\';
		text[n++] = *name;
	}
	return text;
}

/* Whether -i would take the name as a glob, an offset or a return, or as other functions, too. */
static bool ambiguous(const struct probe *p, const char *symbol)
{
	const char *number = strrchr(symbol, '#');

	return !probe_name_may_be_symbol(symbol) ||
	       (number && number[1] && !number[1 + strspn(number + 1, "0123456789")] &&
		strcmp(symbol, p->sites[0].symbol)) ||
	       strchr(symbol, '%') || strstr(symbol, "+0x") ||
	       /* A literal match, such as Go's main.(*T).Add, precedes a glob. */
	       (strpbrk(symbol, "*?[") &&
		(strstr(symbol, "::") || !strncmp(symbol, "operator", 8)));
}

/* Returns the -i text of this function alone: its name, or its offset if that is ambiguous. */
static char *own_name(const char *front, const struct probe *p)
{
	const char *symbol = symbol_of(p);
	char *name, *text;

	if (p->alone)
		return xasprintf("uprobe:%s%s", front, p->alone);
	if (ambiguous(p, symbol))
		return xasprintf("uprobe:%s0x%" PRIx64, front, p->sites[0].offset);
	name = escaped(symbol);
	text = xasprintf("uprobe:%s%s", front, name);
	free(name);
	return text;
}

/*
 * Lists all functions, with the ARGs in the text or, where there are none, the parameters that the
 * debug information has. The list with parameters is a subset of the other, in the same order.
 */
int uprobe_list(const char *text, struct source_list *list, struct trawl_error *err)
{
	struct probe_list all = { 0 }, described = { 0 };
	struct trawl_error ignored;
	size_t at = 0, nargs = 0;
	int r = resolve("uprobe", text, "", &all, &nargs, err);
	char *front = beginning(text);

	if (!r && !nargs)
		resolve("uprobe", text, " $params", &described, NULL, &ignored);
	for (size_t i = 0; i < all.n; i++) {
		const struct probe *p = all.probes[i], *with = NULL;
		char *name = own_name(front, p), *what = NULL;
		struct source_entry *e;

		if (nargs)
			with = p;
		else if (at < described.n &&
			 described.probes[at]->sites[0].offset == p->sites[0].offset)
			with = described.probes[at++];
		append(&what, with ? "(" : "(?");
		if (with)
			add_arguments(with, &what);
		append(&what, ")");
		if (strcmp(p->sites[0].symbol, symbol_of(p)))
			append(&what, "  %s", p->sites[0].symbol);
		if (p->sites[0].line)
			append(&what, "  %s:%u", p->sites[0].file, p->sites[0].line);
		e = source_list_add(list, name, what, NULL);
		add_json(&e->more, p, with);
		json_bool(&e->more, "described", with != NULL);
		free(name);
		free(what);
	}
	free(front);
	probe_list_free(&described);
	probe_list_free(&all);
	return r;
}
