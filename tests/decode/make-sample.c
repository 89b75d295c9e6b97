/* SPDX-License-Identifier: MIT */
/*
 * make-sample FILE [EVENTS [FUNCTION [CPU]]]: a small capture for the tests of command lines; its
 * loss is of CPU, or -1: of none.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/decode/sample.h"

int main(int argc, char **argv)
{
	struct trawl_error err;
	int fd;

	if (argc < 2)
		return 2;
	fd = strcmp(argv[1], "-") ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : dup(1);
	if (fd < 0) {
		perror(argv[1]);
		return 3;
	}
	if (sample_write(fd, argc > 2 ? (uint32_t)atoi(argv[2]) : 8, argc > 3 ? argv[3] : "main",
			 argc > 4 ? (uint32_t)atoi(argv[4]) : 1, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return err.status;
	}
	return 0;
}
