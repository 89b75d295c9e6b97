/* SPDX-License-Identifier: MIT */
/*
 * Programs that branches are in come from strangers, and the recorder is root: ELF and DWARF are
 * read by processes of their own, one a program, with nobody's rights in a sandbox
 * (capture/probe/confine.h, common/sandbox.h). The recorder drops the rights to start such a
 * process before it meets a program. So reader_starter_open() forks a process while the rights are
 * there, and that starts the readers.
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

/* To be called before the recorder drops its privileges. 0, or -1 with *err. */
int reader_starter_open(struct reader_starter *s, struct trawl_error *err);
void reader_starter_close(struct reader_starter *s);

/* Of one program. */
struct reader {
	int socket, opener; /* -1: it is gone */
	char *folder;       /* where separate debug files may be; NULL: below /usr/lib/debug only */
};

/*
 * A reader of the program that fd is open for, which stays the caller's; or, fd -1, of the vdso.
 * folder: that of the program, if that is the file there. NULL, or why there is none.
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
