/* SPDX-License-Identifier: MIT */
/*
 * A program to trace: tick [COUNT [USEC]] goes COUNT times (default 10) round a loop, USEC
 * microseconds a turn (default 0), and hits in each turn
 *
 *	usdt    tick:loop    n, name, value (three arguments; value = n * n)
 *	uprobe  tick_step()  a function with parameters; returns n * n
 *	uprobe  tick_name()  returns a string
 *
 * What happens is the same in every run, so that a test can say what a trace must hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>
#include <unistd.h>

/* Kept whole, with the parameters where the ABI puts them. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define WHOLE __attribute__((noipa))
#else
#define WHOLE __attribute__((noinline))
#endif

struct tick_state {
	int turns;
	unsigned long sum;
};

const char *tick_name(int n);
unsigned long tick_step(struct tick_state *state, int n, const char *name, unsigned char small,
			double part);

WHOLE const char *tick_name(int n)
{
	static const char *const names[] = { "one", "two", "three" };

	return names[n % 3];
}

WHOLE unsigned long tick_step(struct tick_state *state, int n, const char *name,
			      unsigned char small, double part)
{
	unsigned long value = (unsigned long)n * (unsigned long)n;

	DTRACE_PROBE3(tick, loop, n, name, value);
	state->turns++;
	state->sum += value + small + (part > 1e9) + (unsigned char)*name;
	return value;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 10;
	useconds_t pause = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;
	struct tick_state state = { 0 };

	for (int n = 0; n < count; n++) {
		tick_step(&state, n, tick_name(n), (unsigned char)n, n / 2.0);
		if (pause)
			usleep(pause);
	}
	printf("%d turns, sum %lu\n", state.turns, state.sum);
	return 0;
}
