/* SPDX-License-Identifier: MIT */
#include "edit/eachfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/dupopt.h"
#include "decode/base/cli.h"
#include "edit/edit.h"

int eachfile_parse(struct eachfile *o, int argc, char **argv, const char *letters,
		   const struct option *long_options, struct trawl_error *err)
{
	struct dupopt once = {{false}};
	int option;

	while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return cli_bad_option(option, argv, long_options, err);
		if (optarg && dupopt_given(&once, option, long_options, err))
			return -1;
		if (option == OPTION_LEVEL && edit_level(optarg, &o->level, err))
			return -1;
		if (option == 'w')
			o->out = optarg;
		else if (option == OPTION_NO_SANDBOX)
			o->no_sandbox = true;
		else if (option == OPTION_MEMORY && cli_memory(optarg, &o->memory, err))
			return -1;
	}
	return 0;
}

static int status_of(const char *path, pid_t pid)
{
	struct trawl_error err;
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return TRAWL_CANNOT;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	trawl_fail(&err, TRAWL_CANNOT, "%s: the process that read it was ended by signal %d (%s)", path,
		   WTERMSIG(status), strsignal(WTERMSIG(status)));
	return cli_error(&err);
}

int eachfile_run(const struct eachfile *o, char **paths, int n, eachfile_fn *fn)
{
	struct trawl_error err = {0};
	int worst = TRAWL_OK, got;
	pid_t pid;

	if (n == 1)
		return fn(o, paths[0], &err) ? cli_error(&err) : TRAWL_OK;
	for (int i = 0; i < n; i++) {
		fflush(stdout);
		pid = fork();
		if (pid == 0)
			exit(fn(o, paths[i], &err) ? cli_error(&err) : TRAWL_OK);
		if (pid < 0) {
			trawl_fail(&err, TRAWL_CANNOT, "%s: %s", paths[i], strerror(errno));
			return cli_error(&err);
		}
		got = status_of(paths[i], pid);
		worst = got > worst ? got : worst;
	}
	return worst;
}
