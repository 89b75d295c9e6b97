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
#include "capture/sys/clock.h"
#include "capture/sys/proc.h"

/* RUNS of the loop: enough for some samples of perf-lbr, and about a second by ptrace. */
enum { WAIT_MS = 50, RUNS = 5 };
/* PATIENCE_NS: longest time without a branch of the loop. */
static const uint64_t PATIENCE_NS = 20000000000, BEGIN_NS = 500000000;

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
		/*
		 * Resolves the symbol now, so that few branches are between the loop and the end.
		 */
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

static int record(const struct branch_backend *b, void *state, pid_t pid, int go, struct test *t,
		  struct trawl_error *err)
{
	uint64_t until = mono_now() + BEGIN_NS;
	unsigned int seen = 0;
	struct pollfd fds[64];

	if (b->start(state, err) || b->drain(state, &t->sink, err))
		return -1;
	/* Stepping back ends emit a mark when the child has stopped; the others record already. */
	while (!t->begun && mono_now() < until) {
		poll(fds, b->fds(state, fds, 64), WAIT_MS);
		if (b->drain(state, &t->sink, err))
			return -1;
	}
	until = mono_now() + PATIENCE_NS;
	if (write(go, "g", 1) != 1)
		return trawl_fail(err, TRAWL_CANNOT, "the child process has ended early");
	while (!t->exited && mono_now() < until && !b->drain(state, &t->sink, err)) {
		poll(fds, b->fds(state, fds, 64), WAIT_MS);
		t->exited |= has_ended(pid);
		if (t->loop.turns + t->loop.returns != seen)
			until = mono_now() + PATIENCE_NS;
		seen = t->loop.turns + t->loop.returns;
	}
	b->halt(state);
	if (b->stop(state, err))
		return -1;
	while (!b->over(state)) {
		if (b->drain(state, &t->sink, err))
			return -1;
	}
	if (b->drain(state, &t->sink, err))
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
	char vendor[32], flags[8192], entries[16];
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

/* Prints the begin of the line to send on: what tells processors apart whose records differ. */
static void put_machine(FILE *out)
{
	static const char *const keys[] = { "cpu family", "model", "stepping" };
	struct utsname u = { 0 };
	char text[256];

	uname(&u);
	proc_value("/proc/cpuinfo", "vendor_id", text, sizeof(text));
	fprintf(out, "to send on: trawl " PACKAGE_VERSION ", Linux %s, %s", u.release, text);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
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

int branch_self_test(FILE *out, struct trawl_error *err)
{
	char *results = NULL, *reasons = NULL;
	size_t rlen, wlen;
	FILE *summary = open_memstream(&results, &rlen), *why = open_memstream(&reasons, &wlen);
	unsigned int usable = 0, bad = 0;

	if (!summary || !why) {
		if (summary)
			fclose(summary);
		free(results);
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	for (size_t i = 0; branch_backends[i]; i++) {
		const struct branch_backend *b = branch_backends[i];
		struct test t = { 0 };
		int r;

		if (b->usable(err)) {
			fprintf(out, "branch:%s: not usable: %s\n", b->name, err->text);
			fprintf(summary, " %s=no", b->name);
			fprintf(why, "; %s", err->text);
			continue;
		}
		usable++;
		fflush(out); /* else the forked child would print it again */
		r = try_one(b, &t, err);
		fprintf(summary, " %s=%s", b->name, say(out, b, r, &t, err));
		if (r < 0)
			fprintf(why, "; %s", err->text);
		bad += r <= 0;
	}
	fclose(summary);
	fclose(why);
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
