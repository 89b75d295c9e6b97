/* SPDX-License-Identifier: MIT */
/*
 * Parses -i texts. Each kind has one function that fills struct spec. All of them read a `head`:
 * what stands before the first blank, unescaped, with the place of each byte in the text, where
 * errors put their caret.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>

#include "common/caret.h"
#include "common/nearest.h"
#include "capture/sys/alloc.h"
#include "capture/sys/path.h"
#include "capture/cli/spec.h"
#include "common/array.h"
#include "common/text.h"

#define BLANKS " \t\r\n\v\f" /* as isspace() */

struct head {
	char *text;    /* unescaped */
	size_t *from;  /* len + 1 places in the spec's text */
	size_t len;
};

static const char *const kind_names[] = {
	[SPEC_BRANCH] = "branch", [SPEC_EVENT] = "event", [SPEC_EPROBE] = "eprobe",
	[SPEC_UPROBE] = "uprobe", [SPEC_USDT] = "usdt",
};

const char *spec_kind_name(enum spec_kind kind)
{
	return kind_names[kind];
}

int spec_fail(const struct spec *spec, size_t at, struct trawl_error *err, const char *what, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, what);
	vsnprintf(message, sizeof(message), what, ap);
	va_end(ap);
	return caret_fail(err, TRAWL_USAGE, spec->text, at, "%s", message);
}

/* As spec_fail(); the message begins with the kind of the spec. */
__attribute__((format(printf, 4, 5))) static int kind_fail(const struct spec *spec, size_t at,
							   struct trawl_error *err,
							   const char *what, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, what);
	vsnprintf(message, sizeof(message), what, ap);
	va_end(ap);
	return spec_fail(spec, at, err, "%s: %s", spec_kind_name(spec->kind), message);
}

static void head_free(struct head *h)
{
	free(h->text);
	free(h->from);
}

/* Returns the position of the ) for the ( at text[at]; `at` if there is none. */
static size_t closing(const char *text, size_t at)
{
	size_t depth = 0;

	for (size_t i = at; text[i]; i++) {
		depth += text[i] == '(';
		if (text[i] == ')' && --depth == 0)
			return i;
	}
	return at;
}

/* Reads the head that starts at spec->text[*at]; *at goes after it and the blanks that follow. */
static int head_read(const struct spec *spec, size_t *at, struct head *h, struct trawl_error *err)
{
	const char *text = spec->text;
	size_t i = *at, room = strlen(text) - i + 1;
	size_t inside = i; /* up to there are parameters of a C++ function, with their blanks */

	h->text = xcalloc(room, 1);
	h->from = xcalloc(room, sizeof(*h->from));
	for (; text[i] && (i < inside || !isspace((unsigned char)text[i])); i++) {
		if (spec->kind == SPEC_UPROBE && text[i] == '(' && i >= inside)
			inside = closing(text, i);
		h->from[h->len] = i;
		if (text[i] == '\\') {
			if (!text[i + 1])
				return kind_fail(spec, i, err, "nothing after the backslash");
			i++;
		}
		h->text[h->len++] = text[i];
	}
	h->from[h->len] = i;
	while (isspace((unsigned char)text[i]))
		i++;
	*at = i;
	return 0;
}

/* The place of the last `c` in the first len bytes, or -1. */
static ssize_t last_char(const char *s, size_t len, char c)
{
	const char *p = memrchr(s, c, len);

	return p ? p - s : -1;
}

/* Returns the length of "OWN=", or 0 if there is none. */
static size_t own_length(const char *s, const char *chars)
{
	size_t n = 0;

	if (!isalpha((unsigned char)s[0]) && s[0] != '_')
		return 0;
	while (isalnum((unsigned char)s[n]) || (s[n] && strchr(chars, s[n])))
		n++;
	return s[n] == '=' ? n + 1 : 0;
}

static void set_text(char **where, const char *s, size_t n)
{
	free(*where);
	*where = xstrndup(s, n);
}

/* Takes "OWN=" off the head; returns its length. */
static size_t take_own(struct spec *spec, const struct head *h)
{
	size_t n = own_length(h->text, spec->kind == SPEC_EPROBE ? "_.-/" : "_.-");

	if (n)
		set_text(&spec->own, h->text, n - 1);
	return n;
}

/* Parses a number, written as in C. */
static int parse_number(const char *s, uint64_t *value)
{
	char *end;

	errno = 0;
	if (!isdigit((unsigned char)*s))
		return -1;
	*value = strtoull(s, &end, 0);
	return errno || *end ? -1 : 0;
}

/* ---- arguments and filter ---------------------------------------------------------------- */

static bool is_ident(const char *s, size_t n)
{
	if (!n || isdigit((unsigned char)s[0]))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_word(s[i]))
			return false;
	}
	return true;
}

/* In an eprobe, a field is $NAME: a plain name, alone or inside of +OFF(...), is an error. */
static int check_dollar(const struct spec *spec, size_t at, size_t from, size_t end,
			struct trawl_error *err)
{
	const char *s = spec->text + at + from, *paren = memrchr(s, '(', end - from);
	size_t n;

	s = paren ? paren + 1 : s;
	n = strcspn(s, "):= \t");
	if (!is_ident(s, n))
		return 0;
	return spec_fail(spec, (size_t)(s - spec->text), err, "eprobe: a field of the event is "
			 "written with a dollar sign: $%.*s", (int)n, s);
}

/* Returns the colon before the type: one after every bracket and quote; or NULL. */
static const char *type_colon(const char *s, size_t len)
{
	const char *bracket = memrchr(s, ')', len), *quote = memrchr(s, '"', len);
	const char *colon = memrchr(s, ':', len);

	return colon && (!bracket || bracket < colon) && (!quote || quote < colon) ? colon : NULL;
}

static int parse_arg(struct spec *spec, size_t at, size_t len, struct trawl_error *err)
{
	const char *text = spec->text + at;
	struct spec_arg arg = { .at = at };
	const char *equals = memchr(text, '=', len), *colon;
	size_t expr = 0, end = len;

	if (equals && is_ident(text, (size_t)(equals - text)))
		expr = (size_t)(equals - text) + 1;
	else if (equals == text)
		return kind_fail(spec, at, err, "no field name before the '='");
	colon = type_colon(text + expr, len - expr);
	if (colon) {
		end = (size_t)(colon - text);
		if (end + 1 == len)
			return kind_fail(spec, at + end, err, "no type after the ':'");
	}
	if (end == expr)
		return kind_fail(spec, at + expr, err, "an argument without a value");
	if (spec->kind == SPEC_EPROBE && check_dollar(spec, at, expr, end, err) < 0)
		return -1;
	arg.field = xstrndup(text, expr ? expr - 1 : 0);
	arg.expr = xstrndup(text + expr, end - expr);
	arg.type = end < len ? xstrndup(text + end + 1, len - end - 1) : xstrdup("");
	xgrow(spec->args, spec->nargs);
	spec->args[spec->nargs++] = arg;
	return 0;
}

/* What follows the head: ARGs if wanted, then "if FILTER" if wanted. */
static int parse_rest(struct spec *spec, size_t at, bool args, bool filter,
		      struct trawl_error *err)
{
	const char *text = spec->text;

	while (text[at]) {
		size_t len = strcspn(text + at, BLANKS);

		if (len == 2 && !strncmp(text + at, "if", 2)) {
			size_t from = at + 2;

			if (!filter)
				return kind_fail(spec, at, err,
						 "takes no filter; record all, and choose with "
						 "trawl-decode --where");
			from += strspn(text + from, BLANKS);
			if (!text[from])
				return kind_fail(spec, from, err, "no filter after 'if'");
			set_text(&spec->filter, text + from, strlen(text + from));
			return 0;
		}
		if (!args)
			return kind_fail(spec, at, err, "takes no arguments, only 'if FILTER': "
					 "all fields of the event are recorded");
		if (parse_arg(spec, at, len, err) < 0)
			return -1;
		at += len;
		at += strspn(text + at, BLANKS);
	}
	return 0;
}

/* ---- the kinds ---------------------------------------------------------------------------- */

static bool path_exists(const char *s, size_t len)
{
	char *name = xstrndup(s, len), *path = path_find(name);
	bool exists = path != NULL;

	free(name);
	free(path);
	return exists;
}

/*
 * Returns the colon that ends PATH in PATH:SYMBOL, where both may have colons: the one after the
 * longest path that exists, or else the last one that is no half of "::".
 */
static ssize_t uprobe_path_end(const struct head *h, size_t own)
{
	const char *s = h->text;
	ssize_t last = last_char(s, h->len, ':'), single = -1;

	if (last < (ssize_t)own || !memchr(s + own, ':', (size_t)last - own))
		return last;
	for (ssize_t c = last; c > (ssize_t)own; c = last_char(s, (size_t)c, ':')) {
		if (s[c + 1] == ':' || s[c - 1] == ':')
			continue;
		if (path_exists(s + own, (size_t)c - own))
			return c;
		single = single < 0 ? c : single;
	}
	return single < 0 ? last : single;
}

/* Whether s[at] is in the name of a C++ operator, as the + of operator++. */
static bool in_operator(const char *s, size_t at)
{
	char c = s[at];

	while (at && s[at - 1] == c)
		at--;
	return at >= 8 && !memcmp(s + at - 8, "operator", 8);
}

const char *spec_return_name(enum spec_return returns)
{
	static const char *const names[] = { [SPEC_NO_RETURN] = "", [SPEC_RETURN] = "%return",
					     [SPEC_RET] = "%ret", [SPEC_URETPROBE] = "%uretprobe" };

	return names[returns];
}

/* Returns the %return that the text ends with, and takes its length off *len. */
static enum spec_return take_return(const char *text, size_t *len)
{
	for (enum spec_return r = SPEC_RETURN; r <= SPEC_URETPROBE; r++) {
		size_t n = strlen(spec_return_name(r));

		if (*len >= n && !memcmp(text + *len - n, spec_return_name(r), n)) {
			*len -= n;
			return r;
		}
	}
	return SPEC_NO_RETURN;
}

/* Writes the error for a '%' that begins none of the three suffixes. */
static int no_such_return(struct spec *spec, const struct head *h, const char *target, size_t len,
			  struct trawl_error *err)
{
	const char *percent = memchr(target, '%', len);
	size_t at = (size_t)(percent - h->text), n = len - (size_t)(percent - target);
	char word[32], hint[128];
	struct nearest near = { .wanted = word };
	int ret;

	snprintf(word, sizeof(word), "%.*s", (int)n, percent);
	for (enum spec_return r = SPEC_RETURN; r <= SPEC_URETPROBE; r++)
		nearest_offer(&near, spec_return_name(r));
	ret = spec_fail(spec, h->from[at], err, "uprobe: only %%return, %%ret or %%uretprobe may "
			"follow here%s", nearest_hint(&near, hint, sizeof(hint)));
	nearest_free(&near);
	return ret;
}

/* Whether it is the name of a source file, "tick.c", and not of a program. */
static bool is_source_file(const char *s, size_t len)
{
	static const char *const suffixes[] = {".c", ".cc",  ".cpp", ".cxx",
					       ".h", ".hpp", ".rs",  ".go"};

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && !memcmp(s + len - n, suffixes[i], n))
			return true;
	}
	return false;
}

/* Refuses FILE.c:19 and ./FILE.c:main, which debuggers take. */
static int check_source_line(const struct spec *spec, const struct head *h, size_t own,
			     size_t colon, struct trawl_error *err)
{
	const char *path = h->text + own, *target = h->text + colon + 1;
	size_t file = strcspn(target, ":");
	const char *line;

	if (target[file] == ':' && isdigit((unsigned char)target[file + 1]) &&
	    is_source_file(target, file)) {
		line = target;
	} else if (is_source_file(path, colon - own)) {
		if (!isdigit((unsigned char)*target))
			return spec_fail(spec, h->from[own], err,
					 "uprobe: %.*s is a source file; give the program that was "
					 "built from it", (int)(colon - own), path);
		line = path;
	} else {
		return 0;
	}
	return spec_fail(spec, h->from[line - h->text], err,
			 "uprobe: a source line is not supported; give a function, SYMBOL+OFFSET "
			 "or 0xOFFSET (gdb -batch -ex 'info line %s' PROGRAM shows SYMBOL+OFFSET)",
			 line);
}

/* Takes the offset off spec->symbol: 0xOFFSET or SYMBOL+OFFSET. from: places of its characters. */
static int take_offset(struct spec *spec, const size_t *from, struct trawl_error *err)
{
	bool number = isdigit((unsigned char)*spec->symbol);
	ssize_t plus = number ? -1 : last_char(spec->symbol, strlen(spec->symbol), '+');
	const char *digits = spec->symbol + plus + 1;

	/* "operator+", and Rust's "drop_in_place<dyn Any+Send>", are names. */
	if (plus >= 0 &&
	    (in_operator(spec->symbol, (size_t)plus) || strchr(spec->symbol + plus, '>')))
		plus = -1;
	if (!number && plus < 0)
		return 0;
	if (plus == 0)
		return spec_fail(spec, spec->symbol_at, err, "uprobe: no symbol before the '+'");
	if (parse_number(digits, &spec->offset) < 0)
		return spec_fail(spec, from[plus + 1], err,
				 "uprobe: '%s' is not an offset; write 0x1a0 or SYMBOL+0x12",
				 digits);
	spec->symbol[number ? 0 : plus] = '\0';
	return 0;
}

static int parse_uprobe(struct spec *spec, const struct head *h, struct trawl_error *err)
{
	size_t own = take_own(spec, h), len = h->len;
	ssize_t colon = uprobe_path_end(h, own);
	const char *target, *percent;

	spec->path_at = h->from[own];
	if (colon < (ssize_t)own)
		return spec_fail(spec, h->from[len], err,
				 "uprobe: no symbol; write uprobe:PATH:SYMBOL, with '\\ ' for a "
				 "blank in PATH; trawl -D uprobe:PATH lists the functions");
	if (colon == (ssize_t)own)
		return spec_fail(spec, spec->path_at, err, "uprobe: no path before the ':'");
	if (check_source_line(spec, h, own, (size_t)colon, err) < 0)
		return -1;
	set_text(&spec->path, h->text + own, (size_t)colon - own);
	spec->symbol_at = h->from[colon + 1];
	target = h->text + colon + 1;
	len -= (size_t)colon + 1;
	spec->returns = take_return(target, &len);
	percent = memchr(target, '%', len);
	if (!spec->returns && percent && !in_operator(target, (size_t)(percent - target)))
		return no_such_return(spec, h, target, len, err);
	if (!len)
		return spec_fail(spec, spec->symbol_at, err,
				 "uprobe: no symbol after the ':'; write uprobe:PATH:SYMBOL");
	set_text(&spec->symbol, target, len);
	return take_offset(spec, h->from + colon + 1, err);
}

/*
 * Returns the colon that ends PATH in PATH:[PROVIDER:]NAME: the first of the last two colons that
 * follows an existing file.
 */
static ssize_t path_end(const struct head *h)
{
	ssize_t last = last_char(h->text, h->len, ':'), before;

	if (last <= 0)
		return last;
	before = last_char(h->text, (size_t)last, ':');
	if (before <= 0)
		return last;
	if (!path_exists(h->text, (size_t)before) && path_exists(h->text, (size_t)last))
		return last;
	return before;
}

static int parse_pid(struct spec *spec, const struct head *h, ssize_t *colon,
		     struct trawl_error *err)
{
	char *end;
	unsigned long pid;

	errno = 0;
	pid = strtoul(h->text + 4, &end, 10);
	if (errno || !isdigit((unsigned char)h->text[4]) || pid == 0 || pid > INT_MAX ||
	    (*end && *end != ':'))
		return spec_fail(spec, h->from[4], err, "usdt: not a process id after 'pid='");
	spec->pid = (pid_t)pid;
	*colon = *end ? end - h->text : -1;
	return 0;
}

static int parse_usdt(struct spec *spec, const struct head *h, struct trawl_error *err)
{
	ssize_t colon = -1, last;

	spec->path_at = h->from[0];
	if (!strncmp(h->text, "pid=", 4)) {
		if (parse_pid(spec, h, &colon, err) < 0)
			return -1;
	} else {
		colon = path_end(h);
	}
	if (colon < 0 || !h->text[colon + 1])
		return spec_fail(spec, h->from[h->len], err,
				 "usdt: no probe; write usdt:%s:[PROVIDER:]NAME; trawl -D usdt:%s "
				 "lists them", spec->pid ? "pid=PID" : "PATH",
				 spec->pid ? "pid=PID" : "PATH");
	if (colon == 0)
		return spec_fail(spec, spec->path_at, err, "usdt: no path before the ':'");
	if (!spec->pid)
		set_text(&spec->path, h->text, (size_t)colon);
	spec->symbol_at = h->from[colon + 1];
	last = last_char(h->text + colon + 1, h->len - (size_t)colon - 1, ':');
	last = last < 0 ? colon : colon + 1 + last;
	if (last > colon)
		set_text(&spec->provider, h->text + colon + 1, (size_t)(last - colon) - 1);
	else
		set_text(&spec->provider, "*", 1);
	set_text(&spec->name, h->text + last + 1, h->len - (size_t)last - 1);
	if (!*spec->provider)
		return spec_fail(spec, spec->symbol_at, err, "usdt: no provider before the ':'");
	if (!*spec->name)
		return spec_fail(spec, h->from[h->len], err, "usdt: no probe name after the ':'");
	return 0;
}

/* Event names are C identifiers, with '-' in some groups and, for `event`, globs. */
static int check_event_name(const struct spec *spec, const struct head *h, size_t from, size_t to,
			    struct trawl_error *err)
{
	const char *more = spec->kind == SPEC_EVENT ? "_-*?[]!^" : "_-";

	if (from == to)
		return kind_fail(spec, h->from[from], err, "a name is missing here");
	for (size_t i = from; i < to; i++) {
		if (h->text[i] == '/')
			return kind_fail(spec, h->from[i], err, "a filter follows ' if '");
		if (!isalnum((unsigned char)h->text[i]) && !strchr(more, h->text[i]))
			return kind_fail(spec, h->from[i], err,
					 "'%c' cannot be in a name of an event", h->text[i]);
	}
	return 0;
}

/* GROUP and EVENT on both sides of one of `separators`. */
static int parse_event(struct spec *spec, const struct head *h, const char *separators,
		       struct trawl_error *err)
{
	size_t from = spec->kind == SPEC_EPROBE ? take_own(spec, h) : 0;
	size_t sep = from + strcspn(h->text + from, separators);

	spec->path_at = h->from[from];
	if (!h->text[sep] && spec->kind == SPEC_EPROBE)
		return spec_fail(spec, h->from[from + strcspn(h->text + from, ":")], err,
				 strchr(h->text + from, ':') ?
				 "eprobe: write eprobe:GROUP.EVENT, with a dot between the two" :
				 "eprobe: no event; write eprobe:GROUP.EVENT");
	if (!h->text[0])
		return spec_fail(spec, h->from[h->len], err,
				 "event: no event; write event:GROUP:NAME; trawl -D 'event:*' lists "
				 "all");
	if (!h->text[sep] && strchr(h->text, '.'))
		return spec_fail(spec, h->from[strcspn(h->text, ".")], err,
				 "event: write event:GROUP:NAME, with a colon between the two");
	if (!strcmp(h->text, "*"))
		return spec_fail(spec, h->from[h->len], err,
				 "event: write event:GROUP:NAME; event:*:* is every event, trawl -D "
				 "'event:*' lists them");
	if (!h->text[sep])
		return spec_fail(spec, h->from[h->len], err,
				 "event: write event:GROUP:NAME; event:%s:* is all of a group, "
				 "event:*:%s an event of any, trawl -D 'event:*%s*' lists them",
				 h->text, h->text, h->text);
	if (check_event_name(spec, h, from, sep, err) < 0 ||
	    check_event_name(spec, h, sep + 1, h->len, err) < 0)
		return -1;
	set_text(&spec->group, h->text + from, sep - from);
	set_text(&spec->event, h->text + sep + 1, h->len - sep - 1);
	spec->symbol_at = h->from[sep + 1];
	return 0;
}

/* Parses N@PROBE at h->text[at]. All the rest of the text belongs to the probe. */
static int parse_last(struct spec *spec, const struct head *h, size_t at, struct trawl_error *err)
{
	size_t digits = strspn(h->text + at, "0123456789"), probe = at + digits + 1;
	uint64_t n = 0;

	if (digits && digits < 9)
		n = strtoul(h->text + at, NULL, 10);
	if (!n || n > BRANCH_LAST_MAX)
		return spec_fail(spec, h->from[at], err,
				 "branch: last= takes a number of branches, 1 to %d",
				 BRANCH_LAST_MAX);
	if (h->text[at + digits] != '@')
		return spec_fail(spec, h->from[at + digits], err,
				 "branch: last= needs a probe; write last=%u@uprobe:PATH:SYMBOL "
				 "or @usdt:PATH:NAME",
				 (unsigned int)n);
	if (strncmp(h->text + probe, "uprobe:", 7) && strncmp(h->text + probe, "usdt:", 5))
		return spec_fail(spec, h->from[probe], err,
				 "branch: not a probe: uprobe:PATH:SYMBOL or usdt:PATH:NAME may "
				 "follow here");
	spec->last = (unsigned int)n;
	set_text(&spec->probe, spec->text + h->from[probe], strlen(spec->text + h->from[probe]));
	return 0;
}

static int parse_branch(struct spec *spec, const struct head *h, struct trawl_error *err)
{
	size_t len = strcspn(h->text, ":="), at = h->text[len] == ':' ? len + 1 : 0;

	if (!strncmp(h->text + at, "last=", 5)) {
		set_text(&spec->backend, h->text, at ? len : 0);
		return parse_last(spec, h, at + 5, err);
	}
	if (h->text[len])
		return spec_fail(spec, h->from[at], err, "branch: write branch:BACKEND, "
				 "branch:last=N@uprobe:PATH:SYMBOL or branch:BACKEND:last=N@...");
	set_text(&spec->backend, h->text, h->len);
	return 0;
}

/* ---- all together -------------------------------------------------------------------------- */

static int parse_kind(struct spec *spec, struct trawl_error *err)
{
	size_t len = strcspn(spec->text, ":" BLANKS);
	char *word = xstrndup(spec->text, len), hint[256];
	struct nearest near = { .wanted = word };
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(kind_names); i++) {
		nearest_offer(&near, kind_names[i]);
		if (!strcmp(word, kind_names[i])) {
			spec->kind = (enum spec_kind)i;
			found = true;
		}
	}
	if (!found)
		spec_fail(spec, 0, err, "%s: no such source%s", *word ? word : "-i",
			  nearest_hint(&near, hint, sizeof(hint)));
	nearest_free(&near);
	free(word);
	spec->at = len + (spec->text[len] == ':');
	return found ? 0 : -1;
}

static void spec_init(struct spec *spec, const char *text)
{
	*spec = (struct spec){ .text = xstrdup(text) };
	spec->group = xstrdup("");
	spec->event = xstrdup("");
	spec->filter = xstrdup("");
	spec->own = xstrdup("");
	spec->path = xstrdup("");
	spec->symbol = xstrdup("");
	spec->provider = xstrdup("");
	spec->name = xstrdup("");
	spec->backend = xstrdup("");
	spec->probe = xstrdup("");
}

static int parse_body(struct spec *spec, const struct head *h, size_t rest,
		      struct trawl_error *err)
{
	switch (spec->kind) {
	case SPEC_BRANCH:
		if (parse_branch(spec, h, err) < 0)
			return -1;
		if (spec->last)
			return 0;
		break;
	case SPEC_EVENT:
		if (parse_event(spec, h, ":/", err) < 0)
			return -1;
		return parse_rest(spec, rest, false, true, err);
	case SPEC_EPROBE:
		if (parse_event(spec, h, "./", err) < 0)
			return -1;
		return parse_rest(spec, rest, true, true, err);
	case SPEC_UPROBE:
		if (parse_uprobe(spec, h, err) < 0)
			return -1;
		return parse_rest(spec, rest, true, false, err);
	case SPEC_USDT:
		if (parse_usdt(spec, h, err) < 0)
			return -1;
		return parse_rest(spec, rest, true, false, err);
	}
	if (spec->text[rest])
		return kind_fail(spec, rest, err, "nothing may follow here");
	return 0;
}

int spec_parse(const char *text, struct spec *spec, struct trawl_error *err)
{
	struct head head = { 0 };
	size_t rest;
	int ret;

	spec_init(spec, text);
	if (parse_kind(spec, err) < 0)
		return -1;
	rest = spec->at;
	ret = head_read(spec, &rest, &head, err);
	if (ret == 0)
		ret = parse_body(spec, &head, rest, err);
	head_free(&head);
	return ret;
}

void spec_free(struct spec *spec)
{
	char *strings[] = { spec->text, spec->group, spec->event, spec->filter, spec->own,
			    spec->path, spec->symbol, spec->provider, spec->name,
			    spec->backend, spec->probe };

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		free(strings[i]);
	for (size_t i = 0; i < spec->nargs; i++) {
		free(spec->args[i].field);
		free(spec->args[i].expr);
		free(spec->args[i].type);
	}
	free(spec->args);
	*spec = (struct spec){ 0 };
}
