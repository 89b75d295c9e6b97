// SPDX-License-Identifier: MIT
// Results of D. Prints each result as printed.py reads it: NAME, and the fields in JSON.
import core.stdc.stdio;

enum Color : ubyte { red, green, blue }
struct Pair { int x; long y; }
struct Big { long[4] v; }

extern (C):
pragma(inline, false) int ret_int(int a, int b) { return a * b; }
pragma(inline, false) ubyte ret_ubyte(int n) { return cast(ubyte)(n * 50); }
pragma(inline, false) byte ret_byte(int n) { return cast(byte)(n * -25); }
pragma(inline, false) ulong ret_ulong(ulong q) { return q - 1; }
pragma(inline, false) long ret_long(long q) { return q * -3; }
pragma(inline, false) bool ret_bool(int n) { return (n & 1) != 0; }
pragma(inline, false) Color ret_enum(int n) { return cast(Color)(n % 3); }
pragma(inline, false) wchar ret_wchar(int n) { return cast(wchar)(0x3b0 + n); }
extern (D):
pragma(inline, false) int ret_d_int(int a, int b) { return a - b * 10; }
pragma(inline, false) string ret_string(int n) { return "abcdef"[0 .. n]; }
pragma(inline, false) Pair ret_pair(int n) { return Pair(n, -n); }
pragma(inline, false) Big ret_big(int n) { return Big([n, 2, 3, 4]); }
pragma(inline, false) double ret_double(int n) { return n + 0.5; }
pragma(inline, false) real ret_real(int n) { return n; }

class Counter
{
	int k = 7;
	pragma(inline, false) long ret_method(int n) { return k += n; }
}

void told(const char* name, long value) { printf("%s {\"retval\": %ld}\n", name, value); }

void main()
{
	auto counter = new Counter;
	foreach (n; 1 .. 6) {
		told("ret_int", ret_int(n, -7));
		told("ret_ubyte", ret_ubyte(n));
		told("ret_byte", ret_byte(n));
		printf("ret_ulong {\"retval\": %lu}\n", ret_ulong(0));
		told("ret_long", ret_long(cast(long)n << 40));
		printf("ret_bool {\"retval\": %s}\n", ret_bool(n) ? "true".ptr : "false".ptr);
		told("ret_enum", ret_enum(n));
		told("ret_wchar", ret_wchar(n));
		told("ret_d_int", ret_d_int(n, 3));
		auto s = ret_string(n);
		printf("ret_string {\"retval\": \"%.*s\"}\n", cast(int)s.length, s.ptr);
		auto p = ret_pair(n);
		printf("ret_pair {\"retval.x\": %d, \"retval.y\": %ld}\n", p.x, p.y);
		told("ret_big", ret_big(n).v[0]);
		printf("ret_double {\"retval\": %.1f}\n", ret_double(n));
		printf("ret_real {\"retval\": %.1f}\n", cast(double)ret_real(n));
		told("ret_method", counter.ret_method(n));
	}
}
