/* SPDX-License-Identifier: MIT */
/*
 * The back ends "kmod-step" (trawl.ko steps the tasks in the kernel) and "kmod-lbr" (trawl.ko reads
 * the processor's last branches whenever a task leaves its CPU). Branches (all, or those before
 * probes) come from the module's ring, mappings and tasks from a dummy event of perf.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/branch/backend.h"
#include "capture/branch/insn.h"
#include "capture/branch/kmodfile.h"
#include "capture/branch/perfring.h"
#include "capture/cli/spec.h"
#include "capture/sys/alloc.h"
#include "capture/sys/clock.h"
#include "capture/sys/lockdown.h"
#include "common/branchrecord.h"
#include "kmod/trawl_uapi.h"

enum { RECORDS = 1 << 18, PERF_PAGES = 64, CALLS = 4096 };

/* A task's system call that has not returned yet. */
struct open_call {
	struct open_call *next;
	uint32_t tid;
	uint64_t from; /* address of the instruction; 0: there is no call */
};

struct kmod_state {
	int fd;
	struct trawl_ring_setup setup;
	struct trawl_ring *ring;
	const struct trawl_branch *records;
	struct perf_ring perf;
	bool stopped, begun;
	struct branch_scope scope;
	struct open_call *calls[CALLS];

	enum trawl_provider provider;
	/* Branches of records with TRAWL_FLAG_PROBE; the record of their hit follows. */
	struct branch pending[BRANCH_LAST_MAX];
	size_t npending;
};

static int no_device(const char *name, struct trawl_error *err)
{
	struct utsname u;
	char remedy[768];

	if (!access("/sys/module/trawl", F_OK))
		return trawl_fail(err, TRAWL_CANNOT, "branch:%s: there is no " TRAWL_DEVICE ", though "
				  "trawl.ko is loaded: make the device available in this /dev", name);
	kmodfile_remedy(KMODFILE_FOLDER, uname(&u) ? "" : u.release, remedy, sizeof(remedy));
	return trawl_fail(err, TRAWL_CANNOT, "branch:%s: there is no " TRAWL_DEVICE ": %s%s", name,
			  remedy, lockdown_signed_modules()
				  ? "; this kernel loads signed modules only (secure boot): see trawl.ko(4)"
				  : "");
}

/* The module's remedy, "use step", names one of its providers: the user needs the back end's name. */
static int unusable(const char *name, const struct trawl_provider_info *info,
		    struct trawl_error *err)
{
	static const char remedy[] = "use step";
	size_t all = strnlen(info->reason, sizeof(info->reason)), tail = sizeof(remedy) - 1;
	bool step = all >= tail && !memcmp(info->reason + all - tail, remedy, tail);

	return trawl_fail(err, TRAWL_CANNOT, "branch:%s: %.*s%s", name,
			  (int)(step ? all - tail : all), info->reason,
			  step ? "use branch:kmod-step" : "");
}

static int query_provider(const char *name, enum trawl_provider provider,
			  struct trawl_provider_info *info, struct trawl_error *err)
{
	int fd = open(TRAWL_DEVICE, O_RDWR | O_CLOEXEC), got;

	*info = (struct trawl_provider_info){ .size = sizeof(*info), .provider = provider };
	if (fd < 0 && errno == ENOENT)
		return no_device(name, err);
	if (fd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "branch:%s: " TRAWL_DEVICE ": %s: %s", name,
				  strerror(errno), lockdown_or("run as root"));
	got = ioctl(fd, TRAWL_IOC_PROVIDER, info);
	close(fd);
	if (got || info->abi < TRAWL_ABI)
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:%s: " TRAWL_DEVICE ": %s: trawl.ko is of another "
							     "version; build and load it again",
				  name, got ? strerror(errno) : "it is older than this program");
	return info->why ? unusable(name, info, err) : 0;
}

static int step_usable(struct trawl_error *err)
{
	struct trawl_provider_info info;

	return query_provider("kmod-step", TRAWL_PROVIDER_STEP, &info, err);
}

static int lbr_usable(struct trawl_error *err)
{
	struct trawl_provider_info info;

	return query_provider("kmod-lbr", TRAWL_PROVIDER_LBR, &info, err);
}

static void close_state(void *state)
{
	struct kmod_state *k = state;

	perf_ring_close(&k->perf);
	if (k->ring)
		munmap(k->ring, k->setup.mmap_bytes);
	if (k->fd >= 0)
		close(k->fd);
	for (size_t i = 0; i < CALLS; i++) {
		for (struct open_call *c = k->calls[i], *next; c; c = next) {
			next = c->next;
			free(c);
		}
	}
	free(k);
}

static int open_ring(struct kmod_state *k, struct trawl_error *err)
{
	void *at;

	k->setup = (struct trawl_ring_setup){ .size = sizeof(k->setup), .flags = TRAWL_RING_BLOCK,
					      .records = RECORDS, .wakeup = RECORDS / 8 };
	if (ioctl(k->fd, TRAWL_IOC_RING, &k->setup))
		return trawl_fail(err, TRAWL_CANNOT, TRAWL_DEVICE ": ring: %s", strerror(errno));
	at = mmap(NULL, k->setup.mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
	if (at == MAP_FAILED)
		return trawl_fail(err, TRAWL_CANNOT, TRAWL_DEVICE ": mmap: %s", strerror(errno));
	k->ring = at;
	k->records = (const struct trawl_branch *)((const char *)at + k->setup.data_offset);
	return 0;
}

static unsigned int deepest(const struct branch_scope *scope)
{
	unsigned int most = 0;

	for (size_t i = 0; i < scope->nsites; i++)
		most = scope->sites[i].last > most ? scope->sites[i].last : most;
	return most;
}

/* Refuses last=N if the processor keeps fewer branches. */
static int check_depth(const struct branch_scope *scope, struct trawl_error *err)
{
	struct trawl_provider_info info;
	unsigned int most = deepest(scope);

	if (query_provider("kmod-lbr", TRAWL_PROVIDER_LBR, &info, err))
		return -1;
	if (most > info.depth)
		return trawl_fail(err, TRAWL_USAGE,
				  "-i branch:last=%u: this processor keeps the last %u branches "
				  "only; use last=%u, or branch:kmod-step:last=%u@..., which is "
				  "slow",
				  most, info.depth, info.depth, most);
	return 0;
}

/*
 * Whether the instruction is a call or jump that the kernel emulates if it has a uprobe: one with a
 * constant target, except loop and jrcxz.
 */
static bool is_carried_out(const uint8_t *bytes, size_t n)
{
	size_t i = 0;

	while (i < n && (bytes[i] == 0xf2 || bytes[i] == 0xf3 || bytes[i] == 0x2e ||
			 bytes[i] == 0x3e || (bytes[i] & 0xf0) == 0x40))
		i++;
	if (i + 1 >= n)
		return false;
	if (bytes[i] == 0x0f)
		return (bytes[i + 1] & 0xf0) == 0x80;
	return bytes[i] == 0xe8 || bytes[i] == 0xe9 || bytes[i] == 0xeb ||
	       (bytes[i] & 0xf0) == 0x70;
}

/*
 * Refuses sites at branches that the kernel emulates: the processor does not record such a branch,
 * so it would be missing inside the stacks of later hits.
 */
static int check_places(const struct branch_scope *scope, struct trawl_error *err)
{
	uint8_t bytes[BRANCH_INSN_BYTES];

	for (size_t i = 0; i < scope->nsites; i++) {
		const struct branch_site *at = &scope->sites[i];
		ssize_t n = pread(at->fd, bytes, sizeof(bytes), (off_t)at->offset);

		if (n > 0 && is_carried_out(bytes, (size_t)n))
			return trawl_fail(err, TRAWL_USAGE,
					  "-i branch:last=%u: the call or jump at offset 0x%llx would "
					  "be missing in the processor's branch records; probe the "
					  "instruction before or after it, or use "
					  "branch:kmod-step:last=%u@..., which is slow",
					  at->last, (unsigned long long)at->offset, at->last);
	}
	return 0;
}

/* With last=, far branches are excluded: a return from the kernel would take an entry. */
static unsigned int select_of(const struct kmod_state *k, const struct branch_scope *scope)
{
	if (k->provider == TRAWL_PROVIDER_LBR)
		return TRAWL_NO_RING0 | (scope->sites ? TRAWL_NO_FAR : 0);
	return scope->sites ? TRAWL_NO_RING0 : 0;
}

static int enable(struct kmod_state *k, const struct branch_scope *scope, struct trawl_error *err)
{
	size_t enabled = 0;

	for (size_t i = 0; i < scope->n; i++) {
		struct trawl_enable e = {.size = sizeof(e),
					 .pid = scope->pids[i],
					 .form = scope->sites ? TRAWL_FORM_LBR : TRAWL_FORM_STREAM,
					 .depth = deepest(scope),
					 .provider = k->provider,
					 .select = select_of(k, scope),
					 .flags = scope->command ? TRAWL_ENABLE_ON_EXEC : 0};

		/* Skips a process of -p that has ended, if another one is left. */
		if (!ioctl(k->fd, TRAWL_IOC_ENABLE, &e))
			enabled++;
		else if (errno != ESRCH || (i + 1 == scope->n && !enabled))
			return trawl_fail(err, TRAWL_CANNOT, "-p %d: " TRAWL_DEVICE ": %s", e.pid,
					  strerror(errno));
	}
	return 0;
}

/*
 * The kernel calls handlers in reverse order of their registration, so the branches of a hit are in
 * the ring before the event of the uprobe.
 */
static int add_places(struct kmod_state *k, struct trawl_error *err)
{
	for (size_t i = 0; i < k->scope.nsites; i++) {
		const struct branch_site *at = &k->scope.sites[i];
		struct trawl_probe p = {.size = sizeof(p),
					.fd = at->fd,
					.last = at->last,
					.offset = at->offset,
					.cookie = i,
					.ref_ctr_offset = at->ref_ctr};

		if (ioctl(k->fd, TRAWL_IOC_PROBE, &p))
			return trawl_fail(err, TRAWL_CANNOT,
					  "branch:last: " TRAWL_DEVICE ": probe at offset 0x%llx: "
								       "%s",
					  (unsigned long long)at->offset, strerror(errno));
	}
	return 0;
}

static void *open_with(const struct branch_scope *scope, enum trawl_provider provider,
		       struct trawl_error *err)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY };
	struct kmod_state *k = calloc(1, sizeof(*k));

	if (!k) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	perf_ring_attr(&attr);
	k->scope = *scope;
	k->provider = provider;
	k->fd = open(TRAWL_DEVICE, O_RDWR | O_CLOEXEC);
	if (k->fd < 0)
		trawl_fail(err, TRAWL_CANNOT, TRAWL_DEVICE ": %s", strerror(errno));
	if (k->fd >= 0 && (provider != TRAWL_PROVIDER_LBR ||
			   (!check_depth(scope, err) && !check_places(scope, err))) &&
	    !open_ring(k, err) && !perf_ring_open(&k->perf, &attr, scope, PERF_PAGES, err) &&
	    !enable(k, scope, err))
		return k;
	close_state(k);
	return NULL;
}

static void *open_step(const struct branch_scope *scope, struct trawl_error *err)
{
	return open_with(scope, TRAWL_PROVIDER_STEP, err);
}

static void *open_lbr(const struct branch_scope *scope, struct trawl_error *err)
{
	return open_with(scope, TRAWL_PROVIDER_LBR, err);
}

static int start(void *state, struct trawl_error *err)
{
	struct kmod_state *k = state;

	return perf_ring_enable(&k->perf, true, err) || add_places(k, err) ? -1 : 0;
}

static size_t fds(void *state, struct pollfd *fds, size_t room)
{
	struct kmod_state *k = state;

	if (!room)
		return 0;
	fds[0] = (struct pollfd){ .fd = k->fd, .events = POLLIN };
	return k->stopped ? 0 : 1;
}

/* ---- records ----------------------------------------------------------------------------- */

static uint8_t kind_of(uint8_t kind)
{
	static const uint8_t kinds[] = {
		[TRAWL_KIND_JCC] = BRANCH_JCC,
		[TRAWL_KIND_REL_CALL] = BRANCH_CALL,
		[TRAWL_KIND_IND_CALL] = BRANCH_INDIRECT_CALL,
		[TRAWL_KIND_RET] = BRANCH_RET,
		[TRAWL_KIND_IND_JMP] = BRANCH_INDIRECT_JMP,
		[TRAWL_KIND_REL_JMP] = BRANCH_JMP,
		[TRAWL_KIND_FAR] = BRANCH_FAR,
		[TRAWL_KIND_SIGNAL] = BRANCH_SIGNAL,
		[TRAWL_KIND_SIGRETURN] = BRANCH_SIGRETURN,
		[TRAWL_KIND_EXEC] = BRANCH_EXEC,
	};

	return kind < sizeof(kinds) ? kinds[kind] : BRANCH_UNKNOWN;
}

static struct branch branch_of(const struct trawl_branch *r, uint64_t from, uint64_t to,
			       uint8_t kind)
{
	return (struct branch){ .from = from, .to = to, .kind = kind, .flags = r->flags & 15,
				.cycles = r->flags & TRAWL_FLAG_CYCLES ? r->cycles : 0 };
}

static int put_one(struct branch_sink *sink, const struct trawl_branch *r, const struct branch *b,
		   struct trawl_error *err)
{
	struct branch_event e = {.kind = BRANCH_EVENT_BRANCH,
				 .time = r->time,
				 .tid = (pid_t)r->tid,
				 .branch = *b,
				 .collected = r->kind == TRAWL_KIND_STACK};

	return sink->event(sink, &e, err);
}

static int put_branch(struct branch_sink *sink, const struct trawl_branch *r, uint64_t from,
		      uint64_t to, uint8_t kind, struct trawl_error *err)
{
	struct branch b = branch_of(r, from, to, kind);

	return put_one(sink, r, &b, err);
}

static int put_mark(struct branch_sink *sink, const struct trawl_branch *r,
		    enum branch_mark_kind mark, uint64_t count, struct trawl_error *err)
{
	struct branch_event e = {.kind = BRANCH_EVENT_MARK,
				 .time = r->time,
				 .tid = (pid_t)r->tid,
				 .mark = mark,
				 .count = count,
				 .collected = r->kind == TRAWL_KIND_STACK};

	return sink->event(sink, &e, err);
}

static int put_task(struct branch_sink *sink, const struct trawl_branch *r, bool begins,
		    struct trawl_error *err)
{
	struct branch_event e = { .kind = begins ? BRANCH_EVENT_TASK : BRANCH_EVENT_EXIT,
				  .time = r->time, .tid = (pid_t)r->tid };

	if (begins)
		e.pid = (pid_t)(uint32_t)r->from;
	else
		e.status = -1;
	return sink->event(sink, &e, err);
}

static struct open_call *call_of(struct kmod_state *k, uint32_t tid)
{
	struct open_call **at = &k->calls[tid % CALLS];

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	if (!*at) {
		*at = xcalloc(1, sizeof(**at));
		(*at)->tid = tid;
	}
	return *at;
}

/* Emits a system call as one branch: from its instruction to where the task continues. */
static int end_call(struct kmod_state *k, struct branch_sink *sink, const struct trawl_branch *r,
		    uint64_t to, struct trawl_error *err)
{
	struct open_call *call = call_of(k, r->tid);
	uint64_t from = call->from;

	call->from = 0;
	return from && to ? put_branch(sink, r, from, to, BRANCH_SYSCALL, err) : 0;
}

/* Returns how many pending branches belong to this record; 0 if the ring has lost some of them. */
static size_t take_pending(struct kmod_state *k, const struct trawl_branch *r)
{
	size_t n = k->npending;

	k->npending = 0;
	return r->cycles == n ? n : 0;
}

/* Emits the branches before a hit of a probe. */
static int put_last(struct kmod_state *k, struct branch_sink *sink, const struct trawl_branch *r,
		    struct trawl_error *err)
{
	struct branch_last_stack last = {.address = r->to,
					 .branches = k->pending,
					 .n = take_pending(k, r)};
	struct branch_event e = {.kind = BRANCH_EVENT_LAST,
				 .time = r->time,
				 .tid = (pid_t)r->tid,
				 .last = &last};

	last.unknown = r->cycles != last.n;
	return sink->event(sink, &e, err);
}

/*
 * Emits the last branches of a task that left its CPU. Some may be those of its previous stack:
 * they look like the same branches taken again.
 */
static int put_stack(struct kmod_state *k, struct branch_sink *sink, const struct trawl_branch *r,
		     struct trawl_error *err)
{
	size_t n = take_pending(k, r);

	if (n != r->cycles)
		return put_mark(sink, r, BRANCH_MARK_LOST, 0, err);
	if (n && put_mark(sink, r, BRANCH_MARK_STACK, 0, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (put_one(sink, r, &k->pending[i], err))
			return -1;
	}
	return 0;
}

static int take(struct kmod_state *k, struct branch_sink *sink, const struct trawl_branch *r,
		struct trawl_error *err)
{
	if (r->flags & TRAWL_FLAG_PROBE) {
		if (k->npending < BRANCH_LAST_MAX)
			k->pending[k->npending++] = branch_of(r, r->from, r->to, kind_of(r->kind));
		return 0;
	}
	switch (r->kind) {
	case TRAWL_KIND_SYSCALL:
		call_of(k, r->tid)->from = r->from;
		return 0;
	case TRAWL_KIND_SYSRET:
		return end_call(k, sink, r, r->to, err);
	case TRAWL_KIND_SIGNAL:
		if (end_call(k, sink, r, r->from, err))
			return -1;
		return put_branch(sink, r, r->from, r->to, BRANCH_SIGNAL, err);
	case TRAWL_KIND_EXEC:
		end_call(k, sink, r, 0, err);
		return put_branch(sink, r, 0, r->to, BRANCH_EXEC, err);
	case TRAWL_KIND_PROBE:
		return put_last(k, sink, r, err);
	case TRAWL_KIND_STACK:
		return put_stack(k, sink, r, err);
	case TRAWL_KIND_TASK:
		return put_task(sink, r, true, err);
	case TRAWL_KIND_RESUME:
		return put_mark(sink, r, r->from == TRAWL_GAP_BEGIN ? BRANCH_MARK_START :
				BRANCH_MARK_LOST, 0, err);
	case TRAWL_KIND_EXIT:
	case TRAWL_KIND_END:
		return put_task(sink, r, false, err);
	case TRAWL_KIND_LOST:
	case TRAWL_KIND_CHILD_LOST:
		return put_mark(sink, r, BRANCH_MARK_LOST, r->kind == TRAWL_KIND_LOST ? r->from : 0,
				err);
	case TRAWL_KIND_SIGRETURN:
		end_call(k, sink, r, 0, err);
		/* fall through */
	default:
		if (r->kind > TRAWL_KIND_EXEC)
			return 0;
		return put_branch(sink, r, r->from, r->to, kind_of(r->kind), err);
	}
}

/* Emits the mappings and tasks up to a record's time; called before the record is emitted. */
static int emit_until(struct kmod_state *k, uint64_t time, struct branch_sink *sink,
		      struct trawl_error *err)
{
	const struct perf_held *h;

	while ((h = perf_ring_next(&k->perf, time))) {
		int got = perf_ring_emit(&k->perf, h, sink, err);

		perf_ring_done(&k->perf, h);
		if (got)
			return -1;
	}
	return 0;
}

/*
 * Reads the head of the module's ring first: then perf's ring has all mappings from before its
 * records.
 */
static int drain(void *state, struct branch_sink *sink, struct trawl_error *err)
{
	struct kmod_state *k = state;
	uint64_t head = __atomic_load_n(&k->ring->head, __ATOMIC_ACQUIRE);
	uint64_t at = k->ring->tail, now = mono_now();

	if (!k->begun && perf_ring_initial(&k->perf, &k->scope, sink, err))
		return -1;
	k->begun = true;
	if (perf_ring_fill(&k->perf, err))
		return -1;
	for (; at < head; at++) {
		const struct trawl_branch *r = &k->records[at % k->setup.records];

		if (emit_until(k, r->time, sink, err) || take(k, sink, r, err))
			return -1;
	}
	__atomic_store_n(&k->ring->tail, head, __ATOMIC_RELEASE);
	if (__atomic_load_n(&k->ring->waiting, __ATOMIC_ACQUIRE))
		ioctl(k->fd, TRAWL_IOC_WAKE);
	return emit_until(k, k->stopped ? UINT64_MAX : now, sink, err);
}

static void halt(void *state)
{
	struct kmod_state *k = state;
	struct trawl_disable d = { .size = sizeof(d), .flags = TRAWL_DISABLE_ALL,
				   .form = k->scope.sites ? TRAWL_FORM_LBR : TRAWL_FORM_STREAM };

	ioctl(k->fd, TRAWL_IOC_DISABLE, &d);
	k->stopped = true;
}

static int stop(void *state, struct trawl_error *err)
{
	return 0;
}

static bool over(void *state)
{
	struct kmod_state *k = state;

	return k->stopped && k->ring->tail == __atomic_load_n(&k->ring->head, __ATOMIC_ACQUIRE);
}

const struct branch_backend kmod_lbr_backend = {
	.name = "kmod-lbr",
	.number = BRANCH_HOW_KMOD_LBR,
	.what = "the last branches whenever a task leaves its CPU or ends, by the processor's "
		"branch records, through trawl.ko: fast, not all" BRANCH_UNPROVEN,
	.partial = true,
	.at_sites = true,
	.near_at_sites = true,
	.no_kinds = true,
	.by_processor = true,
	.collects = true,
	.usable = lbr_usable,
	.open = open_lbr,
	BACKEND_FUNCTIONS,
};

const struct branch_backend kmod_step_backend = {
	.name = "kmod-step",
	.number = BRANCH_HOW_KMOD_STEP,
	.what = "every branch, by single steps of trawl.ko: exact, for any program, about a "
		"microsecond for each instruction",
	.at_sites = true,
	.usable = step_usable,
	.open = open_step,
	BACKEND_FUNCTIONS,
};
