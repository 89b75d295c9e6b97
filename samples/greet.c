/* SPDX-License-Identifier: MIT */
/* A shared library with probes, one of them behind a semaphore; samples/greeter uses it. */
#define _SDT_HAS_SEMAPHORES 1
#include <string.h>
#include <sys/sdt.h>

int greet(const char *who, int times);

/* The kernel counts these up while a probe is armed. */
unsigned short greet_hello_semaphore __attribute__((section(".probes")));
unsigned short greet_costly_semaphore __attribute__((section(".probes")));

/* Returns in how many iterations greet:costly was armed. */
int greet(const char *who, int times)
{
	int listened = 0;

	for (int i = 0; i < times; i++) {
		DTRACE_PROBE2(greet, hello, who, i);
		if (greet_costly_semaphore) {
			/* Only computed while the probe is armed. */
			size_t len = strlen(who);

			DTRACE_PROBE3(greet, costly, who, len, i);
			listened++;
		}
	}
	return listened;
}
