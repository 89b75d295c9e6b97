// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/permit.h"
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include "kmod/compat.h"

int permit_open(void)
{
	if (!perfmon_capable())
		return -EPERM;
	return security_locked_down(LOCKDOWN_PERF);
}

static bool same_ids(const struct cred *a, const struct cred *b)
{
	return uid_eq(a->uid, b->euid) && uid_eq(a->uid, b->suid) && uid_eq(a->uid, b->uid) &&
	       gid_eq(a->gid, b->egid) && gid_eq(a->gid, b->sgid) && gid_eq(a->gid, b->gid);
}

bool permit_task(const struct file *file, struct task_struct *task)
{
	const struct cred *theirs;
	bool may;

	if (task->flags & PF_KTHREAD)
		return false;
	theirs = get_task_cred(task);
	may = (same_ids(file->f_cred, theirs) && compat_dumpable(task)) ||
	      file_ns_capable(file, theirs->user_ns, CAP_SYS_PTRACE);
	put_cred(theirs);
	return may;
}

bool permit_program(const struct linux_binprm *bprm)
{
	return !bprm->secureexec && !(bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP);
}

int permit_lock(struct task_struct *task)
{
	return down_read_killable(&task->signal->exec_update_lock);
}

void permit_unlock(struct task_struct *task)
{
	up_read(&task->signal->exec_update_lock);
}
