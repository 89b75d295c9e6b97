/* SPDX-License-Identifier: MIT */
/*
 * Loaded into a program (LD_PRELOAD): makes its n-th allocation, read, write, ioctl or open fail.
 *
 *	FAULT=KIND:N[:COUNT]	which one; N 0: none, they are only counted
 *	FAULT_STOP=1		stops there for a debugger
 *	FAULT_COUNTS=FILE	receives the count: a 64-bit number
 *
 * System calls are intercepted where they leave the C library, including those of stdio: seccomp
 * raises SIGSYS for calls from its code, and the handler makes the call itself. Calls by the
 * sanitizers come from other code. Writes to stderr are not counted, because a program reports
 * errors there; nor are allocations by json-c, libzstd, libseccomp and libarchive, which do not
 * survive a failure (libzstd's dictionaries before 1.5.6; libseccomp loops while it builds a
 * filter; libarchive ends the program with a line of its own and status 1).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum kind { NONE, ALLOC, READ, WRITE, IOCTL, OPEN };
static const char *const names[] = { "", "alloc", "read", "write", "ioctl", "open" };
static const int errors[] = { 0, ENOMEM, EIO, ENOSPC, EIO, EMFILE };

static enum kind kind;
static uint64_t at, times = 1;
static _Atomic uint64_t *count; /* shared memory, so that it survives a crash */
static pid_t process;

/* Whether this call must fail; only in the initial process. */
static int fails(enum kind k)
{
	uint64_t n;

	if (k != kind || !count || getpid() != process)
		return 0;
	n = atomic_fetch_add(count, 1) + 1;
	if (!at || n < at || n >= at + times)
		return 0;
	if (getenv("FAULT_STOP")) /* for a debugger, to see where it is */
		raise(SIGTRAP);
	return 1;
}

/* Finds the code of a library; both are 0 if it is not loaded. */
static void find_code(const char *name, uint64_t *from, uint64_t *to)
{
	unsigned long long start, end;
	char line[1024];
	FILE *f = fopen("/proc/self/maps", "re");

	*from = *to = 0;
	while (f && !*to && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx", &start, &end) != 2 || !strstr(line, name) ||
		    !strstr(line, "r-xp"))
			continue;
		*from = start;
		*to = end;
	}
	if (f)
		fclose(f);
}

struct code {
	const char *library;
	uint64_t from, to;
};
static struct code spared[] = {
	{"libjson-c", 0, 0}, {"libzstd", 0, 0}, {"libseccomp", 0, 0}, {"libarchive", 0, 0},
};
enum { NSPARED = sizeof(spared) / sizeof(*spared) };

/* ---- allocations ------------------------------------------------------------------------- */

#define REAL(name) (__interceptor_##name ? __interceptor_##name : __libc_##name)
void *__interceptor_malloc(size_t n) __attribute__((weak));
void *__interceptor_calloc(size_t n, size_t size) __attribute__((weak));
void *__interceptor_realloc(void *p, size_t n) __attribute__((weak));
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static int is_spared(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;

	for (int i = 0; i < NSPARED; i++)
		if (at >= spared[i].from && at < spared[i].to)
			return 1;
	return 0;
}
#define FAILS() (!is_spared(__builtin_return_address(0)) && fails(ALLOC) && ((errno = ENOMEM)))

void *malloc(size_t n)
{
	return FAILS() ? NULL : REAL(malloc)(n);
}

void *calloc(size_t n, size_t size)
{
	return FAILS() ? NULL : REAL(calloc)(n, size);
}

void *realloc(void *p, size_t n)
{
	return FAILS() ? NULL : REAL(realloc)(p, n);
}

char *strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = FAILS() ? NULL : REAL(malloc)(n);

	return copy ? memcpy(copy, s, n) : NULL;
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || FAILS()) {
		errno = ENOMEM;
		return NULL;
	}
	return REAL(realloc)(p, bytes);
}

/* ---- system calls ------------------------------------------------------------------------ */

struct call {
	int number;
	enum kind kind;
};
static const struct call calls[] = {
	{SYS_read, READ},   {SYS_pread64, READ},    {SYS_readv, READ},	 {SYS_recvmsg, READ},
	{SYS_write, WRITE}, {SYS_pwrite64, WRITE},  {SYS_writev, WRITE}, {SYS_ftruncate, WRITE},
	{SYS_fsync, WRITE}, {SYS_fdatasync, WRITE}, {SYS_ioctl, IOCTL},	 {SYS_openat, OPEN},
};
enum { NCALLS = sizeof(calls) / sizeof(*calls) };

static long make_call(long number, const greg_t *r)
{
	register long a4 __asm__("r10") = r[REG_R10];
	register long a5 __asm__("r8") = r[REG_R8];
	register long a6 __asm__("r9") = r[REG_R9];
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(r[REG_RDI]), "S"(r[REG_RSI]), "d"(r[REG_RDX]), "r"(a4),
			   "r"(a5), "r"(a6)
			 : "rcx", "r11", "memory");
	return ret;
}

static uint64_t libc_from, libc_to;
static struct sigaction refused; /* the program's handler for calls that its own filter refuses */

static void on_call(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t from = (uint64_t)(uintptr_t)info->si_call_addr;
	enum kind k = NONE;
	int before = errno;

	for (int i = 0; i < NCALLS; i++) {
		if (calls[i].number == info->si_syscall)
			k = calls[i].kind;
	}
	if ((k != kind || from < libc_from || from >= libc_to) && refused.sa_sigaction) {
		refused.sa_sigaction(sig, info, context);
		return;
	}
	if (k == WRITE && r[REG_RDI] == STDERR_FILENO)
		k = NONE;
	r[REG_RAX] = k != NONE && fails(k) ? -errors[k] : make_call(info->si_syscall, r);
	errno = before;
}

/* If the program blocked or handled SIGSYS, the calls here would end it. */
int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	static int (*next)(int, const struct sigaction *, struct sigaction *);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "sigaction");
	if (sig != SIGSYS || !libc_to)
		return next(sig, act, old);
	if (act)
		refused = *act;
	return 0;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t without;

	if (set) {
		without = *set;
		sigdelset(&without, SIGSYS);
	}
	return syscall(SYS_rt_sigprocmask, how, set ? &without : NULL, old, 8) ? errno : 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int error = pthread_sigmask(how, set, old);

	errno = error ? error : errno;
	return error ? -1 : 0;
}

/*
 * Builds the start of a filter: allows calls from outside these addresses. A filter compares 32
 * bits at a time, and the addresses of a library may lie on both sides of a multiple of 4 GiB.
 * Returns its length.
 */
static size_t only_from(struct sock_filter *code, uint64_t from, uint64_t to)
{
	static const uint32_t address = offsetof(struct seccomp_data, instruction_pointer);
	bool both = from >> 32 != (to - 1) >> 32;
	size_t n = 0;

	for (int piece = 0; piece <= both; piece++) {
		uint64_t first = piece ? (to - 1) >> 32 << 32 : from;
		uint64_t last = both && !piece ? first | UINT32_MAX : to - 1;
		const struct sock_filter test[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, address + 4),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(first >> 32), 0, 4),
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, address),
			BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)first, 0, 2),
			BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)last, 1, 0),
			BPF_STMT(BPF_JMP | BPF_JA, both && !piece ? 7 : 1), /* over the rest */
		};

		memcpy(code + n, test, sizeof(test));
		n += sizeof(test) / sizeof(*test);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return n;
}

static int catch_calls(void)
{
	struct sigaction action = {.sa_sigaction = on_call,
				   .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
	struct sock_filter code[2 * NCALLS + 16];
	struct sock_fprog program = { 0, code };
	size_t n;

	if (sigaction(SIGSYS, &action, NULL))
		return -1;
	find_code("libc.so", &libc_from, &libc_to);
	if (!libc_to)
		return -1;
	n = only_from(code, libc_from, libc_to);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (int i = 0; i < NCALLS; i++) {
		if (calls[i].kind == kind)
			code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								 (uint32_t)calls[i].number, 0, 1),
			code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

__attribute__((constructor)) static void set_up(void)
{
	const char *fault = getenv("FAULT"), *path = getenv("FAULT_COUNTS");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	char name[16] = "";
	unsigned long long n = 0, many = 1;
	void *p;

	if (!fault || fd < 0 || sscanf(fault, "%15[^:]:%llu:%llu", name, &n, &many) < 2)
		return;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	unsetenv("FAULT"); /* does not apply to programs that it starts */
	at = n;
	times = many;
	process = getpid();
	for (int i = ALLOC; i <= OPEN; i++) {
		if (!strcmp(names[i], name))
			kind = (enum kind)i;
	}
	if (kind == NONE || p == MAP_FAILED || (kind != ALLOC && catch_calls())) {
		fputs("fault: cannot be set up\n", stderr);
		_exit(98);
	}
	for (int i = 0; i < NSPARED; i++)
		find_code(spared[i].library, &spared[i].from, &spared[i].to);
	count = p;
}
