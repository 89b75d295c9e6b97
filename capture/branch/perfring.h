/* SPDX-License-Identifier: MIT */
/*
 * Events of perf on tasks and their descendants: one ring for each CPU, whose records are merged in
 * time order. Besides samples there are records of mappings and tasks.
 */
#ifndef TRAWL_CAPTURE_BRANCH_PERFRING_H
#define TRAWL_CAPTURE_BRANCH_PERFRING_H

#include <linux/perf_event.h>
#include "capture/branch/backend.h"
#include "capture/branch/perfthreads.h"

struct perf_cpu {
	int cpu, fd;      /* fd: the event whose ring it is */
	void *ring;       /* the mapping; NULL: none */
	size_t size;      /* bytes of its data */
	uint64_t read;    /* position up to which it was read */
	const char *aux;  /* the AUX buffer, which hardware writes to; NULL: none */
	size_t aux_size;
	size_t nevents;   /* number of its entries in fds, which are ordered by CPU */
};

/* A PERF_RECORD_AUX. perf_ring_next() returns a copy with the AUX data after it. */
struct perf_aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
	uint32_t pid, tid;
	uint64_t time;
};

/* A record that waits for earlier ones of other CPUs. */
struct perf_held {
	uint64_t time, order;
	struct perf_event_header *record; /* a copy */
	size_t aux;      /* bytes of AUX data after it */
	size_t cpu;      /* index of its CPU */
};

struct perf_map;

struct perf_ring {
	struct perf_cpu *cpus;
	size_t ncpus;
	int *fds;         /* of all events */
	size_t nfds;
	struct perf_held *held;
	size_t nheld, room;
	uint64_t order;
	bool full;        /* an AUX buffer was full (perf_ring_aux_full()) */
	struct perf_map *maps; /* of processes, for BRANCH_EVENT_MAPS */
	struct perf_threads threads; /* of those whose maps are removed at their end */
};

/* PERF_RECORD_FORK and PERF_RECORD_EXIT */
struct perf_task_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* The end of PERF_RECORD_SWITCH: TID, TIME. */
struct perf_switch_id {
	uint32_t pid, tid;
	uint64_t time;
};

/* The begin of each sample: IP, TID, TIME. */
struct perf_sample_head {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
};

/*
 * Opens the event on all threads of the scope; on a COMMAND it is enabled at its exec. pages: size
 * of a CPU's ring, a power of two; a quarter of it wakes poll() unless attr has a watermark.
 * Returns 0, or -1 with *err; then call perf_ring_close().
 */
int perf_ring_open(struct perf_ring *r, const struct perf_event_attr *attr,
		   const struct branch_scope *scope, size_t pages, struct trawl_error *err);
void perf_ring_close(struct perf_ring *r);
/*
 * Gives each ring an AUX buffer of `pages` pages, a power of two. Call before the events are
 * enabled.
 */
int perf_ring_aux(struct perf_ring *r, size_t pages, struct trawl_error *err);
/* Returns whether an event stopped since the last call because its AUX buffer was full. */
bool perf_ring_aux_full(struct perf_ring *r);
int perf_ring_enable(struct perf_ring *r, bool on, struct trawl_error *err);
/* *did: sum over CPUs of the ns counted; *could: largest number of ns enabled on one CPU. */
void perf_ring_times(const struct perf_ring *r, uint64_t *could, uint64_t *did);
size_t perf_ring_fds(const struct perf_ring *r, struct pollfd *fds, size_t room);

/* Sets the attributes that all events share: clock, IDs, inheritance, records of mappings. */
void perf_ring_attr(struct perf_event_attr *a);

/* Emits the tasks and mappings of the processes of -p. Call before the first record. */
int perf_ring_initial(struct perf_ring *r, const struct branch_scope *scope,
		      struct branch_sink *sink, struct trawl_error *err);

/* Reads the records that the kernel has written. Returns 0, or -1 with *err. */
int perf_ring_fill(struct perf_ring *r, struct trawl_error *err);
/*
 * Returns the next record up to the time `until`, valid until the next call; the caller ends with
 * perf_ring_done(). NULL: there is none.
 */
const struct perf_held *perf_ring_next(struct perf_ring *r, uint64_t until);
/* Frees the record. If it is the last one of a process, also removes that process's mappings. */
void perf_ring_done(struct perf_ring *r, const struct perf_held *h);

/* Returns the task that has executed a program, if the record says that of one; else 0. */
pid_t perf_ring_execed(const struct perf_event_header *h);

/* The task of a PERF_RECORD_SWITCH. Returns false if the record is too short. */
bool perf_switch_id(const struct perf_event_header *h, struct perf_switch_id *id);

/* Emits the event of a record of a task, mapping or switch. Ignores other records. */
int perf_ring_emit(struct perf_ring *r, const struct perf_held *h, struct branch_sink *sink,
		   struct trawl_error *err);

/*
 * Calls fn for each record of a mapped ring of `pages` pages that was filled once from its begin,
 * and has not wrapped.
 */
void perf_ring_each(const struct perf_event_mmap_page *ring, size_t pages,
		    void (*fn)(void *arg, const char *record, const struct perf_event_header *h),
		    void *arg);

#endif
