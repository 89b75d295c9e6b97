/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <fnmatch.h>

#include "capture/sys/alloc.h"
#include "capture/probe/cxx.h"
#include "capture/probe/rustname.h"
#include "capture/probe/rustv0.h"

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

/* Of Rust: the name with its hash, by which copies of a function are told apart, and without. */
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

/* The bracket that closes the one at s; NULL: none does. */
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

/* "a::most" of "a::most::<u8>", "a::Cart::add" of "<a::Cart>::add". */
static char *bare_v0(const char *name)
{
	size_t len = strlen(name), end = len && name[len - 1] == '>' ? opening(name, len - 1) : len;
	const char *inner = name + 1, *close = *name == '<' ? closing(name) : NULL;

	if (end > 2 && end < len && name[end - 1] == ':')
		len = end - 2;
	/* Only of a type without a trait. */
	if (!close || memmem(inner, (size_t)(close - inner), " as ", 4) || close > name + len)
		return xstrndup(name, len);
	return xasprintf("%.*s%.*s", (int)(close - inner), inner,
			 (int)(name + len - close - 1), close + 1);
}

/* Of Rust's later symbols: with the hashes of crates, and without. A copy says which it is. */
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
