/* SPDX-License-Identifier: MIT */
/*
 * tsc: prints the rate of this machine's time stamp counter in kHz, or nothing if there is none.
 *
 * An emulated CPU has the counter of its host. The kernel of a guest measures the rate by an
 * emulated timer, and the result may be wrong by any factor if QEMU waits for a CPU meanwhile.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)
struct moment {
	uint64_t ns, ticks;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Reads both clocks at once: the pair of readings with the shortest time between them. */
static struct moment read_both(void)
{
	uint64_t least = UINT64_MAX;
	struct moment m = { 0 };

	for (int i = 0; i < 100; i++) {
		uint64_t before = now(), ticks = __builtin_ia32_rdtsc(), after = now();

		if (after - before >= least)
			continue;
		least = after - before;
		m = (struct moment){ before + least / 2, ticks };
	}
	return m;
}

int main(void)
{
	struct moment a = read_both(), b;

	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	b = read_both();
	printf("%.0f\n", (double)(b.ticks - a.ticks) * 1e6 / (double)(b.ns - a.ns));
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
