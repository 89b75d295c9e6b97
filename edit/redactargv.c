/* SPDX-License-Identifier: MIT */
/*
 * Redacts trawl's own command line, word by word in place. Options, numbers, trace events and names
 * of symbols stay; paths, users and texts get stand-ins, as does COMMAND.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/recordoptions.h"
#include "edit/redact.h"

/* Redacts the texts in single or double quotes; the last one may have no end. */
static void quoted(struct redact *x, char *p)
{
	while (*(p += strcspn(p, "\"'"))) {
		const char quote = *p++;
		size_t n = redact_quoted_length(p, quote);

		redact_text(x, SECRET_STRINGS, p, n);
		p += n + (p[n] != '\0');
	}
}

/* Redacts the path or name of a program, which ends at the colon before a symbol. */
static void program(struct redact *x, char *p, size_t n)
{
	if (memchr(p, '/', n))
		redact_path(x, p, n);
	else
		redact_text(x, SECRET_COMMANDS, p, n);
}

/* Returns the length up to the first blank that has no backslash before it. */
static size_t head_length(const char *p)
{
	size_t n = 0;

	while (p[n] && !isspace((unsigned char)p[n]))
		n += p[n] == '\\' && p[n + 1] ? 2 : 1;
	return n;
}

/* Returns the length of "OWN=", or 0. */
static size_t own_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || (p[n] && strchr("_.-", p[n])))
		n++;
	return n && p[n] == '=' && strncmp(p, "pid=", 4) != 0 ? n + 1 : 0;
}

/*
 * "PATH:SYMBOL[+OFF] [ARG ...]" or "pid=PID:[PROVIDER:]NAME [ARG ...]", both after "[OWN=]". A path
 * may have colons, and a symbol slashes: what is before the last slash is taken for the path.
 */
static void probe(struct redact *x, char *p)
{
	size_t head, n;
	char *slash, *colon;

	p += own_length(p);
	head = head_length(p);
	slash = memrchr(p, '/', head);
	slash = slash ? slash : p;
	colon = memchr(slash, ':', head - (size_t)(slash - p));
	n = colon ? (size_t)(colon - p) : head;
	if (strncmp(p, "pid=", 4) != 0)
		program(x, p, n);
	if (redact_drops(x, SECRET_SYMBOLS))
		redact_text(x, SECRET_SYMBOLS, p + n + !!colon, strlen(p + n + !!colon));
	else
		quoted(x, p + n);
}

/* A filter follows "if". */
static void event(struct redact *x, char *p)
{
	while (*p) {
		size_t n = head_length(p);
		bool filter = n == 2 && !strncmp(p, "if", 2);

		p += n;
		while (isspace((unsigned char)*p))
			p++;
		if (filter) {
			redact_filter(x, p, redact_text);
			return;
		}
	}
}

static void usb(struct redact *x, char *p)
{
	char *serial = strstr(p, "serial=");

	if (serial)
		redact_text(x, SECRET_SERIALS, serial + 7, strcspn(serial + 7, ","));
}

static void unchanged(struct redact *x, char *p)
{
	(void)x;
	(void)p;
}

static void branch(struct redact *x, char *p)
{
	char *at = strchr(p, '@');

	if (at)
		redact_source_text(x, at + 1);
}

void redact_source_text(struct redact *x, char *p)
{
	static const struct {
		const char *kind;
		void (*redact)(struct redact *x, char *p);
	} kinds[] = {
		{ "event", event }, { "eprobe", event }, { "synth", event }, { "uprobe", probe },
		{ "usdt", probe },  { "usb", usb },	 { "branch", branch },
		{ "task", unchanged },
	};
	size_t n = strcspn(p, ":");

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].kind) == n && !memcmp(kinds[i].kind, p, n)) {
			kinds[i].redact(x, p + n + (p[n] == ':'));
			redact_kept(x, p, strlen(p));
			return;
		}
	redact_text(x, SECRET_COMMANDS, p, strlen(p));
}

/* Redacts the value of an option. */
static void option_value(struct redact *x, int option, char *p)
{
	switch (option) {
	case 'i':
		redact_source_text(x, p);
		break;
	case 'w':
		redact_path(x, p, strlen(p));
		break;
	case 'Z':
		redact_text(x, SECRET_NAMES, p, strlen(p));
		break;
	case OPT_TRIGGER:
		quoted(x, p);
		break;
	default: /* a number with its unit, a list of process ids */
		redact_kept(x, p, strlen(p));
	}
}

/*
 * Stores each option's value in *values and the option in *options. Returns the index of the first
 * word after the options, or 0 if trawl does not accept them: then the text has another origin.
 */
static int parse(int argc, char **argv, char **values, int *options, int *n)
{
	int c;

	*n = 0;
	optind = 0; /* glibc: start anew */
	opterr = 0;
	while ((c = getopt_long(argc, argv, RECORD_SHORT_OPTIONS, record_options, NULL)) != -1) {
		if (c == '?' || c == ':')
			return 0;
		if (optarg) {
			options[*n] = c;
			values[(*n)++] = optarg;
		}
	}
	return optind;
}

/* Redacts the word that started trawl. */
static void own_name(struct redact *x, char *p)
{
	char *slash = strrchr(p, '/'), *name = slash ? slash + 1 : p;

	redact_path(x, p, slash ? (size_t)(slash - p) : 0);
	if (strcmp(name, "trawl") != 0)
		redact_text(x, SECRET_COMMANDS, name, strlen(name));
}

void redact_command_line(struct redact *x, int argc, char **argv)
{
	char **values = calloc((size_t)argc + 1, sizeof(*values));
	int *options = calloc((size_t)argc + 1, sizeof(*options)), n = 0, command = 0;

	x->failed |= !values || !options;
	if (argc && values && options)
		command = parse(argc, argv, values, options, &n);
	for (int i = 0; command && i < n; i++)
		option_value(x, options[i], values[i]);
	for (int i = command ? command : 1; i < argc; i++)
		if (i == command)
			redact_text(x, SECRET_COMMANDS, argv[i], strlen(argv[i]));
		else
			redact_argument(x, argv[i], strlen(argv[i]));
	if (argc)
		own_name(x, argv[0]);
	free(values);
	free(options);
}
