/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as packets of gdb to a walk (`trawl-replay branch --gdb`), and as the program that was
 * walked through: 2 bytes, the length of an ELF file, the file, the packets. The capture is always
 * the same: a program and a library, both of which are that file, and branches within them.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/branch.h"
#include "common/branchrecord.h"
#include "replay/gdbstub.h"
#include "tests/fuzz/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PID = 700, SECOND = 1000000000, CODE = 0x140 };
#define PROGRAM 0x400000u
#define LIBRARY 0x7f0000000000u

static int program = -1; /* the ELF file; fuzz_path is a link to it */
static char capture[32];

static bool put_meta(struct trawl_writer *w, const char *name, const char *text)
{
	struct trawl_meta m = {.name = name, .type = "text/plain", .time = SECOND, .data = text,
			       .len = strlen(text)};
	struct trawl_error err;

	return !trawl_writer_meta(w, &m, &err);
}

/* What is mapped in the process: the same file twice. */
static bool put_modules(struct trawl_writer *w)
{
	static const char module[] = "{\"path\":\"%s\",\"build_id\":\"0102030405060708\","
		"\"segments\":[[0,%u,8192]],\"functions\":[[%u,16,\"f\"]]}";
	char path[32], maps[300], text[300], other[300];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", program);
	snprintf(maps, sizeof(maps),
		 "00400000-00402000 r-xp 00000000 fe:00 5 %s\n"
		 "7f0000000000-7f0000002000 r-xp 00000000 fe:00 6 %s\n",
		 path, fuzz_path);
	snprintf(text, sizeof(text), module, path, PROGRAM, PROGRAM + CODE);
	snprintf(other, sizeof(other), module, fuzz_path, 0, CODE);
	return put_meta(w, "branch/module/fe:00:5", text) &&
		put_meta(w, "branch/module/fe:00:6", other) &&
		put_meta(w, "branch/maps/700", maps);
}

/* Loops, calls of the library, a signal, a gap, and addresses where nothing is mapped. */
static bool put_branches(struct trawl_writer *w, int source)
{
	static const struct branch branches[] = {
		{.from = PROGRAM + CODE + 8, .to = PROGRAM + CODE, .kind = BRANCH_JCC},
		{.from = PROGRAM + CODE + 8, .to = LIBRARY + CODE, .kind = BRANCH_CALL},
		{.from = LIBRARY + CODE + 12, .to = PROGRAM + CODE + 13, .kind = BRANCH_RET},
		{.from = PROGRAM + CODE + 14, .to = LIBRARY + CODE + 1, .kind = BRANCH_SIGNAL},
		{.from = LIBRARY + 0x1ff0, .to = PROGRAM + CODE + 14, .kind = BRANCH_SIGRETURN},
		{.from = PROGRAM + 0x1800, .to = 0x10, .kind = BRANCH_JMP},
		{.from = 0x20, .to = UINT64_MAX - 3, .kind = BRANCH_UNKNOWN},
		{.from = UINT64_MAX, .to = PROGRAM, .kind = BRANCH_SYSCALL},
	};
	struct branch_encoder *e = branch_encoder_new();
	struct branch_record r = {PID, PID, 2ull * SECOND, ARRAY_SIZE(branches),
				  BRANCH_HOW_PTRACE};
	uint8_t record[1000];
	struct trawl_error err;
	const void *batch;
	size_t len;
	bool good;

	branch_encoder_start(e, SECOND);
	for (size_t i = 0; i < ARRAY_SIZE(branches); i++) {
		if (i == 3)
			branch_encoder_mark(e, BRANCH_MARK_LOST, SECOND + i, 7);
		branch_encoder_add(e, &branches[i], SECOND + i);
	}
	batch = branch_encoder_finish(e, &len);
	memcpy(record, &r, sizeof(r));
	memcpy(record + sizeof(r), batch, len);
	good = !trawl_append(w, &(struct trawl_record){(uint16_t)source, BRANCH_TYPE_STREAM,
						       UINT32_MAX, SECOND, record,
						       sizeof(r) + len}, &err);
	branch_encoder_free(e);
	return good;
}

/* Makes the capture and the folder of the library, once. */
static void make_capture(void)
{
	static const struct trawl_writer_options o = {.time = 1795000000000000000u};
	struct trawl_sync sync = {.mono = SECOND, .real = 1795000001000000000u, .bound = 100,
				  .why = TRAWL_SYNC_START};
	struct trawl_error err;
	int fd = memfd_create("capture", MFD_CLOEXEC), source;
	struct trawl_writer *w = trawl_writer_new(dup(fd), &o, &err);
	char path[32];

	program = memfd_create("program", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", program);
	fuzz_make_folder("lib.so");
	snprintf(capture, sizeof(capture), "/proc/self/fd/%d", fd);
	source = branchrecord_describe(w, "branch:ptrace", false, &err);
	if (symlink(path, fuzz_path) || source < 0 || trawl_writer_sync(w, &sync, &err) ||
	    !put_modules(w) || !put_branches(w, source) || trawl_writer_close(w, &err))
		abort();
}

/* Opens a file with these contents. */
static FILE *file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("packets", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	return fdopen(fd, "r");
}

static void serve(const uint8_t *packets, size_t size)
{
	FILE *in = file_of(packets, size), *out = fopen("/dev/null", "we");
	struct trawl_memory memory = {0};
	struct sigaction alarm;
	struct trawl_error err;
	struct walk *walk;

	if (!in || !out || walk_open(&walk, capture, &memory, 0, &err))
		abort();
	sigaction(SIGALRM, NULL, &alarm); /* libFuzzer's; the stub ignores it */
	gdbstub_run(walk, in, out, &err);
	sigaction(SIGALRM, &alarm, NULL);
	walk_close(walk);
	fclose(in);
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n;

	if (size < 2)
		return 0;
	n = data[0] | (size_t)data[1] << 8;
	n = n < size - 2 ? n : size - 2;
	if (program < 0)
		make_capture();
	if (ftruncate(program, 0) || pwrite(program, data + 2, n, 0) != (ssize_t)n)
		abort();
	serve(data + 2 + n, size - 2 - n);
	return 0;
}
