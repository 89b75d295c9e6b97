/* SPDX-License-Identifier: MIT */
#include "capture/trace/instance.h"
#include "capture/sys/lockdown.h"
#include "capture/tracefs/ring.h"
#include "capture/tracefs/tracefs.h"
#include "common/array.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SUBBUF_KB = 16,          /* size of a sub-buffer, if possible: it is read by one read() and
				  * fits into the CPU's cache */
	WAKE_PERCENT = 25,       /* poll() returns when so much of the buffer is full */
	BUFFER_KB_DEFAULT = 8192, /* per CPU */
	BUFFER_KB_MIN = 1024,
	BUFFER_SHARE = 16,       /* the buffers of all CPUs take at most 1/BUFFER_SHARE of the
				  * memory */
};

static uint32_t default_buffer_kb(void)
{
	uint64_t page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	uint64_t memory_kb = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_kb;
	uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	uint64_t kb = memory_kb / BUFFER_SHARE / (cpus ? cpus : 1);

	return (uint32_t)(kb > BUFFER_KB_DEFAULT ? BUFFER_KB_DEFAULT :
			  kb < BUFFER_KB_MIN ? BUFFER_KB_MIN : kb);
}

static int make_instance(struct trace *t, struct trawl_error *err)
{
	char path[OWNER_NAME_MAX + 16];

	snprintf(path, sizeof(path), "instances/%s", t->name);
	if (mkdirat(t->top, path, 0700))
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot make %s: %s", path,
				  errno == ENOMEM ?
				  "no memory for another ring buffer; end other recordings, or "
				  "remove unused instances with rmdir" :
				  errno == EACCES || errno == EPERM ?
				  "no permission: " TRACEFS_REMEDY :
				  lockdown_or(strerror(errno)));
	t->dir = openat(t->top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir < 0)
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot open %s: %s", path,
				  strerror(errno));
	flock(t->dir, LOCK_EX); /* gc_run() of another trawl may lock it for a moment */
	return 0;
}

static int set_up_buffer(struct trace *t, uint32_t kb, struct trawl_error *err)
{
	struct trawl_error ignored;
	char text[24];

	/* Memory may be too fragmented for large sub-buffers: tries smaller ones. */
	for (unsigned int subbuf = SUBBUF_KB;
	     subbuf >= 4 && tracefs_has(t->dir, "buffer_subbuf_size_kb"); subbuf /= 2) {
		if (!tracefs_write_number(t->dir, "buffer_subbuf_size_kb", subbuf, &ignored))
			break;
	}
	snprintf(text, sizeof(text), "%" PRIu32, kb);
	if (tracefs_write(t->dir, "buffer_size_kb", text, err))
		return trawl_fail(
			err, TRAWL_CANNOT,
			"-B: no memory for a ring buffer of %s KiB per CPU (%s); give a smaller "
			"size", text,
			strerror(errno));
	/* Kernels before 5.1 lack this file; poll() returns at any event. */
	if (tracefs_has(t->dir, "buffer_percent"))
		return tracefs_write_number(t->dir, "buffer_percent", WAKE_PERCENT, err);
	return 0;
}

/* Resets options that an instance may inherit, and that slow down or change the recording. */
static int set_options(struct trace *t, struct trawl_error *err)
{
	static const struct {
		const char *file, *value;
	} options[] = {
		{ "options/overwrite", "1" },    /* with overwrite, flags of the sub-buffers show
						  * losses */
		{ "options/record-cmd", "0" },   /* the source "task" records names */
		{ "options/record-tgid", "0" },
		{ "options/stacktrace", "0" },
		{ "options/userstacktrace", "0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (tracefs_has(t->dir, options[i].file) &&
		    tracefs_write(t->dir, options[i].file, options[i].value, err))
			return -1;
	}
	return 0;
}

static int open_cpus(struct trace *t, struct trawl_error *err)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	t->cpus = calloc((size_t)n, sizeof(*t->cpus));
	if (!t->cpus)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	for (uint32_t cpu = 0; cpu < (uint32_t)n; cpu++) {
		char path[64];
		int fd;

		snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu);
		fd = openat(t->dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0)
			return trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot open %s: %s", path,
					  strerror(errno));
		t->cpus[t->ncpus++] = (struct trace_cpu){ .cpu = cpu, .fd = fd };
	}
	return 0;
}

static int read_layout(struct trace *t, struct trawl_error *err)
{
	char *text = tracefs_read(t->dir, "events/header_page", NULL, err);
	int r = text ? ring_layout_parse(text, t->layout, err) : -1;

	free(text);
	if (!r) {
		t->page = malloc(t->layout->data_at + t->layout->data_size);
		if (!t->page)
			return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	return r;
}

int trace_instance_make(struct trace *t, uint32_t buffer_kb, struct trawl_error *err)
{
	if (!buffer_kb)
		buffer_kb = default_buffer_kb();
	return make_instance(t, err) || tracefs_write(t->dir, "tracing_on", "0", err) ||
	       tracefs_write(t->dir, "trace_clock", "mono", err) || set_options(t, err) ||
	       set_up_buffer(t, buffer_kb, err) || read_layout(t, err) || open_cpus(t, err) ?
		       -1 : 0;
}
