/* SPDX-License-Identifier: MIT */
/*
 * Loaded before libc (LD_PRELOAD): /dev/usbmon0 becomes a model of usbmon's ring, so that any
 * program that reads usbmon by its mapped ring can be measured with the same synthetic traffic at
 * full rate: whenever the program has read everything, the ring is full again. After EVENTS events
 * the program gets SIGINT.
 *
 *	MONSHIM=EVENTS,PAYLOAD,NOISE,FILE	FILE receives the number of events, the processor
 *						time of this process until its first fetch, and
 *						that of filling the ring, in s
 *
 * Not included are the kernel's work in an ioctl other than copying offsets, and waiting. Both are
 * equal for all programs, for each of their calls.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "capture/usb/usbmon_ioctl.h"
#include "tests/bench/usbevents.h"
#include "tests/capture/usb/monmodel.h"

static struct {
	int fd;
	uint64_t n, most, bytes;
	size_t payload;
	unsigned int noise;
	char file[256];
	double before, filling;
	bool begun, over;
} shim = { .fd = -1 };

static double cpu(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void end(void)
{
	FILE *f = fopen(shim.file, "w");

	shim.over = true;
	if (f) {
		fprintf(f, "%lu %.6f %.6f\n", (unsigned long)shim.n, shim.before, shim.filling);
		fclose(f);
	}
	kill(getpid(), SIGINT);
}

static void refill(void)
{
	double t = cpu(CLOCK_THREAD_CPUTIME_ID);

	usbevents_fill(&shim.n, shim.most - shim.n, shim.payload, shim.noise, &shim.bytes);
	shim.filling += cpu(CLOCK_THREAD_CPUTIME_ID) - t;
}

static int fetch(struct mon_bin_mfetch *arg)
{
	monmodel_ops.ioctl(shim.fd, MON_IOCH_MFLUSH, (void *)(uintptr_t)arg->nflush);
	arg->nflush = 0;
	if (!shim.begun)
		shim.before = cpu(CLOCK_PROCESS_CPUTIME_ID);
	shim.begun = true;
	if (!monmodel.used && shim.n < shim.most)
		refill();
	else if (!monmodel.used && !shim.over)
		end();
	return monmodel_ops.ioctl(shim.fd, MON_IOCX_MFETCH, arg);
}

static int model(const char *path)
{
	const char *setting = getenv("MONSHIM");

	if (strcmp(path, "/dev/usbmon0"))
		return -1;
	if (!setting || sscanf(setting, "%lu,%zu,%u,%255s", &shim.most, &shim.payload, &shim.noise,
			       shim.file) != 4) {
		fprintf(stderr, "monshim: MONSHIM=EVENTS,PAYLOAD,NOISE,FILE is missing\n");
		exit(2);
	}
	monmodel_reset();
	/* A descriptor that is always ready. */
	shim.fd =
		((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))("/dev/zero", O_RDONLY);
	return shim.fd;
}

int open(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;
	int fd = model(path);

	va_start(list, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
	va_end(list);
	if (fd >= 0)
		return fd;
	return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}

int access(const char *path, int mode)
{
	if (!strcmp(path, "/dev/usbmon0") || !strcmp(path, "/sys/bus/usb"))
		return 0;
	return ((int (*)(const char *, int))dlsym(RTLD_NEXT, "access"))(path, mode);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	void *arg;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	if (fd != shim.fd || fd < 0)
		return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(fd, request,
										     arg);
	if (request == MON_IOCX_MFETCH)
		return fetch(arg);
	return monmodel_ops.ioctl(fd, request, arg);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t at)
{
	if (fd >= 0 && fd == shim.fd)
		return monmodel_ops.map(fd, len);
	return ((void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap"))(
		addr, len, prot, flags, fd, at);
}

int munmap(void *addr, size_t len)
{
	if (addr == monmodel.ring)
		return 0;
	return ((int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap"))(addr, len);
}
