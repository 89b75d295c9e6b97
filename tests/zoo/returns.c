/* SPDX-License-Identifier: MIT */
/*
 * Functions that return values of every kind and are left in every way. The values of "ret_"
 * functions are compared with those in gdb. A "ret_ignored_" function returns its first parameter
 * plus 1000, which its caller ignores; a "ret_half_" function returns a pair, n * 3 and n + 5, of
 * which the caller uses one half.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION __attribute__((noinline))

enum color { RED, GREEN = 7, BLUE = -3 };
struct small { int a, b; };
struct odd { char bytes[3]; };
struct pair { long a, b; };
struct three { int a, b, c; };
struct mixed { double d; long l; };
struct low { char c; int i; } __attribute__((aligned(16)));
struct high { int : 32; int : 32; long l; };
struct floats { double a, b; };
struct big { long l[5]; };
struct __attribute__((packed)) packed { char c; long l; };
struct extended { long double x; };

volatile long seed = 1, sink;
static jmp_buf back;

FUNCTION signed char ret_char(int n) { return (signed char)(seed * n - 100); }
FUNCTION unsigned short ret_short(int n) { return (unsigned short)(seed * n + 65530); }
FUNCTION int ret_int(int n) { return (int)(seed - n * 1000000); }
FUNCTION uint64_t ret_u64(int n) { return (uint64_t)seed << 63 | (uint64_t)n; }
FUNCTION bool ret_bool(int n) { return (seed + n) & 1; }
FUNCTION enum color ret_enum(int n) { return seed + n > 2 ? BLUE : GREEN; }
FUNCTION const char *ret_text(int n) { return &"returned text"[(seed + n) % 8]; }
FUNCTION double ret_double(int n) { return (double)seed / n; }
FUNCTION long double ret_long_double(int n) { return (long double)seed / n; }
FUNCTION __int128 ret_wide(int n) { return (__int128)seed << 100 | n; }
FUNCTION struct small ret_small(int n) { return (struct small){ n, (int)seed }; }
FUNCTION struct odd ret_odd(int n) { return (struct odd){ { (char)n, (char)seed, 3 } }; }
FUNCTION struct pair ret_pair(int n) { return (struct pair){ n, -seed }; }
FUNCTION struct three ret_three(int n) { return (struct three){ n, (int)seed, 3 }; }
FUNCTION struct mixed ret_mixed(int n) { return (struct mixed){ n, seed }; }
FUNCTION struct low ret_low(int n) { return (struct low){ (char)n, (int)seed }; }
FUNCTION struct high ret_high(int n) { return (struct high){ n * 7 }; }
FUNCTION struct floats ret_floats(int n) { return (struct floats){ n, (double)seed }; }
FUNCTION struct big ret_big(int n) { return (struct big){ { n, seed } }; }
FUNCTION struct packed ret_packed(int n) { return (struct packed){ (char)n, seed * 5 }; }
FUNCTION struct extended ret_extended(int n) { return (struct extended){ (long double)seed / n }; }
FUNCTION void ret_void(int n) { sink += n; }

/* Several returns, a jump table, and a cold part. */
FUNCTION int ret_switch(int n)
{
	switch (n + seed) {
	case 2: return ret_int(1) + 1;
	case 3: sink++; return 30;
	case 4: return (int)sink;
	case 5: sink += 5; return 50;
	case 6: return 600;
	case 7: sink--; return -7;
	case 99: abort();
	default: return n;
	}
}

FUNCTION int ret_tail(int n)
{
	if (n & 1)
		return ret_int(n + 1);
	sink += n;
	return n;
}

FUNCTION int ret_jumps(int n)
{
	if (n == 2)
		longjmp(back, n);
	return n + (int)seed;
}

FUNCTION int ret_over(int n) { return ret_jumps(n) + 1; }

/* No caller uses the results of these, and the register contains something else. */
FUNCTION static long ret_ignored_work(int n, long unused)
{
	for (int i = 0; i < n; i++)
		sink ^= seed << i;
	return n + 1000;
}

FUNCTION static int ret_ignored_call(int n, int always)
{
	ret_void((int)sink + always);
	return n + 1000;
}

/* clang returns only one of the two, in the register of the first. */
FUNCTION static struct pair ret_half_second(int n)
{
	ret_void(n);
	return (struct pair){ n * 3, n + 5 };
}

FUNCTION static struct pair ret_half_first(int n)
{
	ret_void(n);
	return (struct pair){ n * 3, n + 5 };
}

static int caught(int n)
{
	int code = setjmp(back);

	return code ? -code : ret_over(n);
}

/* No return address is on top of the stack when the first two are entered, by a jump. */
__asm__(".text\n.globl odd_stack\n.type odd_stack, @function\nodd_stack:\n.cfi_startproc\n"
	".cfi_def_cfa %rbp, 16\njmp *%rdi\nret\n.cfi_endproc\n.size odd_stack, . - odd_stack\n"
	".globl odd_end\n.type odd_end, @function\nodd_end:\n"
	"test %rax, %rax\njz 1f\njmp *-8(%r13)\n1: .byte 6\n" /* 6: no instruction */
	".size odd_end, . - odd_end\n"
	/* A call enters this one, whose end is a jump; it has no ret. */
	".globl odd_tail\n.type odd_tail, @function\nodd_tail:\n.cfi_startproc\n"
	"jmp *%rdi\n.cfi_endproc\n.size odd_tail, . - odd_tail\n");

int main(void)
{
	long sum = 0;

	for (volatile int i = 1; i <= 6; i++) {
		int n = i;
		struct big b = ret_big(n);

		sum += ret_char(n) + ret_short(n) + ret_int(n) + (long)ret_u64(n) + ret_bool(n);
		sum += ret_enum(n) + *ret_text(n) + (long)ret_double(n) + (long)ret_long_double(n);
		sum += (long)(ret_wide(n) >> 90) + ret_small(n).b + ret_odd(n).bytes[0];
		sum += ret_pair(n).b + ret_three(n).c + ret_mixed(n).l + (long)ret_floats(n).a +
		       b.l[0] + ret_low(n).i + ret_high(n).l;
		sum += ret_packed(n).l + (long)ret_extended(n).x;
		ret_void(n);
		sum += ret_switch(n) + ret_tail(n) + caught(n);
		sum += ret_half_second(n).b + ret_half_first(n).a;
		ret_ignored_work(n, sum);
		ret_ignored_call(n, 7);
	}
	printf("%ld %ld\n", sum, sink);
	return 17;
}
