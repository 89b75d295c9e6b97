/* SPDX-License-Identifier: MIT */
/*
 * Fast system calls of 32-bit code: through the vdso, by sysenter or, on AMD's processors, syscall.
 * Both return to another place than the next instruction. Status 0 if all return what they should;
 * 99: there is no such entry.
 */
enum {
	SYSINFO = 32,                    /* the entry, in the auxiliary vector */
	EXIT = 1, CHMOD = 15, GETPID = 20, /* 15 is rt_sigreturn in 64-bit code */
	BAD_ADDRESS = -14,
};

__asm__(".globl _start\n"
	"_start:\n"
	"	mov %esp, %eax\n"
	"	and $-16, %esp\n"
	"	sub $12, %esp\n"
	"	push %eax\n"
	"	call begin\n");

static long slow(long nr, long a)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(nr), "b"(a) : "memory");
	return result;
}

static long fast(long entry, long nr)
{
	long result;

	__asm__ volatile("call *%%esi"
			 : "=a"(result)
			 : "a"(nr), "b"(0), "c"(0), "S"(entry)
			 : "memory");
	return result;
}

void begin(const long *at);
void begin(const long *at)
{
	long entry = 0, bad = 0, self = slow(GETPID, 0);

	at += 1 + *at + 1; /* the arguments */
	while (*at++)      /* the environment */
		;
	for (; *at; at += 2)
		entry = *at == SYSINFO ? at[1] : entry;
	for (int i = 0; entry && i < 30; i++)
		bad += fast(entry, GETPID) != self || fast(entry, CHMOD) != BAD_ADDRESS;
	slow(EXIT, entry ? bad : 99);
}
