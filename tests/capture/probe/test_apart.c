/* SPDX-License-Identifier: MIT */
/*
 * Untrusted programs are read by a process without privileges: the system calls that it may not
 * make, the handling of crashes and endless loops, the files that it may open, and the validation
 * of its answers.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/probe/apart.h"
#include "capture/probe/opener.h"
#include "capture/probe/probe.h"
#include "capture/probe/reply.h"
#include "common/array.h"
#include "common/sandbox.h"

static struct probe_list list;
static struct trawl_error err;

static void set_up(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	cr_assert(probe_list_file(&list, fd, "/proc/self/exe", false, &err));
}

static int run(apart_fn *fn)
{
	err = (struct trawl_error){ 0 };
	return apart_run(fn, NULL, "FILE", &list, &err);
}

/* Expects a failure with `with` in its one-line message. */
static void fails(apart_fn *fn, const char *with)
{
	cr_expect_eq(run(fn), -1);
	cr_expect(!strncmp(err.text, "FILE: ", 6) && strstr(err.text, with) &&
			  !strchr(err.text, '\n'),
		  "'%s' has no '%s'", err.text, with);
	cr_expect_eq(err.status, TRAWL_CANNOT);
	cr_expect_eq(list.nfiles, 1);
	cr_expect_eq(list.n, 0);
}

/* ---- forbidden actions ----------------------------------------------------------------------- */

static int crash(void *arg, struct probe_list *l, struct trawl_error *e)
{
	raise(SIGABRT); /* the sanitizers have other signals */
	return 0;
}

static int start(void *arg, struct probe_list *l, struct trawl_error *e)
{
	execl("/bin/true", "true", NULL);
	return 0;
}

static int connect_out(void *arg, struct probe_list *l, struct trawl_error *e)
{
	socket(AF_INET, SOCK_STREAM, 0);
	return 0;
}

static int spin(void *arg, struct probe_list *l, struct trawl_error *e)
{
	for (volatile unsigned int i = 0;; i++)
		;
	return 0;
}

/* Returns 0 if all of them fail. */
static int look_around(void *arg, struct probe_list *l, struct trawl_error *e)
{
	char byte;
	int first = l->files[0]->fd;

	if (open("/tmp/trawl-test-apart", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0)
		return trawl_fail(e, TRAWL_USAGE, "made a file");
	if (open("/etc/shadow", O_RDONLY | O_CLOEXEC) >= 0 || opener_open("/etc/shadow") >= 0)
		return trawl_fail(e, TRAWL_USAGE, "opened a file");
	if (read(STDIN_FILENO, &byte, 1) >= 0 || write(STDERR_FILENO, "x", 1) >= 0)
		return trawl_fail(e, TRAWL_USAGE, "has its parent's files");
	if (pread(first, &byte, 1, 1) != 1 || byte != 'E')
		return trawl_fail(e, TRAWL_USAGE, "cannot read the program");
	return 0;
}

Test(apart, it_can_do_nothing_but_read, .init = set_up)
{
	cr_expect_eq(run(look_around), 0, "%s", err.text);
	if (!sandbox_has_seccomp())
		cr_skip_test("built without libseccomp");
	fails(start, "make a forbidden system call");
	fails(connect_out, "make a forbidden system call");
}

Test(apart, a_crash_is_an_error, .init = set_up)
{
	fails(crash, "crash");
}

static size_t descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static int nothing(void *arg, struct probe_list *l, struct trawl_error *e)
{
	(void)arg;
	(void)l;
	(void)e;
	return 0;
}

Test(apart, no_descriptor_is_left, .init = set_up)
{
	size_t before = descriptors();

	cr_expect_eq(run(nothing), 0, "%s", err.text);
	cr_expect_eq(descriptors(), before);
	cr_expect_eq(run(crash), -1);
	cr_expect_eq(descriptors(), before);
}

/* The socket needs two, the pipe two more. */
Test(apart, no_descriptor_is_left_when_there_are_too_few, .init = set_up)
{
	size_t before = descriptors();
	int next = dup(list.files[0]->fd);
	struct rlimit all;

	close(next);
	getrlimit(RLIMIT_NOFILE, &all);
	for (rlim_t room = 0; room < 4; room++) {
		struct rlimit few = { (rlim_t)next + room, all.rlim_max };
		int got;

		setrlimit(RLIMIT_NOFILE, &few);
		got = run(nothing);
		setrlimit(RLIMIT_NOFILE, &all);
		cr_expect_eq(got, -1, "%u", (unsigned int)room);
		cr_expect(strstr(err.text, "Too many open files"), "%s", err.text);
		cr_expect_eq(descriptors(), before, "%u", (unsigned int)room);
	}
}

/* The user's own limit is lower than trawl's. */
Test(apart, a_loop_is_an_error, .init = set_up)
{
	struct rlimit limit = { 1, 2 }, before;

	getrlimit(RLIMIT_CPU, &before);
	limit.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_CPU, &limit);
	fails(spin, "takes too long");
	setrlimit(RLIMIT_CPU, &before);
}

Test(apart, a_signal_that_waits_ends_it, .init = set_up)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTERM);
	fails(spin, "interrupted");
	sigwait(&set, &got);
}

/* Requests files in an endless loop and never reads an answer. */
static int ask_only(void *arg, struct probe_list *l, struct trawl_error *e)
{
	char path[] = "/usr/lib/debug/nothing";
	struct iovec io = {path, sizeof(path) - 1};
	struct msghdr message = {.msg_iov = &io, .msg_iovlen = 1};

	for (;;)
		for (int fd = 3; fd < 64; fd++)
			sendmsg(fd, &message, 0); /* fails but for the socket */
	return 0;
}

/* Closes its end of the answer socket and does not exit. */
static int stay(void *arg, struct probe_list *l, struct trawl_error *e)
{
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	for (;;)
		usleep(1000);
	return 0;
}

Test(apart, it_is_not_waited_for, .init = set_up, .timeout = 60)
{
	fails(stay, "takes too long");
	fails(ask_only, "did not receive them");
}

/* ---- its status in /proc --------------------------------------------------------------------- */

static atomic_bool seen;
static char found[4096];

/* Reads the status of a child process as soon as it has a seccomp filter. */
static bool look_at(const char *pid)
{
	char path[64], text[4096], parent[32];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = '\0';
	snprintf(parent, sizeof(parent), "PPid:\t%d\n", getpid());
	if (!strstr(text, parent) || !strstr(text, "Seccomp:\t2"))
		return false;
	strcpy(found, text);
	return true;
}

static void *watch(void *arg)
{
	while (!seen) {
		DIR *proc = opendir("/proc");
		struct dirent *e;

		while (!seen && (e = readdir(proc)))
			if (isdigit((unsigned char)*e->d_name) && look_at(e->d_name))
				seen = true;
		closedir(proc);
	}
	return NULL;
}

/* Waits until it is killed for taking too long; the test ends it. */
static int wait_long(void *arg, struct probe_list *l, struct trawl_error *e)
{
	while (opener_open("/usr/lib/debug/nothing") < 0)
		usleep(1000);
	return 0;
}

static void *end_it(void *arg)
{
	pthread_t *watcher = arg;

	pthread_join(*watcher, NULL);
	kill(atoi(strstr(found, "\nPid:\t") + 6), SIGKILL);
	return NULL;
}

Test(apart, it_is_nobody_and_cannot_become_anybody, .init = set_up)
{
	pthread_t watcher, ender;

	if (!sandbox_has_seccomp())
		cr_skip_test("built without libseccomp");
	pthread_create(&watcher, NULL, watch, NULL);
	pthread_create(&ender, NULL, end_it, &watcher);
	cr_expect_eq(run(wait_long), -1);
	pthread_join(ender, NULL);
	cr_expect(strstr(found, "NoNewPrivs:\t1"), "%s", found);
	cr_expect(strstr(found, "CapEff:\t0000000000000000"), "%s", found);
	cr_expect(strstr(found, "CapPrm:\t0000000000000000"), "%s", found);
	if (!geteuid())
		cr_expect(strstr(found, "Uid:\t65534\t65534\t65534\t65534"), "%s", found);
}

/* Returns the first child of a process, or 0. */
static pid_t child_of(pid_t pid)
{
	char path[64], text[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "re");
	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	return atoi(text);
}

/* The recorder is killed: no process would wait for the reader, which could run for minutes. */
Test(apart, it_ends_with_the_recorder, .init = set_up)
{
	pid_t recorder, reader = 0;
	int status = 0, tries;

	prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans become children of this process */
	recorder = fork();
	if (!recorder) {
		run(spin);
		_exit(0);
	}
	for (tries = 0; !(reader && kill(reader, 0) == 0) && tries < 1000; tries++) {
		usleep(10000);
		reader = child_of(recorder);
	}
	cr_assert(reader, "nothing reads");
	usleep(200000); /* it has dropped its privileges by then */
	kill(recorder, SIGKILL);
	cr_assert_eq(waitpid(recorder, &status, 0), recorder);
	for (tries = 0; waitpid(reader, &status, WNOHANG) == 0 && tries < 1000; tries++)
		usleep(10000);
	kill(reader, SIGKILL);
	cr_expect(tries < 1000, "it goes on");
}

/* ---- separate debug files ------------------------------------------------------------------- */

Test(apart, only_debug_files_are_opened_for_it)
{
	static const char *const folders[] = { "/opt/a/bin", "/" };
	static const char *const good[] = {"/usr/lib/debug/.build-id/12/34.debug",
					   "/opt/a/bin/x.debug", "/opt/a/bin/.debug/x.debug"};
	static const char *const bad[] = {"/etc/shadow",
					  "/usr/lib/debug/../../../etc/shadow",
					  "/opt/a/bin/../../../etc/shadow",
					  "/opt/a/bin/sub/x",
					  "x",
					  "",
					  "/opt/a/binx/y",
					  "/opt/a/bin/",
					  "/usr/lib/debug"};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		cr_expect(opener_allows(good[i], folders, 1), "%s", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_not(opener_allows(bad[i], folders, 1), "%s", bad[i]);
}

/* ---- answers --------------------------------------------------------------------------------- */

static int resolve_to(struct probe_list *to, bool here)
{
	static const char *const specs[] = {"usdt:%s/tests/capture/target:*:*",
					    "uprobe:libc.so.6:mem*"};
	int r = 0;

	for (size_t i = 0; i < 2 && !r; i++) {
		struct spec spec;
		char text[512];

		snprintf(text, sizeof(text), specs[i], getenv("TRAWL_BUILD"));
		r = spec_parse(text, &spec, &err);
		if (!r)
			r = here ? probe_resolve_here(&spec, 0, to, &err)
				 : probe_resolve(&spec, 0, to, &err);
		spec_free(&spec);
	}
	return r;
}

Test(apart, what_comes_is_what_was_found)
{
	struct probe_list here = { 0 };

	cr_assert_eq(resolve_to(&here, true), 0, "%s", err.text);
	cr_assert_eq(resolve_to(&list, false), 0, "%s", err.text);
	cr_assert_eq(list.n, here.n);
	cr_expect_gt(list.n, 10);
	for (size_t i = 0; i < list.n; i++) {
		char *a = probe_meta_json(list.probes[i]), *b = probe_meta_json(here.probes[i]);

		cr_expect_str_eq(a, b);
		for (size_t k = 0; k < list.probes[i]->nsites; k++)
			cr_expect_str_eq(list.probes[i]->sites[k].fetchargs,
					 here.probes[i]->sites[k].fetchargs);
		free(a);
		free(b);
	}
	probe_list_free(&here);
}

/* The reader also ends at a signal, instead of skipping one match after the other. */
Test(apart, a_pattern_ends_at_a_signal)
{
	struct probe_list here = { 0 };
	struct spec spec;
	sigset_t set;
	char text[512];
	int got;

	snprintf(text, sizeof(text), "uprobe:%s/tests/capture/target:*", getenv("TRAWL_BUILD"));
	cr_assert_eq(spec_parse(text, &spec, &err), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTERM);
	cr_expect_eq(probe_resolve_here(&spec, 0, &here, &err), -1);
	cr_expect(strstr(err.text, "interrupted"), "%s", err.text);
	cr_expect_eq(here.n, 0);
	cr_expect_eq(here.nnotes, 0, "nothing is passed over");
	sigwait(&set, &got);
	spec_free(&spec);
	probe_list_free(&here);
}

/*
 * Parses an answer into a list with the same files; returns true if it is refused and the list is
 * unchanged.
 */
static bool refused(const void *bytes, size_t n)
{
	struct probe_list to = { .nfiles = list.nfiles, .files = list.files };
	bool r = reply_read(bytes, n, &to, &err) == 1 && !to.n && !to.nnotes;

	for (size_t i = 0; !r && i < to.n; i++)
		probe_free(to.probes[i]);
	if (!r) {
		for (size_t i = 0; i < to.nnotes; i++)
			free(to.notes[i]);
		free(to.probes);
		free(to.notes);
	}
	return r;
}

static bool refuses_with(char **text, const char *bad)
{
	struct reply_before none = { 0 };
	char *good = *text;
	size_t n;
	void *bytes;
	bool r;

	*text = (char *)bad;
	bytes = reply_write(&list, &none, 0, NULL, &n);
	*text = good;
	r = refused(bytes, n);
	free(bytes);
	return r;
}

Test(apart, answers_that_make_no_sense_are_refused)
{
	struct reply_before none = { 0 };
	struct probe_site *site;
	size_t n;
	char *bytes;

	cr_assert_eq(resolve_to(&list, true), 0, "%s", err.text);
	bytes = reply_write(&list, &none, 0, NULL, &n);
	cr_expect_not(refused(bytes, n), "it is whole");
	for (size_t cut = 0; cut < n; cut += cut < 2000 ? 1 : 997)
		cr_expect(refused(bytes, cut), "cut at %zu", cut);
	cr_expect(refused("", 0));
	free(bytes);

	site = &list.probes[0]->sites[0];
	cr_expect(refuses_with(&site->fetchargs, "a=%di\np:evil/evil /bin/sh:0x1000"),
		  "a second definition");
	cr_expect(refuses_with(&site->fetchargs, "a=%di\x01"));
	cr_expect(refuses_with((char **)&site->exit, "elsewhere"));
	cr_expect(refuses_with((char **)&site->insn, "jump"));
	cr_expect(refuses_with(&list.probes[0]->note, "note\033[2J"));
	site->offset += 1ull << 40;
	cr_expect(refuses_with(&site->symbol, "main"), "after the file's end");
	site->offset -= 1ull << 40;
	for (size_t i = 0; i < list.nfiles; i++) {
		char *id = list.files[i]->build_id;

		bytes = reply_write(&list, &none, 0, NULL, &n);
		list.files[i]->build_id = NULL;
		cr_expect(refused(bytes, n - 1));
		cr_expect_null(list.files[i]->build_id, "of an answer that is refused");
		list.files[i]->build_id = id;
		free(bytes);
	}
	strcpy(list.probes[0]->event, "e v/il");
	cr_expect(refuses_with(&site->symbol, "main"), "an event's name");
}
