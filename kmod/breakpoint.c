// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events BKPT and FUNCRET: each registration has a uprobe of the kernel, set only in its tracee's
 * memory.
 */
#include "kmod/tracer.h"
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include "kmod/compat.h"
#include "kmod/kuprobe.h"

static struct registration *registration_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct registration, consumer);
}

static bool is_meant(const struct registration *registration)
{
	return current->mm == registration->mm && tracee_has(registration->tracee, current);
}

/*
 * A child of the tracee has a copy of its memory with the breakpoints in it; as the child is not
 * wanted here, the kernel removes those.
 */
static int wanted(const struct registration *registration)
{
	return current->mm == registration->mm ? 0 : UPROBE_HANDLER_REMOVE;
}

static int on_breakpoint(COMPAT_UPROBE_ARGUMENTS)
{
	struct registration *registration = registration_of(consumer);

	/* The same byte of a file may be mapped at a second address, which is not `where`. */
	if (is_meant(registration) && instruction_pointer(regs) == registration->u.where)
		registration_event(registration, regs, 0);
	return wanted(registration);
}

static int on_entry(COMPAT_UPROBE_ARGUMENTS)
{
	return wanted(registration_of(consumer));
}

static int on_return(COMPAT_URETPROBE_ARGUMENTS)
{
	struct registration *registration = registration_of(consumer);

	if (is_meant(registration) && function == registration->u.where)
		registration_event(registration, regs, 0);
	return 0;
}

static bool filter(COMPAT_FILTER_ARGUMENTS)
{
	return registration_of(consumer)->mm == mm;
}

/*
 * Finds the inode and the offset in the file of the code at `where`. -EINVAL where no file's code
 * is mapped.
 */
static int find_place(struct registration *registration, struct mm_struct *mm)
{
	unsigned long where = registration->u.where;
	struct vm_area_struct *vma;
	int status = -EINVAL;

	mmap_read_lock(mm);
	vma = find_vma(mm, where);
	if (vma && vma->vm_start <= where && vma->vm_file && vma->vm_flags & VM_EXEC &&
	    !(vma->vm_flags & (VM_SHARED | VM_HUGETLB))) {
		registration->inode = igrab(file_inode(vma->vm_file));
		registration->offset =
			where - vma->vm_start + ((loff_t)vma->vm_pgoff << PAGE_SHIFT);
		status = registration->inode ? 0 : -EINVAL;
	}
	mmap_read_unlock(mm);
	return status;
}

int breakpoint_set(struct registration *registration, struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);
	struct uprobe *uprobe;
	int status;

	if (!mm)
		return -ESRCH;
	status = find_place(registration, mm);
	if (!status) {
		/*
		 * The pointer is only compared. The reference keeps its address from being used for
		 * another mm_struct.
		 */
		mmgrab(mm);
		registration->mm = mm;
	}
	mmput(mm);
	if (status)
		return status;
	registration->consumer.filter = filter;
	registration->consumer.handler = on_breakpoint;
	if (registration->u.event == TRAWL_UPEV_FUNCRET) {
		registration->consumer.handler = on_entry;
		registration->consumer.ret_handler = on_return;
	}
	uprobe = kuprobe_register(registration->inode, registration->offset, 0,
				  &registration->consumer);
	/*
	 * ENOTSUPP (a breakpoint of the program's own is there) is no error number of user space.
	 * ENOEXEC: the bytes are no valid instruction.
	 */
	if (uprobe == ERR_PTR(-ENOTSUPP) || uprobe == ERR_PTR(-ENOEXEC))
		return -EOPNOTSUPP;
	if (IS_ERR(uprobe))
		return PTR_ERR(uprobe);
	registration->uprobe = uprobe;
	registration->set = true;
	return 0;
}

void breakpoint_clear(struct registration *registration)
{
	if (registration->set)
		kuprobe_unregister(registration->uprobe, registration->inode, registration->offset,
				   &registration->consumer);
	if (registration->mm)
		mmdrop(registration->mm);
	if (registration->inode)
		iput(registration->inode);
}
