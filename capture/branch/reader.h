/* SPDX-License-Identifier: MIT */
/*
 * Readers: processes that read ELF and DWARF of the programs that branches are in, one for each
 * program. Programs are not trusted and the recorder is root, so a reader has nobody's rights, in a
 * sandbox (capture/probe/confine.h, common/sandbox.h). When the recorder finds a program, it has
 * already dropped the rights to start such a process: reader_starter_open() forks one before, which
 * starts the readers.
 */
#ifndef TRAWL_CAPTURE_BRANCH_READER_H
#define TRAWL_CAPTURE_BRANCH_READER_H

#include <stdbool.h>
#include <sys/types.h>

#include "capture/branch/lookup.h"
#include "capture/probe/wire.h"
#include "format/trawl.h"

enum { READERS_MAX = 500 }; /* programs of a capture */

/* What starts readers. */
struct reader_starter {
	pid_t pid;  /* 0: there is none */
	int socket;
	size_t n;   /* readers so far */
};

/* Called before the recorder drops its privileges. Returns 0, or -1 with *err. */
int reader_starter_open(struct reader_starter *s, struct trawl_error *err);
/* Waits five seconds at most: whoever shares nobody's rights can stop the starter, too. */
void reader_starter_close(struct reader_starter *s);

/* Of one program. */
struct reader {
	int socket, opener; /* -1: it is gone */
	char *folder;       /* where separate debug files may be; NULL: below /usr/lib/debug only */
};

/*
 * Starts a reader of the program at fd, which the caller keeps; fd -1: of the vdso. folder: that of
 * the program, if the file is still there; else NULL. Returns NULL, or why there is no reader.
 */
const char *reader_start(struct reader_starter *s, int fd, const char *path, const char *folder,
			 struct reader *r);
void reader_close(struct reader *r);

/*
 * Sends a request with n offsets (at most LOOKUP_HITS_MAX) and waits for the answer: *bytes,
 * malloc'd, read through *in. The answer is as untrusted as the program. Returns NULL, or why there
 * is no answer; then all later requests fail, too.
 */
const char *reader_ask(struct reader *r, enum lookup_request what, const uint64_t *offsets,
		       size_t n, char **bytes, struct wire_in *in);

/* The kernel's own image in this process; NULL: there is none. */
char *vdso_image(size_t *size);

#endif
