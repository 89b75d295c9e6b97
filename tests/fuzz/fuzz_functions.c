/* SPDX-License-Identifier: MIT */
/*
 * Any ELF file: its code, .eh_frame, relocations and debug information are read for exits of
 * functions, callers, and the locations of parameters.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/probe/flow.h"
#include "tests/fuzz/resolve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

enum { HEADER = 64, FUNCTIONS = 16, TABLE_ENTRIES = 16 };

static volatile uint64_t sink;

static void read_function(struct code *code, uint64_t vaddr, uint64_t size)
{
	const struct frame *frame = frames_at(code->frames, vaddr);
	struct frame_call *calls = NULL;
	char why[256] = "";
	struct flow flow;
	size_t n = 0;

	if (frame && frames_calls(code->frames, frame, &calls, &n))
		for (size_t i = 0; i < n; i++)
			sink += calls[i].start + calls[i].pad;
	free(calls);
	sink += frames_stack(code->frames, vaddr);
	sink += code_result_used(code, vaddr, (enum ret_proof)(vaddr & 3));
	for (size_t i = 0;
	     i < TABLE_ENTRIES && relocs_pointer(code->relocs, vaddr, vaddr + size, i); i++)
		sink += i;
	if (!flow_read(code, vaddr, size, &flow, why, sizeof(why))) {
		if (!*why || flow.n || flow.exits)
			abort(); /* a refusal has a reason and no result */
		return;
	}
	for (size_t i = 0; i < flow.n; i++)
		sink += flow.exits[i].vaddr + strlen(flow.exits[i].name);
	flow_free(&flow);
}

static void read_code(const uint8_t *data, size_t size)
{
	struct trawl_error err = { 0 };
	char *image = malloc(size ? size : 1);
	struct elf_file *f;
	struct code *code;

	memcpy(image, data, size);
	f = elf_open_memory(image, size, "fuzz", &err);
	if (f) {
		elf_read_symbols(f);
		code = code_open(f);
		for (size_t i = 0, n = 0; i < f->nsymbols && n < FUNCTIONS; i++) {
			if (!f->symbols[i].function)
				continue;
			n++;
			read_function(code, f->symbols[i].vaddr, f->symbols[i].size);
			read_function(code, f->symbols[i].vaddr, 0);
		}
		code_close(code);
		elf_free(f);
	}
	free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	read_code(data, size);
	resolve("uprobe:/proc/self/fd/%d:* $params", fd);
	resolve("uprobe:/proc/self/fd/%d:*%%return $retval", fd);
	close(fd);
	return 0;
}

/*
 * Changes that move bytes or affect the header leave no ELF file, so most changes are made in
 * place.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	size_t at, n;

	if (size <= HEADER || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, max);
	n = 1 + seed / 8 % 4;
	at = HEADER + seed / 32 % (size - HEADER);
	for (size_t i = at; i < at + n && i < size; i++) {
		seed = seed * 1103515245 + 12345;
		data[i] = seed >> 30 ? (uint8_t)(data[i] + (seed >> 16)) : 0xff;
	}
	return size;
}
