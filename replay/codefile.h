/* SPDX-License-Identifier: MIT */
/* The code of a program, library or vdso, if the one here has the recorded build id. */
#ifndef TRAWL_REPLAY_CODEFILE_H
#define TRAWL_REPLAY_CODEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_file {
	const uint8_t *p; /* NULL: unavailable, see why */
	size_t size;
	const char *why;
	bool is_file;     /* a copy of a file; otherwise it is this process's vdso */
};

/* path: as in /proc/PID/maps, "[vdso]" too. build_id: hex; "" if none was recorded. */
struct code_file code_file_open(const char *path, const char *build_id);
void code_file_close(struct code_file *c);

/* A reason for code that is unavailable. The walk goes on without it, and its status will be 3. */
const char *code_no_memory(void);

#endif
