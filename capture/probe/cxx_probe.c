/* SPDX-License-Identifier: MIT */
/*
 * Probes on C++ and Rust functions by demangled name: shop::Cart::add, with or without the
 * parameters and the last template arguments, or as a glob. All function symbols of the file are
 * demangled to find the matching ones; the probe is then made by symbol and displayed by its
 * demangled name.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "capture/probe/build.h"
#include "capture/probe/cxx.h"
#include "capture/probe/list.h"
#include "capture/probe/resolve.h"
#include "capture/sys/alloc.h"
#include "common/compare.h"
#include "common/search.h"

struct match {
	const struct elf_symbol *symbol;
	struct cxx_name name;
};

struct matches {
	struct match *list;
	size_t n;
};

/* True if this function was found already, through an alias or in another symbol table. */
static bool have(const struct matches *m, const struct elf_symbol *s)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct elf_symbol *known = m->list[i].symbol;

		if (known->vaddr == s->vaddr || !strcmp(known->name, s->name))
			return true;
	}
	return false;
}

/* True if the text is the name and the clone's suffix, as lists and events show a clone. */
static bool clone_named(const struct cxx_name *name, const char *text)
{
	const char *clone = strstr(name->full, " [clone ");
	size_t len = strlen(name->name);

	return clone && !strncmp(text, name->name, len) && !strcmp(text + len, clone);
}

static void find(struct resolve *r, struct target *t, bool glob, struct matches *m)
{
	for (size_t i = 0; i < t->elf->nsymbols; i++) {
		const struct elf_symbol *s = &t->elf->symbols[i];
		struct cxx_name name;

		/* The cold part of a function (.cold) is not entered by calls. */
		if (!s->function || strstr(s->name, ".cold") || !cxx_demangle(s->name, &name))
			continue;
		if ((cxx_named(&name, r->spec->symbol, glob) ||
		     clone_named(&name, r->spec->symbol)) && !have(m, s)) {
			xgrow(m->list, m->n);
			m->list[m->n++] = (struct match){ s, name };
			continue;
		}
		cxx_free(&name);
	}
	for (size_t i = 0; !m->n && !glob && i < t->elf->nsymbols; i++) {
		const struct elf_symbol *s = &t->elf->symbols[i];
		struct cxx_name name;

		if (s->function && !strstr(s->name, ".cold") && cxx_demangle(s->name, &name)) {
			nearest_offer(&r->near, name.name);
			cxx_free(&name);
		}
	}
}

/*
 * "FILE:shop::Cart::add". The parameters are shown if several functions have the name, or if the
 * user wrote them.
 */
static char *display_name(const struct resolve *r, const struct target *t,
			  const struct matches *m, const struct match *one)
{
	const char *name = one->name.name;
	struct cxx_name short_name = { .full = one->name.name, .call = one->name.bare,
				       .name = one->name.name, .bare = one->name.bare };
	char offset[24] = "";

	if (!cxx_named(&short_name, r->spec->symbol, strpbrk(r->spec->symbol, "*?[")))
		name = one->name.full;
	for (size_t i = 0; i < m->n; i++) {
		if (&m->list[i] != one && !strcmp(m->list[i].name.name, name))
			name = one->name.full;
	}
	if (r->spec->offset)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, r->spec->offset);
	return xasprintf("%s:%s%s%s", probe_file_name(t->file), name, offset,
			 spec_return_name(r->spec->returns));
}

static int resolve_one(struct resolve *r, struct target *t, const struct matches *m,
		       const struct match *one)
{
	const struct spec *spec = r->spec;
	struct spec by_symbol = *spec;
	char *display = display_name(r, t, m, one);
	int ret;

	by_symbol.symbol = (char *)one->symbol->name;
	r->pattern = strpbrk(spec->symbol, "*?[");
	if (!*spec->own)
		by_symbol.own = display;
	r->spec = &by_symbol;
	ret = resolve_uprobe(r, t);
	r->spec = spec;
	free(display);
	return ret;
}

/* Makes a probe of each match. */
static int resolve_all(struct resolve *r, struct target *t, const struct matches *m)
{
	for (size_t i = 0; i < m->n; i++) {
		if (resolve_one(r, t, m, &m->list[i]) < 0)
			return -1;
	}
	return 0;
}

static void add_names(struct resolve *r, const struct cxx_name *name)
{
	xgrow(r->names, r->nnames);
	r->names[r->nnames++] = xstrdup(name->name);
	xgrow(r->fulls, r->nfulls);
	r->fulls[r->nfulls++] = xstrdup(name->full);
	if (!strcmp(name->full, name->call))
		return;
	xgrow(r->fulls, r->nfulls);
	r->fulls[r->nfulls++] = xstrdup(name->call);
}

/* Caches the demangled names of all functions of the file, one per address. */
static void read_names(struct resolve *r, struct target *t)
{
	const struct elf_symbol *last = NULL;

	cxx_forget_names(r);
	r->names_of = t->elf;
	for (size_t i = 0; i < t->elf->nsymbols; i++) {
		const struct elf_symbol *s = &t->elf->symbols[i];
		struct cxx_name name;

		if (!s->function || strstr(s->name, ".cold") || (last && last->vaddr == s->vaddr) ||
		    !cxx_demangle(s->name, &name))
			continue;
		last = s;
		add_names(r, &name);
		cxx_free(&name);
	}
	if (!r->nnames)
		return;
	qsort(r->names, r->nnames, sizeof(*r->names), by_text);
	qsort(r->fulls, r->nfulls, sizeof(*r->fulls), by_text);
}

static void forget(char ***names, size_t *n)
{
	for (size_t i = 0; i < *n; i++)
		free((*names)[i]);
	free(*names);
	*names = NULL;
	*n = 0;
}

void cxx_forget_names(struct resolve *r)
{
	forget(&r->names, &r->nnames);
	forget(&r->fulls, &r->nfulls);
	r->names_of = NULL;
}

/* True if the sorted array has the name at least twice. */
static bool twice(char **names, size_t n, const char *name)
{
	size_t first = partition_point(n, i, strcmp(names[i], name) < 0);

	return first + 1 < n && !strcmp(names[first + 1], name);
}

char *cxx_unique_name(struct resolve *r, struct target *t, const char *symbol)
{
	struct cxx_name name;
	const char *clone;
	char *unique;

	if (!cxx_demangle(symbol, &name))
		return xstrdup(symbol);
	if (r->names_of != t->elf)
		read_names(r, t);
	clone = strstr(name.full, " [clone ");
	if (twice(r->names, r->nnames, name.name))
		unique = xstrdup(name.full);
	else
		unique = xasprintf("%s%s", name.name, clone ? clone : "");
	cxx_free(&name);
	return unique;
}

bool cxx_shared_name(struct resolve *r, struct target *t, const char *symbol)
{
	struct cxx_name name;
	bool shared;

	if (!cxx_demangle(symbol, &name))
		return false;
	if (r->names_of != t->elf)
		read_names(r, t);
	shared = twice(r->names, r->nnames, name.name) && twice(r->fulls, r->nfulls, name.full);
	cxx_free(&name);
	return shared;
}

int resolve_cxx(struct resolve *r, struct target *t)
{
	struct matches m = { 0 };
	int ret;

	find(r, t, false, &m);
	/* "operator*" and "f(char*)" are tried as names before they are taken as patterns. */
	if (!m.n && strpbrk(r->spec->symbol, "*?["))
		find(r, t, true, &m);
	ret = resolve_all(r, t, &m);
	for (size_t i = 0; i < m.n; i++)
		cxx_free(&m.list[i].name);
	free(m.list);
	return ret;
}
