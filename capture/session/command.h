/* SPDX-License-Identifier: MIT */
/* The command behind `--`: starts stopped, runs when all is armed, and its end is seen. */
#ifndef TRAWL_CAPTURE_SESSION_COMMAND_H
#define TRAWL_CAPTURE_SESSION_COMMAND_H

#include "capture/sys/user.h"

struct command {
	const char *name; /* argv[0] */
	pid_t pid;        /* 0: none */
	int pidfd;        /* readable when it has ended; -1 if none */
	int go;           /* pipe that it waits on; -1 once it runs */
	int report;       /* pipe that tells why exec failed; -1 once read */
	char exe[256];    /* what it ran as after its exec: a script's interpreter; "": unknown */
	bool ended;
	int status;       /* as of waitpid(), once ended */
};

/*
 * Finds the program (as the user, so that a wrong name fails before anything is armed) and forks
 * the child, which waits. stdout_to_stderr: our standard output is the capture.
 */
int command_prepare(struct command *c, char **argv, const struct user *user, bool stdout_to_stderr,
		    struct trawl_error *err);

/* Lets it exec; fails if it could not. */
int command_go(struct command *c, struct trawl_error *err);

/* Collects it if it has ended; true once it has. */
bool command_reap(struct command *c);

/* It has ended by a signal that is none of those by which people end programs. */
bool command_crashed(const struct command *c);

void command_signal(const struct command *c, int sig);

/* Ends it if it still runs (never started: silently; else SIGTERM and a second's grace). */
void command_close(struct command *c);

/* "exit status 3", "killed by SIGSEGV" in buf; returns buf. */
const char *command_verdict(const struct command *c, char *buf, size_t size);

#endif
