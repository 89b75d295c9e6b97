/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/branch/loop.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

#ifdef __x86_64__
#define SYMBOLS "trawl_loop, trawl_loop_turn, trawl_loop_jump, trawl_loop_return\n"
__asm__(".text\n"
	".globl " SYMBOLS
	".hidden " SYMBOLS
	"trawl_loop: mov $" TEXT(LOOP_TURNS) ", %ecx\n"
	"trawl_loop_turn: dec %ecx\n"
	"trawl_loop_jump: jnz trawl_loop_turn\n"
	"trawl_loop_return: ret\n");
void trawl_loop(void);
extern const char trawl_loop_turn[], trawl_loop_jump[], trawl_loop_return[];
#else
static const char trawl_loop_turn[1], trawl_loop_jump[1], trawl_loop_return[1];
static void trawl_loop(void)
{
}
#endif

static uint64_t address(const char *label)
{
	return (uint64_t)(uintptr_t)label;
}

void loop_run(void)
{
	trawl_loop();
}

void loop_take(struct loop_count *c, const struct branch *b)
{
	if (b->from < address(trawl_loop_turn) || b->from > address(trawl_loop_return))
		return;
	if (b->from == address(trawl_loop_jump) && b->to == address(trawl_loop_turn))
		c->turns++;
	else if (b->from == address(trawl_loop_return))
		c->returns++;
	else
		c->wrong++;
}
