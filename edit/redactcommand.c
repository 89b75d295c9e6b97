/* SPDX-License-Identifier: MIT */
/* trawl-edit redact FILE -w OUT, and secrets FILE. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/base/cli.h"
#include "decode/base/escape.h"
#include "decode/base/outfile.h"
#include "decode/query/reading.h"
#include "edit/edit.h"
#include "edit/input.h"
#include "edit/redact.h"

enum { OPTION_KEEP = OPTION_PROGRAM, OPTION_DROP, OPTION_POLICY, OPTION_LEVEL };

static const struct option long_options[] = {
	{ "keep", required_argument, NULL, OPTION_KEEP },
	{ "drop", required_argument, NULL, OPTION_DROP },
	{ "policy", required_argument, NULL, OPTION_POLICY },
	{ "level", required_argument, NULL, OPTION_LEVEL },
	{ "memory", required_argument, NULL, OPTION_MEMORY },
	{ "no-sandbox", no_argument, NULL, OPTION_NO_SANDBOX },
	{ NULL, 0, NULL, 0 },
};

struct redact_options {
	uint32_t drop;
	const char *out;
	uint64_t memory;
	int level;
	bool no_sandbox;
};

static uint32_t usual(void)
{
	uint32_t drop = 0;

	for (int i = 0; i < SECRET_CLASSES; i++)
		drop |= (uint32_t)!secret_classes[i].kept_by_default << i;
	return drop;
}

/*
 * The class with this name of n bytes; -1 with *err if there is none. option: the option's name for
 * the message.
 */
static int class_of(const char *option, const char *text, size_t n, struct trawl_error *err)
{
	char list[200] = "";
	size_t at = 0;

	for (int i = 0; i < SECRET_CLASSES; i++) {
		if (strlen(secret_classes[i].name) == n && !memcmp(secret_classes[i].name, text, n))
			return i;
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "",
				       secret_classes[i].name);
	}
	return trawl_fail(err, TRAWL_USAGE, "%s: '%.*s' is not a class; the classes are %s",
			  option, (int)(n < 60 ? n : 60), text, list);
}

/* Adds to or removes from *mask one class, several separated by commas, or all. */
static int set_classes(const char *option, const char *text, bool drop, uint32_t *mask,
		       struct trawl_error *err)
{
	size_t n;

	do {
		uint32_t bits;
		int class = 0;

		n = strcspn(text, ",");
		if (n == 3 && !memcmp(text, "all", 3)) {
			bits = (1u << SECRET_CLASSES) - 1;
		} else {
			class = class_of(option, text, n, err);
			if (class < 0)
				return -1;
			bits = 1u << class;
		}
		*mask = drop ? *mask | bits : *mask & ~bits;
		text += n + (text[n] == ',');
	} while (*text);
	return 0;
}

enum { POLICY_MOST = 1 << 16 };

/* Reads a line of a policy; place: what messages call it. */
static int policy_line(const char *place, char *line, uint32_t *mask, struct trawl_error *err)
{
	char *rest, *what, *class;

	line[strcspn(line, "#")] = '\0';
	what = strtok_r(line, " \t\r", &rest);
	if (!what)
		return 0;
	class = strtok_r(NULL, " \t\r", &rest);
	if (!class || strtok_r(NULL, " \t\r", &rest) ||
	    (strcmp(what, "keep") && strcmp(what, "drop")))
		return trawl_fail(err, TRAWL_USAGE, "%s: is neither 'keep CLASS' nor 'drop CLASS' "
				  "(several: CLASS,CLASS)", place);
	return set_classes(place, class, *what == 'd', mask, err);
}

/*
 * Reads a policy: lines "keep CLASS" and "drop CLASS"; # begins a comment. What is not understood
 * is refused, because private data would be kept.
 */
static int read_policy(const char *path, uint32_t *mask, struct trawl_error *err)
{
	char text[POLICY_MOST + 1], place[256], *line = text, *end;
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;
	int why = f && !ferror(f) ? 0 : errno, ret = 0, number = 0;

	if (f)
		fclose(f);
	if (why)
		return trawl_fail(err, TRAWL_CANNOT, "--policy %s: cannot be %s: %s", path,
				  f ? "read" : "opened", strerror(why));
	if (n > POLICY_MOST || memchr(text, '\0', n))
		return trawl_fail(err, TRAWL_USAGE, "--policy %s: is %s; give a text with lines "
				  "'keep CLASS' and 'drop CLASS'", path,
				  n > POLICY_MOST ? "too long" : "no text");
	text[n] = '\0';
	for (; !ret && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		snprintf(place, sizeof(place), "--policy %s: line %d", path, ++number);
		ret = policy_line(place, line, mask, err);
	}
	return ret;
}

static int parse(struct redact_options *o, bool output, int argc, char **argv,
		 struct trawl_error *err)
{
	int option, ret = 0;

	while (!ret && (option = getopt_long(argc, argv, output ? ":w:" : ":", long_options,
					     NULL)) != -1) {
		switch (option) {
		case 'w':
			o->out = optarg;
			break;
		case OPTION_KEEP:
			ret = set_classes("--keep", optarg, false, &o->drop, err);
			break;
		case OPTION_DROP:
			ret = set_classes("--drop", optarg, true, &o->drop, err);
			break;
		case OPTION_POLICY:
			ret = read_policy(optarg, &o->drop, err);
			break;
		case OPTION_LEVEL:
			if (!output)
				return edit_usage(err, "--level: secrets writes no file", "");
			ret = edit_level(optarg, &o->level, err);
			break;
		case OPTION_MEMORY:
			ret = cli_memory(optarg, &o->memory, err);
			break;
		case OPTION_NO_SANDBOX:
			o->no_sandbox = true;
			break;
		default:
			return cli_bad_option(option, argv, long_options, err);
		}
	}
	if (ret)
		return -1;
	if (output && !o->out)
		return edit_usage(err, argv[0], ": -w OUT is missing");
	return edit_one_file(argc, argv, err);
}

/* ---- results --------------------------------------------------------------------------------- */

/*
 * Prints what was found in each class, optionally with examples. False if memory ran out and the
 * list is incomplete.
 */
static bool print_found(const struct redact *x, FILE *to, bool examples)
{
	bool all = true;

	for (int i = 0; i < SECRET_CLASSES; i++) {
		const struct redact_class *c = &x->classes[i];
		struct out o;

		if (!c->count)
			continue;
		fprintf(to, "%-11s %10" PRIu64 "  %s: %s\n", secret_classes[i].name, c->count,
			redact_drops(x, (enum secret_class)i) ? "removed" : "kept   ",
			secret_classes[i].what);
		if (!examples)
			continue;
		out_memory(&o);
		for (size_t k = 0; k < c->nexamples; k++) {
			out_str(&o, k ? ", " : "                        ");
			out_quoted(&o, c->examples[k], strlen(c->examples[k]));
		}
		out_str(&o, c->nexamples ? "\n" : "");
		for (size_t k = 0; k < c->nplaces; k++) {
			out_str(&o, k ? ", " : "                        in ");
			out_safe(&o, c->places[k], strlen(c->places[k]));
		}
		out_str(&o, c->nplaces ? "\n" : "");
		fwrite(o.data, 1, o.len, to);
		all &= !o.error;
		out_free(&o);
	}
	return all;
}

/* True if the file's metadata says that it was redacted before. */
static bool is_redacted(const struct trawl_reader *r)
{
	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		if (!strncmp(m->name, "edit/", 5) && memmem(m->data, m->len, "\"redact\"", 8))
			return true;
	}
	return false;
}

static int verdict(const struct redact *x, struct trawl_error *err)
{
	const struct trawl_verdict *v = &x->verdict;

	if (x->damaged)
		return trawl_fail(err, TRAWL_BAD_DATA,
				  "%s: %" PRIu64 " batches of branches are damaged, and lost",
				  x->name, x->damaged);
	if (v->complete && !v->damaged && !v->junk)
		return 0;
	return trawl_fail(err, TRAWL_BAD_DATA, "%s: %s", x->name, v->text);
}

static int start(struct redact *x, struct trawl_error *err)
{
	if (standin_start(&x->key)) {
		x->removed.seed = x->key.number;
		return 0;
	}
	return trawl_fail(err, TRAWL_CANNOT, "random numbers: %m");
}

/* The copy is searched for what was removed, after it has been written. */
static int can_be_searched(const struct outfile *output, const char *out, struct trawl_error *err)
{
	struct stat st;

	if (!fstat(output->fd, &st) && S_ISREG(st.st_mode))
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "redact: -w %s: is not a file, so it cannot be searched "
			  "for what must not be in it; name a file", out);
}

static int redact_to(struct redact *x, struct edit_input *in, const struct redact_options *o,
		     struct trawl_error *err)
{
	struct trawl_error late;
	struct outfile output;
	int ret;

	if (edit_not_same(in, o->out, err) || start(x, err) || outfile_open(&output, o->out, err))
		return -1;
	if (can_be_searched(&output, o->out, err)) {
		outfile_close(&output, false, &late);
		return -1;
	}
	if (!o->no_sandbox && outfile_keeper(&output, err))
		return -1;
	ret = edit_input_ready(in, o->no_sandbox, err);
	x->path = in->path;
	x->name = in->name;
	if (!ret)
		ret = redact_collect(x, err);
	if (!ret && is_redacted(x->r))
		cli_message("%s: was redacted before: its stand-ins are redacted once more",
			    x->name);
	if (!ret)
		ret = redact_write(x, output.fd, o->out, err);
	if (ret)
		edit_input_call(in, err);
	if (outfile_close(&output, !ret, &late) && !ret) {
		*err = late;
		return -1;
	}
	if (ret)
		return -1;
	return print_found(x, stderr, false) ? verdict(x, err) : edit_no_memory(err);
}

/* Prints what the file has of the classes that redact removes. */
static int count_secrets(struct redact *x, struct edit_input *in, const struct redact_options *o,
			 struct trawl_error *err)
{
	int ret = start(x, err) || edit_input_ready(in, o->no_sandbox, err) ? -1 : 0;

	x->path = in->path;
	x->name = in->name;
	if (!ret)
		ret = redact_collect(x, err);
	if (!ret)
		return print_found(x, stdout, true) ? verdict(x, err) : edit_no_memory(err);
	edit_input_call(in, err);
	return ret;
}

/* Runs redact, which writes a copy, or secrets. */
static int run(bool copies, int argc, char **argv, struct trawl_error *err)
{
	struct redact_options o = { .drop = usual() };
	struct redact x = { 0 };
	struct edit_input in;
	int ret = parse(&o, copies, argc, argv, err);

	if (ret || edit_input_open(&in, argv[optind], err))
		return -1;
	x.drop = o.drop;
	x.memory.most = o.memory;
	x.level = o.level;
	ret = copies ? redact_to(&x, &in, &o, err) : count_secrets(&x, &in, &o, err);
	redact_free(&x);
	edit_input_close(&in);
	return ret;
}

int redact_command(int argc, char **argv, struct trawl_error *err)
{
	return run(true, argc, argv, err);
}

int secrets_command(int argc, char **argv, struct trawl_error *err)
{
	return run(false, argc, argv, err);
}
