/* SPDX-License-Identifier: MIT */
/*
 * The -i texts of sources with .spec_language (capture/source.h), parsed.
 *
 *	branch | branch:BACKEND
 *	branch:[BACKEND:]last=N@PROBE                a text of uprobe: or usdt:
 *	event:GROUP:NAME [if FILTER]
 *	eprobe:[OWN=]GROUP.EVENT [ARG ...] [if FILTER]
 *	uprobe:[OWN=]PATH:SYMBOL[+OFF][%return|%ret|%uretprobe] [ARG ...]
 *	uprobe:[OWN=]PATH:shop::Cart::add[(int, char const*)] ...       C++: cxx.h
 *	uprobe:[OWN=]PATH:0xOFFSET[%return|%ret|%uretprobe] [ARG ...]
 *	usdt:PATH:[PROVIDER:]NAME [ARG ...]
 *	usdt:pid=PID:[PROVIDER:]NAME [ARG ...]
 *
 * OWN is the event's name; without it, one is made from PATH and SYMBOL. It has letters, digits and
 * _ . -; a path that looks like OWN=... is written ./OWN=.... SYMBOL, PROVIDER, NAME and an event's
 * GROUP and NAME may be globs (* ? [...]). The last colons separate, so a PATH may have colons (for
 * uprobe: the longest PATH that exists; colons of C++ names do not end it). A blank outside of a
 * SYMBOL's parentheses, or a backslash in PATH, has a backslash before it. A PATH without '/' is
 * looked up in $PATH or, if it looks like a library, where ld.so looks.
 *
 * ARG is tracefs' FETCHARG, passed through, or one with names in place of its innermost operand:
 *	[FIELD=]EXPR[:TYPE]    EXPR: arg1 .. arg6, NAME of a parameter, $retval, +8(arg1), %di, ...
 *	$params                every parameter of the function (needs DWARF)
 * For usdt, argN means the probe's N-th argument: argN:TYPE changes its type (arg2:string follows
 * the pointer), FIELD=argN[:TYPE] names it, FIELD=+8(argN):TYPE adds a field.
 */
#ifndef TRAWL_CAPTURE_CLI_SPEC_H
#define TRAWL_CAPTURE_CLI_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/trawl.h"

enum { BRANCH_LAST_MAX = 1024 }; /* as /dev/trawl has it */

enum spec_kind { SPEC_BRANCH, SPEC_EVENT, SPEC_EPROBE, SPEC_UPROBE, SPEC_USDT };

/* How a function's return is probed. */
enum spec_return {
	SPEC_NO_RETURN,
	SPEC_RETURN,    /* %return: as %ret if possible, else as %uretprobe if that is safe */
	SPEC_RET,       /* %ret: by probes on its ret instructions */
	SPEC_URETPROBE, /* %uretprobe: the kernel replaces the return address, safe or not */
};

/* One ARG. Strings are never NULL; field and type are "" if not given. */
struct spec_arg {
	char *field; /* the user's name for it */
	char *expr;  /* without field and type */
	char *type;
	size_t at;   /* where it starts in spec->text, for the caret */
};

struct spec {
	enum spec_kind kind;
	char *text; /* all of it, as given */
	size_t at;  /* where the part after the kind's colon starts */

	/* event, eprobe */
	char *group, *event;
	char *filter; /* without the "if"; "" for none */

	/* uprobe, usdt; strings that do not apply are "" */
	char *own;      /* OWN of uprobe and eprobe */
	char *path;     /* as given, unescaped */
	pid_t pid;      /* usdt:pid=PID; 0 if by path */
	char *symbol;   /* uprobe; "" if by file offset */
	uint64_t offset; /* uprobe: from the symbol, or in the file */
	enum spec_return returns; /* uprobe */
	char *provider, *name; /* usdt; provider "*" if not given */
	size_t path_at, symbol_at; /* places of these in text; symbol_at: of the usdt name too */

	size_t nargs;
	struct spec_arg *args;

	char *backend; /* branch; "" for the best one */
	unsigned int last; /* branch: how many before a hit of a probe; 0: all branches */
	char *probe;   /* its text, "uprobe:..."; "" */
};

/* "%return", "%ret", "%uretprobe"; "" of none. */
const char *spec_return_name(enum spec_return returns);

/* The name of a kind as the user writes it: "event", "uprobe", ... */
const char *spec_kind_name(enum spec_kind kind);

/*
 * Parses text. Returns 0, or -1 with *err: TRAWL_USAGE, and the text with a caret. spec_free() in
 * any case. Reads the file system only to find the colon that ends a PATH.
 */
int spec_parse(const char *text, struct spec *spec, struct trawl_error *err);
void spec_free(struct spec *spec);

/* Fails with "what" and the spec's text with a caret under text[at]. */
int spec_fail(const struct spec *spec, size_t at, struct trawl_error *err, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

#endif
