// SPDX-License-Identifier: MIT
/*
 * lbr: runs branches that are known one by one with the LBR of CPU 0 on, and compares what its MSRs
 * say, for each bit of LBR_SELECT. Prints a line of TAP for each; needs root and the module msr.
 *
 * MSR numbers and bits: Intel SDM volume 4, "Last Branch Records" of volume 3.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MSR_LBR_SELECT 0x1c8
#define MSR_LBR_TOS 0x1c9
#define MSR_DEBUGCTL 0x1d9
#define MSR_LBR_FROM 0x680
#define MSR_LBR_TO 0x6c0
#define DEPTH 32

/* Bits of LBR_SELECT: what is not recorded. */
enum {
	CPL_EQ_0 = 1,
	JCC = 4,
	REL_CALL = 8,
	IND_CALL = 16,
	RET = 32,
	IND_JMP = 64,
	REL_JMP = 128,
	FAR = 256
};

/*
 * long pattern(int fd, const uint64_t *on, const uint64_t *off): between two system calls that
 * write IA32_DEBUGCTL (fd is /dev/cpu/0/msr), branches of every kind.
 */
long pattern(int fd, const uint64_t *on, const uint64_t *off);
extern char p_on[], p_j1[], p_t1[], p_c1[], p_f1[], p_r1[], p_n1[], p_z1[], p_t2[], p_loop[],
	p_l1[], p_i1[], p_t3[], p_c2[], p_f2[], p_r2[], p_n2[];

asm("	.text\n"
    "pattern:\n"
    "	push	%rbx\n"
    "	push	%r12\n"
    "	mov	%rdi, %rbx\n"
    "	mov	%rdx, %r12\n"
    "	mov	$18, %eax\n" /* pwrite64(fd, on, 8, MSR_DEBUGCTL) */
    "	mov	$8, %edx\n"
    "	mov	$0x1d9, %r10d\n"
    "p_on:	syscall\n"
    "	nop\n"
    "p_j1:	jmp	p_t1\n"
    "	ud2\n"
    "p_t1:	nop\n"
    "p_c1:	call	p_f1\n"
    "p_n1:	xor	%eax, %eax\n"
    "p_z1:	jz	p_t2\n"
    "	ud2\n"
    "p_t2:	jnz	p_on\n" /* not taken */
    "	mov	$3, %ecx\n"
    "p_loop:	nop\n"
    "p_l1:	loop	p_loop\n" /* taken twice */
    "	lea	p_t3(%rip), %rax\n"
    "p_i1:	jmp	*%rax\n"
    "	ud2\n"
    "p_t3:	lea	p_f2(%rip), %rax\n"
    "p_c2:	call	*%rax\n"
    "p_n2:	mov	$18, %eax\n"
    "	mov	%ebx, %edi\n"
    "	mov	%r12, %rsi\n"
    "	mov	$8, %edx\n"
    "	mov	$0x1d9, %r10d\n"
    "	syscall\n"
    "	pop	%r12\n"
    "	pop	%rbx\n"
    "	ret\n"
    "p_f1:	nop\n"
    "p_r1:	ret\n"
    "p_f2:	nop\n"
    "p_r2:	ret	$0\n");

static const struct branch {
	const char *from, *to;
	unsigned type;
} branches[] = {
	{ p_j1, p_t1, REL_JMP },  { p_c1, p_f1, REL_CALL }, { p_r1, p_n1, RET },
	{ p_z1, p_t2, JCC },	  { p_l1, p_loop, JCC },    { p_l1, p_loop, JCC },
	{ p_i1, p_t3, IND_JMP },  { p_c2, p_f2, IND_CALL }, { p_r2, p_n2, RET },
};
#define BRANCHES (sizeof(branches) / sizeof(*branches))

static uint64_t read_msr(int fd, unsigned msr)
{
	uint64_t value;

	if (pread(fd, &value, sizeof(value), msr) != sizeof(value)) {
		perror("rdmsr");
		exit(1);
	}
	return value;
}

static bool write_msr(int fd, unsigned msr, uint64_t value)
{
	return pwrite(fd, &value, sizeof(value), msr) == sizeof(value);
}

/* The index of the next branch that is recorded under this LBR_SELECT. */
static size_t next_recorded(size_t i, unsigned select)
{
	while (i < BRANCHES && branches[i].type & select)
		i++;
	return i;
}

/* The way back from the system call that switches the LBR on may come first: a far branch from the
 * kernel. */
static bool is_way_back(uint64_t from, uint64_t to)
{
	return (int64_t)from < 0 && to == (uintptr_t)p_on + 2;
}

/* True if the LBR holds just what this LBR_SELECT lets through. */
static bool exact(int fd, unsigned select)
{
	const uint64_t on = 1, off = 0;
	size_t i = next_recorded(0, select), tos, n;

	write_msr(fd, MSR_LBR_SELECT, select);
	write_msr(fd, MSR_LBR_TOS, 0);
	pattern(fd, &on, &off);
	tos = read_msr(fd, MSR_LBR_TOS);
	for (n = 1; n <= tos; n++) {
		uint64_t from = read_msr(fd, MSR_LBR_FROM + n), to = read_msr(fd, MSR_LBR_TO + n);

		if (n == 1 && !(select & FAR) && is_way_back(from, to))
			continue;
		if (i == BRANCHES || from != (uintptr_t)branches[i].from ||
		    to != (uintptr_t)branches[i].to)
			return false;
		i = next_recorded(i + 1, select);
	}
	return i == BRANCHES;
}

int main(void)
{
	static const struct {
		const char *name;
		unsigned select;
	} cases[] = {
		{ "all branches of user code", 0 },
		{ "without FAR", FAR },
		{ "without JCC", FAR | JCC },
		{ "without NEAR_REL_CALL", FAR | REL_CALL },
		{ "without NEAR_IND_CALL", FAR | IND_CALL },
		{ "without NEAR_RET", FAR | RET },
		{ "without NEAR_IND_JMP", FAR | IND_JMP },
		{ "without NEAR_REL_JMP", FAR | REL_JMP },
		{ "without any", FAR | JCC | REL_CALL | IND_CALL | RET | IND_JMP | REL_JMP },
	};
	const size_t n = sizeof(cases) / sizeof(*cases);
	cpu_set_t first;
	int fd, bad = 0;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	fd = open("/dev/cpu/0/msr", O_RDWR);
	if (fd < 0) {
		perror("/dev/cpu/0/msr");
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		bool good = exact(fd, cases[i].select | CPL_EQ_0);

		printf("%sok - LBR by its MSRs: %s\n", good ? "" : "not ", cases[i].name);
		bad += !good;
	}
	return bad != 0;
}
