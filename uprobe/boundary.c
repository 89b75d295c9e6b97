// SPDX-License-Identifier: MIT
#include "config.h"

#include "uprobe/boundary.h"
#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#include <unistd.h>
#include "uprobe/function.h"

/*
 * Decodes the instructions from `at` on until one reaches `where`; both are offsets in the file.
 * The file is read and not the process' memory, which may hold breakpoints of other tracers. *begin
 * is where the last instruction begins. True if that instruction ends after `where`.
 */
static bool decode(int fd, uint64_t at, uint64_t where, uint64_t *begin)
{
	unsigned char bytes[4096];
	uint64_t from = at;
	ssize_t n = 0;
	ZydisDecoder decoder;

	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return false;
	while (at < where) {
		ZydisDecodedInstruction insn;

		if (at + ZYDIS_MAX_INSTRUCTION_LENGTH > from + (uint64_t)n) {
			n = pread(fd, bytes, sizeof(bytes), (off_t)at);
			from = at;
		}
		if (n <= 0 || at - from >= (uint64_t)n ||
		    ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes + (at - from),
							      (ZyanUSize)n - (at - from), &insn)))
			return false;
		*begin = at;
		at += insn.length;
	}
	return at > where;
}

bool boundary_inside(int fd, uint64_t where, uint64_t *begin)
{
	uint64_t start;

	return function_at(fd, where, &start) && where - start <= BOUNDARY_CODE_MAX &&
	       decode(fd, start, where, begin);
}
#else
bool boundary_inside(int fd, uint64_t where, uint64_t *begin)
{
	(void)fd, (void)where, (void)begin;
	return false;
}
#endif
