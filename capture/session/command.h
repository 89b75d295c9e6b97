/* SPDX-License-Identifier: MIT */
/* The command after `--`: starts stopped, runs when all is armed, and its end is seen. */
#ifndef TRAWL_CAPTURE_SESSION_COMMAND_H
#define TRAWL_CAPTURE_SESSION_COMMAND_H

#include "capture/sys/user.h"

enum { COMMAND_SIGNALS = 65 };

struct command {
	const char *name; /* argv[0] */
	pid_t pid;        /* 0: none */
	int pidfd;        /* readable when it has ended; -1 if none */
	int go;           /* pipe that it waits on; -1 once it runs */
	int report;       /* pipe that tells why exec failed; -1 once read */
	char exe[256];    /* what it ran as after its exec: a script's interpreter; "": unknown */
	bool ended;
	bool reaped;      /* a source that traced it collected it: status is set */
	int status;       /* as of waitpid(), once ended */
	uint64_t died[COMMAND_SIGNALS]; /* when a signal last ended one of its tasks; 0: never */
	bool exited;      /* its first task's exit was seen: later signals are others' */
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

/* CLOCK_MONOTONIC of the signal that ended it, as far as on_signal was told; 0: not known. */
uint64_t command_died(const struct command *c);

void command_signal(const struct command *c, int sig);

/* Ends it if it still runs (never started: silently; else SIGTERM and a second's grace). */
void command_close(struct command *c);

/* The status of one that has ended, as a shell tells it: 128 + signal if a signal ended it. */
int command_status(const struct command *c);

/* "exit status 3", "killed by SIGSEGV, status 139" in buf; returns buf. */
const char *command_verdict(const struct command *c, char *buf, size_t size);

#endif
