/* SPDX-License-Identifier: MIT */
/* A shared library with probes, one of them behind a semaphore; samples/greeter uses it. */
#define _SDT_HAS_SEMAPHORES 1
#include <string.h>
#include <sys/sdt.h>

int greet(const char *who, int times);

/* The kernel counts these up while a probe is armed. */
unsigned short greet_hello_semaphore __attribute__((section(".probes")));
unsigned short greet_costly_semaphore __attribute__((section(".probes")));

/* Returns how many of its turns somebody listened to greet:costly. */
int greet(const char *who, int times)
{
	int listened = 0;

	for (int i = 0; i < times; i++) {
		DTRACE_PROBE2(greet, hello, who, i);
		if (greet_costly_semaphore) {
			/* Worth doing only for a listener. */
			size_t len = strlen(who);

			DTRACE_PROBE3(greet, costly, who, len, i);
			listened++;
		}
	}
	return listened;
}
