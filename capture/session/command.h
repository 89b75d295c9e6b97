/* SPDX-License-Identifier: MIT */
/* COMMAND, after `--`: forked at first, run when all is armed, watched until its end. */
#ifndef TRAWL_CAPTURE_SESSION_COMMAND_H
#define TRAWL_CAPTURE_SESSION_COMMAND_H

#include "capture/sys/user.h"

struct command {
	const char *name; /* argv[0] */
	pid_t pid;        /* 0: none */
	int pidfd;        /* readable when it has ended; -1 if none */
	int go;           /* pipe that the child waits on; -1 once it runs */
	int report;       /* pipe for the errno of a failed exec; -1 once read */
	char exe[256];    /* /proc/PID/exe after its exec: a script's interpreter; "": unknown */
	bool ended;
	bool reaped;      /* a source that traced it reaped it: status is set */
	int status;       /* as of waitpid(), once ended */
};

/*
 * Checks that the program exists, before anything is armed, and forks the child, which waits.
 * stdout_to_stderr: trawl's standard output is the capture. Returns 0, or -1 with *err.
 */
int command_prepare(struct command *c, char **argv, const struct user *user, bool stdout_to_stderr,
		    struct trawl_error *err);

/* Lets the child call exec. Returns 0, or -1 with *err if that failed. */
int command_go(struct command *c, struct trawl_error *err);

/* Reaps COMMAND if it has ended. Returns whether it has. */
bool command_reap(struct command *c);

/*
 * Whether it was ended by a signal other than those by which users end programs, or, as a shell,
 * says so of its last command.
 */
bool command_crashed(const struct command *c);

/* Returns the signal that ended it; 0: none did, or it has not ended. */
int command_killed(const struct command *c);

void command_signal(const struct command *c, int sig);

/* Ends COMMAND: by SIGTERM, and waits a second; one that never ran ends by itself. */
void command_close(struct command *c);

/* Returns the status of a COMMAND that has ended, as a shell has it: 128 + signal for a signal. */
int command_status(const struct command *c);

/* "exit status 3", "killed by SIGSEGV, status 139" in buf; returns buf. */
const char *command_verdict(const struct command *c, char *buf, size_t size);

#endif
