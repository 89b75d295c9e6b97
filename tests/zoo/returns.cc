/* SPDX-License-Identifier: MIT */
/* Returns of C++: exceptions through probed frames, classes in registers and in memory. */
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#define FUNCTION __attribute__((noinline))

struct plain { long a, b; };
struct counted {
	long *n;
	explicit counted(long *n) : n(n) {}
	counted(const counted &o) : n(o.n) { ++*n; }
	~counted() { --*n; }
};

/* Copied as bytes, although it declares how it is copied; what has one is, too. */
struct defaulted {
	int x;
	defaulted() = default;
	defaulted(const defaulted &) = default;
	~defaulted() = default;
};
struct deriving : defaulted { int y; };
/* Not copied as bytes, because a member is not. */
struct holding { counted of; };

volatile long seed = 1;
long copies;

extern "C" {
FUNCTION int ret_throws(int n)
{
	if (n % 3 == 0)
		throw std::runtime_error("thrown");
	return n * 2;
}

FUNCTION int ret_cleans(int n)
{
	std::string s(size_t(n) * 20, 'x');

	return ret_throws(n) + int(s.size());
}

FUNCTION int ret_passes(int n)
{
	return ret_cleans(n) + int(seed);
}

FUNCTION int ret_catches(int n)
{
	try {
		return ret_passes(n);
	} catch (const std::exception &e) {
		return -n;
	}
}

FUNCTION int ret_rethrows(int n)
{
	try {
		return ret_passes(n);
	} catch (const std::exception &) {
		if (n > 5)
			throw;
		return 5;
	}
}
}

/* Nobody can tell where this one goes: it is not followed, and an exception may pass it by. */
__asm__(".text\n.globl odd_jump\n.type odd_jump, @function\nodd_jump:\n.cfi_startproc\n"
	"push %rbx\n.cfi_def_cfa_offset 16\njmp *%rdi\n"
	"pop %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size odd_jump, . - odd_jump\n");

FUNCTION plain ret_plain(int n) { return { n, seed }; }
FUNCTION counted ret_counted(int n) { copies += n; return counted(&copies); }
FUNCTION defaulted ret_defaulted(int n) { defaulted d; d.x = n + int(seed); return d; }
FUNCTION deriving ret_deriving(int n) { deriving d; d.x = n; d.y = -n; return d; }
FUNCTION holding ret_holding(int n) { copies += n; return { counted(&copies) }; }
FUNCTION std::pair<int, long> ret_pair(int n) { return { n, seed }; }
FUNCTION std::string ret_string(int n) { return std::string(size_t(n), 's'); }
FUNCTION std::unique_ptr<int> ret_unique(int n) { return std::make_unique<int>(n); }
FUNCTION const std::string &ret_reference(const std::string &s) { return s; }

int main()
{
	long sum = 0;

	for (int i = 1; i <= 9; i++) {
		sum += ret_catches(i);
		try {
			sum += ret_rethrows(i);
		} catch (const std::exception &) {
			sum -= 100;
		}
		sum += ret_plain(i).a + *ret_counted(i).n + long(ret_string(i).size()) +
		       *ret_unique(i);
		sum += ret_defaulted(i).x + ret_deriving(i).y + *ret_holding(i).of.n +
		       ret_pair(i).second;
		sum += long(ret_reference(std::to_string(i)).size());
	}
	std::printf("%ld %ld\n", sum, copies);
	return 18;
}
