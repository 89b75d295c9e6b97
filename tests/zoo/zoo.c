/* SPDX-License-Identifier: MIT */
/*
 * Functions whose parameters compilers move, drop and replace. Each is called three times; objects
 * behind pointers have static storage, so that their addresses are the same in each run without
 * ASLR.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FUNCTION __attribute__((noinline))

enum color { RED, GREEN, BLUE };
enum change { LESS = -1, SAME, MORE };
struct bits { unsigned int a : 3, b : 17; enum color c : 2; int d : 5; unsigned long e : 40; };
struct pair { int a, b; };
struct mixed { double d; long l; };
struct big { long l[5]; };
union either { int i; char bytes[12]; };

volatile long seed = 1, sink;
struct pair pairs[4] = { { 10, 20 }, { 30, 40 }, { 50, 60 }, { 70, 80 } };
const char *const words[4] = { "zero", "one", "two", "three" };

FUNCTION long zoo_ints(char a, short b, int c, long d, uint64_t e, bool f)
{
	return a + b + c + d + (long)e + f;
}

FUNCTION long zoo_unsigned(unsigned char a, unsigned short b, unsigned int c, unsigned long d,
			   enum color e)
{
	return a + b + c + (long)d + e;
}

FUNCTION long zoo_many(int a, int b, int c, int d, int e, int f, short g, long h, char i)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

FUNCTION long zoo_floats(int a, double b, long c, float d, unsigned char e)
{
	return a + (long)b + c + (long)d + e;
}

FUNCTION long zoo_structs(int a, struct pair b, int c, struct mixed d, int e, struct big f, int g)
{
	return a + b.a + b.b + c + (long)d.d + d.l + e + f.l[4] + g;
}

FUNCTION long zoo_bits(struct bits a, enum change b, int c)
{
	return a.a + a.b + a.c + a.d + (long)a.e + b + c;
}

FUNCTION long zoo_spill(long a, long b, long c, long d, long e, union either f, long g)
{
	return a + b + c + d + e + f.i + g;
}

FUNCTION struct big zoo_large_result(int a, const char *b)
{
	return (struct big){ { a, b[0] } };
}

FUNCTION long zoo_wide(int a, __int128 b, long double c, int d)
{
	return a + (long)b + (long)c + d;
}

FUNCTION long zoo_pointers(const char *text, const struct pair *p, struct pair **pp, void *q)
{
	return text[0] + p->a + (pp == NULL) + (q == NULL);
}

/* Its address is taken, so it is in memory. */
FUNCTION long zoo_escape(int a, long b)
{
	long *volatile escaped = &b;

	*escaped += a;
	return b;
}

/* The parameter is overwritten a few instructions later. */
FUNCTION long zoo_changed(int a, unsigned int n)
{
	for (; n; n--)
		a = a * 3 + (int)n;
	return a;
}

FUNCTION long zoo_variadic(int n, ...)
{
	va_list ap;
	long sum = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(ap, int);
	va_end(ap);
	return sum;
}

/* Static functions may get other parameters than they are declared with. */

static FUNCTION long zoo_unused(int dead, int live, int dead_too, long last)
{
	sink += live;
	return last + seed;
}

static FUNCTION long zoo_always_seven(long a, int seven, long b)
{
	sink += a * seven + seven;
	return b + seven;
}

/* Constants whose highest bit is set in as many bytes as hold them. */
static FUNCTION long zoo_always_high(long a, int byte, int half, long word, int below)
{
	sink += byte + half;
	return word + below + a;
}

static FUNCTION long zoo_one_member(int before, const struct pair *p, int after)
{
	sink += before + after;
	return p->b;
}

static FUNCTION long zoo_by_value(struct big b, int after)
{
	sink += after;
	return b.l[1];
}

/* Only a part of it is kept, to force a call. */
static FUNCTION long zoo_partly(const struct pair *p, int n)
{
	if (!p)
		return -1;
	for (int i = 0; i < n; i++)
		sink += zoo_changed(p->a + i, 2) + zoo_pointers(words[0], p, NULL, NULL);
	return sink;
}

/* Many values that live across calls: the parameters move to callee-saved registers. */
static FUNCTION long zoo_calls(long a, long b, long c, long d, long e, long f)
{
	long x = zoo_changed((int)a, 2), y = zoo_changed((int)b, 3), z = zoo_changed((int)c, 1);

	sink += zoo_changed((int)f, 1) + x;
	return a + b * x + c * y + d * z + e + f;
}

static FUNCTION long zoo_many_static(long a, int dead, long c, long d, long e, long f, long g,
				     long h)
{
	long *volatile escaped = &h;

	sink += *escaped;
	return a + c + d + e + f + g + zoo_changed((int)h, 1);
}

/*
 * gcc with frame pointers has one location for p, for the whole function: the registers in which it
 * came. It overwrites the second one, because p.b is not used.
 */
struct half { long a; int b; };
struct tiny { signed char a; };

FUNCTION long zoo_freed(unsigned char a, long b, signed char c, int d, struct half p, struct tiny q,
			unsigned short e, long f)
{
	long sum = sink;

	sum += (long)a > 3 ? (long)a : 5;
	sum += b;
	sum += c;
	sum += (long)d > 3 ? (long)d : 5;
	sum += p.a;
	sum += q.a;
	sum += (long)e > 3 ? (long)e : 5;
	sum += f;
	sink = sum;
	sink = sum;
	return sum;
}

int main(void)
{
	long s = 0;

	for (int i = 1; i <= 3; i++) {
		int n = (int)(seed * i);

		s += zoo_ints((char)('a' + n), (short)(-2 * n), -70000 * n, -5l << (30 + n),
			      ~0ull / (unsigned)n, n & 1);
		s += zoo_unsigned((unsigned char)(250 + n), (unsigned short)(65000 + n),
				  4000000000u + (unsigned)n, ~0ul - (unsigned)n,
				  (enum color)(n % 3));
		s += zoo_many(n, n + 1, n + 2, n + 3, n + 4, n + 5, (short)-n, 1l << (40 + n), 'z');
		s += zoo_floats(n, 1.5 * n, -n, 2.5f, (unsigned char)n);
		s += zoo_structs(n, pairs[n], -n, (struct mixed){ 0.5 * n, 100 * n }, 7 * n,
				 (struct big){ { n, 2, 3, 4, 5 } }, 8 * n);
		s += zoo_bits((struct bits){ (unsigned int)n, 90000u + (unsigned int)n,
					     (enum color)(n % 3), -n, 1ul << (36 + n) },
			      (enum change)(n - 2), -n);
		s += zoo_spill(n, 2, 3 * n, 4, 5 * n, (union either){ n }, -n);
		s += zoo_large_result(n, words[n]).l[0];
		s += zoo_wide(n, (__int128)n << 70, 1.25L * n, -n);
		s += zoo_pointers(words[n], &pairs[n], NULL, (void *)&seed);
		s += zoo_escape(n, 1000 * n);
		s += zoo_changed(-n, (unsigned)n);
		s += zoo_variadic(n, 1, 2, 3);
		s += zoo_unused(n, 11 * n, 5, 13 * n);
		s += zoo_always_seven(n, 7, 17 * n);
		s += zoo_always_high(n, 255, 40000, 3000000000, -200);
		s += zoo_one_member(n, &pairs[n], 19 * n);
		s += zoo_by_value((struct big){ { n, n + 1 } }, 23 * n);
		s += zoo_partly(&pairs[n], n);
		s += zoo_freed(1, n, 2, 3, (struct half){ n + 1000, n + 2000 }, (struct tiny){ 4 },
			       6, n + 7);
		s += zoo_calls(n, 2 * n, 3 * n, 4 * n, 5 * n, 6 * n);
		s += zoo_many_static(n, 2, 3 * n, 4 * n, 5 * n, 6 * n, 7 * n, 8 * n);
	}
	printf("%ld\n", s + sink);
	return 0;
}
