/* SPDX-License-Identifier: MIT */
/*
 * Functions with every kind of parameter, to be traced by name: params calls each once and
 * prints what `uprobe:params:FUNCTION $params` must show, as samples/forms does.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A sanitizer moves parameters: then the debug information has no place for them at the entry. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define WHOLE __attribute__((noipa, no_sanitize("address", "undefined")))
#else
#define WHOLE __attribute__((noinline, no_sanitize("address", "undefined")))
#endif

enum color { RED, GREEN, BLUE };
typedef const char *text;
struct pair { int32_t a, b; };            /* one integer register */
struct mixed { double d; long l; };       /* one of each */
struct big { long l[5]; };                /* the stack */
struct floats { float x, y; };            /* one vector register */
union either { int i; char bytes[12]; };  /* two integer registers */
struct bits { unsigned int lo : 3, hi : 30; uint64_t more : 40; };

long params_ints(signed char a, unsigned short b, int c, unsigned long d, int64_t e, bool f);
long params_stack(int a, int b, int c, int d, int e, int f, short g, long h, char i);
long params_floats(int a, double b, long c, float d, unsigned char e);
long params_structs(int a, struct pair b, int c, struct mixed d, int e, struct big f, int g,
		    struct floats h, int i);
long params_spill(long a, long b, long c, long d, long e, union either f, long g);
struct big params_hidden(int a, text b);
long params_types(enum color a, text b, const struct pair *const *c, struct bits d, int e,
		  void (*f)(int));
long params_wide(int a, __int128 b, int c, __int128 d, int e, int f);
long params_long_double(long double a, int b, long double c, int d);
int params_names(int größe, int gräße, int common_pid,
		 int a_parameter_whose_name_the_kernel_has_no_room_for);
double params_double(int a);

WHOLE long params_ints(signed char a, unsigned short b, int c, unsigned long d, int64_t e, bool f)
{
	return (a + b + c) ^ (long)d ^ e ^ f;
}

WHOLE long params_stack(int a, int b, int c, int d, int e, int f, short g, long h, char i)
{
	return a + b + c + d + e + f + g + h + i;
}

WHOLE long params_floats(int a, double b, long c, float d, unsigned char e)
{
	return a + (long)b + c + (long)d + e;
}

WHOLE long params_structs(int a, struct pair b, int c, struct mixed d, int e, struct big f, int g,
			  struct floats h, int i)
{
	return a + b.a + c + d.l + e + f.l[4] + g + (long)h.x + i;
}

WHOLE long params_spill(long a, long b, long c, long d, long e, union either f, long g)
{
	return a + b + c + d + e + f.i + g;
}

WHOLE struct big params_hidden(int a, text b)
{
	return (struct big){ { a, b[0] } };
}

WHOLE long params_types(enum color a, text b, const struct pair *const *c, struct bits d, int e,
			void (*f)(int))
{
	return (long)a + b[0] + (c != NULL) + d.lo + e + (f != NULL);
}

WHOLE long params_wide(int a, __int128 b, int c, __int128 d, int e, int f)
{
	return a + (long)b + c + (long)d + e + f;
}

WHOLE long params_long_double(long double a, int b, long double c, int d)
{
	return (long)a + b + (long)c + d;
}

WHOLE double params_double(int a)
{
	return a;
}

/* Names that a field of tracefs cannot have. */
WHOLE int params_names(int größe, int gräße, int common_pid,
		       int a_parameter_whose_name_the_kernel_has_no_room_for)
{
	return größe + gräße + common_pid + a_parameter_whose_name_the_kernel_has_no_room_for;
}

static void expect(const char *function, const char *fields)
{
	printf("{\"name\":\"params:params_%s\",\"fields\":{%s}}\n", function, fields);
}

int main(void)
{
	params_ints(-3, 65000, -70000, 1ul << 63, -5, true);
	expect("ints",
	       "\"a\":-3,\"b\":65000,\"c\":-70000,\"d\":9223372036854775808,\"e\":-5,\"f\":1");
	params_stack(1, 2, 3, 4, 5, -6, -7, -8, '9');
	expect("stack",
	       "\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":-6,\"g\":-7,\"h\":-8,\"i\":\"9\"");
	params_floats(1, 2.0, 3, 4.0f, 5);
	expect("floats", "\"a\":1,\"b\":null,\"c\":3,\"d\":null,\"e\":5");
	params_structs(1, (struct pair){ 2, -2 }, 3, (struct mixed){ 4.0, 4 }, 5,
		       (struct big){ { 6 } }, 7, (struct floats){ 8, 8 }, -9);
	expect("structs", "\"a\":1,\"b.a\":2,\"b.b\":-2,\"c\":3,\"d.d\":null,\"d.l\":4,\"e\":5,"
			  "\"f.l\":[6,0,0,0,0],\"g\":7,\"h.x\":null,\"h.y\":null,\"i\":-9");
	params_spill(1, 2, 3, 4, 5, (union either){ 6 }, -7);
	expect("spill", "\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":null,\"g\":-7");
	params_hidden(-1, "hidden");
	expect("hidden", "\"a\":-1");
	params_types(BLUE, "types", NULL, (struct bits){ .lo = 3 }, -5, NULL);
	expect("types", "\"a\":2,\"c\":0,\"d.lo\":3,\"d.hi\":0,\"d.more\":0,\"e\":-5,\"f\":0");
	params_wide(1, 2, 3, 4, 5, -6);
	expect("wide", "\"a\":1,\"b\":null,\"c\":3,\"d\":null,\"e\":5,\"f\":-6");
	params_long_double(1.0L, 2, 3.0L, 4);
	expect("long_double", "\"a\":null,\"b\":2,\"c\":null,\"d\":4");
	params_double(77);
	expect("double", "\"a\":77");
	params_names(1, 2, 3, 4);
	expect("names", "\"größe\":1,\"gräße\":2,\"common_pid_2\":3,"
			"\"a_parameter_whose_name_the_kernel_has_no_room_for\":4");
	return 0;
}
