// SPDX-License-Identifier: MIT
/*
 * lbrkinds: what provider lbr records of a loop with a branch of each kind, in this process, for
 * each bit of LBR_SELECT, and in a child; TAP. On the emulated processor (tests/lab/qemu) a
 * conditional branch that goes forward was mispredicted, and a cycle is an instruction.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kmod/trawl_uapi.h"

enum { TURNS = 40, ROOM = 64, TRIES = 10 }; /* TURNS: more than any processor has entries */

void turn(void);
extern const char turn_end[];
extern const char jmp_at[], jmp_to[], call_at[], callee[], ret_at[], after_call[];
extern const char jcc_at[], jcc_to[], ind_jmp_at[], ind_jmp_to[], ind_call_at[], ind_callee[];
extern const char ind_ret_at[], after_ind[], far_at[], far_to[];
__asm__(".text\n"
	"turn: nop\n"
	"jmp_at: jmp jmp_to\n"
	" ud2\n"
	"jmp_to: nop\n"
	" nop\n"
	"call_at: call callee\n"
	"after_call: xor %eax, %eax\n"
	"jcc_at: jz jcc_to\n"
	" ud2\n"
	"jcc_to: lea ind_jmp_to(%rip), %rax\n"
	"ind_jmp_at: jmp *%rax\n"
	" ud2\n"
	"ind_jmp_to: lea ind_callee(%rip), %rax\n"
	"ind_call_at: call *%rax\n"
	"after_ind: mov %cs, %eax\n"
	" push %rax\n"
	" lea far_to(%rip), %rdx\n"
	" push %rdx\n"
	"far_at: lretq\n"
	" ud2\n"
	"far_to: ret\n"
	"callee: nop\n"
	"ret_at: ret\n"
	"ind_callee: nop\n"
	" nop\n"
	"ind_ret_at: ret\n"
	"turn_end:\n");

/* The branches of a turn; `cycles`: instructions since the branch before, with this one. */
static const struct {
	const char *name, *from, *to;
	unsigned int suppressed_by, cycles;
	uint8_t kind;
} wanted[] = {
	{ "jmp", jmp_at, jmp_to, TRAWL_NO_REL_JMP, 0, TRAWL_KIND_REL_JMP },
	{ "call", call_at, callee, TRAWL_NO_REL_CALL, 3, TRAWL_KIND_REL_CALL },
	{ "ret", ret_at, after_call, TRAWL_NO_RET, 2, TRAWL_KIND_RET },
	{ "jcc", jcc_at, jcc_to, TRAWL_NO_JCC, 2, TRAWL_KIND_JCC },
	{ "jmp*", ind_jmp_at, ind_jmp_to, TRAWL_NO_IND_JMP, 2, TRAWL_KIND_IND_JMP },
	{ "call*", ind_call_at, ind_callee, TRAWL_NO_IND_CALL, 2, TRAWL_KIND_IND_CALL },
	{ "ret of call*", ind_ret_at, after_ind, TRAWL_NO_RET, 3, TRAWL_KIND_RET },
	{ "far", far_at, far_to, TRAWL_NO_FAR, 5, TRAWL_KIND_FAR },
};
enum { KINDS = sizeof(wanted) / sizeof(*wanted) };

static int fd, tests, failed;
static struct trawl_branch records[ROOM];

static void said(bool good, const char *text)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++tests, text);
	failed += !good;
}

static void turns(void)
{
	for (int i = 0; i < TURNS; i++)
		turn();
}

static bool inside(uint64_t address)
{
	return address >= (uint64_t)(uintptr_t)turn && address < (uint64_t)(uintptr_t)turn_end;
}

static bool is_record(const struct trawl_branch *r, size_t kind)
{
	return r->from == (uint64_t)(uintptr_t)wanted[kind].from &&
	       r->to == (uint64_t)(uintptr_t)wanted[kind].to && r->kind == wanted[kind].kind;
}

/*
 * Goes backwards through the records within the turn, of which the newest is the last one of a turn
 * that `select` leaves. Returns how many there are, or -1 if one is wrong.
 */
static int within(const struct trawl_branch *r, unsigned int n, unsigned int select)
{
	size_t kind = KINDS;
	int found = 0;

	while (n--) {
		if (!inside(r[n].from) || !inside(r[n].to))
			continue;
		do
			kind = (kind ? kind : KINDS) - 1;
		while (wanted[kind].suppressed_by & select);
		if (!is_record(&r[n], kind))
			return -1;
		found++;
	}
	return found;
}

static unsigned int depth;

static int enable(int pid, unsigned int select)
{
	struct trawl_enable e = { .size = sizeof(e), .form = TRAWL_FORM_LBR, .pid = pid,
				  .provider = TRAWL_PROVIDER_LBR, .select = select };
	int status = ioctl(fd, TRAWL_IOC_ENABLE, &e);

	depth = e.depth;
	return status;
}

static int configure(unsigned int select)
{
	struct trawl_enable e = { .size = sizeof(e), .form = TRAWL_FORM_LBR,
				  .provider = TRAWL_PROVIDER_LBR, .select = select };

	return ioctl(fd, TRAWL_IOC_CONFIG, &e);
}

static int dump(int pid)
{
	struct trawl_dump d = { .size = sizeof(d), .form = TRAWL_FORM_LBR, .pid = pid,
				.records = (unsigned long)records, .capacity = ROOM };

	return ioctl(fd, TRAWL_IOC_DUMP, &d) ? -1 : (int)d.count;
}

static void disable(void)
{
	struct trawl_disable d = { .size = sizeof(d), .form = TRAWL_FORM_LBR };

	if (ioctl(fd, TRAWL_IOC_DISABLE, &d))
		printf("# disable: %s\n", strerror(errno));
}

/*
 * Whether the records are right, and the processor's entries all used for what `select` leaves: the
 * module would take others out, too, but then there would be fewer records. An interrupt among the
 * last turns costs an entry, or all when the task leaves its CPU: tries again.
 */
static bool records_are(unsigned int select, int *found, int *n)
{
	for (int i = 0; i < TRIES; i++) {
		turns();
		*n = dump(0);
		*found = *n < 0 ? -1 : within(records, (unsigned int)*n, select);
		/* Around each turn are three more branches: call, return, jump. */
		if (*n == (int)depth && *found >= *n / 4)
			return true;
	}
	return false;
}

static void check_select(const char *name, unsigned int select)
{
	int found = -1, n = -1;
	char text[128];
	bool good = !enable(0, select) && records_are(select, &found, &n);

	snprintf(text, sizeof(text), "%s (select %03x): %d records of the turn, of %d; the processor has %u",
		 name, select, found, n, depth);
	said(good, text);
	disable();
}

static void check_suppressed(void)
{
	const unsigned int kinds = TRAWL_SELECT_MASK & ~(TRAWL_NO_RING0 | TRAWL_NO_USER);
	char name[64];

	check_select("every kind", TRAWL_NO_RING0);
	for (unsigned int bit = TRAWL_NO_JCC; bit & kinds; bit <<= 1) {
		snprintf(name, sizeof(name), "without bit %d", __builtin_ctz(bit));
		check_select(name, TRAWL_NO_RING0 | bit);
		snprintf(name, sizeof(name), "bit %d alone", __builtin_ctz(bit));
		check_select(name, TRAWL_NO_RING0 | (kinds & ~bit));
	}
	enable(0, TRAWL_NO_RING0 | TRAWL_NO_USER);
	turns();
	said(dump(0) == 0, "bit 1: no branch of user code");
	disable();
	check_select("bit 0 is 0: without the kernel's all the same", 0 | TRAWL_NO_FAR);
}

static void check_configure(void)
{
	const unsigned int select = TRAWL_NO_RING0 | TRAWL_NO_RET | TRAWL_NO_FAR;
	int found = -1, n = -1;

	enable(0, TRAWL_NO_RING0);
	turns();
	said(!configure(select) && records_are(select, &found, &n), "another selection by CONFIG");
	disable();
}

/* Whether the flags and cycles of two records in a row are those of the emulated processor. */
static bool same_cycles(const struct trawl_branch *r, size_t kind)
{
	bool missed = wanted[kind].kind == TRAWL_KIND_JCC;
	uint8_t flag = missed ? TRAWL_FLAG_MISPREDICTED : TRAWL_FLAG_PREDICTED;

	if ((r->flags & (TRAWL_FLAG_MISPREDICTED | TRAWL_FLAG_PREDICTED)) != flag)
		return false;
	return !(r->flags & TRAWL_FLAG_CYCLES) || !wanted[kind].cycles ||
	       r->cycles == wanted[kind].cycles;
}

static void count_flags(int n, int *cycles, int *wrong)
{
	*cycles = *wrong = 0;
	for (int i = 1; i < n; i++) {
		for (size_t kind = 0; kind < KINDS; kind++) {
			if (!is_record(&records[i], kind))
				continue;
			*cycles += records[i].flags & TRAWL_FLAG_CYCLES ? 1 : 0;
			*wrong += !same_cycles(&records[i], kind);
		}
	}
}

/* The kernel's instructions in an interrupt are cycles of the branch after it: tries again. */
static void check_flags(void)
{
	int found = -1, n = -1, cycles = 0, wrong = 1;
	char text[128];

	enable(0, TRAWL_NO_RING0);
	for (int i = 0; i < TRIES && wrong; i++) {
		if (records_are(TRAWL_NO_RING0, &found, &n))
			count_flags(n, &cycles, &wrong);
	}
	snprintf(text, sizeof(text), "predictions of %d records, cycles of %d: %d wrong", found, cycles,
		 wrong);
	said(found > 0 && !wrong, text);
	disable();
}

/* Whether the process sleeps in the kernel; false when it has ended. */
static bool sleeps(pid_t pid)
{
	char path[32], line[256] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f && !fgets(line, sizeof(line), f))
		line[0] = 0;
	if (f)
		fclose(f);
	state = strrchr(line, ')');
	return state && state[2] == 'S';
}

static pid_t start_child(int go[2])
{
	pid_t child = fork();
	char byte;

	if (child)
		return child;
	close(go[1]);
	while (read(go[0], &byte, 1) == 1)
		turns();
	_exit(0);
}

/* A child is traced from its fork on; its records are read while it sleeps, and at its end. */
static void check_child(void)
{
	/* Of eight entries most are the way from the turns into read(). */
	int go[2], n, found = -1, enough = depth > 8 ? 8 : 1;
	pid_t child;

	fflush(stdout);
	if (pipe(go) || enable(0, TRAWL_NO_RING0))
		return;
	child = start_child(go);
	/* It may leave its CPU also between the turns and its sleep: tries again. */
	for (int i = 0; i < TRIES && found < enough && write(go[1], "x", 1) == 1; i++) {
		do
			usleep(1000);
		while (!sleeps(child));
		n = dump(child);
		found = n < 0 ? -1 : within(records, (unsigned int)n, TRAWL_NO_RING0);
	}
	said(found >= enough, "a child, while it sleeps");
	close(go[1]);
	waitpid(child, NULL, 0);
	said(dump(child) >= 0, "and after its end");
	disable();
}

int main(void)
{
	fd = open(TRAWL_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		perror(TRAWL_DEVICE);
		return 3;
	}
	check_suppressed();
	check_configure();
	check_flags();
	check_child();
	printf("1..%d\n", tests);
	return failed != 0;
}
