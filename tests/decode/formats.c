/* SPDX-License-Identifier: MIT */
/*
 * Reads tracefs format files and reports how many of their print formats are understood.
 *
 *	formats [FILE...]	paths on the command line or, one on each line, on standard input
 *
 * Prints "TOTAL UNDERSTOOD CALLS DROPPED", and on stderr each format that is not understood, with
 * the reason. CALLS counts formats that call a kernel function, which is printed as the call
 * itself, or that use an unknown named constant; DROPPED counts fields that are missing from the
 * event type.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/eventformat.h"
#include "decode/kernel/printfmt.h"

static unsigned int total, understood, calls, dropped;

/* common_type is not needed; there may be more fields than lines (string[2]). */
static void count_fields(const char *path, const char *text, const struct eventformat *f)
{
	unsigned int lines = 0;

	for (const char *at = text; (at = strstr(at, "\tfield:")); at++)
		lines++;
	if (f->ncommon + f->nfields + 1 >= lines)
		return;
	dropped += lines - f->ncommon - f->nfields - 1;
	fprintf(stderr, "%s: drops a field\n", path);
}

static void one(const char *path)
{
	static char text[1 << 20];
	struct trawl_source source = { .name = "event" };
	struct trawl_event_type type = { .name = path, .format = text };
	struct eventformat f;
	struct trawl_error err;
	struct printfmt *p;
	const char *why;
	FILE *file = fopen(path, "r");
	size_t n;

	if (!file) {
		perror(path);
		return;
	}
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	total++;
	if (eventformat_parse(text, n, &f, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		return;
	}
	count_fields(path, text, &f);
	type.size = f.size;
	type.nfields = f.nfields;
	type.fields = f.fields;
	source.ncommon = f.ncommon;
	source.common = f.common;
	p = printfmt_new(&type, &source, &why);
	if (!p) {
		fprintf(stderr, "%s: %s\n", path, why);
	} else {
		struct out o;
		char zero[65536] = { 0 };

		/* An empty record, a short one, and one of all ones. */
		out_memory(&o);
		printfmt_text(p, NULL, zero, f.size, &o);
		printfmt_text(p, NULL, zero, 3, &o);
		memset(zero, 255, sizeof(zero));
		printfmt_text(p, NULL, zero, f.size, &o);
		out_free(&o);
		understood++;
		calls += printfmt_unknown(p) != NULL;
		if (printfmt_unknown(p))
			fprintf(stderr, "%s: calls %s\n", path, printfmt_unknown(p));
	}
	printfmt_free(p);
	eventformat_free(&f);
}

int main(int argc, char **argv)
{
	char line[4096];

	for (int i = 1; i < argc; i++)
		one(argv[i]);
	while (argc == 1 && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		one(line);
	}
	printf("%u %u %u %u\n", total, understood, calls, dropped);
	return 0;
}
