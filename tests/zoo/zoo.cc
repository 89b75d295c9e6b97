// SPDX-License-Identifier: MIT
// What C++ adds: objects by reference and by value, this, strings, templates.
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#define FUNCTION __attribute__((noinline))

volatile long seed = 1, sink;
static const char *const words[] = { "zero", "one", "two",
	"a text that is longer than fits into a std::string itself" };

struct Base {
	long value;
	explicit Base(long v) : value(v) {}
	virtual ~Base() {}
	virtual long zoo_virtual(int by) { return value * by; }
	FUNCTION long zoo_method(int by, short too) const { return value + by + too; }
	static FUNCTION long zoo_static(long a, char b) { return a + b; }
};

struct Derived : Base {
	explicit Derived(long v) : Base(v) {}
	FUNCTION long zoo_virtual(int by) override { return value - by; }
};

static Derived objects[] = { Derived(1), Derived(2), Derived(3), Derived(4) };
static long numbers[] = { 5, 6, 7, 8 };

FUNCTION long zoo_string(const std::string &s, int n)
{
	return static_cast<long>(s.size()) + n;
}

FUNCTION long zoo_string_value(std::string s, int n)
{
	return s[0] + n;
}

FUNCTION long zoo_view(int n, std::string_view v)
{
	return v[0] + n;
}

FUNCTION long zoo_unique(std::unique_ptr<long> p, int n)
{
	return *p + n;
}

FUNCTION long zoo_reference(long &r, const int &c, int &&rr)
{
	return r + c + rr;
}

template <typename T> FUNCTION T zoo_template(T a, T b)
{
	return static_cast<T>(a * 2 + b);
}

namespace {
enum class Kind : unsigned char { one = 1, two, three };

FUNCTION long zoo_hidden(int dead, Kind kind, bool flag, long last)
{
	sink = sink + static_cast<int>(kind) + flag;
	return last;
}

FUNCTION long zoo_promoted(const long &only_read, int n)
{
	sink = sink + n;
	return only_read;
}
}

struct Common { int first; long second; };
struct Diamond : virtual Common { int own; };

FUNCTION long zoo_virtual_base(Diamond d, int n)
{
	sink += n;
	return d.second + d.own;
}

int main()
{
	static const int constants[] = { 100, 200, 300, 400 };
	long s = 0;

	for (int i = 1; i <= 3; i++) {
		int n = static_cast<int>(seed * i);
		Base *b = &objects[n];
		std::string text(words[n]);

		s += b->zoo_virtual(n) + b->zoo_method(-n, static_cast<short>(n * 2));
		s += Base::zoo_static(n, static_cast<char>('A' + n));
		s += zoo_string(text, n) + zoo_string_value(text, -n);
		s += zoo_view(n, std::string_view(words[n], 2));
		s += zoo_unique(std::make_unique<long>(n), n);
		s += zoo_reference(numbers[n], constants[n], n + 1);
		s += zoo_template<int>(n, 2 * n) + zoo_template<short>(static_cast<short>(-n), 3);
		s += static_cast<long>(zoo_template<double>(n, 0.5));
		s += zoo_hidden(n, static_cast<Kind>(n), n & 1, 31 * n);
		s += zoo_promoted(numbers[n], 37 * n);

		Diamond derived;
		derived.first = n;
		derived.second = 5 + n;
		derived.own = 10 + n;
		s += zoo_virtual_base(derived, n);
	}
	std::printf("%ld\n", s + sink);
	return 0;
}
