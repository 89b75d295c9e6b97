/* SPDX-License-Identifier: MIT */
/* ELF files with stapsdt notes: resolves all their probes and some of their functions. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/probe/probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void resolve(const char *fmt, int fd)
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
		for (size_t site = 0; site < list.probes[i]->nsites; site++) {
			if (probe_definition(list.probes[i], site, "g", line, sizeof(line), &err) <
				    0 ||
			    strchr(line, '\n') != line + strlen(line) - 1)
				abort(); /* one line, whatever the file says */
		}
		free(probe_meta_json(list.probes[i]));
	}
	probe_list_free(&list);
	spec_free(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	resolve("usdt:/proc/self/fd/%d:*:* extra=+8(%%di):x64", fd);
	resolve("uprobe:/proc/self/fd/%d:* arg1", fd);
	resolve("uprobe:/proc/self/fd/%d:0x1000", fd);
	close(fd);
	return 0;
}
