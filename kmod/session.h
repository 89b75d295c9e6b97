/* SPDX-License-Identifier: GPL-2.0-only */
/* What belongs to one open file of /dev/trawl. */
#ifndef KMOD_SESSION_H
#define KMOD_SESSION_H

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
 * What the flags of a session mean, in the order in which they are set:
 *
 *	open      `hooked` and `closing` are false. `ring` and `tracer` may be there. No task records
 *	   |      for it.
 *	   | the first ENABLE for which the hooks start
 *	hooked    hooks_start() was called once, which hooks_stop() takes back once. Tasks record.
 *	   | release of the file, also from open
 *	closing   no task waits for room, and none is inherited by a new thread. Its probes and its
 *	   |      tracer have ended before, its attachments end now.
 *	freed     the last attachment has put its reference.
 *
 * No state is entered twice. `ready` is apart: true from when a BTS buffer reaches its threshold
 * until user space takes a buffer's records out (DUMP with TRAWL_DUMP_CLEAR, or as libiht does).
 */
struct session {
	struct kref refs;		/* the file has one, each attachment another */
	struct mutex mutex;		/* one request at a time */
	const struct cred *cred;	/* of the program that opened the file */
	struct pid_namespace *ns;
	struct pid *opener;		/* its process */
	struct list_head attachments;	/* under tasks_lock; those of tasks that exited at the
					 * end of it */
	struct list_head probes;	/* under mutex */
	struct ring *ring;		/* NULL until TRAWL_IOC_RING; then it stays */
	wait_queue_head_t readers;	/* of poll() */
	wait_queue_head_t writers;	/* tasks that wait for room in the ring */
	struct irq_work wake;		/* wakes the readers, from where that is not possible */
	struct tracer *tracer;		/* NULL until the first request of trawl_uprobe.h */
	bool ready;			/* a BTS buffer has reached its threshold */
	bool closing;
	bool hooked;			/* hooks_start() has been called for it */
	atomic_t sleepers;		/* tasks in session_wait_for_room() */
	u32 dead;			/* attachments of tasks that exited, under tasks_lock */
};

struct session *session_new(void);
void session_get(struct session *session);
void session_put(struct session *session);	/* may sleep when it is the last */

/* session_close() - no task waits for it any more, nor will. */
void session_close(struct session *session);

/* session_put_records() - into its ring; without one, nothing. Any context but NMI. */
void session_put_records(struct session *session, const struct trawl_record *records, u32 count);

/* session_wake() - wakes readers from any context but NMI. */
void session_wake(struct session *session);

/*
 * session_wait_for_room() - the current task waits until the ring is no longer short of room, if it
 * is one that blocks. SIGKILL ends the wait, and so does the session's end. The opener never waits.
 */
void session_wait_for_room(struct session *session);

#endif
