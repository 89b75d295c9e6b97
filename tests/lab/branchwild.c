/* SPDX-License-Identifier: MIT */
/* branchwild N: calls N times what is no address, and goes on after each SIGSEGV. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf back;

static void go_back(int signal)
{
	siglongjmp(back, 1);
}

__attribute__((noinline, noclone)) static void call(void (*wild)(void))
{
	wild();
	__asm__ volatile(""); /* no tail call */
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	signal(SIGSEGV, go_back);
	for (volatile int i = 0; i < n; i++) {
		if (!sigsetjmp(back, 1))
			call((void (*)(void))0x4141000000000000);
	}
	printf("%d\n", n);
	return 0;
}
