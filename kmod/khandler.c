// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/khandler.h"
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/fsgsbase.h>
#include "kmod/compat.h"
#include "kmod/lastbranches.h"

static LIST_HEAD(handlers);
static DEFINE_MUTEX(mutex);

static struct khandler *find(const char *name)
{
	struct khandler *handler;

	list_for_each_entry(handler, &handlers, link)
		if (!strcmp(handler->name, name))
			return handler;
	return NULL;
}

int register_khandler(struct khandler *handler)
{
	int status = 0;

	if (!handler->name || !*handler->name || strlen(handler->name) >= TRAWL_KHANDLER_NAME ||
	    strchr(handler->name, '\n') || !handler->hit || handler->data_size > KHANDLER_DATA_MAX)
		return -EINVAL;
	mutex_lock(&mutex);
	if (find(handler->name))
		status = -EEXIST;
	else
		list_add_tail(&handler->link, &handlers);
	mutex_unlock(&mutex);
	return status;
}
EXPORT_SYMBOL_GPL(register_khandler);

void unregister_khandler(struct khandler *handler)
{
	mutex_lock(&mutex);
	list_del(&handler->link);
	mutex_unlock(&mutex);
}
EXPORT_SYMBOL_GPL(unregister_khandler);

struct khandler *khandler_get(const char *name)
{
	struct khandler *handler;

	mutex_lock(&mutex);
	handler = find(name);
	if (handler && !try_module_get(handler->owner))
		handler = NULL;
	mutex_unlock(&mutex);
	return handler;
}

void khandler_put(struct khandler *handler)
{
	if (handler)
		module_put(handler->owner);
}

u32 khandler_list(char *buffer, u32 length)
{
	struct khandler *handler;
	u32 used = 0;

	mutex_lock(&mutex);
	list_for_each_entry(handler, &handlers, link) {
		u32 n = strlen(handler->name);

		if (used + n + 1 <= length) {
			memcpy(buffer + used, handler->name, n);
			buffer[used + n] = '\n';
		}
		used += n + 1;
	}
	mutex_unlock(&mutex);
	return used;
}

/*
 * Reads up to the end of a page at a time, so that the bytes before an unreadable page are copied.
 */
static u32 read_current(u64 address, void *buffer, u32 length)
{
	u32 done = 0;

	while (done < length) {
		u32 n = min_t(u32, length - done, PAGE_SIZE - (address + done) % PAGE_SIZE);

		if (copy_from_user_nofault(buffer + done,
					   (const void __user *)(unsigned long)(address + done), n))
			break;
		done += n;
	}
	return done;
}

u32 khandler_read(const struct khandler_hit *at, u64 address, void *buffer, u32 length)
{
	int done;

	if (at->task == current)
		return read_current(address, buffer, length);
	done = access_process_vm(at->task, address, buffer, length, FOLL_FORCE);
	return max(done, 0);
}
EXPORT_SYMBOL_GPL(khandler_read);

void khandler_save_bases(void)
{
	u64 gs;

	if (!boot_cpu_has(X86_FEATURE_FSGSBASE) ||
	    compat_rdmsr_safe(MSR_KERNEL_GS_BASE, &gs))
		return;
	current->thread.fsbase = rdfsbase();
	current->thread.gsbase = gs;
}

void khandler_registers(struct trawl_uprobe_registers *to, const struct pt_regs *regs,
			struct task_struct *task)
{
	if (task == current)
		khandler_save_bases();
	*to = (struct trawl_uprobe_registers){
		.r15 = regs->r15, .r14 = regs->r14, .r13 = regs->r13, .r12 = regs->r12,
		.rbp = regs->bp, .rbx = regs->bx, .r11 = regs->r11, .r10 = regs->r10,
		.r9 = regs->r9, .r8 = regs->r8, .rax = regs->ax, .rcx = regs->cx,
		.rdx = regs->dx, .rsi = regs->si, .rdi = regs->di, .orig_rax = regs->orig_ax,
		.rip = regs->ip, .cs = regs->cs, .eflags = regs->flags, .rsp = regs->sp,
		.ss = regs->ss, .fs_base = task->thread.fsbase, .gs_base = task->thread.gsbase,
	};
}

static void count_hit(const struct khandler_hit *at, void *data)
{
	struct trawl_kh_count *count = data;

	count->last_time = ktime_get_ns();
	if (!count->hits++)
		count->first_time = count->last_time;
}

static void registers_hit(const struct khandler_hit *at, void *data)
{
	struct trawl_kh_registers *registers = data;

	registers->hits++;
	khandler_registers(&registers->regs, at->regs, at->task);
}

static void stack_hit(const struct khandler_hit *at, void *data)
{
	struct trawl_kh_stack *stack = data;

	stack->hits++;
	stack->rsp = at->regs->sp;
	stack->length = khandler_read(at, stack->rsp, stack->bytes, sizeof(stack->bytes));
	memset(stack->bytes + stack->length, 0, sizeof(stack->bytes) - stack->length);
}

/* A frame of 64-bit code begins with the caller's frame pointer, followed by the return address. */
static void ustack_hit(const struct khandler_hit *at, void *data)
{
	struct trawl_kh_ustack *stack = data;
	u64 bp = at->regs->bp, frame[2];
	u32 n = 0;

	stack->hits++;
	stack->ip[n++] = at->regs->ip;
	/*
	 * At a function's first instruction rbp is still its caller's frame pointer: the function's
	 * own return address is at rsp.
	 */
	if (at->event == TRAWL_UPEV_BKPT && khandler_read(at, at->regs->sp, frame, 8) == 8)
		stack->ip[n++] = frame[0];
	while (n < TRAWL_KH_USTACK_DEPTH && bp >= at->regs->sp &&
	       khandler_read(at, bp, frame, 16) == 16 && frame[1]) {
		stack->ip[n++] = frame[1];
		if (frame[0] <= bp)
			break;
		bp = frame[0];
	}
	stack->depth = n;
	memset(stack->ip + n, 0, (TRAWL_KH_USTACK_DEPTH - n) * sizeof(*stack->ip));
}

static void branches_hit(const struct khandler_hit *at, void *data)
{
	struct trawl_branch *records =
		kcalloc(LAST_BRANCHES_ROOM, sizeof(*records), GFP_ATOMIC | __GFP_NOWARN);
	struct trawl_kh_branches *branches = data;
	int i;

	branches->hits++;
	memset(branches->branch, 0, sizeof(branches->branch));
	branches->depth = 0;
	if (!records)
		return;
	branches->depth = last_branches(at->session, at->task, records, TRAWL_KH_BRANCHES);
	if (branches->depth == -EBUSY)
		branches->depth = 0;
	if (branches->depth < 0)
		branches->depth = -1;
	for (i = 0; i < branches->depth; i++) {
		branches->branch[i].from = records[i].from;
		branches->branch[i].to = records[i].to;
	}
	kfree(records);
}

static struct khandler built_in[] = {
	{ .name = "count",
	  .owner = THIS_MODULE,
	  .hit = count_hit,
	  .data_size = sizeof(struct trawl_kh_count) },
	{ .name = "registers",
	  .owner = THIS_MODULE,
	  .hit = registers_hit,
	  .data_size = sizeof(struct trawl_kh_registers) },
	{ .name = "stack",
	  .owner = THIS_MODULE,
	  .hit = stack_hit,
	  .data_size = sizeof(struct trawl_kh_stack) },
	{ .name = "branches",
	  .owner = THIS_MODULE,
	  .hit = branches_hit,
	  .data_size = sizeof(struct trawl_kh_branches) },
	{ .name = "ustack",
	  .owner = THIS_MODULE,
	  .hit = ustack_hit,
	  .data_size = sizeof(struct trawl_kh_ustack) },
};

void khandlers_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(built_in); i++)
		list_add_tail(&built_in[i].link, &handlers);
}
