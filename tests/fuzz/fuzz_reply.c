/* SPDX-License-Identifier: MIT */
/* Any bytes as the answer of the process that reads programs (reply.h), for a list of two files. */
#include <stdlib.h>
#include <string.h>

#include "capture/branch/findings.h"
#include "capture/probe/probe.h"
#include "capture/probe/reply.h"
#include "common/branch.h"

/* The findings about a program with branches: refused as a whole, or within bounds. */
static void check_findings(const uint8_t *data, size_t size)
{
	struct wire_in in = {(const char *)data, size, false};
	struct findings f = {0};

	if (!findings_get(&in, &f) && (f.nfiles || f.nfunctions || f.nlines || f.ninsns))
		abort();
	for (size_t i = 0; i < f.nlines; i++)
		if (f.lines[i].line && f.lines[i].file >= f.nfiles)
			abort();
	for (size_t i = 0; i < f.ninsns; i++)
		if (!f.insns[i].length || f.insns[i].length > 15 || f.insns[i].kind >= BRANCH_KINDS)
			abort();
	findings_free(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A definition for tracefs is one line and refers to one of the files. */
static void check(const struct probe_list *list)
{
	char line[PROBE_DEFINITION_MAX + 1];
	struct trawl_error err;

	for (size_t i = 0; i < list->n; i++) {
		const struct probe *p = list->probes[i];

		if (p->file != list->files[0] && p->file != list->files[1])
			abort();
		for (size_t k = 0; k < p->nsites; k++)
			if (p->sites[k].offset > p->file->size ||
			    (!probe_definition(p, k, "g", line, sizeof(line), &err) &&
			     strchr(line, '\n') != line + strlen(line) - 1))
				abort();
		free(probe_meta_json(p));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct probe_file a = {.fd = 3, .path = strdup("/bin/a"), .size = 1 << 20, .refs = 1},
			  b = a;
	struct probe_file *files[] = {&a, &b};
	struct probe_list list = {.nfiles = 2, .files = files};
	struct trawl_error err;
	int got;

	b.path = strdup("/bin/b");
	check_findings(data, size);
	got = reply_read(data, size, &list, &err);
	if (got < 0 && !*err.text)
		abort();
	check(&list);
	probe_drop(&list, 0);
	for (size_t i = 0; i < list.nnotes; i++)
		free(list.notes[i]);
	free(list.notes);
	free(list.probes);
	for (size_t i = 0; i < 2; i++) {
		free(files[i]->path);
		free(files[i]->build_id);
	}
	return 0;
}
