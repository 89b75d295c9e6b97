/* SPDX-License-Identifier: MIT */
/* A session with a misbehaving source: this program has its own table of sources. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/sys/clock.h"
#include "capture/session.h"
#include "capture/session/scope.h"
#include "common/array.h"

/* The behaviour of the source. */
static struct behaviour {
	int turns;          /* number of drain() calls so far */
	int interrupt_in;   /* interrupts the session in this call */
	int fail_in;        /* fails in this call */
	bool goes_on;       /* cannot be drained: there are always more events */
	bool deaf;          /* and it ignores the request to stop */
} how;

static const struct trawl_field fields[] = {
	{ .name = "n", .ctype = "int", .note = "", .kind = TRAWL_INT, .size = 4, .count = 1 },
};

static int fake_arm(struct input *in, struct trawl_error *err)
{
	struct trawl_source source = { .name = "fake", .spec = "", .kind = "fake",
				       .clock = TRAWL_CLOCK_MONO, .resolution = 1 };
	struct trawl_event_type type = { .id = 1, .name = "fake:event", .format = "",
					 .fields = fields, .nfields = 1, .size = 4 };
	int id = trawl_writer_source(session_writer(in->session), &source, err);

	in->state = &how;
	type.source = (uint16_t)id;
	return id < 0 ? -1 : trawl_writer_event_type(session_writer(in->session), &type, err);
}

static int fake_drain(struct input *in, struct trawl_error *err)
{
	int r = 0;

	how.turns++;
	if (how.turns == how.interrupt_in)
		raise(SIGTERM);
	if (how.turns == how.fail_in)
		return trawl_fail(err, TRAWL_CANNOT, "fake: it broke");
	for (int i = 0; i < 100 && !r; i++)
		r = session_append(in, &(struct trawl_record){0, 1, 0, mono_now(), &how.turns, 4},
				   err);
	if (r < 0)
		return -1;
	return how.goes_on && (how.deaf || !r) ? DRAIN_MORE : DRAIN_DONE;
}

static int fake_stop(struct input *in, struct trawl_error *err)
{
	(void)in;
	return how.goes_on ? trawl_fail(err, TRAWL_CANNOT, "fake: it does not stop") : 0;
}

static void fake_disarm(struct input *in)
{
	in->state = NULL;
}

static const struct source fake = {
	.name = "fake", .arm = fake_arm, .drain = fake_drain, .stop = fake_stop,
	.disarm = fake_disarm,
};

const struct source *const sources[] = { &fake, NULL };

const struct source *source_find(const char *option, const char *text, const char **spec,
				 struct trawl_error *err)
{
	(void)option;
	(void)text;
	(void)err;
	*spec = "";
	return &fake;
}

/*
 * Runs session_run() in its own process. It drops its privileges, for which each of its threads
 * must handle a signal; one of Criterion's threads never does.
 */
static int run_apart(const struct options *o, struct trawl_error *err)
{
	struct trawl_error *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	cr_assert(shared != MAP_FAILED);
	pid = fork();
	if (!pid)
		_exit(session_run(o, shared) ? 1 : 0);
	cr_assert(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	*err = *shared;
	munmap(shared, sizeof(*shared));
	return WEXITSTATUS(status) ? -1 : 0;
}

/* Captures; `look` checks the file. */
static int capture(struct trawl_error *err, void (*look)(struct trawl_reader *r))
{
	char path[] = "/tmp/trawl-session-XXXXXX", *argv[] = { "trawl", NULL };
	const char *interfaces[] = { "fake" };
	struct options o = { .interfaces = interfaces, .ninterfaces = 1, .write = path,
			     .quiet = true, .argc = 1, .argv = argv };
	struct trawl_error local;
	struct trawl_reader *r;
	int fd = mkstemp(path), ret;

	cr_assert(fd >= 0);
	close(fd);
	ret = run_apart(&o, err);
	r = trawl_open(path, &local);
	cr_assert(r, "%s", local.text);
	look(r);
	trawl_close(r);
	unlink(path);
	return ret;
}

static void has_all(struct trawl_reader *r)
{
	struct trawl_verdict v;
	struct trawl_error err;
	struct trawl_event ev;

	while (trawl_next(r, &ev, &err) > 0)
		;
	trawl_verdict(r, &v);
	cr_expect(v.complete, "%s", v.text);
	cr_expect(v.events > 0);
}

static void says_incomplete(struct trawl_reader *r)
{
	const struct trawl_meta *end = trawl_meta_find(r, "end");

	has_all(r);
	cr_assert(end);
	cr_expect(memmem(end->data, end->len, "\"incomplete\":true", 17));
}

Test(session, ends_by_a_signal)
{
	struct trawl_error err;

	how = (struct behaviour){ .interrupt_in = 1 };
	cr_expect_eq(capture(&err, has_all), 0);
}

Test(session, a_failure_in_the_turn_of_the_end_is_told)
{
	struct trawl_error err;

	how = (struct behaviour){ .interrupt_in = 1, .fail_in = 2 };
	cr_expect_eq(capture(&err, says_incomplete), -1);
	cr_expect_eq(err.status, TRAWL_CANNOT);
	cr_expect_str_eq(err.text, "fake: it broke");
}

Test(session, a_source_that_does_not_stop_is_not_waited_for, .timeout = 60)
{
	struct trawl_error err;

	how = (struct behaviour){ .interrupt_in = 1, .goes_on = true };
	cr_expect_eq(capture(&err, has_all), -1);
	cr_expect_str_eq(err.text, "fake: it does not stop");
}

Test(session, nor_one_that_does_not_listen, .timeout = 60)
{
	struct trawl_error err;

	how = (struct behaviour){ .interrupt_in = 1, .goes_on = true, .deaf = true };
	cr_expect_eq(capture(&err, says_incomplete), -1);
	cr_expect_str_eq(err.text, "fake: it does not stop");
}

static void end(const struct scope *s, pid_t pid)
{
	struct pollfd p = { .fd = scope_fd(s), .events = POLLIN };

	kill(pid, SIGKILL);
	cr_assert_eq(poll(&p, 1, -1), 1);
}

Test(scope, the_end_of_all_is_seen_and_nothing_stays_open)
{
	struct trawl_error err;
	struct scope s;
	pid_t pids[2];
	int fds[2];

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		while (!pids[i])
			pause();
	}
	cr_assert_eq(scope_open(&s, pids, ARRAY_SIZE(pids), true, true, &err), 0, "%s", err.text);
	memcpy(fds, s.pidfds, sizeof(fds));
	end(&s, pids[0]);
	cr_assert_not(scope_ended(&s));
	end(&s, pids[1]);
	cr_assert(scope_ended(&s));
	scope_close(&s);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		cr_assert_eq(fcntl(fds[i], F_GETFD), -1);
		waitpid(pids[i], NULL, 0);
	}
}
