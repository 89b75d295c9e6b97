/* SPDX-License-Identifier: MIT */
/* Resolves probes of a generated ELF file. */
#ifndef TRAWL_TESTS_FUZZ_RESOLVE_H
#define TRAWL_TESTS_FUZZ_RESOLVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/probe.h"

/*
 * Resolves the probes that `fmt` names in the open file, whose descriptor replaces its %d. Aborts
 * if an error has no text, or a definition is not a single line, for any file.
 */
__attribute__((format(printf, 1, 0))) static void resolve(const char *fmt, int fd)
{
	struct probe_list list = { 0 };
	struct trawl_error err = { 0 };
	struct spec spec;
	char text[128], line[PROBE_DEFINITION_MAX + 1];

	snprintf(text, sizeof(text), fmt, fd);
	if (spec_parse(text, &spec, &err) < 0)
		abort();
	if (probe_resolve_here(&spec, 0, &list, &err) < 0 && !*err.text)
		abort();
	for (size_t i = 0; i < list.n; i++) {
		for (size_t site = 0; site < list.probes[i]->nsites; site++)
			if (probe_definition(list.probes[i], site, "g", line, sizeof(line), &err) <
				    0 ||
			    strchr(line, '\n') != line + strlen(line) - 1)
				abort();
		free(probe_meta_json(list.probes[i]));
	}
	probe_list_free(&list);
	spec_free(&spec);
}

#endif
