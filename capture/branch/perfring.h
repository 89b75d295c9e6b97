/* SPDX-License-Identifier: MIT */
/*
 * Events of perf on tasks and all that they start: one ring for each CPU, records of all CPUs in
 * the order of time. Besides samples there are records of mappings and of tasks.
 */
#ifndef TRAWL_CAPTURE_BRANCH_PERFRING_H
#define TRAWL_CAPTURE_BRANCH_PERFRING_H

#include <linux/perf_event.h>
#include "capture/branch/backend.h"

struct perf_cpu {
	int cpu, fd;      /* fd: of the event that has the ring */
	void *ring;       /* the mapping; NULL: none */
	size_t size;      /* of its data */
	uint64_t read;    /* so far */
	const char *aux;  /* the AUX buffer, which hardware writes to; NULL: none */
	size_t aux_size;
	size_t nevents;   /* of those in fds, after those of the CPUs before */
};

/* A PERF_RECORD_AUX. What was written stands after the record that perf_ring_next() gives. */
struct perf_aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
	uint32_t pid, tid;
	uint64_t time;
};

/* A record that waits for its time. */
struct perf_held {
	uint64_t time, order;
	struct perf_event_header *record; /* a copy */
	size_t aux;      /* bytes after it, of a PERF_RECORD_AUX */
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
	bool full;        /* an AUX buffer was full: perf_ring_aux_full() */
	struct perf_map *maps; /* of processes, for BRANCH_EVENT_MAPS */
};

/* Every event has IP, TID, TIME first. */
struct perf_sample_head {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
};

/*
 * Opens the event on all threads of the scope; of a COMMAND it begins with its exec. pages: of a
 * CPU's ring, a power of two. 0, or -1 with *err.
 */
int perf_ring_open(struct perf_ring *r, const struct perf_event_attr *attr,
		   const struct branch_scope *scope, size_t pages, struct trawl_error *err);
void perf_ring_close(struct perf_ring *r);
/* Gives each ring an AUX buffer of so many pages, a power of two. Called before events come. */
int perf_ring_aux(struct perf_ring *r, size_t pages, struct trawl_error *err);
/* Returns whether an event stopped since the last call because its AUX buffer was full. */
bool perf_ring_aux_full(struct perf_ring *r);
int perf_ring_enable(struct perf_ring *r, bool on, struct trawl_error *err);
/* ns for which all events counted together, and for which those of one CPU could have. */
void perf_ring_times(const struct perf_ring *r, uint64_t *could, uint64_t *did);
size_t perf_ring_fds(const struct perf_ring *r, struct pollfd *fds, size_t room);

/* The attributes that all events have: clock, ids, inheritance, what is mapped. */
void perf_ring_attr(struct perf_event_attr *a);

/* Gives the sink the tasks and mappings of the processes of -p. Called before the first record. */
int perf_ring_initial(struct perf_ring *r, const struct branch_scope *scope,
		      struct branch_sink *sink, struct trawl_error *err);

/* Reads the records that the kernel has. 0, or -1 with *err. */
int perf_ring_fill(struct perf_ring *r, struct trawl_error *err);
/* Returns the next record up to the time `until`, valid until the next call; the caller frees its
 * `record`. NULL: there is none. */
const struct perf_held *perf_ring_next(struct perf_ring *r, uint64_t until);

/* Gives the sink the event of a record of tasks or mappings. Ignores other records. */
int perf_ring_emit(struct perf_ring *r, const struct perf_held *h, struct branch_sink *sink,
		   struct trawl_error *err);

/*
 * Calls fn for each record of a mapped ring of `pages` pages that was filled once from its front:
 * what found no room is not there.
 */
void perf_ring_each(const struct perf_event_mmap_page *ring, size_t pages,
		    void (*fn)(void *arg, const char *record, const struct perf_event_header *h),
		    void *arg);

#endif
