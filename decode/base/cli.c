/* SPDX-License-Identifier: MIT */
#include "decode/base/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/otheropt.h"
#include "decode/base/jdoc.h"

const char *cli_program = "trawl";

int cli_error(const struct trawl_error *err)
{
	fprintf(stderr, "%s: %s\n", cli_program, err->text);
	return err->status;
}

void cli_message(const char *fmt, ...)
{
	struct trawl_error note;
	char text[sizeof(note.text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	trawl_fail(&note, TRAWL_OK, "%s", text);
	cli_error(&note);
}

void cli_note(void *unused, const struct trawl_error *note)
{
	(void)unused;
	cli_error(note);
}

/* Lists the options that an abbreviation matches, "--source, --summary"; returns their number. */
static int candidates(const char *text, const struct option *options, char *list, size_t size)
{
	size_t n = strcspn(text, "="), used = 0;
	int found = 0;

	list[0] = '\0';
	for (; options && options->name && n > 2; options++) {
		if (strncmp(options->name, text + 2, n - 2) || used >= size)
			continue;
		used += (size_t)snprintf(list + used, size - used, "%s--%s", found ? ", " : "",
					 options->name);
		found++;
	}
	return found;
}

/* Options of other tools, and what to use here instead. */
static const struct otheropt elsewhere[] = {
	{ "-r -i --input --read", "the file stands by itself: trawl-decode FILE" },
	{ "-o --output", "trawl-export and trawl-edit write with -w OUT; trawl-decode prints to "
			 "standard output" },
	{ "-w", "trawl-export --to FORMAT FILE -w OUT writes a file" },
	{ "-f --filter -Y -R --display-filter",
	  "a choice is --where EXPR: --where 'arg1 > 5 and comm == \"x\"'" },
	{ "-e -T -F --format --csv --pcapng", "trawl-export --to FORMAT makes other formats, "
					      "--to csv --fields a,b columns of one's own" },
	{ "--sort --order", "events are in order of time; trawl-export --to csv FILE | sort" },
	{ "-n -nn --numeric", "addresses and names are those of the file: leave it out" },
	{ "-l --line-buffered --stdio", "leave it out: lines come as they are" },
	{ "--stat -z --stats", "--summary has the numbers" },
	{ "--to", "the end of a range of time is --until TIME" },
	{ "--head --limit", "the first N are -c N" },
	{ "-p --tid -P", "a process or thread is --pid PID" },
	{ "--comm", "a command's name is --where 'comm == \"NAME\"'" },
	{ "--cpu -C", "a CPU is --where 'cpu == 0'" },
	{ "--events --event", "events are chosen by --name GLOB" },
	{ "-A", "payload as text is -X" },
	{ "-V", "the version is --version" },
	{ "-h", "--help lists all options" },
	{ NULL, NULL },
};

int cli_bad_option(int got, char **argv, const struct option *options, struct trawl_error *err)
{
	const char *text = argv[optind - 1];
	char letter[] = {'-', (char)optopt, '\0'}, list[256];

	/* a letter within "-xyz", or the word before optind */
	if (optopt > 0 && optopt < 0x100)
		text = letter;
	if (got == ':')
		return trawl_fail(err, TRAWL_USAGE, "%s: needs an argument; see --help", text);
	if (optopt >= 0x100)
		return trawl_fail(err, TRAWL_USAGE, "%s: the option takes no argument; leave out "
						    "%s",
				  text, text + strcspn(text, "="));
	if (!optopt && candidates(text, options, list, sizeof(list)) > 1)
		return trawl_fail(err, TRAWL_USAGE, "%s: may mean %s; write more of "
						    "it", text, list);
	return otheropt_fail(text, elsewhere, options, err);
}

int cli_finish(struct out *o, const char *name)
{
	struct trawl_error err;

	out_flush(o);
	if (o->error == EPIPE || (!o->error && !out_lacked_memory()))
		return TRAWL_OK;
	if (!o->error)
		trawl_fail(&err, TRAWL_CANNOT, "%s: is incomplete: %s", name, out_lack_reason());
	else
		trawl_fail(&err, TRAWL_CANNOT, "%s: cannot be written: %s%s", name,
			   strerror(o->error),
			   o->error == ENOSPC ? "; make room, or write to another place" : "");
	return cli_error(&err);
}

int cli_memory(const char *text, uint64_t *bytes, struct trawl_error *err)
{
	static const char units[] = "KMG";
	unsigned long long n;
	char *end;
	const char *unit;
	int shift = 0;

	errno = 0;
	n = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * (int)(unit - units + 1);
		end++;
	}
	if (*text < '0' || *text > '9' || errno || *end || n > UINT64_MAX >> shift ||
	    n << shift < 1 << 20)
		return trawl_fail(err, TRAWL_USAGE,
				  "--memory: '%.100s' is not an amount of memory; give at least "
				  "1M, for example --memory 1G",
				  text);
	*bytes = n << shift;
	jdoc_limit(*bytes);
	return 0;
}
