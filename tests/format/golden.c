/* SPDX-License-Identifier: MIT */
/*
 * Writes the golden files: golden DIRECTORY. Only a new one is copied to tests/golden, once: every
 * later version of trawl must read the same events from it.
 */
#include <fcntl.h>
#include <stdio.h>

#include "tests/format/sample.h"

int main(int argc, char **argv)
{
	struct trawl_error err;
	char path[4096];
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: golden DIRECTORY\n");
		return TRAWL_USAGE;
	}
	for (const struct sample *s = samples; s->name; s++) {
		snprintf(path, sizeof(path), "%s/%s.trawl", argv[1], s->name);
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
		if (fd < 0 || s->write(fd, &err)) {
			fprintf(stderr, "%s: %s\n", path, fd < 0 ? "cannot be made" : err.text);
			return TRAWL_CANNOT;
		}
		printf("%s: %s\n", path, s->what);
	}
	return 0;
}
