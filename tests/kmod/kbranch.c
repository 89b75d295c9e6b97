// SPDX-License-Identifier: MIT
/*
 * kbranch: a small client of /dev/trawl for the tests of the module.
 *
 *	kbranch [OPTION...] -- COMMAND [ARG...]
 *	-o FILE		records of COMMAND as text, one a line: TID KIND FROM TO CYCLES
 *	-s SELECT	TRAWL_NO_* bits (1)	-n RECORDS	of the ring (65536)
 *	-m block|drop|overwrite (block)		-l		form LBR: what it has at the end, by DUMP
 *	-b CONTROL	form BTS, likewise	-d DEPTH	of form LBR
 *	-a		children alone		-q		only counts, on stderr
 *	-P NAME		provider		-c FILE:OFFSET:LAST	a probe, with form LBR beside the stream
 *	-z MS		sleep between reads	-p PID -t SECONDS	instead of COMMAND, or until it ends
 * Its status is COMMAND's.
 */
#include <stdbool.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kmod/trawl_uapi.h"

struct client {
	int fd, delay;
	bool quiet;
	FILE *out;
	struct trawl_ring *ring;
	struct trawl_branch *records;
	unsigned long long count, lost;
};

static void fail(const char *what)
{
	fprintf(stderr, "kbranch: %s: %s\n", what, strerror(errno));
	exit(3);
}

static void print(struct client *c, const struct trawl_branch *r)
{
	c->count++;
	if (r->kind == TRAWL_KIND_LOST)
		c->lost += r->from;
	if (!c->quiet)
		fprintf(c->out, "%u %u %llx %llx %u%s\n", r->tid, r->kind,
			(unsigned long long)r->from, (unsigned long long)r->to, r->cycles,
			r->flags & TRAWL_FLAG_PROBE ? " probe" : "");
}

static bool drain(struct client *c)
{
	unsigned long long tail = c->ring->tail,
			   head = __atomic_load_n(&c->ring->head, __ATOMIC_ACQUIRE), at;

	for (at = tail; at < head; at++)
		print(c, &c->records[at % c->ring->records]);
	__atomic_store_n(&c->ring->tail, head, __ATOMIC_RELEASE);
	if (__atomic_load_n(&c->ring->waiting, __ATOMIC_ACQUIRE))
		ioctl(c->fd, TRAWL_IOC_WAKE);
	return head != tail;
}

static void map_ring(struct client *c, unsigned int records, unsigned int flags)
{
	struct trawl_ring_setup s = { .size = sizeof(s), .flags = flags, .records = records };
	char *map;

	if (ioctl(c->fd, TRAWL_IOC_RING, &s))
		fail("TRAWL_IOC_RING");
	map = mmap(NULL, s.mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (map == MAP_FAILED)
		fail("mmap");
	c->ring = (struct trawl_ring *)map;
	c->records = (struct trawl_branch *)(map + s.data_offset);
}

static void follow(struct client *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };

	do {
		poll(&p, 1, 200);
		if (c->delay)
			usleep(c->delay * 1000);
		drain(c);
	} while (!(p.revents & POLLHUP));
	while (drain(c))
		;
	c->lost = c->ring->lost;
}

static void enable(struct client *c, struct trawl_enable *e)
{
	if (ioctl(c->fd, TRAWL_IOC_ENABLE, e))
		fail("TRAWL_IOC_ENABLE");
}

struct options {
	struct trawl_enable enable;
	unsigned int records, mode;
	int seconds;
	char *at; /* FILE:OFFSET:LAST of a probe; NULL: none */
};

/* Enables the tracing, and form LBR for the probe beside it. */
static void enable_all(struct client *c, struct options *o)
{
	enable(c, &o->enable);
	if (!o->at)
		return;
	o->enable.form = TRAWL_FORM_LBR;
	enable(c, &o->enable);
	o->enable.form = TRAWL_FORM_STREAM;
}

static int watch(struct client *c, struct options *o)
{
	struct pollfd p = { .fd = c->fd };

	o->enable.flags &= ~TRAWL_ENABLE_ON_EXEC;
	enable_all(c, o);
	for (int tenth = 0; tenth < 10 * o->seconds && !(p.revents & POLLHUP); tenth++)
		poll(&p, 1, 100);
	drain(c);
	fprintf(stderr, "kbranch: %llu records, %llu lost\n", c->count,
		(unsigned long long)c->ring->lost);
	return 0;
}

static void dump(struct client *c, pid_t pid, unsigned int form)
{
	struct trawl_branch *r = calloc(1 << 20, sizeof(*r));
	struct trawl_dump d = { .size = sizeof(d),
				.pid = pid,
				.form = form,
				.records = (unsigned long)r,
				.capacity = 1 << 20 };
	unsigned int i;

	if (ioctl(c->fd, TRAWL_IOC_DUMP, &d))
		fail("TRAWL_IOC_DUMP");
	for (i = 0; i < d.count; i++)
		print(c, &r[i]);
	c->lost = d.lost;
	free(r);
}

static pid_t start(char **argv, int *go)
{
	int pipes[2];
	pid_t pid;
	char c;

	if (pipe2(pipes, O_CLOEXEC))
		fail("pipe");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		close(pipes[1]);
		if (read(pipes[0], &c, 1) < 0)
			_exit(3);
		execvp(argv[0], argv);
		fprintf(stderr, "kbranch: %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(pipes[0]);
	*go = pipes[1];
	return pid;
}

static unsigned int mode_of(const char *name)
{
	return !strcmp(name, "block")	     ? TRAWL_RING_BLOCK
		: !strcmp(name, "overwrite") ? TRAWL_RING_OVERWRITE
					     : 0;
}

static void probe(struct client *c, char *text)
{
	char *offset = strchr(text, ':'), *last = offset ? strchr(offset + 1, ':') : NULL;
	struct trawl_probe p = { .size = sizeof(p), .cookie = 77 };

	if (!last) {
		fprintf(stderr, "kbranch: -c takes FILE:OFFSET:LAST\n");
		exit(2);
	}
	*offset++ = *last++ = 0;
	p.fd = open(text, O_RDONLY | O_CLOEXEC);
	p.offset = strtoull(offset, NULL, 0);
	p.last = strtoul(last, NULL, 0);
	if (ioctl(c->fd, TRAWL_IOC_PROBE, &p))
		fail("TRAWL_IOC_PROBE");
	close(p.fd);
}

static unsigned int provider_of(const char *name)
{
	return !strcmp(name, "lbr")	? 1
		: !strcmp(name, "step") ? 2
		: !strcmp(name, "bts")	? 3
					: 9;
}

/* Sets up the tracing of COMMAND; false: the option is not one of its options. */
static bool enable_option(struct trawl_enable *e, int option, const char *arg)
{
	switch (option) {
	case 's':
		e->select = strtoul(arg, NULL, 0);
		return true;
	case 'l':
		e->form = TRAWL_FORM_LBR;
		return true;
	case 'b':
		e->form = TRAWL_FORM_BTS;
		e->select = 0;
		e->bts_control = strtoul(arg, NULL, 0);
		return true;
	case 'd':
		e->depth = strtoul(arg, NULL, 0);
		return true;
	case 'a':
		e->flags |= TRAWL_ENABLE_ALONE;
		return true;
	case 'P':
		e->provider = provider_of(arg);
		return true;
	case 'p':
		e->pid = atoi(arg);
		return true;
	default:
		return false;
	}
}

static bool option(struct client *c, struct options *o, int letter, char *arg)
{
	switch (letter) {
	case 'o':
		c->out = fopen(arg, "we");
		if (!c->out)
			fail(arg);
		return true;
	case 'n':
		o->records = strtoul(arg, NULL, 0);
		return true;
	case 'm':
		o->mode = mode_of(arg);
		return true;
	case 'q':
		c->quiet = true;
		return true;
	case 'c':
		o->at = arg;
		return true;
	case 't':
		o->seconds = atoi(arg);
		return true;
	case 'z':
		c->delay = atoi(arg);
		return true;
	default:
		return enable_option(&o->enable, letter, arg);
	}
}

/* Traces COMMAND from its exec to its end. */
static int run(struct client *c, struct options *o, char **argv)
{
	struct trawl_enable *e = &o->enable;
	int go, status;
	pid_t pid;

	pid = e->pid = start(argv, &go);
	enable_all(c, o);
	close(go);
	if (e->form == TRAWL_FORM_STREAM)
		follow(c);
	waitpid(pid, &status, 0);
	if (e->form != TRAWL_FORM_STREAM)
		dump(c, pid, e->form);
	fprintf(stderr, "kbranch: %llu records, %llu lost\n", c->count, c->lost);
	fclose(c->out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct client c = { .out = stdout };
	struct options o = { .enable = { .size = sizeof(o.enable),
					 .flags = TRAWL_ENABLE_ON_EXEC,
					 .form = TRAWL_FORM_STREAM,
					 .select = 1 },
			     .records = 65536,
			     .mode = TRAWL_RING_BLOCK,
			     .seconds = 1 };
	int letter;

	while ((letter = getopt(argc, argv, "+o:s:n:m:lb:d:aqP:c:z:p:t:")) != -1)
		if (!option(&c, &o, letter, optarg))
			return 2;
	c.fd = open(TRAWL_DEVICE, O_RDWR | O_CLOEXEC);
	if (c.fd < 0)
		fail(TRAWL_DEVICE);
	map_ring(&c, o.records, o.mode);
	if (o.at)
		probe(&c, o.at);
	return o.enable.pid ? watch(&c, &o) : run(&c, &o, argv + optind);
}
