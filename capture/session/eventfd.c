/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "capture/session/eventfd.h"

/* A timer that never fires, but is cancelled when somebody sets the clock. */
static void watch_clock(struct event_fds *n)
{
	struct itimerspec never = { .it_value.tv_sec = INT64_MAX / 1000000000 };

	n->steps = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (n->steps >= 0)
		timerfd_settime(n->steps, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never,
				NULL);
}

int event_fds_open(struct event_fds *n, struct trawl_error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	n->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (n->signals < 0)
		return trawl_fail(err, TRAWL_CANNOT, "signalfd: %s", strerror(errno));
	watch_clock(n);
	return 0;
}

void event_fds_close(struct event_fds *n)
{
	if (n->signals >= 0)
		close(n->signals);
	if (n->steps >= 0)
		close(n->steps);
}

bool event_fds_signal(const struct event_fds *n, struct signalfd_siginfo *info)
{
	return read(n->signals, info, sizeof(*info)) == sizeof(*info);
}

bool event_fds_step(struct event_fds *n)
{
	uint64_t expirations;

	if (read(n->steps, &expirations, sizeof(expirations)) >= 0 || errno != ECANCELED)
		return false;
	close(n->steps);
	watch_clock(n);
	return true;
}
