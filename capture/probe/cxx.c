/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>

#include "capture/sys/alloc.h"
#include "capture/probe/cxx.h"

/* ---- names -------------------------------------------------------------------------------- */

#ifdef HAVE_CXA_DEMANGLE
/* The Itanium C++ ABI's own (libstdc++'s <cxxabi.h> is for C++ alone). malloc'd, or NULL. */
extern char *__cxa_demangle(const char *mangled, char *buf, size_t *len, int *status);

static char *demangle(const char *symbol)
{
	int status;

	return __cxa_demangle(symbol, NULL, NULL, &status);
}
#else
static char *demangle(const char *symbol)
{
	return NULL;
}
#endif

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Is this < or > part of an operator's name ("operator<<", "->") and no bracket? */
static bool is_operator(const char *s, size_t at)
{
	size_t from = at;

	while (from && strchr("<>=-", s[from - 1]))
		from--;
	return (from >= 8 && !memcmp(s + from - 8, "operator", 8)) || (at && s[at - 1] == '-');
}

/* The bracket that the one at `close` closes, going back; `close` itself if there is none. */
static size_t opening(const char *s, size_t close)
{
	size_t depth = 0;

	for (size_t i = close + 1; i-- > 0;) {
		bool angle = s[i] == '<' || s[i] == '>';

		if (angle && i != close && is_operator(s, i))
			continue;
		depth += s[i] == ')' || s[i] == '>' || s[i] == '}';
		if (s[i] == '(' || s[i] == '<' || s[i] == '{') {
			if (--depth == 0)
				return i;
		}
	}
	return close;
}

/* Where the parameters begin: the last pair of parentheses that nothing else is around. */
static size_t parameters(const char *s)
{
	for (size_t i = strlen(s); i-- > 0;) {
		size_t at = s[i] == ')' ? opening(s, i) : i;

		if (at != i)
			return at;
	}
	return strlen(s);
}

/* Where the name begins: a template's has its return type in front. */
static size_t name_start(const char *s, size_t end)
{
	for (size_t i = end; i-- > 0;) {
		if (strchr(")>}", s[i]) && !(s[i] == '>' && is_operator(s, i)))
			i = opening(s, i);
		else if (s[i] == ' ')
			return i >= 8 && !memcmp(s + i - 8, "operator", 8) ? 0 : i + 1;
	}
	return 0;
}

bool cxx_demangle(const char *symbol, struct cxx_name *n)
{
	char *s = !strncmp(symbol, "_Z", 2) ? demangle(symbol) : NULL;
	size_t end, start = 0, bare;

	*n = (struct cxx_name){ 0 };
	if (!s)
		return false;
	end = bare = parameters(s);
	if (end && s[end] && s[end - 1] == '>' && !is_operator(s, end - 1)) {
		bare = opening(s, end - 1);
		start = name_start(s, end);
		if (bare <= start)
			bare = end;
	}
	n->full = xstrdup(s + start);
	n->call = s[end] ? xstrndup(s + start, (size_t)(strrchr(s, ')') - s) + 1 - start) :
			   xstrdup(s + start);
	n->name = xstrndup(s + start, end - start);
	n->bare = xstrndup(s + start, bare - start);
	free(s);
	return true;
}

void cxx_free(struct cxx_name *n)
{
	free(n->full);
	free(n->call);
	free(n->name);
	free(n->bare);
}

/* Without blanks but those between two words, and without [abi:...]. */
static char *plain(const char *s)
{
	char *text = xstrdup(s);
	size_t n = 0;

	for (; *s; s++) {
		const char *end = !strncmp(s, "[abi:", 5) ? strchr(s, ']') : NULL;

		if (end)
			s = end;
		else if (*s != ' ' || (n && in_word(text[n - 1]) && in_word(s[1])))
			text[n++] = *s;
	}
	text[n] = '\0';
	return text;
}

static bool called(const char *name, const char *wanted, bool glob)
{
	char *text = plain(name);
	bool is = glob ? !fnmatch(wanted, text, 0) : !strcmp(wanted, text);

	free(text);
	return is;
}

bool cxx_named(const struct cxx_name *n, const char *wanted, bool glob)
{
	char *text = plain(wanted);
	bool is = called(n->full, text, glob) || called(n->call, text, glob) ||
		  called(n->name, text, glob) || called(n->bare, text, glob);

	free(text);
	return is;
}

/* ---- functions ---------------------------------------------------------------------------- */

struct match {
	const struct elf_symbol *symbol;
	struct cxx_name name;
};

struct matches {
	struct match *list;
	size_t n;
};

/* Has it been found, by another name or in another table? */
static bool have(const struct matches *m, const struct elf_symbol *s)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct elf_symbol *known = m->list[i].symbol;

		if (known->vaddr == s->vaddr || !strcmp(known->name, s->name))
			return true;
	}
	return false;
}

static void find(struct resolve *r, struct target *t, bool glob, struct matches *m)
{
	for (size_t i = 0; i < t->elf->nsymbols; i++) {
		const struct elf_symbol *s = &t->elf->symbols[i];
		struct cxx_name name;

		/* The rare half of a function (.cold) is not entered by calls. */
		if (!s->function || strstr(s->name, ".cold") || !cxx_demangle(s->name, &name))
			continue;
		if (cxx_named(&name, r->spec->symbol, glob) && !have(m, s)) {
			m->list = xgrow(m->list, m->n, sizeof(*m->list));
			m->list[m->n++] = (struct match){ s, name };
			continue;
		}
		if (!glob)
			nearest_offer(&r->near, name.name);
		cxx_free(&name);
	}
}

/*
 * "FILE:shop::Cart::add"; with the parameters where there are several of this name, or where the
 * user named it so.
 */
static char *display_name(const struct resolve *r, const struct target *t,
			  const struct matches *m, const struct match *one)
{
	const char *base = strrchr(t->file->path, '/'), *name = one->name.name;
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
	return xasprintf("%s:%s%s%s", base ? base + 1 : t->file->path, name, offset,
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

/* As for symbols: of several functions, overloads too, those that lack an ARG are passed over. */
static int resolve_all(struct resolve *r, struct target *t, const struct matches *m)
{
	struct probe_list *list = r->list;
	struct trawl_error first;
	size_t passed = 0, over = 0;

	for (size_t i = 0; i < m->n; i++) {
		size_t before = list->n, more = r->more;

		if (!resolve_one(r, t, m, &m->list[i]))
			continue;
		if (m->n == 1 || r->full)
			return -1;
		probe_drop(list, before);
		r->more = more;
		if (!passed++) {
			first = *r->err;
			over = i;
		}
	}
	if (!passed)
		return 0;
	if (list->n == r->before) {
		*r->err = first;
		return -1;
	}
	probe_remark(list, xasprintf("%s: %zu of the functions it matches %s passed over, %s for "
				     "one: %.*s", r->spec->text, passed, passed == 1 ? "is" : "are",
				     m->list[over].name.full, (int)strcspn(first.text, "\n"),
				     first.text));
	return 0;
}

int resolve_cxx(struct resolve *r, struct target *t)
{
	struct matches m = { 0 };
	int ret;

	find(r, t, false, &m);
	/* "operator*" and "f(char*)" are names first, patterns then. */
	if (!m.n && strpbrk(r->spec->symbol, "*?["))
		find(r, t, true, &m);
	ret = resolve_all(r, t, &m);
	for (size_t i = 0; i < m.n; i++)
		cxx_free(&m.list[i].name);
	free(m.list);
	return ret;
}
