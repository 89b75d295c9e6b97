/* SPDX-License-Identifier: GPL-2.0-only */
/* A session: the state of one open file description of /dev/trawl. */
#ifndef TRAWL_KMOD_SESSION_H
#define TRAWL_KMOD_SESSION_H

#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/wait.h>
#include "kmod/ring.h"

struct tracer;

/*
 * The states of a session. `ring` and `tracer` may be there in each of them.
 *
 *	SESSION_OPEN      no task records for it.
 *	   |    |
 *	   |    | the first ENABLE for which the hooks start
 *	   |    v
 *	   |  SESSION_HOOKED    hooks_start() was called once, which hooks_stop() takes back once.
 *	   |    |               Tasks record.
 *	   |    | release of the file: session_close()
 *	   v    v
 *	SESSION_CLOSING   no task waits for room, and none is inherited by a new thread. Its probes
 *	   |              and its tracer have ended before, its attachments end now.
 *	   | the last attachment puts its reference
 *	   v
 *	(freed)
 *
 * No state is entered twice. Requests are over before the release: of the changes, only that to
 * SESSION_CLOSING is seen by others, who use session_closing(). `ready` is apart: true from when a
 * BTS buffer reaches its threshold until user space takes a buffer's records out (DUMP with
 * TRAWL_DUMP_CLEAR, or as libiht does).
 */
enum session_state { SESSION_OPEN, SESSION_HOOKED, SESSION_CLOSING };

struct session {
	enum session_state state;
	struct kref refs;		/* the file has one, each attachment another */
	struct mutex mutex;		/* one request at a time */
	const struct cred *cred;	/* credentials of the program that opened the file */
	struct pid_namespace *ns;
	struct pid *opener;		/* the process that opened the file */
	struct list_head attachments;	/* under tasks_lock; those of tasks that exited at the
					 * end of it */
	struct list_head probes;	/* under mutex */
	struct ring *ring;		/* NULL until TRAWL_IOC_RING; then it stays */
	wait_queue_head_t readers;	/* programs in poll() */
	wait_queue_head_t writers;	/* tasks that wait for room in the ring */
	/* wakes the readers, for contexts in which that is not allowed directly */
	struct irq_work wake;
	struct tracer *tracer;		/* NULL until the first request of trawl_uprobe.h */
	bool ready;			/* a BTS buffer has reached its threshold */
	atomic_t sleepers;		/* tasks in session_wait_for_room() */
	/* how many attachments are of tasks that exited; under tasks_lock */
	u32 dead;
};

/* session_new() - a session with one reference, which session_put() drops; NULL without memory. */
struct session *session_new(void);
void session_get(struct session *session);
void session_put(struct session *session);	/* may sleep when it is the last */

/*
 * session_close() - wakes all tasks that wait for room in the ring; none waits from now on. Returns
 * the state in which the session was.
 */
enum session_state session_close(struct session *session);

static inline bool session_closing(const struct session *session)
{
	return READ_ONCE(session->state) == SESSION_CLOSING;
}

/* session_put_records() - appends to the session's ring, if it has one. Any context but NMI. */
void session_put_records(struct session *session, const struct trawl_branch *records, u32 count);

/* session_wake() - wakes programs in poll(). Any context but NMI. */
void session_wake(struct session *session);

/*
 * session_wait_for_room() - the current task waits until less than 3/4 of a ring that blocks is
 * used. SIGKILL and the end of the session end the wait. The process that opened the file never
 * waits, as it would wait for itself.
 */
void session_wait_for_room(struct session *session);

#endif
