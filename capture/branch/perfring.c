/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/branch/perfmaps.h"
#include "capture/branch/perfring.h"
#include "capture/sys/alloc.h"
#include "capture/sys/clock.h"
#include "capture/sys/proc.h"
#include "common/array.h"

enum { PAGE = 4096 };

void perf_ring_attr(struct perf_event_attr *a)
{
	a->size = sizeof(*a);
	a->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	a->sample_id_all = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	a->disabled = 1;
	a->inherit = 1;
	a->mmap = 1;
	a->mmap2 = 1;
	a->comm = 1;
	a->comm_exec = 1;
	a->task = 1;
	a->exclude_kernel = 1;
	a->exclude_hv = 1;
	a->watermark = 1;
}

struct opening {
	struct perf_ring *r;
	struct perf_event_attr attr;
	struct perf_cpu *cpu;
	size_t pages;
	int failure;
};

static bool map_ring(struct opening *o, int fd)
{
	void *ring = mmap(NULL, (o->pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (ring == MAP_FAILED)
		return false;
	o->cpu->ring = ring;
	o->cpu->size = o->pages * PAGE;
	o->cpu->fd = fd;
	return true;
}

static void open_on(void *arg, pid_t tid)
{
	struct opening *o = arg;
	int fd = (int)syscall(SYS_perf_event_open, &o->attr, tid, o->cpu->cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		o->failure = errno == ESRCH || o->failure ? o->failure : errno;
		return;
	}
	xgrow(o->r->fds, o->r->nfds);
	o->r->fds[o->r->nfds++] = fd;
	o->cpu->nevents++;
	if (o->cpu->ring ? ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, o->cpu->fd) : !map_ring(o, fd))
		o->failure = o->failure ? o->failure : errno;
}

int perf_ring_open(struct perf_ring *r, const struct perf_event_attr *attr,
		   const struct branch_scope *scope, size_t pages, struct trawl_error *err)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	struct opening o = { .r = r, .attr = *attr, .pages = pages };

	o.attr.enable_on_exec = scope->command;
	if (!o.attr.wakeup_watermark)
		o.attr.wakeup_watermark = (uint32_t)(pages * PAGE / 4);
	r->ncpus = n > 0 ? (size_t)n : 1;
	r->cpus = xcalloc(r->ncpus, sizeof(*r->cpus));
	for (size_t i = 0; i < r->ncpus; i++) {
		o.cpu = &r->cpus[i];
		*o.cpu = (struct perf_cpu){ .cpu = (int)i, .fd = -1 };
		for (size_t k = 0; k < scope->n; k++)
			threads_each(scope->pids[k], open_on, &o);
		if (o.failure == ENODEV) /* the CPU is offline */
			o.failure = 0;
		if (o.failure)
			break;
	}
	if (!o.failure && r->nfds)
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "-i branch: perf_event_open: %s%s",
			  strerror(o.failure ? o.failure : ESRCH),
			  o.failure == EMFILE ? ": each thread takes one for each CPU; raise "
						"ulimit -n" : "");
}

int perf_ring_aux(struct perf_ring *r, size_t pages, struct trawl_error *err)
{
	for (size_t i = 0; i < r->ncpus; i++) {
		struct perf_cpu *c = &r->cpus[i];
		struct perf_event_mmap_page *page = c->ring;
		void *aux;

		if (!page)
			continue;
		page->aux_offset = PAGE + c->size;
		page->aux_size = pages * PAGE;
		aux = mmap(NULL, page->aux_size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd,
			   (off_t)page->aux_offset);
		if (aux == MAP_FAILED)
			return trawl_fail(err, TRAWL_CANNOT, "perf: an AUX buffer of %zu pages: %s",
					  pages, strerror(errno));
		c->aux = aux;
		c->aux_size = pages * PAGE;
	}
	return 0;
}

bool perf_ring_aux_full(struct perf_ring *r)
{
	bool full = r->full;

	r->full = false;
	return full;
}

void perf_ring_close(struct perf_ring *r)
{
	for (size_t i = 0; i < r->ncpus; i++) {
		if (r->cpus[i].aux)
			munmap((void *)(uintptr_t)r->cpus[i].aux, r->cpus[i].aux_size);
		if (r->cpus[i].ring)
			munmap(r->cpus[i].ring, r->cpus[i].size + PAGE);
	}
	for (size_t i = 0; i < r->nfds; i++)
		close(r->fds[i]);
	for (size_t i = 0; i < r->nheld; i++)
		free(r->held[i].record);
	perf_maps_free(r->maps);
	perf_threads_free(&r->threads);
	free(r->held);
	free(r->fds);
	free(r->cpus);
	*r = (struct perf_ring){ 0 };
}

int perf_ring_enable(struct perf_ring *r, bool on, struct trawl_error *err)
{
	for (size_t i = 0; i < r->nfds; i++) {
		if (ioctl(r->fds[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			return trawl_fail(err, TRAWL_CANNOT, "perf event: %s", strerror(errno));
	}
	return 0;
}

/*
 * A task's event of a CPU is also enabled while the task is on others, so `could` is the same for
 * all CPUs: the largest is taken.
 */
void perf_ring_times(const struct perf_ring *r, uint64_t *could, uint64_t *did)
{
	struct { uint64_t value, enabled, running; } t;
	const int *fd = r->fds;

	*could = *did = 0;
	for (size_t i = 0; i < r->ncpus; i++) {
		uint64_t enabled = 0;

		for (size_t k = 0; k < r->cpus[i].nevents; k++, fd++) {
			if (read(*fd, &t, sizeof(t)) != sizeof(t))
				continue;
			enabled += t.enabled;
			*did += t.running;
		}
		*could = enabled > *could ? enabled : *could;
	}
}

size_t perf_ring_fds(const struct perf_ring *r, struct pollfd *fds, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < r->ncpus && n < room; i++) {
		if (r->cpus[i].fd >= 0)
			fds[n++] = (struct pollfd){ .fd = r->cpus[i].fd, .events = POLLIN };
	}
	return n;
}

/* ---- records ----------------------------------------------------------------------------- */

/* Records other than samples end with pid, tid, time (sample_id_all). */
static uint64_t time_of(const struct perf_event_header *h)
{
	uint64_t time = 0;

	if (h->type == PERF_RECORD_SAMPLE && h->size >= sizeof(struct perf_sample_head))
		memcpy(&time, (const char *)h + offsetof(struct perf_sample_head, time),
		       sizeof(time));
	else if (h->size >= sizeof(*h) + sizeof(time))
		memcpy(&time, (const char *)h + h->size - sizeof(time), sizeof(time));
	return time;
}

static void copy_out(const struct perf_cpu *c, uint64_t at, void *to, size_t n)
{
	const char *data = (const char *)c->ring + PAGE;
	size_t start = at % c->size, first = c->size - start < n ? c->size - start : n;

	memcpy(to, data + start, first);
	memcpy((char *)to + first, data, n - first);
}

/*
 * Returns the number of bytes in the AUX buffer that a record is for; 0 if it is no
 * PERF_RECORD_AUX.
 */
static size_t aux_size(const struct perf_cpu *c, const struct perf_aux_record *a)
{
	return c->aux && a->header.type == PERF_RECORD_AUX && a->header.size >= sizeof(*a) &&
			a->size <= c->aux_size
		? a->size
		: 0;
}

static void copy_aux(const struct perf_cpu *c, const struct perf_aux_record *a, char *to)
{
	size_t n = aux_size(c, a), start, first;

	if (!n)
		return;
	start = a->offset % c->aux_size;
	first = c->aux_size - start < n ? c->aux_size - start : n;
	memcpy(to, c->aux + start, first);
	memcpy(to + first, c->aux, n - first);
}

/*
 * Frees the AUX buffer up to `head`. If it was full but for the room that the kernel keeps free, an
 * event has stopped, or will stop when its task runs.
 */
static void free_aux(struct perf_ring *r, struct perf_cpu *c, uint64_t head)
{
	enum { LEFT_FREE = 2 * PAGE };
	struct perf_event_mmap_page *page = c->ring;

	r->full |= head - page->aux_tail + LEFT_FREE > c->aux_size;
	__atomic_store_n(&page->aux_tail, head, __ATOMIC_RELEASE);
}

/*
 * perf writes a PERF_RECORD_LOST before the next record that fits, but takes the time of that
 * record first. The loss was before both: it gets the earlier time.
 */
static void date_loss(struct perf_held *loss, const struct perf_held *next)
{
	if (loss->record->type == PERF_RECORD_LOST && next->time < loss->time)
		loss->time = next->time;
}

static int fill_from(struct perf_ring *r, struct perf_cpu *c, struct trawl_error *err)
{
	size_t before = r->nheld;
	struct perf_event_mmap_page *page = c->ring;
	/*
	 * Read before data_head, so that the AUX data of all records up to data_head has been
	 * written.
	 */
	uint64_t aux_head = page && c->aux ? __atomic_load_n(&page->aux_head, __ATOMIC_ACQUIRE) : 0;
	uint64_t head = page ? __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) : 0,
		 aux_seen = 0;

	while (page && c->read < head) {
		struct perf_event_header h, *copy;
		struct perf_aux_record a = { 0 };

		copy_out(c, c->read, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - c->read)
			return trawl_fail(err, TRAWL_CANNOT, "perf: a record of %u bytes", h.size);
		if (!array_reserve(r->held, r->room, r->nheld + 1))
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
		if (h.type == PERF_RECORD_AUX && h.size >= sizeof(a))
			copy_out(c, c->read, &a, sizeof(a));
		copy = alloc_checked(malloc(h.size + aux_size(c, &a)));
		copy_out(c, c->read, copy, h.size);
		copy_aux(c, &a, (char *)copy + h.size);
		if (a.size)
			aux_seen = a.offset + a.size;
		r->held[r->nheld++] = (struct perf_held){time_of(copy), r->order++, copy,
							 aux_size(c, &a), (size_t)(c - r->cpus)};
		if (r->nheld - before > 1)
			date_loss(&r->held[r->nheld - 2], &r->held[r->nheld - 1]);
		c->read += h.size;
	}
	if (page)
		__atomic_store_n(&page->data_tail, c->read, __ATOMIC_RELEASE);
	if (aux_seen)
		free_aux(r, c, aux_seen > aux_head ? aux_seen : aux_head);
	return 0;
}

/* Descending: the earliest is at the end, where it is removed without moving the others. */
static int by_time(const void *a, const void *b)
{
	const struct perf_held *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return (x->order < y->order) - (x->order > y->order);
}

int perf_ring_fill(struct perf_ring *r, struct trawl_error *err)
{
	for (size_t i = 0; i < r->ncpus; i++) {
		if (fill_from(r, &r->cpus[i], err))
			return -1;
	}
	if (r->nheld)
		qsort(r->held, r->nheld, sizeof(*r->held), by_time);
	return 0;
}

const struct perf_held *perf_ring_next(struct perf_ring *r, uint64_t until)
{
	if (!r->nheld || r->held[r->nheld - 1].time > until)
		return NULL;
	return &r->held[--r->nheld];
}

/* ---- tasks and maps ---------------------------------------------------------------------- */

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char path[];
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

/*
 * The processes of the scope are not among r->threads: nobody knows which of their threads had
 * ended before the events were opened. Their number is limited.
 */
static void note_threads(struct perf_ring *r, const struct perf_event_header *h)
{
	const struct perf_task_record *t = (const struct perf_task_record *)h;
	pid_t execed = perf_ring_execed(h);

	if (execed)
		perf_threads_exec(&r->threads, execed);
	else if (h->type == PERF_RECORD_FORK && t->pid != t->ppid)
		perf_threads_fork(&r->threads, (pid_t)t->pid);
	else if (h->type == PERF_RECORD_FORK)
		perf_threads_add(&r->threads, (pid_t)t->pid, (pid_t)t->tid);
	else if (h->type == PERF_RECORD_LOST)
		perf_threads_free(&r->threads);
	else if (h->type == PERF_RECORD_EXIT &&
		 perf_threads_exit(&r->threads, (pid_t)t->pid, (pid_t)t->tid))
		perf_maps_exec(&r->maps, (pid_t)t->pid);
}

void perf_ring_done(struct perf_ring *r, const struct perf_held *h)
{
	note_threads(r, h->record);
	free(h->record);
}

pid_t perf_ring_execed(const struct perf_event_header *h)
{
	const struct comm_record *c = (const struct comm_record *)h;

	return h->type == PERF_RECORD_COMM && h->size >= sizeof(*c) &&
			       (h->misc & PERF_RECORD_MISC_COMM_EXEC)
		       ? (pid_t)c->tid
		       : 0;
}

static int emit_maps(struct perf_ring *r, pid_t pid, uint64_t time, struct branch_sink *sink,
		     struct trawl_error *err)
{
	struct branch_event e = { .kind = BRANCH_EVENT_MAPS, .tid = pid, .pid = pid, .time = time,
				  .maps = perf_maps_text(r->maps, pid) };
	int got = *e.maps ? sink->event(sink, &e, err) : 0;

	free(e.maps);
	return got;
}

static int emit_mmap(struct perf_ring *r, const struct perf_held *h, struct branch_sink *sink,
		     struct trawl_error *err)
{
	const struct mmap2_record *m = (const struct mmap2_record *)h->record;
	struct perf_map_line l;

	if (h->record->size <= sizeof(*m))
		return 0;
	l = (struct perf_map_line){ .start = m->addr, .end = m->addr + m->len, .offset = m->pgoff,
				    .inode = m->ino, .major = m->maj, .minor = m->min,
				    .prot = m->prot, .path = m->path };
	if (!strncmp(m->path, "//anon", 6))
		l.path = "";
	perf_maps_add(&r->maps, (pid_t)m->pid, &l);
	return m->prot & PROT_EXEC ? emit_maps(r, (pid_t)m->pid, h->time, sink, err) : 0;
}

bool perf_switch_id(const struct perf_event_header *h, struct perf_switch_id *id)
{
	if (h->size < sizeof(*h) + sizeof(*id))
		return false;
	memcpy(id, (const char *)h + h->size - sizeof(*id), sizeof(*id));
	return true;
}

static int emit_switch(const struct perf_held *h, struct branch_sink *sink, struct trawl_error *err)
{
	bool out = h->record->misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct branch_event e = { .kind = out ? BRANCH_EVENT_LEFT : BRANCH_EVENT_CAME,
				  .time = h->time };
	struct perf_switch_id id;

	if (!perf_switch_id(h->record, &id))
		return 0;
	e.pid = (pid_t)id.pid;
	e.tid = (pid_t)id.tid;
	return sink->event(sink, &e, err);
}

int perf_ring_emit(struct perf_ring *r, const struct perf_held *h, struct branch_sink *sink,
		   struct trawl_error *err)
{
	const struct perf_task_record *t = (const struct perf_task_record *)h->record;
	const struct comm_record *c = (const struct comm_record *)h->record;
	struct branch_event e = { .time = h->time };

	switch (h->record->type) {
	case PERF_RECORD_MMAP2:
		return emit_mmap(r, h, sink, err);
	case PERF_RECORD_COMM:
		if (h->record->size <= sizeof(*c))
			return 0;
		e.kind = perf_ring_execed(h->record) ? BRANCH_EVENT_EXEC : BRANCH_EVENT_NAME;
		if (e.kind == BRANCH_EVENT_EXEC)
			perf_maps_exec(&r->maps, (pid_t)c->pid);
		e.pid = (pid_t)c->pid;
		e.tid = (pid_t)c->tid;
		e.name = c->comm; /* the kernel ends it by zeros */
		return sink->event(sink, &e, err);
	case PERF_RECORD_FORK:
		perf_maps_fork(&r->maps, (pid_t)t->ppid, (pid_t)t->pid);
		e.kind = BRANCH_EVENT_TASK;
		e.pid = (pid_t)t->pid;
		e.tid = (pid_t)t->tid;
		e.parent = (pid_t)t->ptid;
		if (sink->event(sink, &e, err))
			return -1;
		return t->pid != t->ppid ? emit_maps(r, (pid_t)t->pid, h->time, sink, err) : 0;
	case PERF_RECORD_SWITCH:
		return emit_switch(h, sink, err);
	case PERF_RECORD_EXIT:
		e.kind = BRANCH_EVENT_LEFT;
		e.pid = (pid_t)t->pid;
		e.tid = (pid_t)t->tid;
		return sink->event(sink, &e, err);
	default:
		return 0;
	}
}

/* Adds a line of /proc/PID/maps. */
static void add_line(struct perf_ring *r, pid_t pid, const char *text)
{
	struct perf_map_line l = { 0 };
	char perms[5], path[4096] = "";

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %4095[^\n]",
		   &l.start, &l.end, perms, &l.offset, &l.major, &l.minor, &l.inode, path) < 7)
		return;
	l.prot = perms[2] == 'x' ? PROT_EXEC : 0;
	l.path = path;
	if (l.prot)
		perf_maps_add(&r->maps, pid, &l);
}

struct emission {
	struct branch_sink *sink;
	struct trawl_error *err;
	pid_t pid;
	int got;
};

static void emit_thread(void *arg, pid_t tid)
{
	struct emission *t = arg;
	char path[64], name[16];
	struct branch_event e = {.kind = BRANCH_EVENT_TASK,
				 .tid = tid,
				 .pid = t->pid,
				 .time = mono_now()};

	/* threads that it starts have this name */
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	proc_value(path, "Name:", name, sizeof(name));
	e.name = *name ? name : NULL;
	t->got = t->got ? t->got : t->sink->event(t->sink, &e, t->err);
}

static int emit_threads(pid_t pid, struct branch_sink *sink, struct trawl_error *err)
{
	struct emission t = { sink, err, pid, 0 };

	threads_each(pid, emit_thread, &t);
	return t.got;
}

static int emit_initial(struct perf_ring *r, pid_t pid, struct branch_sink *sink,
			struct trawl_error *err)
{
	uint64_t time = mono_now();
	char name[64], *line = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	while (f && getline(&line, &room, f) > 0)
		add_line(r, pid, line);
	free(line);
	if (f)
		fclose(f);
	return emit_threads(pid, sink, err) || emit_maps(r, pid, time, sink, err) ? -1 : 0;
}

int perf_ring_initial(struct perf_ring *r, const struct branch_scope *scope,
		      struct branch_sink *sink, struct trawl_error *err)
{
	for (size_t i = 0; !scope->command && i < scope->n; i++) {
		if (emit_initial(r, scope->pids[i], sink, err))
			return -1;
	}
	return 0;
}

void perf_ring_each(const struct perf_event_mmap_page *ring, size_t pages,
		    void (*fn)(void *arg, const char *record, const struct perf_event_header *h),
		    void *arg)
{
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	const char *data = (const char *)ring + PAGE;
	struct perf_event_header h;

	for (uint64_t at = 0; at + sizeof(h) <= head; at += h.size) {
		memcpy(&h, data + at, sizeof(h));
		if (h.size < sizeof(h) || at + h.size > pages * PAGE)
			return;
		fn(arg, data + at, &h);
	}
}
