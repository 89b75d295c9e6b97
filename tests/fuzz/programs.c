/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/array.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/programs.h"

enum { WORDS = 8 };

/* Placeholders: a word that begins with the file's name again, and a file to be written. */
#define TWICE "FILE"
#define OUTPUT "OUTPUT"

struct mode {
	int (*main)(int argc, char **argv);
	const char *words[WORDS]; /* the file is appended */
};

/*
 * Standard input of all: commands for `trawl-replay branch`, then packets as of gdb for --gdb,
 * which passes over the commands. The sums of packets are not checked.
 */
static const char input[] =
	"list 20\nstep 3\nback 2\nnext main\nprev main\ntime 0.001\nevent\nevent *\n"
	"prevevent\nbegin\nall\nend\nback 9\n\nquit\n"
	"$qSupported:swbreak+#00$?#00$g#00$QStartNoAckMode#00$p10#00$qfThreadInfo#00"
	"$qXfer:features:read:target.xml:0,ffb#00$qXfer:libraries-svr4:read::0,ffb#00"
	"$qXfer:exec-file:read:1:0,ffb#00$qXfer:auxv:read::0,ffb#00$s#00$s#00$bs#00"
	"$m401000,40#00$Z0,401000,1#00$c#00$bc#00$z0,401000,1#00$c#00$bc#00$D#00";

static const struct mode modes[] = {
	{decode_main, {"trawl-decode"}},
	{decode_main, {"trawl-decode", "--json"}},
	{decode_main, {"trawl-decode", "--summary"}},
	{edit_main, {"trawl-edit", "verify"}},
	{export_main, {"trawl-export", "--to", "pcapng"}},
	{decode_main,
	 {"trawl-decode", "--where", "pid > 5 and comm ~ \"t*\" or cpu < 9"}},
	{decode_main, {"trawl-decode", "--print"}},
	{decode_main, {"trawl-decode", "--meta"}},
	{decode_main, {"trawl-decode", "--meta=*"}},
	{decode_main, {"trawl-decode", "--join"}},
	{decode_main, {"trawl-decode", "--raw", "-X"}},
	{decode_main, {"trawl-decode", "-x", "--bounds", "-ttttt"}},
	{decode_main, {"trawl-decode", "--json", "--join", "--bounds"}},
	{decode_main, {"trawl-decode", "--around", "pid > 0"}},
	{decode_main, {"trawl-decode", "--fields", "all", "--source", "*"}},
	{decode_main, {"trawl-decode", "--summary", "--from", "+0.001"}},
	{decode_main, {"trawl-decode", "--show-keys", "--utc"}},
	{decode_main, {"trawl-decode", "--json", "--raw", "--from", "+0.5"}},
	{export_main, {"trawl-export", "--to", "pcapng.gz"}},
	{export_main, {"trawl-export", "--to", "pcap"}},
	{export_main, {"trawl-export", "--to", "pcap", "--linktype", "189"}},
	{export_main, {"trawl-export", "--to", "usbmon"}},
	{export_main, {"trawl-export", "--to", "perfetto"}},
	{export_main, {"trawl-export", "--to", "trace-dat"}},
	{export_main, {"trawl-export", "--to", "json"}},
	{export_main, {"trawl-export", "--to", "csv"}},
	{export_main, {"trawl-export", "--to", "pcapng", "--where", "status < 0 or length > 1"}},
	{export_main, {"trawl-export", "--to", "html"}},
	{edit_main, {"trawl-edit", "cut", "-w", "/dev/null", "--from", "+0.0001"}},
	{edit_main, {"trawl-edit", "cut", "-w", OUTPUT, "--where", "pid >= 0"}},
	{edit_main, {"trawl-edit", "compact", "-w", "/dev/null"}},
	{edit_main, {"trawl-edit", "repair", "-w", "/dev/null"}},
	{edit_main, {"trawl-edit", "merge", "-w", OUTPUT, TWICE, "--shift", TWICE "=+1ms"}},
	{edit_main, {"trawl-edit", "secrets"}},
	{edit_main, {"trawl-edit", "redact", "-w", OUTPUT}},
	{decode_main, {"trawl-decode", "-D"}},
	{decode_main, {"trawl-decode", "--calls"}},
	{decode_main, {"trawl-decode", "--calls=20", "--json"}},
	{decode_main, {"trawl-decode", "--counts"}},
	{decode_main, {"trawl-decode", "--counts", "--json"}},
	{decode_main, {"trawl-decode", "--protocol"}},
	{decode_main, {"trawl-decode", "--protocol", "--json", TWICE}},
	{decode_main, {"trawl-decode", "--diff", TWICE}},
	{decode_main, {"trawl-decode", "--diff", "--json", TWICE}},
	{export_main, {"trawl-export", "--to", "drcov"}},
	{export_main, {"trawl-export", "--to", "lcov"}},
	{export_main, {"trawl-export", "--to", "folded"}},
	{export_main, {"trawl-export", "--to", "brstack"}},
	{export_main, {"trawl-export", "--to", "umockdev"}},
	{edit_main, {"trawl-edit", "cut", "-w", "/dev/null", "--every", "3"}},
	{edit_main, {"trawl-edit", "cut", "-w", OUTPUT, "--max-events", "9"}},
	{edit_main, {"trawl-edit", "cut", "-w", OUTPUT, "--around", "pid >= 0", "--window", "1us"}},
	{edit_main, {"trawl-edit", "import", "-w", "/dev/null"}},
	{replay_main, {"trawl-replay", "branch"}},
	{replay_main, {"trawl-replay", "branch", "--gdb"}},
	{replay_main, {"trawl-replay", "probes", "--speed", "0"}},
	{replay_main, {"trawl-replay", "stream", "--speed", "0", "-v"}},
	{replay_main, {"trawl-replay", "stream", "--step", "--to", "json"}},
	{replay_main, {"trawl-replay", "stream", "--speed", "0", "--to", "pcapng"}},
	{replay_main, {"trawl-replay", "stream", "--speed", "0", "--to", "usbmon"}},
	{replay_main, {"trawl-replay", "host"}},
	{decode_main, {"trawl-decode", "--where", "status < 0 or actual > 3 and ep & 1"}},
	{decode_main, {"trawl-decode", "--where", "tid > 5 and count > 1"}},
	{edit_main, {"trawl-edit", "cut", "-w", OUTPUT, "--where", "ep > 0"}},
	{edit_main, {"trawl-edit", "cut", "-w", OUTPUT, "--max-size", "4k"}},
	{edit_main, {"trawl-edit", "redact", "-w", OUTPUT, "--drop", "symbols"}},
};

size_t programs_modes(void)
{
	return ARRAY_SIZE(modes);
}

void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* Opens /dev/null once; reports of sanitizers still go to stderr. */
static int open_null(int *out, int *err)
{
	static int null = -1, saved_out, saved_err;

	if (null < 0) {
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		saved_out = fcntl(1, F_DUPFD_CLOEXEC, 100);
		saved_err = fcntl(2, F_DUPFD_CLOEXEC, 100);
		if (__sanitizer_set_report_fd)
			__sanitizer_set_report_fd((void *)(intptr_t)saved_err);
	}
	*out = saved_out;
	*err = saved_err;
	return null;
}

/* Sets standard input. Returns a copy of what it was. */
static int set_input(void)
{
	int fd = memfd_create("commands", MFD_CLOEXEC), before = fcntl(0, F_DUPFD_CLOEXEC, 100);
	ssize_t n = sizeof(input) - 1;

	if (fd < 0 || write(fd, input, (size_t)n) != n || lseek(fd, 0, SEEK_SET))
		abort();
	dup2(fd, 0);
	close(fd);
	rewind(stdin); /* it may have kept something of the run before */
	return before;
}

static void restore_input(int before)
{
	if (before >= 0)
		dup2(before, 0);
	else
		close(0);
	close(before);
}

/* Returns a word of a command line, its placeholder replaced. */
static char *word_of(const char *word, const char *path)
{
	bool twice = !strncmp(word, TWICE, strlen(TWICE));
	char *text = NULL;

	if (asprintf(&text, "%s%s", twice ? path : !strcmp(word, OUTPUT) ? fuzz_path : word,
		     twice ? word + strlen(TWICE) : "") < 0)
		abort();
	return text;
}

static int call(const struct mode *m, char *path)
{
	char *argv[WORDS + 3], *copies[WORDS]; /* getopt() changes the order of argv */
	struct itimerval timer;
	struct sigaction alarm;
	int argc = 0, status, before;

	for (; argc < WORDS && m->words[argc]; argc++)
		argv[argc] = copies[argc] = word_of(m->words[argc], path);
	argv[argc] = (char *)"--no-sandbox"; /* one process reads many files */
	argv[argc + 1] = path;
	argv[argc + 2] = NULL;
	optind = 0;
	/* libFuzzer ends an input that takes too long by this timer */
	getitimer(ITIMER_REAL, &timer);
	sigaction(SIGALRM, NULL, &alarm);
	before = set_input();
	status = m->main(argc + 2, argv);
	restore_input(before);
	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (argc)
		free(copies[--argc]);
	return status;
}

/* trawl-replay asks for real-time priority, which would stay with the fuzzer for hours. */
int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	errno = EPERM;
	return -1;
}

int programs_run(size_t mode, const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC), out, err, null, status;
	char path[32];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	null = open_null(&out, &err);
	if (!*fuzz_path)
		fuzz_make_folder("output");
	fflush(stdout);
	dup2(null, 1);
	dup2(null, 2);
	status = call(&modes[mode % programs_modes()], path);
	fflush(stdout);
	dup2(out, 1);
	dup2(err, 2);
	unlink(fuzz_path);
	close(fd);
	if (status < 0 || status > 3)
		abort();
	return status;
}
