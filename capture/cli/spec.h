/* SPDX-License-Identifier: MIT */
/*
 * What the user writes after -i, taken apart.
 *
 *	usb | usb:BUS | usb:VID:PID | usb:port=PORTPATH | usb:serial=TEXT
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
 * OWN is the name that the event gets instead of the one that is made from PATH and SYMBOL
 * (letters, digits, _ . -; a path that looks like OWN=... is written ./OWN=...). SYMBOL, PROVIDER,
 * NAME and an event's GROUP and NAME may be globs (* ? [...]). The last colons count, so a PATH may
 * hold colons (of uprobe: the longest one that exists; the colons of C++ names are no end of it); a
 * blank outside of a SYMBOL's parentheses or a backslash in PATH is written with a backslash before
 * it. A PATH without '/' is looked up in $PATH or, if it looks like a library, where ld.so looks.
 *
 * ARG is tracefs' FETCHARG, passed through, or one with names in place of its innermost operand:
 *	[FIELD=]EXPR[:TYPE]    EXPR: arg1 .. arg6, NAME of a parameter, $retval, +8(arg1), %di, ...
 *	$params                every parameter of the function (needs DWARF)
 * For usdt, argN means the probe's N-th argument: argN:TYPE changes its type (arg2:string follows
 * the pointer), FIELD=argN[:TYPE] names it, FIELD=+8(argN):TYPE adds a field.
 */
#ifndef CAPTURE_SPEC_H
#define CAPTURE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/trawl.h"

enum { BRANCH_LAST_MAX = 1024 }; /* as /dev/trawl has it */

enum spec_kind { SPEC_USB, SPEC_BRANCH, SPEC_EVENT, SPEC_EPROBE, SPEC_UPROBE, SPEC_USDT };

/* How the return of a function is caught. */
enum spec_return {
	SPEC_NO_RETURN,
	SPEC_RETURN,    /* %return: as %ret where that can be, else as %uretprobe where that is
			 * safe */
	SPEC_RET,       /* %ret: by probes on its ret instructions */
	SPEC_URETPROBE, /* %uretprobe: the kernel replaces the return address, whatever may
			 * happen */
};

/* One ARG. Strings are never NULL; field and type are "" if not given. */
struct spec_arg {
	char *field; /* the name the user gave it */
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

	/* usb: -1 and "" for what was not given */
	int bus, vid, pid_usb;
	char *port, *serial;

	char *backend; /* branch; "" for the best one */
	unsigned int last; /* branch: how many before a hit of a probe; 0: all there are */
	char *probe;   /* its text, "uprobe:..."; "" */
};

/* "%return", "%ret", "%uretprobe"; "" of none. */
const char *spec_return_name(enum spec_return returns);

/* The name of a kind as the user writes it: "usb", "uprobe", ... */
const char *spec_kind_name(enum spec_kind kind);

/*
 * Parses text; *spec is to be freed with spec_free() in any case. Errors are TRAWL_USAGE and show
 * the text with a caret. Looks at the file system only to tell which colon ends a usdt PATH.
 */
int spec_parse(const char *text, struct spec *spec, struct trawl_error *err);
void spec_free(struct spec *spec);

/* Fails with "what" and the spec's text with a caret under text[at]. */
int spec_fail(const struct spec *spec, size_t at, struct trawl_error *err, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

#endif
