/* SPDX-License-Identifier: MIT */
#include "config.h"

#ifdef HAVE_LIBUSB
#include "replay/hostguard.h"

#include <errno.h>
#include <fcntl.h>
#include <libusb.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Number of tries: the kernel may close the pipe before it releases the interfaces. */
#define TRIES 100
#define PAUSE 20000000 /* ns between them */

static void give_back(uint32_t interfaces, uint16_t vendor, uint16_t product)
{
	libusb_device_handle *device = NULL;

	if (!libusb_init(NULL))
		device = libusb_open_device_with_vid_pid(NULL, vendor, product);
	for (int i = 0; device && i < 32; i++) {
		for (int tries = TRIES; interfaces >> i & 1 && tries--;) {
			if (libusb_attach_kernel_driver(device, i) != LIBUSB_ERROR_BUSY)
				break;
			nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
		}
	}
	if (device)
		libusb_close(device);
}

static ssize_t receive(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got;
}

/*
 * The guard's process. Closes all other descriptors, since other programs may wait for their end.
 */
static void guard(int fd, uint16_t vendor, uint16_t product)
{
	uint32_t interfaces = 0;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char done;

	setsid(); /* a session of its own gets no signals from the terminal */
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	if (receive(fd, &interfaces, sizeof(interfaces)) == sizeof(interfaces) &&
	    receive(fd, &done, 1) != 1)
		give_back(interfaces, vendor, product);
	_exit(0);
}

void hostguard_start(struct hostguard *g, uint16_t vendor, uint16_t product)
{
	int fds[2];

	*g = (struct hostguard){.pid = -1, .pipe = -1};
	if (pipe2(fds, O_CLOEXEC))
		return;
	g->pid = fork();
	if (!g->pid) {
		close(fds[1]);
		guard(fds[0], vendor, product);
	}
	close(fds[0]);
	g->pipe = fds[1];
}

static void say(const struct hostguard *g, const void *p, size_t n)
{
	bool failed = g->pipe >= 0 && write(g->pipe, p, n) != (ssize_t)n;

	(void)failed; /* the guard has ended: the drivers will not be reattached */
}

void hostguard_takes(const struct hostguard *g, uint32_t interfaces)
{
	say(g, &interfaces, sizeof(interfaces));
}

void hostguard_end(struct hostguard *g)
{
	say(g, "d", 1);
	if (g->pipe >= 0)
		close(g->pipe);
	while (g->pid > 0 && waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
#endif
