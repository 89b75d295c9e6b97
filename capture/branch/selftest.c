/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/branch/backend.h"
#include "capture/branch/selftest.h"
#include "capture/sys/clock.h"

enum { TURNS = 1000, WAIT_MS = 50 };
static const uint64_t PATIENCE_NS = 20000000000, BEGIN_NS = 500000000;

/* A loop of known branches: the jump is taken TURNS - 1 times, then comes the return. */
#ifdef __x86_64__
__asm__(".text\n"
	".globl trawl_self_test_loop, trawl_self_test_turn, trawl_self_test_jump, trawl_self_test_return\n"
	".hidden trawl_self_test_loop, trawl_self_test_turn, trawl_self_test_jump, trawl_self_test_return\n"
	"trawl_self_test_loop: mov $1000, %ecx\n"
	"trawl_self_test_turn: dec %ecx\n"
	"trawl_self_test_jump: jnz trawl_self_test_turn\n"
	"trawl_self_test_return: ret\n");
void trawl_self_test_loop(void);
extern const char trawl_self_test_turn[], trawl_self_test_jump[], trawl_self_test_return[];
#else
static const char trawl_self_test_turn[1], trawl_self_test_jump[1], trawl_self_test_return[1];
static void trawl_self_test_loop(void)
{
}
#endif

struct test {
	struct branch_sink sink;
	unsigned int turns, returns, wrong;
	bool begun, exited;
};

static uint64_t address(const char *label)
{
	return (uint64_t)(uintptr_t)label;
}

static int on_event(struct branch_sink *sink, const struct branch_event *e, struct trawl_error *err)
{
	struct test *t = (struct test *)sink;
	const struct branch *b = &e->branch;

	t->begun |= e->kind == BRANCH_EVENT_MARK && e->mark == BRANCH_MARK_START;
	t->exited |= e->kind == BRANCH_EVENT_EXIT;
	if (e->kind != BRANCH_EVENT_BRANCH || b->from < address(trawl_self_test_turn) ||
	    b->from > address(trawl_self_test_return))
		return 0;
	if (b->from == address(trawl_self_test_jump) && b->to == address(trawl_self_test_turn))
		t->turns++;
	else if (b->from == address(trawl_self_test_return))
		t->returns++;
	else
		t->wrong++;
	return 0;
}

/* A child that runs the loop once it is told to; *go is written to for that. */
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
		if (read(fds[0], &word, 1) == 1)
			trawl_self_test_loop();
		_exit(0);
	}
	close(fds[0]);
	*go = fds[1];
	return pid;
}

/* Looks only: stops of a task that a thread of ours traces would be taken from it. */
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
	struct pollfd fds[64];

	if (b->start(state, err) || b->drain(state, &t->sink, err))
		return -1;
	/* Back ends that step begin when the child has stopped, and say so; the others have
	 * begun. */
	while (!t->begun && mono_now() < until) {
		poll(fds, b->fds(state, fds, 64), WAIT_MS);
		if (b->drain(state, &t->sink, err))
			return -1;
	}
	until = mono_now() + PATIENCE_NS;
	if (write(go, "g", 1) != 1)
		return trawl_fail(err, TRAWL_CANNOT, "the child has gone");
	while (!t->exited && mono_now() < until && !b->drain(state, &t->sink, err)) {
		poll(fds, b->fds(state, fds, 64), WAIT_MS);
		t->exited |= has_ended(pid);
	}
	b->halt(state);
	if (b->stop(state, err))
		return -1;
	while (!b->over(state)) {
		if (b->drain(state, &t->sink, err))
			return -1;
	}
	return b->drain(state, &t->sink, err);
}

/* 1: as it should be, 0: not; -1 with *err: it could not be tried. */
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
		return t->turns > 0 && !t->wrong;
	return t->turns == TURNS - 1 && t->returns == 1 && !t->wrong;
}

static void cpu_model(char *buf, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[512];

	snprintf(buf, size, "?");
	while (f && fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !value)
			continue;
		value[strcspn(value, "\n")] = '\0';
		snprintf(buf, size, "%s", value + 2);
		break;
	}
	if (f)
		fclose(f);
}

int branch_self_test(FILE *out, struct trawl_error *err)
{
	char summary[512] = "", model[256];
	struct utsname u = { 0 };
	unsigned int usable = 0, bad = 0;
	size_t len = 0;

	for (size_t i = 0; branch_backends[i]; i++) {
		const struct branch_backend *b = branch_backends[i];
		struct test t = { 0 };
		int r;

		if (b->usable(err)) {
			fprintf(out, "branch:%s: not usable: %s\n", b->name, err->text);
			continue;
		}
		usable++;
		fflush(out); /* or the child has it, too */
		r = try_one(b, &t, err);
		if (r < 0)
			fprintf(out, "branch:%s: failed: %s\n", b->name, err->text);
		else
			fprintf(out,
				"branch:%s: %s: %u of %u turns of a loop, %u of 1 return, %u "
				"others\n",
				b->name, r ? "right" : "WRONG", t.turns, TURNS - 1, t.returns,
				t.wrong);
		bad += r <= 0;
		len += (size_t)snprintf(summary + len, sizeof(summary) - len, " %s=%s", b->name,
					r > 0 ? "right" : r ? "failed" : "wrong");
	}
	if (!usable)
		return trawl_fail(err, TRAWL_CANNOT,
				  "--self-test branch: nothing here records branches: see above");
	cpu_model(model, sizeof(model));
	uname(&u);
	fprintf(out, "to send on: trawl " PACKAGE_VERSION ", Linux %s, %s:%s\n", u.release, model,
		summary);
	return bad ? TRAWL_BAD_DATA : TRAWL_OK;
}
