/* SPDX-License-Identifier: MIT */
/*
 * The few library functions that a test needs which is also built as a 32-bit program on machines
 * without 32-bit libraries: system calls, which return -errno, and TAP.
 */
#ifndef TRAWL_TESTS_KMOD_SMALL_H
#define TRAWL_TESTS_KMOD_SMALL_H

#include <asm/unistd.h>
#include <linux/errno.h>
#include <stdbool.h>
#include <stddef.h>

static long call(long nr, long a, long b, long c, long d)
{
	long result;

#ifdef __x86_64__
	register long r10 __asm__("r10") = d;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
#else
	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "memory");
#endif
	return result;
}

#define ioctl(fd, command, argument) ((int)call(__NR_ioctl, fd, command, (long)(argument), 0))
#define open(path, flags) ((int)call(__NR_open, (long)(path), flags, 0, 0))
#define getpid() ((int)call(__NR_getpid, 0, 0, 0, 0))
#define fork() ((int)call(__NR_fork, 0, 0, 0, 0))
#define _exit(status) call(__NR_exit_group, status, 0, 0, 0)
#define kill(pid, signal) call(__NR_kill, pid, signal, 0, 0)
#define sched_yield() call(__NR_sched_yield, 0, 0, 0, 0)
#define wait4(pid) call(__NR_wait4, pid, 0, 0, 0)

void *memset(void *to, int byte, size_t n)
{
	volatile char *p = to;

	while (n--)
		*p++ = byte;
	return to;
}

static size_t length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

static void say(const char *text)
{
	call(__NR_write, 1, (long)text, length(text), 0);
}

static int tests, failed;

static void number(int n)
{
	char digits[12];
	int i = 11;

	digits[11] = 0;
	do
		digits[--i] = '0' + n % 10;
	while (n /= 10);
	say(digits + i);
}

static bool ok(bool good, const char *name)
{
	say(good ? "ok " : "not ok ");
	number(++tests);
	say(" - ");
	say(sizeof(long) == 4 ? "32-bit: " : "");
	say(name);
	say("\n");
	failed += !good;
	return good;
}

static void done(void)
{
	say("1..");
	number(tests);
	say("\n");
}

int main(void);

__attribute__((force_align_arg_pointer, used)) void _start(void)
{
	_exit(main() || failed);
}

#endif
