// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/session.h"
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

static void on_wake(struct irq_work *work)
{
	wake_up_interruptible_poll(&container_of(work, struct session, wake)->readers, EPOLLIN);
}

struct session *session_new(void)
{
	struct session *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);

	if (!s)
		return NULL;
	kref_init(&s->refs);
	mutex_init(&s->mutex);
	s->cred = get_current_cred();
	s->ns = get_pid_ns(task_active_pid_ns(current));
	s->opener = get_pid(task_tgid(current));
	INIT_LIST_HEAD(&s->attachments);
	INIT_LIST_HEAD(&s->probes);
	init_waitqueue_head(&s->readers);
	init_waitqueue_head(&s->writers);
	init_irq_work(&s->wake, on_wake);
	return s;
}

static void release(struct kref *refs)
{
	struct session *s = container_of(refs, struct session, refs);

	irq_work_sync(&s->wake);
	ring_free(s->ring);
	put_cred(s->cred);
	put_pid_ns(s->ns);
	put_pid(s->opener);
	kfree(s);
}

void session_get(struct session *s)
{
	kref_get(&s->refs);
}

void session_put(struct session *s)
{
	kref_put(&s->refs, release);
}

enum session_state session_close(struct session *s)
{
	enum session_state before = s->state;

	WRITE_ONCE(s->state, SESSION_CLOSING);
	wake_up_all(&s->writers);
	wait_event(s->writers, !atomic_read(&s->sleepers));
	return before;
}

void session_wake(struct session *s)
{
	irq_work_queue(&s->wake);
}

void session_put_records(struct session *s, const struct trawl_branch *records, u32 count)
{
	/* Pairs with smp_store_release() in TRAWL_IOC_RING. */
	struct ring *ring = smp_load_acquire(&s->ring);

	if (ring && ring_put(ring, records, count))
		session_wake(s);
}

void session_wait_for_room(struct session *s)
{
	/* Pairs with smp_store_release() in TRAWL_IOC_RING. */
	struct ring *ring = smp_load_acquire(&s->ring);

	if (!ring || !ring_short(ring) || session_closing(s) || task_tgid(current) == s->opener)
		return;
	atomic_inc(&s->sleepers);
	ring_waiting(ring, 1);
	wake_up_interruptible_poll(&s->readers, EPOLLIN);
	wait_event_killable(s->writers, !ring_short(ring) || session_closing(s));
	ring_waiting(ring, -1);
	if (atomic_dec_and_test(&s->sleepers) && session_closing(s))
		wake_up_all(&s->writers);
}
