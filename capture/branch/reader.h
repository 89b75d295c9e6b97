/* SPDX-License-Identifier: MIT */
/*
 * Readers: processes that read the ELF and DWARF of recorded programs, one for each program.
 * Programs are not trusted and the recorder is root, so a reader runs as user nobody, in a sandbox
 * (capture/probe/confine.h, common/sandbox.h). When the recorder finds a program, it has already
 * dropped the privileges to start such a process, so reader_starter_open() forks the starter
 * before, which starts the readers.
 */
#ifndef TRAWL_CAPTURE_BRANCH_READER_H
#define TRAWL_CAPTURE_BRANCH_READER_H

#include <stdbool.h>
#include <sys/types.h>

#include "capture/branch/lookup.h"
#include "capture/probe/wire.h"
#include "format/trawl.h"

enum { READERS_MAX = 500 }; /* programs of a capture */

/* The process that starts readers. */
struct reader_starter {
	pid_t pid;  /* 0: there is none */
	int socket;
	size_t n;   /* number of readers started */
};

/* Called before the recorder drops its privileges. Returns 0, or -1 with *err. */
int reader_starter_open(struct reader_starter *s, struct trawl_error *err);
/* Waits at most five seconds: any process of user nobody can stop the starter. */
void reader_starter_close(struct reader_starter *s);

/* The reader of one program. */
struct reader {
	int socket, opener; /* -1: it has ended */
	char *folder;       /* folder to search for separate debug files besides /usr/lib/debug;
			     * NULL: none */
};

/*
 * Starts a reader of the program at fd, which the caller keeps; fd -1: of the vdso. folder: the
 * program's, if the file still exists; else NULL. Returns NULL, or why there is no reader.
 */
const char *reader_start(struct reader_starter *s, int fd, const char *path, const char *folder,
			 struct reader *r);
void reader_close(struct reader *r);

/*
 * Sends a request with n offsets (at most LOOKUP_HITS_MAX) and waits for the answer: *bytes,
 * malloc'd, read through *in. The answer is as untrusted as the program. Returns NULL, or why there
 * is no answer; then all later requests fail, too.
 */
const char *reader_request(struct reader *r, enum lookup_request what, const uint64_t *offsets,
			   size_t n, char **bytes, struct wire_in *in);

/* Returns the image of the vdso in this process; NULL if there is none. */
char *vdso_image(size_t *size);

#endif
