// SPDX-License-Identifier: MIT
/*
 * lbr: runs a known sequence of branches with the LBR of CPU 0 enabled, and compares the contents
 * of its MSRs for each bit of LBR_SELECT. Prints one line of TAP for each; needs root and the
 * module msr. lbr rule: tests that comparison without a processor.
 *
 * MSR numbers and bits: Intel SDM volume 4, "Last Branch Records" of volume 3.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MSR_LBR_SELECT 0x1c8
#define MSR_LBR_TOS 0x1c9
#define MSR_DEBUGCTL 0x1d9
#define MSR_LBR_FROM 0x680
#define MSR_LBR_TO 0x6c0
#define DEPTH 32

/* Bits of LBR_SELECT, which exclude branches. */
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

/* Returns the index of the next branch that is recorded under this LBR_SELECT. */
static size_t next_recorded(size_t i, unsigned select)
{
	while (i < BRANCHES && branches[i].type & select)
		i++;
	return i;
}

struct record {
	uint64_t from, to;
};

/*
 * Whether a far branch from the kernel is a valid return: from the system call that enables the
 * LBR, or from an interrupt anywhere in the pattern. Its target is after a branch and before the
 * next one; branches that are not recorded may lie between the preceding record and this one, and
 * between this one and the next.
 */
static bool is_way_back(struct record r, size_t done, size_t next)
{
	if ((int64_t)r.from >= 0)
		return false;
	for (size_t i = done; i <= next; i++) {
		uintptr_t before = (uintptr_t)(i ? branches[i - 1].to : p_on + 2);

		if (r.to >= before && (i == BRANCHES || r.to <= (uintptr_t)branches[i].from))
			return true;
	}
	return false;
}

/* Whether the records match this LBR_SELECT exactly; *wrong: the first that does not. */
static bool matches(const struct record *records, size_t n, unsigned select, size_t *wrong)
{
	size_t done = 0, next = next_recorded(0, select);

	for (size_t i = 0; i < n; i++) {
		struct record r = records[i];

		if (!(select & FAR) && is_way_back(r, done, next))
			continue;
		if (next == BRANCHES || r.from != (uintptr_t)branches[next].from ||
		    r.to != (uintptr_t)branches[next].to) {
			*wrong = i;
			return false;
		}
		done = next + 1;
		next = next_recorded(done, select);
	}
	*wrong = n;
	return next == BRANCHES;
}

/* ---- the rule itself --------------------------------------------------------------------- */

#define KERNEL	0xffffffff81000000u

/* Makes the records of an LBR_SELECT, with an additional one before branch `at`. */
static size_t with_another(struct record *records, unsigned select, size_t at, struct record r)
{
	size_t n = 0;

	for (size_t i = 0; i <= BRANCHES; i++) {
		if (i == at)
			records[n++] = r;
		if (i < BRANCHES && !(branches[i].type & select))
			records[n++] = (struct record){ (uintptr_t)branches[i].from,
							(uintptr_t)branches[i].to };
	}
	return n;
}

/*
 * Tests the rule without a processor: an interrupt between any two branches is accepted, whichever
 * of them are recorded; a return to another place, and an additional or a missing branch, are not.
 */
static int check_rule(void)
{
	static const unsigned types[] = { 0, JCC, REL_CALL, IND_CALL, RET, IND_JMP, REL_JMP,
					  REL_JMP | REL_CALL | RET | JCC };
	int accepted = 0, refused = 0, all = 0, cases = sizeof(types) / sizeof(*types);
	struct record records[BRANCHES + 1];
	size_t n, wrong;

	for (int t = 0; t < cases; t++) {
		for (size_t at = 0; at <= BRANCHES; at++, all++) {
			uintptr_t before = (uintptr_t)(at ? branches[at - 1].to : p_on + 2);

			n = with_another(records, types[t], at, (struct record){ KERNEL, before });
			accepted += matches(records, n, types[t], &wrong);
			/* nothing returns to the middle of the system call instruction */
			n = with_another(records, types[t], at,
					 (struct record){ KERNEL, (uintptr_t)p_on + 1 });
			refused += !matches(records, n, types[t], &wrong);
			n = with_another(records, types[t], at, (struct record){ before, before });
			refused += !matches(records, n, types[t], &wrong);
		}
		n = with_another(records, types[t], BRANCHES + 1, (struct record){ 0, 0 });
		refused += !matches(records + 1, n - 1, types[t], &wrong);
		refused += !matches(records, n - 1, types[t], &wrong);
	}
	printf("%sok 1 - an interrupt between two branches: %d of %d accepted\n",
	       accepted == all ? "" : "not ", accepted, all);
	printf("%sok 2 - what cannot be: %d of %d refused\n1..2\n",
	       refused == 2 * (all + cases) ? "" : "not ", refused,
	       2 * (all + cases));
	return accepted != all || refused != 2 * (all + cases);
}

/* ---- the processor ----------------------------------------------------------------------- */

/* Returns how often this task was switched out. */
static long switches(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_nvcsw + used.ru_nivcsw;
}

/*
 * Records the pattern. The LBR belongs to the processor: if another task ran meanwhile, it has the
 * branches of that task, and the pattern is run again.
 */
static void record(int fd, unsigned select)
{
	const uint64_t on = 1, off = 0;
	long before;

	do {
		before = switches();
		write_msr(fd, MSR_LBR_SELECT, select);
		write_msr(fd, MSR_LBR_TOS, 0);
		pattern(fd, &on, &off);
	} while (switches() != before);
}

/* Whether the LBR matches this LBR_SELECT exactly; otherwise prints its records. */
static bool exact(int fd, unsigned select)
{
	struct record records[DEPTH];
	size_t n, i;

	record(fd, select);
	n = read_msr(fd, MSR_LBR_TOS);
	for (i = 0; i < n && i < DEPTH; i++) {
		records[i].from = read_msr(fd, MSR_LBR_FROM + (unsigned)i + 1);
		records[i].to = read_msr(fd, MSR_LBR_TO + (unsigned)i + 1);
	}
	if (n < DEPTH && matches(records, n, select, &i))
		return true;
	for (size_t k = 0; k < n && k < DEPTH; k++)
		printf("# record %zu of %zu: %#lx to %#lx%s; pattern at %p\n", k + 1, n,
		       (long)records[k].from, (long)records[k].to, k == i ? ", wrong" : "",
		       (void *)pattern);
	return false;
}

int main(int argc, char **argv)
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

	if (argc > 1 && !strcmp(argv[1], "rule"))
		return check_rule();
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
