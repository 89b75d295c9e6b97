/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/branch/backend.h"
#include "capture/branch/loop.h"
#include "capture/branch/selftest.h"
#include "capture/sys/alloc.h"
#include "capture/sys/clock.h"
#include "capture/sys/proc.h"
#include "common/array.h"

enum {
	RUNS = 5,          /* of the loop: enough for some samples of perf-lbr, and about a second
			    * by ptrace */
	WAIT_MS = 50,
	FDS_MOST = 64,     /* that are polled; a back end with more has them drained each WAIT_MS */
	FLAGS_ROOM = 8192, /* the flags of a processor; those of 2024 take 2 KB */
};
/* Longest time without a branch of the loop. */
static const uint64_t PATIENCE_NS = 20000000000;
/* Longest time until a stepping back end has stopped the child; others always wait so long. */
static const uint64_t BEGIN_NS = 500000000;

struct test {
	struct branch_sink sink;
	struct loop_count loop;
	bool begun, exited;
};

static int on_event(struct branch_sink *sink, const struct branch_event *e, struct trawl_error *err)
{
	struct test *t = (struct test *)sink;

	t->begun |= e->kind == BRANCH_EVENT_MARK && e->mark == BRANCH_MARK_START;
	t->exited |= e->kind == BRANCH_EVENT_EXIT;
	if (e->kind == BRANCH_EVENT_BRANCH)
		loop_take(&t->loop, &e->branch);
	return 0;
}

/* Returns a child that runs the loop RUNS times once a byte is written to *go; -1: none. */
static pid_t make_child(int *go)
{
	int fds[2];
	char word;
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		close(fds[1]);
		/* Resolves the symbol now: few branches between the loop and the end. */
		syscall(SYS_getpid);
		for (int i = read(fds[0], &word, 1) == 1 ? RUNS : 0; i > 0; i--)
			loop_run();
		syscall(SYS_exit_group, 0);
	}
	close(fds[0]);
	*go = fds[1];
	return pid;
}

/* WNOWAIT: a thread of this process traces the child and must see its stops. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED);
}

/* Waits for events, for WAIT_MS at most, and takes those that are there. */
static int wait_and_drain(const struct branch_backend *b, void *state, struct test *t,
			  struct trawl_error *err)
{
	struct pollfd fds[FDS_MOST];

	poll(fds, b->fds(state, fds, FDS_MOST), WAIT_MS);
	return b->drain(state, &t->sink, err);
}

/*
 * Starts the back end and waits until it records: stepping back ends emit a mark when the child has
 * stopped. Others record from the start and emit none, so the wait ends without it.
 */
static int begin(const struct branch_backend *b, void *state, struct test *t,
		 struct trawl_error *err)
{
	uint64_t until = mono_now() + BEGIN_NS;

	if (b->start(state, err) || b->drain(state, &t->sink, err))
		return -1;
	while (!t->begun && mono_now() < until) {
		if (wait_and_drain(b, state, t, err))
			return -1;
	}
	return 0;
}

/* Records until the child has ended, or has had no branch of the loop for PATIENCE_NS. */
static int record_child(const struct branch_backend *b, void *state, pid_t pid, struct test *t,
			struct trawl_error *err)
{
	uint64_t until = mono_now() + PATIENCE_NS;
	unsigned int seen = 0;

	while (!t->exited && mono_now() < until) {
		if (wait_and_drain(b, state, t, err))
			return -1;
		t->exited |= has_ended(pid);
		if (t->loop.turns + t->loop.returns != seen)
			until = mono_now() + PATIENCE_NS;
		seen = t->loop.turns + t->loop.returns;
	}
	return 0;
}

/* Ends the recording and takes what the back end still has. */
static int end(const struct branch_backend *b, void *state, struct test *t,
	       struct trawl_error *err)
{
	b->halt(state);
	if (b->stop(state, err))
		return -1;
	while (!b->over(state)) {
		if (b->drain(state, &t->sink, err))
			return -1;
	}
	return b->drain(state, &t->sink, err);
}

static int record(const struct branch_backend *b, void *state, pid_t pid, int go, struct test *t,
		  struct trawl_error *err)
{
	if (begin(b, state, t, err))
		return -1;
	if (write(go, "g", 1) != 1)
		return trawl_fail(err, TRAWL_CANNOT, "the child process has ended early");
	if (record_child(b, state, pid, t, err) || end(b, state, t, err))
		return -1;
	return t->exited ? 0
			 : trawl_fail(err, TRAWL_CANNOT,
				      "the child process did not end; try again");
}

/* Returns 1 if all branches are right, 0 if not; -1 with *err if the test could not run. */
static int try_one(const struct branch_backend *b, struct test *t, struct trawl_error *err)
{
	int go = -1, r;
	pid_t pid = make_child(&go);
	struct branch_scope scope = { .pids = &pid, .n = 1 };
	void *state = pid > 0 ? b->open(&scope, err) : NULL;

	*t = (struct test){ .sink.event = on_event };
	if (!state) {
		if (pid <= 0)
			trawl_fail(err, TRAWL_CANNOT, "cannot start a child");
		r = -1;
	} else {
		r = record(b, state, pid, go, t, err);
		b->close(state);
	}
	close(go);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (r)
		return -1;
	if (b->partial)
		return t->loop.turns > 0 && !t->loop.wrong;
	return t->loop.turns == RUNS * (LOOP_TURNS - 1) && t->loop.returns == RUNS &&
		!t->loop.wrong;
}

/* Prints the number of the format in which the processor keeps its last branches. */
static void put_format(FILE *out)
{
	enum { PERF_CAPABILITIES = 0x345 };
	char vendor[32], flags[FLAGS_ROOM], entries[16];
	uint64_t capabilities;
	int fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);

	proc_value("/proc/cpuinfo", "vendor_id", vendor, sizeof(vendor));
	proc_value("/proc/cpuinfo", "flags", flags, sizeof(flags));
	proc_value("/sys/bus/event_source/devices/cpu/caps/branches", "", entries, sizeof(entries));
	if (strstr(flags, " arch_lbr"))
		fputs("architectural LBR", out);
	else if (strstr(flags, " amd_lbr_v2"))
		fputs("LbrExtV2", out);
	else if (strcmp(vendor, "GenuineIntel"))
		fputs("no known branch records", out);
	else if (fd >= 0 && pread(fd, &capabilities, 8, PERF_CAPABILITIES) == 8)
		fprintf(out, "LBR format %d", (int)(capabilities & 0x3f));
	else
		fprintf(out, "LBR format %s", fd < 0 ? "unknown (modprobe msr shows it)" : "none");
	fprintf(out, ", %s entries by perf", *entries ? entries : "no");
	if (fd >= 0)
		close(fd);
}

/* Prints the begin of the line to send on: what differs between processors whose records differ. */
static void put_machine(FILE *out)
{
	static const char *const keys[] = { "cpu family", "model", "stepping" };
	struct utsname u = { 0 };
	char text[256];

	uname(&u);
	proc_value("/proc/cpuinfo", "vendor_id", text, sizeof(text));
	fprintf(out, "to send on: trawl " PACKAGE_VERSION ", Linux %s, %s", u.release, text);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		proc_value("/proc/cpuinfo", keys[i], text, sizeof(text));
		fprintf(out, " %s %s", keys[i], text);
	}
	proc_value("/proc/cpuinfo", "model name", text, sizeof(text));
	fprintf(out, " (%s), ", text);
	put_format(out);
	fputc(':', out);
}

/* Prints what a back end recorded; returns the word for it in the line to send on. */
static const char *say(FILE *out, const struct branch_backend *b, int r, const struct test *t,
		       const struct trawl_error *err)
{
	if (r < 0) {
		fprintf(out, "branch:%s: failed: %s\n", b->name, err->text);
		return "failed";
	}
	fprintf(out, "branch:%s: %s: %u of %u turns of a loop, %u of %u returns, %u others\n",
		b->name, r ? "right" : "WRONG", t->loop.turns, RUNS * (LOOP_TURNS - 1),
		t->loop.returns, RUNS, t->loop.wrong);
	return r ? "right" : "wrong";
}

/* Appends `more` to *text. Frees `more`. */
static void append(char **text, char *more)
{
	char *whole = xasprintf("%s%s", *text, more);

	free(more);
	free(*text);
	*text = whole;
}

int branch_self_test(FILE *out, struct trawl_error *err)
{
	char *results = xstrdup(""), *reasons = xstrdup("");
	unsigned int usable = 0, bad = 0;

	for (size_t i = 0; branch_backends[i]; i++) {
		const struct branch_backend *b = branch_backends[i];
		struct test t = { 0 };
		int r;

		if (b->usable(err)) {
			fprintf(out, "branch:%s: not usable: %s\n", b->name, err->text);
			append(&results, xasprintf(" %s=no", b->name));
			append(&reasons, xasprintf("; %s", err->text));
			continue;
		}
		usable++;
		fflush(out); /* else the forked child would print it again */
		r = try_one(b, &t, err);
		append(&results, xasprintf(" %s=%s", b->name, say(out, b, r, &t, err)));
		if (r < 0)
			append(&reasons, xasprintf("; %s", err->text));
		bad += r <= 0;
	}
	put_machine(out);
	fprintf(out, "%s%s\n", results, reasons);
	free(results);
	free(reasons);
	if (!usable)
		return trawl_fail(err, TRAWL_CANNOT,
				  "--self-test branch: no back end is usable; the reasons are "
				  "above");
	return bad ? TRAWL_BAD_DATA : TRAWL_OK;
}
