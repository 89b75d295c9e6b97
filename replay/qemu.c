/* SPDX-License-Identifier: MIT */
/* Runs the virtual machine and reads the output of its first process and its kernel. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "common/plain.h"
#include "decode/base/bytes.h"
#include "decode/import/unpack.h"
#include "replay/vm.h"

#define PROGRAM "qemu-system-x86_64"

/*
 * The emulated processor, without features that QEMU emulates slowly: five-level page tables, rep
 * movsb, SMAP and SMEP.
 */
#define TCG_CPU "max,-erms,-la57,-smap,-smep"
/*
 * One processor; tsc=reliable, because a busy host would delay the timer that the TSC is checked
 * against. The guest's libraries are in /lib. A panic ends QEMU.
 */
#define KERNEL_WORDS                                                                               \
	"console=ttyS0 quiet panic=-1 tsc=reliable no_timer_check mitigations=off nokaslr "        \
	"random.trust_cpu=on "                                                                     \
	"rcupdate.rcu_expedited=1 usbcore.autosuspend=-1 LD_LIBRARY_PATH=/lib -- guest"

bool vm_is_complaint(const char *line)
{
	static const char *const signs[] = {
		"BUG:",	  "Oops",   "WARNING:", "Kernel panic", "kernel BUG", "general protection",
		"UBSAN:", "KASAN:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (strstr(line, signs[i]))
			return true;
	return false;
}

/*
 * True if KVM is usable. If /dev/kvm exists but the processor lacks virtualization, it is emulated
 * itself and KVM may not work.
 */
static bool has_kvm(void)
{
	FILE *in = fopen("/proc/cpuinfo", "re");
	char line[8192];
	bool has = false;

	while (in && !has && fgets(line, sizeof(line), in))
		has = !strncmp(line, "flags", 5) && (strstr(line, " vmx") || strstr(line, " svm"));
	if (in)
		fclose(in);
	return has && !access("/dev/kvm", R_OK | W_OK);
}

/* Runs QEMU in the child. Does not return. */
static void execute(const struct vm_machine *m, int console, int words)
{
	bool kvm = m->accelerator ? !strcmp(m->accelerator, "kvm") : has_kvm();
	char initramfs[40], file[60], memory[20];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
	dup2(words, STDOUT_FILENO);
	fcntl(console, F_SETFD, 0);
	fcntl(m->initramfs, F_SETFD, 0);
	snprintf(initramfs, sizeof(initramfs), "/proc/self/fd/%d", m->initramfs);
	snprintf(file, sizeof(file), "file,id=console,path=/proc/self/fd/%d", console);
	snprintf(memory, sizeof(memory), "%u", m->memory);
	execlp(PROGRAM, PROGRAM, "-machine", "pc,i8042=off", "-accel",
	       kvm ? "kvm" : "tcg,thread=single", "-cpu", kvm ? "host" : TCG_CPU, "-smp", "1", "-m",
	       memory, "-nodefaults", "-display", "none", "-no-reboot", "-kernel", m->kernel,
	       "-initrd", initramfs, "-append", KERNEL_WORDS, "-chardev", file, "-serial",
	       "chardev:console", "-chardev", "stdio,id=words,signal=off", "-serial",
	       "chardev:words", (char *)NULL);
	_exit(errno == ENOENT ? 127 : 126);
}

/* ---- what the guest says --------------------------------------------------------------------- */

/* Handles a line of the guest. True when the guest is done. */
static bool take_line(struct vm_result *r, char *line, bool quiet, bool verbose)
{
	char *text = strchr(line, ' ');

	line[strcspn(line, "\r")] = '\0';
	if (!text)
		return false;
	*text++ = '\0';
	text[strcspn(text, "\r")] = '\0';
	plain_text(text, true);
	if (!strcmp(line, VM_READY))
		r->ready = true;
	else if (!strcmp(line, VM_RUN))
		r->run = strtoull(text, NULL, 10);
	else if (!strcmp(line, VM_FINDING))
		snprintf(r->finding, sizeof(r->finding), "%s", text);
	else if (!strcmp(line, VM_SAY) && !quiet)
		printf("%s\n", text);
	else if (!strcmp(line, VM_STATUS))
		r->status = atoi(text);
	if (verbose && !strcmp(line, VM_RUN))
		fprintf(stderr, "run %s\n", text);
	fflush(stdout);
	return !strcmp(line, VM_STATUS);
}

/* Waits for output of the machine; false if it is silent for longer than its limit. */
static bool wait_for_output(const struct vm_machine *m, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t ms = m->limit / 1000000;
	int got;

	do
		got = poll(&p, 1, ms > INT32_MAX ? INT32_MAX : (int)ms);
	while (got < 0 && errno == EINTR);
	return got > 0;
}

void vm_listen(const struct vm_machine *m, int fd, struct vm_result *r)
{
	char line[2048];
	size_t n = 0;

	for (;;) {
		ssize_t got;
		char *end;

		if (!wait_for_output(m, fd)) {
			snprintf(r->why, sizeof(r->why),
				 "it said nothing for so long as --limit allows");
			return;
		}
		got = read(fd, line + n, sizeof(line) - 1 - n);
		if (got <= 0)
			return;
		n += (size_t)got;
		line[n] = '\0';
		while ((end = memchr(line, '\n', n))) {
			*end = '\0';
			if (take_line(r, line, m->quiet, m->verbose))
				return;
			n -= (size_t)(end + 1 - line);
			memmove(line, end + 1, n + 1);
		}
		if (n == sizeof(line) - 1)
			n = 0;
	}
}

void vm_read_console(int console, struct vm_result *r, bool verbose)
{
	FILE *in = fdopen(console, "r");
	char line[1000];
	size_t n = 0;

	if (!in) {
		close(console);
		return;
	}
	rewind(in);
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\r\n")] = '\0';
		plain_text(line, true); /* the device's strings are in it */
		if (verbose)
			fprintf(stderr, "kernel: %s\n", line);
		if ((n || vm_is_complaint(line)) && n + 1 < sizeof(r->complaint))
			n += (size_t)snprintf(r->complaint + n, sizeof(r->complaint) - n, "%s\n",
					      line);
	}
	fclose(in);
}

/* Reads until QEMU has ended. Returns false if it is silent for too long before. */
static bool wait_exit(const struct vm_machine *m, int fd)
{
	char rest[512];

	while (wait_for_output(m, fd))
		if (read(fd, rest, sizeof(rest)) <= 0)
			return true;
	return false;
}

static int ended(const struct vm_machine *m, pid_t pid, int fd, struct vm_result *r,
		 struct trawl_error *err)
{
	int status = 0;

	if (*r->why || !wait_exit(m, fd))
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return trawl_fail(err, TRAWL_CANNOT,
				  PROGRAM ": is missing; install QEMU (Debian: apt-get install "
					  "qemu-system-x86)");
	if (WIFEXITED(status) && WEXITSTATUS(status) && !r->ready)
		return trawl_fail(err, TRAWL_CANNOT,
				  PROGRAM ": ended with status %d: see its message above",
				  WEXITSTATUS(status));
	if (r->status < 0 && !*r->why)
		snprintf(r->why, sizeof(r->why),
			 r->ready ? "its kernel stopped"
				  : "its kernel did not come so far as to start the check");
	return 0;
}

int vm_run(const struct vm_machine *m, struct vm_result *r, struct trawl_error *err)
{
	int console = unpack_temporary(err), ends[2], ret;
	pid_t pid;

	*r = (struct vm_result){.status = -1};
	if (console < 0)
		return -1;
	if (pipe2(ends, O_CLOEXEC)) {
		close(console);
		return trawl_fail(err, TRAWL_CANNOT, "no pipe: %s", strerror(errno));
	}
	pid = fork();
	if (!pid)
		execute(m, console, ends[1]);
	close(ends[1]);
	if (pid > 0)
		vm_listen(m, ends[0], r);
	ret = pid < 0 ? trawl_fail(err, TRAWL_CANNOT, PROGRAM ": %s", strerror(errno))
		      : ended(m, pid, ends[0], r, err);
	close(ends[0]);
	vm_read_console(console, r, m->verbose);
	return ret;
}
