// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/lbr.h"
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include "kmod/compat.h"
#include "kmod/select.h"
#include "kmod/insn.h"
#include "kmod/lbr_format.h"
#include "kmod/store.h"

struct lbr {
	struct perf_event *event;
	struct lbr_layout layout;
	u64 filter;		/* perf's value for all kinds of user branches */
	raw_spinlock_t lock;
	struct lbr_raw raw;
	u64 time;		/* ns, when they were read; 0: never */
	bool lost;		/* somebody else had the LBR when they were to be read */
	bool stale;		/* the registers may hold entries of another time */
	const void *mm;		/* the task's when it last ran user code; compared only */
	struct trawl_branch stack[LBR_MAX + 1];	/* what lbr_stack() returns */
};

static enum trawl_why layout_here(struct lbr_layout *layout)
{
	const struct cpuinfo_x86 *c = &boot_cpu_data;
	struct lbr_cpu cpu = {
		.intel = c->x86_vendor == X86_VENDOR_INTEL,
		.amd = c->x86_vendor == X86_VENDOR_AMD,
		.family = c->x86,
		.model = c->x86_model,
		.pdcm = boot_cpu_has(X86_FEATURE_PDCM),
		.tsx = boot_cpu_has(X86_FEATURE_HLE) || boot_cpu_has(X86_FEATURE_RTM),
		.address_bits = c->x86_virt_bits,
	};

	if (cpu.pdcm && compat_rdmsr_safe(MSR_IA32_PERF_CAPABILITIES, &cpu.capabilities))
		cpu.pdcm = false;
	if (cpu.intel && c->cpuid_level >= 0x1c && cpuid_edx(7) & 1u << 19) {
		cpu.arch = true;
		cpu.leaf_1c = cpuid_eax(0x1c);
	}
	if (cpu.amd && cpuid_eax(0x80000000) >= 0x80000022) {
		cpu.amd_v2 = cpuid_eax(0x80000022) & 2;
		cpu.amd_ebx = cpuid_ebx(0x80000022);
	}
	return lbr_layout_of(&cpu, layout);
}

/*
 * On AMD perf enables branch records with sampling only: with this period no sample is ever taken.
 */
static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
}

static struct perf_event *own(struct task_struct *task, bool sampling)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.size = sizeof(attr),
		.disabled = 1,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
		.sample_period = sampling ? 1ull << 46 : 0,
	};

	return perf_event_create_kernel_counter(&attr, -1, task, on_overflow, NULL);
}

/*
 * perf writes this value of the event into the filter register (LBR_SELECT, IA32_LBR_CTL) when it
 * switches the records on. perf_event_open(2) has no name for most combinations of kinds.
 */
static void choose(struct lbr *lbr, u32 select)
{
	lbr->event->hw.branch_reg.config = lbr_filter(&lbr->layout, lbr->filter, select);
}

struct lbr *lbr_open(struct task_struct *task, u32 select)
{
	struct lbr *lbr = kzalloc(sizeof(*lbr), GFP_KERNEL_ACCOUNT);
	struct perf_event *event;

	if (!lbr)
		return ERR_PTR(-ENOMEM);
	if (layout_here(&lbr->layout)) {
		kfree(lbr);
		return ERR_PTR(-EOPNOTSUPP);
	}
	raw_spin_lock_init(&lbr->lock);
	event = own(task, lbr->layout.set == LBR_AMD);
	if (IS_ERR(event)) {
		kfree(lbr);
		return ERR_CAST(event);
	}
	lbr->event = event;
	lbr->mm = READ_ONCE(task->mm);
	lbr->filter = event->hw.branch_reg.config;
	choose(lbr, select);
	perf_event_enable(event);
	return lbr;
}

void lbr_stop(struct lbr *lbr)
{
	if (lbr)
		perf_event_release_kernel(lbr->event);
}

void lbr_free(struct lbr *lbr)
{
	kfree(lbr);
}

struct visit {
	struct lbr *lbr;
	struct task_struct *task;
};

static void visit_forget(void *data)
{
	struct visit *v = data;

	if (current == v->task)
		lbr_forget(v->lbr);
}

/* Empties the task's entries where it runs. Where it comes to a CPU later, perf does. */
static void forget_everywhere(struct visit *v)
{
	on_each_cpu(visit_forget, v, 1);
	WRITE_ONCE(v->lbr->stale, false);
}

void lbr_select(struct lbr *lbr, u32 select)
{
	struct visit v = { lbr, lbr->event->hw.target };

	if (lbr_filter(&lbr->layout, lbr->filter, select) == lbr->event->hw.branch_reg.config)
		return;
	perf_event_disable(lbr->event);
	choose(lbr, select);
	WRITE_ONCE(lbr->stale, true);
	perf_event_enable(lbr->event);
	forget_everywhere(&v);
}

static unsigned long switches(void)
{
	return READ_ONCE(current->nvcsw) + READ_ONCE(current->nivcsw);
}

bool lbr_given_up(const struct lbr *lbr)
{
	return READ_ONCE(lbr->event->state) == PERF_EVENT_STATE_ERROR;
}

/*
 * While the event is disabled, perf does not empty the entries when the task comes to a CPU: they
 * may then be of the task that used them there before.
 */
void lbr_resume(struct lbr *lbr)
{
	unsigned long flags, before = switches();
	bool others = lbr_given_up(lbr);

	WRITE_ONCE(lbr->stale, true);
	perf_event_disable(lbr->event);
	perf_event_enable(lbr->event);
	local_irq_save(flags);
	if (others || switches() != before)
		lbr_forget(lbr);
	else
		WRITE_ONCE(lbr->stale, false);
	local_irq_restore(flags);
}

enum trawl_why lbr_why(const char **reason)
{
	struct lbr_layout layout;
	enum trawl_why why = layout_here(&layout);
	struct lbr *lbr;
	bool busy;

	if (why)
		return why;
	/* perf tried the registers when it started, and knows who uses them. */
	lbr = lbr_open(current, TRAWL_SELECT_DEFAULT);
	if (IS_ERR(lbr))
		return PTR_ERR(lbr) == -EBUSY ? TRAWL_WHY_BUSY : TRAWL_WHY_NO_PERF;
	/* Another program's event may have the registers of this CPU whenever a task runs. */
	busy = lbr_given_up(lbr);
	lbr_stop(lbr);
	lbr_free(lbr);
	return busy ? TRAWL_WHY_BUSY : TRAWL_WHY_USABLE;
}

u32 lbr_depth(void)
{
	struct lbr_layout layout;

	return layout_here(&layout) ? 0 : layout.depth;
}

static bool read_registers(const struct lbr_layout *l, struct lbr_raw *raw)
{
	u32 i;

	raw->tos = 0;
	if (l->tos && compat_rdmsr_safe(l->tos, &raw->tos))
		return false;
	for (i = 0; i < l->depth; i++) {
		u32 at = i * l->stride;

		raw->entry[i].info = 0;
		if (compat_rdmsr_safe(l->from + at, &raw->entry[i].from) ||
		    compat_rdmsr_safe(l->to + at, &raw->entry[i].to) ||
		    (l->info && compat_rdmsr_safe(l->info + i, &raw->entry[i].info)))
			return false;
	}
	return true;
}

/* Whether the LBR records at this moment. If not, its entries are stale. */
static bool recording(const struct lbr_layout *l)
{
	u64 control;

	return !compat_rdmsr_safe(l->control, &control) && control & l->enabled;
}

/* Whether the LBR of this CPU is ours, or shared with us. Interrupts are off. */
static bool ours_here(const struct lbr *lbr)
{
	return READ_ONCE(lbr->event->oncpu) == smp_processor_id() &&
	       READ_ONCE(lbr->event->state) == PERF_EVENT_STATE_ACTIVE;
}

/* Empties the entries, as perf does when a task comes to a CPU. */
static bool clear_registers(const struct lbr_layout *l)
{
	u64 control;
	bool done;
	u32 i;

	if (compat_rdmsr_safe(l->control, &control) ||
	    compat_wrmsr_safe(l->control, control & ~(u64)l->enabled))
		return false;
	for (i = 0, done = true; i < l->depth; i++) {
		u32 at = i * l->stride;

		done = done && !compat_wrmsr_safe(l->from + at, 0) &&
		       !compat_wrmsr_safe(l->to + at, 0) &&
		       (!l->info || !compat_wrmsr_safe(l->info + i, 0));
	}
	return !compat_wrmsr_safe(l->control, control) && done;
}

void lbr_forget(struct lbr *lbr)
{
	raw_spin_lock(&lbr->lock);
	lbr->mm = current->mm;
	if (ours_here(lbr))
		lbr->stale = !clear_registers(&lbr->layout);
	raw_spin_unlock(&lbr->lock);
}

/*
 * Whether the task is in an exec that has already replaced its memory: perf has reported the new
 * program, but the entries are of the one before until traced_exec() empties them.
 */
static bool of_program_before(struct lbr *lbr)
{
	if (!current->in_execve)
		lbr->mm = current->mm;
	return lbr->mm != current->mm;
}

void lbr_keep(struct lbr *lbr)
{
	bool ours = ours_here(lbr);

	raw_spin_lock(&lbr->lock);
	lbr->lost = of_program_before(lbr) || !ours || READ_ONCE(lbr->stale) ||
		    !recording(&lbr->layout) || !read_registers(&lbr->layout, &lbr->raw);
	lbr->time = ktime_get_mono_fast_ns();
	raw_spin_unlock(&lbr->lock);
}

static void visit(void *data)
{
	struct visit *v = data;

	if (current == v->task)
		lbr_keep(v->lbr);
}

/*
 * Tries an event again that perf has given up. The entries that are there then are another event's.
 * If the task is not running, perf empties them when it comes to a CPU.
 */
static void retry(struct visit *v)
{
	if (!lbr_given_up(v->lbr))
		return;
	WRITE_ONCE(v->lbr->stale, true);
	perf_event_disable(v->lbr->event);
	perf_event_enable(v->lbr->event);
	forget_everywhere(v);
}

/*
 * Where the registers do not tell the kind of a branch, decodes its instruction in the task's
 * memory.
 */
static void classify(struct trawl_branch *r, struct task_struct *task)
{
	struct insn insn;
	u8 bytes[INSN_MAX];
	int n;

	if (r->kind != TRAWL_KIND_UNKNOWN || !task)
		return;
	n = access_process_vm(task, r->from, bytes, sizeof(bytes), 0);
	if (n > 0 && insn_decode(&insn, bytes, n, r->from, !test_tsk_thread_flag(task, TIF_ADDR32)))
		r->kind = insn.kind;
}

/* Decodes the raw registers that were read last. Interrupts are off. */
static bool decode(struct lbr *lbr, struct trawl_branch *records, u32 *count)
{
	int i, n = -1;

	raw_spin_lock(&lbr->lock);
	if (!lbr->lost)
		n = lbr_decode(&lbr->layout, &lbr->raw, records);
	for (i = 0; i < n; i++)
		records[i].time = lbr->time;
	raw_spin_unlock(&lbr->lock);
	*count = max(n, 0);
	return n >= 0;
}

bool lbr_peek(struct lbr *lbr, struct trawl_branch *records, u32 *count)
{
	unsigned long flags;
	bool ours;

	local_irq_save(flags);
	lbr_keep(lbr);
	ours = decode(lbr, records, count);
	local_irq_restore(flags);
	return ours;
}

struct trawl_branch *lbr_stack(struct lbr *lbr, u32 *count, bool *ours)
{
	*ours = decode(lbr, lbr->stack, count);
	return lbr->stack;
}

int lbr_refresh(struct lbr *lbr, struct task_struct *task, u32 select, struct store *store)
{
	struct trawl_branch *records = kcalloc(LBR_MAX, sizeof(*records), GFP_KERNEL);
	struct visit v = { lbr, task };
	unsigned long flags;
	int i, n = 0;
	bool lost;

	if (!records)
		return -ENOMEM;
	/* A task that does not run here left its records when it was switched out. */
	if (task)
		on_each_cpu(visit, &v, 1);
	raw_spin_lock_irqsave(&lbr->lock, flags);
	lost = lbr->lost;
	if (lbr->time && !lost)
		n = lbr_decode(&lbr->layout, &lbr->raw, records);
	lost |= n < 0;
	for (i = 0; i < n; i++)
		records[i].time = lbr->time;
	raw_spin_unlock_irqrestore(&lbr->lock, flags);
	store_clear(store);
	for (i = 0; i < n; i++) {
		classify(&records[i], task);
		if (select_wants(select, records[i].kind))
			store_put(store, &records[i]);
	}
	kfree(records);
	if (lost)
		retry(&v);
	return lost ? -EBUSY : 0;
}
