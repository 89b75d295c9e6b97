// SPDX-License-Identifier: MIT
/*
 * branchload N [stop]: calls a function N times in a loop. In its N branches, jump_odd() takes
 * every second one. With "stop" it stops itself before.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sum;

__attribute__((noinline, noclone)) static void jump_odd(unsigned long i)
{
	if (i & 1)
		sum += i;
	else
		sum ^= i;
}

__attribute__((noinline, noclone)) static void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		jump_odd(i);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		raise(SIGSTOP);
	work(argc > 1 ? strtoul(argv[1], NULL, 0) : 10000);
	printf("%lu\n", sum);
	return 0;
}
