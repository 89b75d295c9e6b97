// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/attachment.h"
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "kmod/select.h"
#include "kmod/lbr.h"
#include "kmod/session.h"
#include "kmod/traced.h"

static struct workqueue_struct *releases;

static void release(struct work_struct *work)
{
	struct attachment *a = container_of(to_rcu_work(work), struct attachment, release);

	store_free(&a->store);
	lbr_free(a->lbr);
	if (a->traced)
		traced_put(a->traced);
	session_put(a->session);
	kfree(a);
}

void attachment_release(struct attachment *a)
{
	/* Not in the work: until it runs, the event would keep others from the counter. */
	lbr_stop(a->lbr);
	INIT_RCU_WORK(&a->release, release);
	queue_rcu_work(releases, &a->release);
}

static u32 select_of(const struct attachment_config *config)
{
	return config->form == TRAWL_FORM_BTS ? select_of_bts(config->bts_control) : config->select;
}

struct attachment *attachment_new(struct session *session, const struct attachment_config *config,
				  bool atomic)
{
	struct attachment *a =
		kzalloc(sizeof(*a), atomic ? GFP_NOWAIT | __GFP_NOWARN : GFP_KERNEL_ACCOUNT);

	if (!a)
		return NULL;
	INIT_LIST_HEAD(&a->of_session);
	session_get(session);
	a->session = session;
	a->config = *config;
	a->select = select_of(config);
	store_init(&a->store);
	return a;
}

void attachment_select(struct attachment *a)
{
	WRITE_ONCE(a->select, select_of(&a->config));
	if (a->lbr)
		lbr_select(a->lbr, a->select);
}

static int open_lbr(struct attachment *a, struct task_struct *task)
{
	struct lbr *lbr = lbr_open(task, a->select);

	if (IS_ERR(lbr))
		return PTR_ERR(lbr);
	a->lbr = lbr;
	a->state = TRAWL_TASK_TRACED;
	return 0;
}

int attachment_room(struct attachment *a, struct task_struct *task)
{
	bool stops = a->config.bts_control & TRAWL_BTS_BTINT;
	int status = 0;

	attachment_select(a);
	if (a->config.provider == TRAWL_PROVIDER_LBR && !a->lbr)
		status = open_lbr(a, task);
	if (status)
		return status;
	if (a->config.form == TRAWL_FORM_LBR)
		return store_room(&a->store, a->config.depth, 0, true);
	if (a->config.form == TRAWL_FORM_BTS)
		return store_room(&a->store, a->config.bts_size / TRAWL_BTS_RECORD,
				  stops ? a->config.bts_threshold / TRAWL_BTS_RECORD : 0, !stops);
	return 0;
}

/*
 * The last branches are of one program and have no gap. In form BTS what is recorded stays.
 */
static bool starts_anew(const struct attachment *a, u8 kind)
{
	return a->config.form == TRAWL_FORM_LBR &&
	       (kind == TRAWL_KIND_EXEC || kind == TRAWL_KIND_RESUME);
}

void attachment_put(struct attachment *a, const struct trawl_branch *record)
{
	struct trawl_branch r = *record;

	if (r.kind < TRAWL_KIND_SIGNAL && !select_wants(READ_ONCE(a->select), r.kind))
		return;
	r.tid = a->tid;
	if (a->config.form == TRAWL_FORM_STREAM) {
		session_put_records(a->session, &r, 1);
	} else if (starts_anew(a, r.kind)) {
		store_drop(&a->store);
	} else if (r.kind < TRAWL_KIND_SIGNAL && store_put(&a->store, &r)) {
		WRITE_ONCE(a->session->ready, true);
		session_wake(a->session);
	}
}

/* In form STREAM each LBR stack that is kept is also put into the ring. */
static void put_stack(struct attachment *a)
{
	struct trawl_branch *r;
	u32 i, count, n = 0;
	bool ours;

	r = lbr_stack(a->lbr, &count, &ours);
	for (i = 0; i < count; i++) {
		if (!select_wants(READ_ONCE(a->select), r[i].kind))
			continue;
		r[n] = r[i];
		r[n].flags |= TRAWL_FLAG_PROBE;
		r[n++].tid = a->tid;
	}
	r[n] = (struct trawl_branch){ .kind = TRAWL_KIND_STACK,
				      .cycles = ours ? n : TRAWL_STACK_UNKNOWN,
				      .tid = a->tid,
				      .time = ktime_get_mono_fast_ns() };
	session_put_records(a->session, r, n + 1);
}

void attachment_keep(struct attachment *a)
{
	if (!a->lbr)
		return;
	lbr_keep(a->lbr);
	if (a->config.form == TRAWL_FORM_STREAM && !READ_ONCE(a->config.on_exec))
		put_stack(a);
}

int attachments_init(void)
{
	releases = alloc_workqueue("trawl", WQ_UNBOUND, 0);
	return releases ? 0 : -ENOMEM;
}

void attachments_exit(void)
{
	rcu_barrier();
	destroy_workqueue(releases);
}
