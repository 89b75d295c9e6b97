/* SPDX-License-Identifier: MIT */
/*
 * Resolves -i texts and prints the result, for tests: show_probes [-j | -l] [-x GROUP] SPEC ...
 *
 *	(nothing)	the lines for uprobe_events, group "g", file as its path
 *	-j		the metadata, one JSON text on each line
 *	-l		one line for each site: display name, offset, offset of the semaphore, vaddr
 *	-H		resolves in this process, not in one without privileges
 *	-x GROUP	writes the definitions to uprobe_events and waits for the end of stdin
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/probe/probe.h"

static int write_events(const char *line)
{
	int fd = open("/sys/kernel/tracing/uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, line, strlen(line));

	if (n < 0)
		fprintf(stderr, "%s: %s", strerror(errno), line);
	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

static int show_sites(const struct probe *p, char mode, const char *group)
{
	char line[PROBE_DEFINITION_MAX + 1], fd[32];
	struct trawl_error err;

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", p->file->fd);
	for (size_t i = 0; i < p->nsites; i++) {
		const struct probe_site *s = &p->sites[i];
		char *at;

		if (mode == 'l') {
			printf("%s 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "\n", p->display_name,
			       s->offset, s->ref_ctr, s->vaddr);
			continue;
		}
		if (probe_definition(p, i, group, line, sizeof(line), &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return -1;
		}
		if (mode == 'x') {
			if (write_events(line) < 0)
				return -1;
			continue;
		}
		at = strstr(line, fd);
		printf("%.*s%s%s", (int)(at - line), line, p->file->path, at + strlen(fd));
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct probe_list list = { 0 };
	struct trawl_error err;
	__typeof__(probe_resolve) *resolve = probe_resolve;
	const char *group = "g";
	char mode = 0;
	int opt, status = 0;

	while ((opt = getopt(argc, argv, "Hjlx:")) > 0) {
		if (opt == 'H') {
			resolve = probe_resolve_here;
			continue;
		}
		mode = (char)opt;
		if (opt == 'x')
			group = optarg;
	}
	for (int i = optind; i < argc && !status; i++) {
		struct spec spec;

		if (spec_parse(argv[i], &spec, &err) < 0 ||
		    resolve(&spec, 0, &list, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			status = err.status;
		}
		spec_free(&spec);
	}
	for (size_t i = 0; i < list.n && !status; i++) {
		if (mode == 'j') {
			char *json = probe_meta_json(list.probes[i]);

			puts(json);
			free(json);
		} else if (show_sites(list.probes[i], mode, group) < 0) {
			status = 3;
		}
	}
	fflush(stdout);
	if (mode == 'x' && !status) {
		puts("ready");
		fflush(stdout);
		while (getchar() != EOF)
			;
	}
	probe_list_free(&list);
	return status;
}
