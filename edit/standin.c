/* SPDX-License-Identifier: MIT */
#include "edit/standin.h"
#include "common/array.h"

#include <string.h>
#include <sys/random.h>

bool standin_start(struct standin *s)
{
	uint64_t r[6];

	if (getrandom(r, sizeof(r), 0) != sizeof(r))
		return false;
	memcpy(s->key, r, sizeof(s->key));
	/* whole pages, so that an address keeps its last digits */
	s->kernel = (r[2] % 0x8000 + 1) << 12;
	s->direct = (r[3] % 0x8000000 + 1) << 12;
	s->user = (r[4] % 0x4000000 + 1) << 12;
	s->number = r[5];
	return true;
}

/* ---- SipHash-2-4 -------------------------------------------------------------------------- */

static uint64_t rol(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static void mix(uint64_t v[4], int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[1] = rol(v[1], 13) ^ v[0];
		v[0] = rol(v[0], 32);
		v[2] += v[3];
		v[3] = rol(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rol(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rol(v[1], 17) ^ v[2];
		v[2] = rol(v[2], 32);
	}
}

/* SipHash-2-4 of tweak and p[0 .. n). */
static uint64_t hash(const struct standin *s, const void *p, size_t n, uint64_t tweak)
{
	uint64_t v[4] = { s->key[0] ^ 0x736f6d6570736575, s->key[1] ^ 0x646f72616e646f6d,
			  s->key[0] ^ 0x6c7967656e657261, s->key[1] ^ 0x7465646279746573 };
	const uint8_t *at = p;
	uint64_t m = tweak;
	size_t left = n;

	for (;; at += 8, left -= 8) {
		v[3] ^= m;
		mix(v, 2);
		v[0] ^= m;
		if (left < 8)
			break;
		memcpy(&m, at, 8);
	}
	m = (uint64_t)n << 56;
	for (size_t i = 0; i < left; i++)
		m |= (uint64_t)at[i] << 8 * i;
	v[3] ^= m;
	mix(v, 2);
	v[0] ^= m;
	v[2] ^= 0xff;
	mix(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- texts -------------------------------------------------------------------------------- */

void standin_text(const struct standin *s, const char *p, size_t n, char *to)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint64_t all = hash(s, p, n, 0), h = 0;

	for (size_t i = 0; i < n; i++, h >>= 5) {
		if (i % 12 == 0)
			h = hash(s, &all, sizeof(all), i / 12 + 1);
		to[i] = *p == '/' && p[i] == '/' ? '/' : digits[h & 31];
	}
}

static const char *const common[] = {
	"usr",
	"bin",
	"sbin",
	"lib",
	"lib32",
	"lib64",
	"libx32",
	"libexec",
	"etc",
	"var",
	"tmp",
	"run",
	"home",
	"root",
	"opt",
	"srv",
	"mnt",
	"media",
	"proc",
	"sys",
	"dev",
	"boot",
	"local",
	"share",
	"include",
	"linux",
	"gnu",
	"unix",
	"sysv",
	"sysdeps",
	"generic",
	"x86",
	"x86_64",
	"x86_64-linux-gnu",
	"aarch64-linux-gnu",
	"log",
	"cache",
	"spool",
	"self",
	"kernel",
	"debug",
	"tracing",
	"modules",
	"bus",
	"usb",
	"class",
	"block",
	"net",
	"fs",
	"shm",
	"libc.so.6",
	"libm.so.6",
	"libpthread.so.0",
	"ld-linux-x86-64.so.2",
	"ld-linux-aarch64.so.1",
	"libstdc++.so.6",
	"libgcc_s.so.1",
	"vmlinux",
	".",
	"..",
	"..." /* by path */
};

bool standin_common_name(const char *p, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		if (strlen(common[i]) == n && !memcmp(common[i], p, n))
			return true;
	return false;
}

/* True for a single path: no list, assignment or second line. */
static bool is_plain(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((uint8_t)p[i] <= ' ' || p[i] == 0x7f || strchr("=:,;?&\"'", p[i]))
			return false;
	return true;
}

/*
 * Whether a path is of the library of Rust's compiler, as debug information has it, wherever the
 * library was built: /rustc/COMMIT/library/FILE, /usr/src/rustc-VERSION/library/FILE,
 * /rust/deps/NAME-VERSION/FILE.
 */
static bool is_rust_library(const char *p, size_t n)
{
	static const char *const before[] = { "/rustc/", "/usr/src/rustc-", "/rust/deps/" };

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		size_t k = strlen(before[i]);
		const char *rest = n > k && !memcmp(p, before[i], k) ?
			memchr(p + k, '/', n - k) : NULL;

		if (rest)
			return !strcmp(before[i], "/rust/deps/") ||
			       ((size_t)(p + n - rest) > strlen("/library/") &&
				!memcmp(rest, "/library/", strlen("/library/")));
	}
	return false;
}

bool standin_system_path(const char *p, size_t n)
{
	static const char *const folders[] = {
		"/usr/lib/",  "/usr/lib64/", "/usr/lib32/", "/usr/libexec/", "/usr/bin/",
		"/usr/sbin/", "/lib/",	     "/lib64/",	    "/bin/",	     "/sbin/",
	};

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		size_t k = strlen(folders[i]);

		if (n > k && !memcmp(p, folders[i], k))
			return is_plain(p, n) && !memmem(p, n, "/../", 4);
	}
	return is_rust_library(p, n) && is_plain(p, n) && !memmem(p, n, "/../", 4);
}

/* Kernel threads with the number of a CPU or worker after the name. */
static const char *const kernel_numbered[] = {
	"ksoftirqd/", "migration/",   "cpuhp/", "swapper/",
	"kworker/u",  "kworker/",     "kswapd", "kcompactd",
	"rcuop/",     "rcuos/",	      "rcuog/", "rcu_exp_par_gp_kthread_worker/",
	"irq_work/",  "idle_inject/",
};
static const char *const kernel_tasks[] = {
	"kthreadd", "kauditd", "khungtaskd", "oom_reaper", "khugepaged", "ksmd", "kdevtmpfs",
	"rcu_sched", "rcu_preempt", "rcu_gp", "rcu_par_gp", "pool_workqueue_", "usb-storage",
};
/* Work queues that may follow a worker's number. */
static const char *const kernel_work[] = {
	"events", "events_unbound", "events_highpri", "events_freezable", "events_power_efficient",
	"kblockd", "writeback", "mm_percpu_wq", "rcu_gp", "cgroup_destroy", "usb_hub_wq",
};

static bool is_listed(const char *const *list, size_t words, const char *p, size_t n)
{
	for (size_t i = 0; i < words; i++) /* the kernel cuts a task's name to 15 bytes */
		if (n && !strncmp(list[i], p, n) && (strlen(list[i]) == n || n >= 5))
			return true;
	return false;
}

static bool is_number(const char *p, size_t n)
{
	const char *dash = memchr(p, '-', n);
	size_t k = dash ? (size_t)(dash - p) : n;

	for (size_t i = 0; i < k; i++)
		if (!strchr("0123456789:H", p[i]))
			return false;
	return k &&
		(!dash ||
		 is_listed(kernel_work, ARRAY_SIZE(kernel_work), dash + 1,
			 n - k - 1));
}

bool standin_kernel_task(const char *p, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel_tasks); i++)
		if (strlen(kernel_tasks[i]) == n && !memcmp(kernel_tasks[i], p, n))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(kernel_numbered); i++) {
		size_t k = strlen(kernel_numbered[i]);

		if (n > k && !memcmp(kernel_numbered[i], p, k) && is_number(p + k, n - k))
			return true;
	}
	return false;
}

/* ---- numbers ------------------------------------------------------------------------------ */

void standin_number(const struct standin *s, char *p, size_t n)
{
	uint64_t least = 1, v = 0;

	if (!n || n > 18 || *p == '0')
		return;
	for (size_t i = 0; i < n; i++) {
		v = v * 10 + (uint64_t)(p[i] - '0');
		least *= i ? 10 : 1;
	}
	v = least + (v - least + s->number % (9 * least)) % (9 * least);
	for (size_t i = n; i--; v /= 10)
		p[i] = (char)('0' + v % 10);
}

/* ---- addresses ---------------------------------------------------------------------------- */

/* The last 16 MiB are excluded: error codes, and the vsyscall page, whose address is fixed. */
bool standin_is_kernel(uint64_t v)
{
	return v >= 0xffff800000000000 && v < 0xffffffffff000000;
}

/* The range of position-independent programs, their heaps, libraries and stacks. */
bool standin_is_user(uint64_t v)
{
	return v >= 0x550000000000 && v < 0x800000000000;
}

uint64_t standin_address(const struct standin *s, uint64_t v)
{
	if (standin_is_kernel(v))
		return v - (v >= 0xffffffff80000000 ? s->kernel : s->direct);
	return standin_is_user(v) ? v - s->user : v;
}
