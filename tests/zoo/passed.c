/* SPDX-License-Identifier: MIT */
/*
 * Parameters next to values that are passed in special places: packed structs, floating-point
 * numbers of unusual formats, wide vectors, complex numbers. With -pg the first instructions call
 * mcount(), so that only the calling convention tells where the parameters are.
 */
#include <stdio.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline))

typedef float wide_vector __attribute__((vector_size(32)));
typedef char small_vector __attribute__((vector_size(4)));

struct __attribute__((packed)) packed { char c; long l; };
struct __attribute__((packed)) aligned { short s; char c[2]; int i; };
struct __attribute__((packed)) bits { unsigned int a : 30; unsigned long b : 40; };
struct extended { long double x; };
union either { long double x; int i; };
struct wide { wide_vector v; };
struct quad { __int128 i; };

volatile long seed = 3, sink;
volatile double half = 0.5;

#define REST int n, long a, long b, long c, long d, long e, long f
#define REST_OF(i) (i) + 10, (i) + 20, 2, 3, 4, 5, 6
#define USE_REST sink += n + a + b + c + d + e + f

FUNCTION struct packed zoo_gives_packed(int n) { return (struct packed){ (char)n, seed }; }
FUNCTION struct bits zoo_gives_bits(int n) { return (struct bits){ 1, (unsigned long)(n + seed) }; }
FUNCTION struct extended zoo_gives_extended(int n) { return (struct extended){ n + half }; }
FUNCTION union either zoo_gives_either(int n) { return (union either){ n + half }; }
FUNCTION long zoo_packed(struct packed p, REST) { USE_REST; return p.l; }
FUNCTION long zoo_aligned(struct aligned p, REST) { USE_REST; return p.i; }
FUNCTION long zoo_bits(struct bits p, REST) { USE_REST; return (long)p.b; }
FUNCTION long zoo_extended(struct extended p, REST) { USE_REST; return (long)p.x; }
FUNCTION long zoo_quad(long z, struct quad p, REST) { USE_REST; return (long)p.i + z; }
FUNCTION long zoo_complex(_Complex double p, REST) { USE_REST; return (long)p; }
FUNCTION long zoo_float128(__float128 p, REST) { USE_REST; return (long)p; }
FUNCTION long zoo_small(small_vector p, REST) { USE_REST; return p[1]; }

/* The complex number is on the stack, aligned as its parts are. */
FUNCTION long zoo_stack(double d0, double d1, double d2, double d3, double d4, double d5, double d6,
			double d7, REST, _Complex double p, long z)
{
	USE_REST;
	sink += (long)(d0 + d1 + d2 + d3 + d4 + d5 + d6 + d7);
	return (long)p + z;
}

/* clang before 18 does not align it on the stack, and may pass half of it in a register. */
FUNCTION long zoo_int128_on_stack(REST, __int128 p, long z)
{
	USE_REST;
	return (long)p + z;
}

FUNCTION long zoo_int128_halved(long a, long b, long c, long d, long e, __int128 p, long z)
{
	sink += a + b + c + d + e;
	return (long)p + z;
}

#ifdef __clang__
/* Passed as two numbers of 64 bits. */
FUNCTION long zoo_bitint(REST, _BitInt(128) p, long z)
{
	USE_REST;
	return (long)p + z;
}

static long of_clang(int n)
{
	return zoo_bitint(REST_OF(n), n, n + 60);
}
#else
#define of_clang(n) 0
#endif

#ifdef __GNUC__
#ifndef __clang__
FUNCTION _Decimal64 zoo_gives_decimal(int n) { return n + (_Decimal64)seed; }
FUNCTION long zoo_decimal(_Decimal64 p, REST) { USE_REST; return (long)p; }
FUNCTION long zoo_half(_Float16 p, REST) { USE_REST; return (long)(float)p; }

static long of_gcc(int n)
{
	return (long)zoo_gives_decimal(n) + zoo_decimal(n, REST_OF(n)) +
	       zoo_half((_Float16)half, REST_OF(n));
}
#else
static long of_gcc(int n) { return n; }
#endif
#endif

#define AVX __attribute__((target("avx")))

FUNCTION AVX wide_vector zoo_gives_wide(int n) { return (wide_vector){ (float)n }; }
FUNCTION AVX long zoo_wide(struct wide p, REST) { USE_REST; return (long)p.v[0]; }

static AVX long of_avx(int n)
{
	return (long)zoo_gives_wide(n)[0] + zoo_wide((struct wide){ { (float)n } }, REST_OF(n));
}

int main(void)
{
	long sum = 0;

	for (volatile int i = 1; i <= 3; i++) {
		int n = i;

		sum += zoo_gives_packed(n).l + (long)zoo_gives_bits(n).b;
		sum += (long)zoo_gives_extended(n).x + (long)zoo_gives_either(n).x;
		sum += zoo_packed((struct packed){ 1, n }, REST_OF(n));
		sum += zoo_aligned((struct aligned){ 1, { 2, 3 }, n }, REST_OF(n));
		sum += zoo_bits((struct bits){ 1, (unsigned long)n }, REST_OF(n));
		sum += zoo_extended((struct extended){ n }, REST_OF(n));
		sum += zoo_quad(7, (struct quad){ n }, REST_OF(n));
		sum += zoo_complex(n, REST_OF(n)) + zoo_float128(n, REST_OF(n));
		sum += zoo_small((small_vector){ 1, 2 }, REST_OF(n));
		sum += zoo_stack(1, 2, 3, 4, 5, 6, 7, 8, REST_OF(n), n, n + 30);
		sum += zoo_int128_on_stack(REST_OF(n), n, n + 40);
		sum += zoo_int128_halved(1, 2, 3, 4, 5, n, n + 50);
		sum += of_gcc(n) + of_clang(n);
		if (__builtin_cpu_supports("avx"))
			sum += of_avx(n);
	}
	printf("%ld %ld\n", sum, sink);
	fflush(stdout);
	_exit(0); /* -pg writes a file at an ordinary end */
}
