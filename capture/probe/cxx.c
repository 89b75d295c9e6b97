/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <fnmatch.h>

#include "capture/sys/alloc.h"
#include "capture/probe/cxx.h"
#include "capture/probe/rustname.h"
#include "capture/probe/rustv0.h"
#include "common/text.h"

#ifdef HAVE_CXA_DEMANGLE
/*
 * The demangler of the Itanium C++ ABI. Declared here because libstdc++'s <cxxabi.h> is for C++
 * only. Returns malloc'd text, or NULL.
 */
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

/* True if this < or > is part of an operator ("operator<<", "->") and not a bracket. */
static bool is_operator(const char *s, size_t at)
{
	size_t from = at;

	while (from && strchr("<>=-", s[from - 1]))
		from--;
	return (from >= 8 && !memcmp(s + from - 8, "operator", 8)) || (at && s[at - 1] == '-');
}

/*
 * Goes back from the closing bracket at `close` to its opening bracket; returns `close` if there is
 * none.
 */
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

/*
 * Where the parameter list begins: the last pair of parentheses that is not inside other brackets.
 */
static size_t parameters(const char *s)
{
	for (size_t i = strlen(s); i-- > 0;) {
		size_t at = s[i] == ')' ? opening(s, i) : i;

		if (at != i)
			return at;
	}
	return strlen(s);
}

/* Where the name begins, after the return type, which the names of template functions have. */
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

/* Rust's legacy mangling: the full name keeps the hash that distinguishes copies of a function. */
static bool is_rust(const char *demangled, struct cxx_name *n)
{
	n->name = rust_name(demangled);
	if (!n->name)
		return false;
	n->full = xasprintf("%s%s", n->name, strrchr(demangled, 'h') - 2);
	n->call = xstrdup(n->full);
	n->bare = xstrdup(n->name);
	return true;
}

/* The '>' that closes the '<' at s; NULL if there is none. */
static const char *closing(const char *s)
{
	size_t depth = 0;

	for (const char *at = s; *at; at++) {
		bool arrow = at > s && at[-1] == '-';

		depth += *at == '<';
		if (*at == '>' && !arrow && --depth == 0)
			return at;
	}
	return NULL;
}

/*
 * Strips generic arguments and inherent impls: "a::most::<u8>" becomes "a::most", and
 * "<a::Cart>::add" becomes "a::Cart::add".
 */
static char *bare_v0(const char *name)
{
	size_t len = strlen(name), end = len && name[len - 1] == '>' ? opening(name, len - 1) : len;
	const char *inner = name + 1, *close = *name == '<' ? closing(name) : NULL;

	if (end > 2 && end < len && name[end - 1] == ':')
		len = end - 2;
	/* "<TYPE as TRAIT>" stays: without the trait it would mean another function. */
	if (!close || memmem(inner, (size_t)(close - inner), " as ", 4) || close > name + len)
		return xstrndup(name, len);
	return xasprintf("%.*s%.*s", (int)(close - inner), inner,
			 (int)(name + len - close - 1), close + 1);
}

/*
 * Rust's v0 mangling: the full name has the crates' hashes. A suffix such as ".llvm.1" is dropped,
 * any other is shown: "[clone .cold]".
 */
static bool is_rust_v0(const char *symbol, struct cxx_name *n)
{
	const char *suffix = symbol + strcspn(symbol, ".$");
	char *hashes;

	n->name = rust_v0_name(symbol, false);
	hashes = n->name ? rust_v0_name(symbol, true) : NULL;
	if (!hashes) {
		free(n->name);
		n->name = NULL;
		return false;
	}
	n->call = hashes;
	n->full = *suffix && strncmp(suffix, ".llvm.", 6) ?
			  xasprintf("%s [clone %s]", hashes, suffix) : xstrdup(hashes);
	n->bare = bare_v0(n->name);
	return true;
}

bool cxx_demangle(const char *symbol, struct cxx_name *n)
{
	char *s = !strncmp(symbol, "_Z", 2) ? demangle(symbol) : NULL;
	size_t end, start = 0, bare;

	*n = (struct cxx_name){ 0 };
	if (is_rust_v0(symbol, n))
		return true;
	if (!s)
		return false;
	if (is_rust(s, n)) {
		free(s);
		return true;
	}
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

/* A copy without [abi:...] tags and without blanks except between two words. */
static char *plain(const char *s)
{
	char *text = xstrdup(s);
	size_t n = 0;

	for (; *s; s++) {
		const char *end = !strncmp(s, "[abi:", 5) ? strchr(s, ']') : NULL;

		if (end)
			s = end;
		else if (*s != ' ' || (n && is_word(text[n - 1]) && is_word(s[1])))
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
