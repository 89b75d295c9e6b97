// SPDX-License-Identifier: MIT
// Parts of parameters and results, also behind pointers: tests/zoo/parts.py.
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#define KEEP __attribute__((noinline))
#define NOT_EMPTY __asm__ volatile("" ::: "memory")

struct base { int id; std::string label; };
struct line { std::string name; std::string_view note; int n; };
struct cart : base {
	line first, *ptr;
	std::vector<line> lines;
	const std::string &ref;
	std::optional<std::string> opt;

	cart(line *p, const std::string &r) : ptr(p), ref(r) {}
};

KEEP int look(const cart &c, line l, cart *p)
{
	NOT_EMPTY;
	return c.id + l.n + !p;
}

KEEP int varied(std::variant<int, std::string> v)
{
	NOT_EMPTY;
	return v.index();
}

KEEP int odd(int line::*m, int (std::string::*f)(char *), _Complex double z)
{
	NOT_EMPTY;
	return !m + !f + (int)__real__ z;
}

KEEP std::string text(int n)
{
	NOT_EMPTY;
	return std::string(n, 'x');
}

KEEP line whole(int n)
{
	NOT_EMPTY;
	return line{std::string(n, 'y'), "note", n};
}

namespace {
struct counted { static int all; int n; bool is, first : 1, second : 1; char c; };
int counted::all = 7;

KEEP counted hidden(counted c, counted *p)
{
	NOT_EMPTY;
	return counted{c.n + p->n + counted::all, true, c.first, c.second, 'y'};
}
}

namespace q {
KEEP int over(int a) { NOT_EMPTY; return a; }
KEEP int over(double d) { NOT_EMPTY; return d; }
KEEP int over(char c) { NOT_EMPTY; return c; }
}

int main()
{
	std::string r = "referred to, and longer than sixteen bytes";
	line l{"a line", "a note", 3};
	cart c(&l, r);
	counted other{5, true, false, true, 'z'};
	int sum = 0;

	c.id = 7;
	c.label = "a label";
	c.first = {"the first, and longer than sixteen bytes", "n", 1};
	c.lines = {l, c.first};
	c.opt = "optional";
	for (int i = 0; i < 2; i++) {
		look(c, l, i ? &c : nullptr);
		varied(i ? std::variant<int, std::string>("varied") : 5);
		sum += odd(&line::n, nullptr, i);
		text(20 * i);
		whole(20 * i);
		sum += hidden(counted{i, true, true, false, 'x'}, &other).n;
		q::over(1) + q::over(2.5) + q::over('c');
	}
	return sum < 0;
}
