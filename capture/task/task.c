/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fnv.h"
#include "common/json.h"
#include "common/mapsmark.h"
#include "common/array.h"
#include "capture/task/taskfilter.h"
#include "capture/sys/clock.h"
#include "capture/sys/meta.h"
#include "capture/sys/proc.h"
#include "capture/tracefs/ring.h"
#include "capture/task/task.h"

enum {
	CMDLINE_MAX = 4096,
	MAPS_MAX = 8 << 20,
};

int tasks_init(struct tasks *t, struct trawl_error *err)
{
	enum { MOST = 1 << 22 };
	long max = proc_number("/proc/sys/kernel/pid_max", MOST);

	*t = (struct tasks){ 0 };
	if (max < 1 || max > MOST)
		max = MOST;
	t->seen = calloc(max / 64 + 1, sizeof(*t->seen));
	t->probed = calloc(max / 64 + 1, sizeof(*t->probed));
	if (!t->seen || !t->probed)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	t->max = max;
	t->seen[0] = 1; /* the idle tasks have no /proc entry */
	return 0;
}

void tasks_done(struct tasks *t)
{
	free(t->seen);
	free(t->probed);
	free(t->fresh);
	initial_tasks_free(&t->initial);
	*t = (struct tasks){ 0 };
}

static bool add_fresh(struct tasks *t, pid_t entry)
{
	if (t->unknown)
		return true;
	if (!array_reserve(t->fresh, t->room, t->nfresh + 1))
		return false; /* retried at the task's next event */
	t->fresh[t->nfresh++] = entry;
	return true;
}

void tasks_first_seen(struct tasks *t, pid_t tid)
{
	if (add_fresh(t, tid))
		t->seen[tid / 64] |= 1ull << (tid % 64);
}

void tasks_first_probed(struct tasks *t, pid_t tid)
{
	bool seen = t->seen[tid / 64] >> (tid % 64) & 1;

	if (seen && !add_fresh(t, -tid))
		return;
	t->probed[tid / 64] |= 1ull << (tid % 64);
	tasks_saw(t, tid);
}

void tasks_forget(struct tasks *t, pid_t tid)
{
	if (tid <= 0 || (uint32_t)tid >= t->max)
		return;
	t->seen[tid / 64] &= ~(1ull << (tid % 64));
	t->probed[tid / 64] &= ~(1ull << (tid % 64));
}

void tasks_forget_all(struct tasks *t)
{
	memset(t->seen, 0, (t->max / 64 + 1) * sizeof(*t->seen));
	memset(t->probed, 0, (t->max / 64 + 1) * sizeof(*t->probed));
	t->seen[0] = 1;
}

static void saw(void *arg, pid_t tid)
{
	tasks_hit(arg, tid);
}

void tasks_saw_process(struct tasks *t, pid_t pid)
{
	threads_each(pid, saw, t);
}

/* Returns at most max bytes of /proc/TID/FILE, malloc'd and NUL-terminated; NULL: unreadable. */
static char *read_proc(pid_t tid, const char *file, size_t max, size_t *len)
{
	char path[64], *text = malloc(max + 1);
	int fd;

	*len = 0;
	snprintf(path, sizeof(path), "/proc/%d/%s", tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && text && *len < max) {
		ssize_t n = read(fd, text + *len, max - *len);

		if (n < 0) {
			*len = 0;
			close(fd);
			free(text);
			return NULL;
		}
		if (!n)
			break;
		*len += (size_t)n;
	}
	if (fd < 0 || !text) {
		free(text);
		return NULL;
	}
	close(fd);
	text[*len] = '\0';
	return text;
}

/* Frees *j. */
static int write_task(struct trawl_writer *w, pid_t tid, struct json *j, uint64_t time,
		      struct trawl_error *err)
{
	char name[32];

	snprintf(name, sizeof(name), "task/%d", tid);
	return meta_write_json(w, name, time, j, err);
}

/*
 * Returns the executable lines of /proc/PID/maps, as many as fit, and a last line that says so;
 * malloc'd, NULL: unreadable. Sites of probes are looked up in executable lines only.
 */
static char *read_executable_maps(pid_t pid, size_t *len)
{
	static const char mark[] = MAPS_CUT "\n";
	char path[64], *text = malloc(MAPS_MAX + sizeof(mark)), *line = NULL;
	size_t room = 0;
	ssize_t n;
	FILE *f;

	*len = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = text ? fopen(path, "re") : NULL;
	if (!f) {
		free(text);
		return NULL;
	}
	while ((n = getline(&line, &room, f)) > 0) {
		const char *mode = strchr(line, ' ');

		if (!mode || strnlen(mode, 4) < 4 || mode[3] != 'x')
			continue;
		if (*len + (size_t)n > MAPS_MAX)
			break;
		memcpy(text + *len, line, (size_t)n);
		*len += (size_t)n;
	}
	fclose(f);
	free(line);
	memcpy(text + *len, mark, sizeof(mark));
	*len += sizeof(mark) - 1;
	return text;
}

/* Writes maps/PID if it differs from known->hash, that of the maps written last. */
static int write_maps(struct trawl_writer *w, struct task_maps *known, struct trawl_error *err)
{
	char name[32], *text;
	uint64_t time = mono_now();
	uint64_t hash;
	size_t len;
	int r = 0;

	text = read_proc(known->pid, "maps", MAPS_MAX + 1, &len);
	if (text && len > MAPS_MAX) {
		free(text);
		text = read_executable_maps(known->pid, &len);
	}
	if (!text || !len) { /* gone, or a kernel thread */
		free(text);
		return 0;
	}
	hash = fnv1a(text, len);
	if (hash != known->hash) {
		snprintf(name, sizeof(name), "maps/%d", known->pid);
		known->hash = hash;
		r = meta_write_text(w, name, time, text, len, err);
	}
	free(text);
	return r;
}

static int want_maps(struct tasks *t, pid_t pid, struct trawl_writer *w, struct trawl_error *err)
{
	struct task_maps once = { .pid = pid };

	for (size_t i = 0; i < t->nmaps; i++) {
		if (t->maps[i].pid == pid)
			return write_maps(w, &t->maps[i], err);
	}
	if (t->nmaps == TASK_MAPS_MAX)
		return write_maps(w, &once, err);
	t->maps[t->nmaps] = once;
	return write_maps(w, &t->maps[t->nmaps++], err);
}

/* Returns the number after "KEY:\t" in /proc/TID/status. */
static int status_number(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? atoi(at + strlen(key)) : 0;
}

static void add_cmdline(struct json *j, const char *cmdline, size_t len)
{
	json_array(j, "cmdline");
	for (size_t at = 0; at < len;) {
		size_t n = strnlen(cmdline + at, len - at);

		json_bytes(j, NULL, cmdline + at, n);
		at += n + 1;
	}
	json_end(j);
}

int tasks_name(const struct initial_task *task, uint64_t time, struct trawl_writer *w,
	       struct trawl_error *err)
{
	struct json j = { 0 };

	json_object(&j, NULL);
	json_uint(&j, "tid", (uint64_t)task->tid);
	json_int(&j, "pid", task->pid);
	json_bytes(&j, "comm", task->comm, strlen(task->comm));
	json_uint(&j, "time_ns", time);
	json_end(&j);
	return write_task(w, task->tid, &j, time, err);
}

/* Writes the name that an initial task had at the start. */
static int write_former(struct tasks *t, struct initial_task *task, struct trawl_writer *w,
			struct trawl_error *err)
{
	task->written = true;
	return tasks_name(task, t->initial.time, w, err);
}

/* Whether the task is in the scope, or followed. The arguments of all others are private. */
static bool is_of_scope(const struct tasks *t, pid_t tid, pid_t pid)
{
	for (size_t i = 0; i < t->npids; i++)
		if (t->pids[i] == tid || t->pids[i] == pid)
			return true;
	return t->npids && task_filter_has(t->followed, tid, UINT64_MAX);
}

/* Whether the task is a kernel thread (PF_KTHREAD): only these have no program. */
static bool is_kernel_thread(pid_t tid)
{
	enum { KTHREAD = 0x00200000 };
	size_t len;
	char *stat = read_proc(tid, "stat", 4096, &len), *end = stat ? strrchr(stat, ')') : NULL;
	unsigned int flags = 0;

	if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1)
		flags = 0;
	free(stat);
	return flags & KTHREAD;
}

static void describe(const struct tasks *t, struct json *j, pid_t tid, const char *status,
		     const char *comm)
{
	char path[64], exe[4096], *cmdline = NULL;
	pid_t pid = status_number(status, "\nTgid:\t");
	size_t len = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", tid);
	n = readlink(path, exe, sizeof(exe));
	json_object(j, NULL);
	json_uint(j, "tid", (uint64_t)tid);
	json_int(j, "pid", pid);
	json_int(j, "ppid", status_number(status, "\nPPid:\t"));
	json_bytes(j, "comm", comm, strlen(comm));
	json_bytes(j, "exe", exe, n > 0 ? (size_t)n : 0);
	if (n <= 0 && is_kernel_thread(tid))
		json_bool(j, "kernel", true);
	if (is_of_scope(t, tid, pid))
		cmdline = read_proc(tid, "cmdline", CMDLINE_MAX + 1, &len);
	if (cmdline)
		add_cmdline(j, cmdline, len < CMDLINE_MAX ? len : CMDLINE_MAX);
	if (len > CMDLINE_MAX)
		json_bool(j, "cmdline_cut", true);
	json_uint(j, "time_ns", mono_now());
	json_end(j);
	free(cmdline);
}

/* Writes the maps of the task's process, unless they are private (task.h). */
static int look_up_maps(struct tasks *t, pid_t tid, pid_t pid, struct trawl_writer *w,
			struct trawl_error *err)
{
	bool probed = (uint32_t)tid < t->max && t->probed[tid / 64] >> (tid % 64) & 1;

	return t->want_maps && (probed || is_of_scope(t, tid, pid)) ? want_maps(t, pid, w, err) : 0;
}

static int look_up(struct tasks *t, pid_t tid, struct trawl_writer *w, struct trawl_error *err)
{
	struct initial_task *former = initial_tasks_find(&t->initial, tid);
	size_t len;
	char *status = read_proc(tid, "status", 4096, &len);
	char *comm = status ? read_proc(tid, "comm", 64, &len) : NULL;
	struct json j = { 0 };
	int r = 0;

	if (comm)
		comm[strcspn(comm, "\n")] = '\0';
	/* /proc shows longer names of kernel workers than the task has. */
	if (former && !former->written &&
	    (!comm || strncmp(comm, former->comm, sizeof(former->comm) - 1)))
		r = write_former(t, former, w, err);
	if (r || !comm) /* it ended: if it is no initial task, the task events have its name */
		goto out;
	describe(t, &j, tid, status, comm);
	r = write_task(w, tid, &j, mono_now(), err);
	if (!r)
		r = look_up_maps(t, tid, status_number(status, "\nTgid:\t"), w, err);
out:
	free(status);
	free(comm);
	return r;
}

/* Writes the maps of a task that was looked up before it hit a user probe. */
static int look_up_probed(struct tasks *t, pid_t tid, struct trawl_writer *w,
			  struct trawl_error *err)
{
	size_t len;
	char *status = read_proc(tid, "status", 4096, &len);
	int r = status ? look_up_maps(t, tid, status_number(status, "\nTgid:\t"), w, err) : 0;

	free(status);
	return r;
}

int tasks_flush(struct tasks *t, struct trawl_writer *w, struct trawl_error *err)
{
	int r = 0;

	for (size_t i = 0; i < t->nfresh && !r; i++)
		r = t->fresh[i] < 0 ? look_up_probed(t, -t->fresh[i], w, err) :
				      look_up(t, t->fresh[i], w, err);
	t->nfresh = 0;
	return r;
}

int tasks_refresh(struct tasks *t, struct trawl_writer *w, struct trawl_error *err)
{
	int r = 0;

	for (size_t i = 0; i < t->nmaps && !r; i++)
		r = write_maps(w, &t->maps[i], err);
	return r;
}
