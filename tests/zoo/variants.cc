// SPDX-License-Identifier: MIT
// std::optional and std::variant. What is passed is printed as trawl is to show it.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <variant>

struct Pair {
	int a;
	long b;
};

using Choice = std::variant<int, char, Pair>;
using Small = std::variant<int, float>;

__attribute__((noinline)) int zoo_optionals(std::optional<int> a, std::optional<double> b,
					    std::optional<Pair> c, std::optional<bool> d)
{
	asm volatile("" ::: "memory");
	return a.value_or(3) + (int)b.value_or(4) + (c ? c->a + (int)c->b : 0) + d.value_or(true);
}

__attribute__((noinline)) int zoo_variants(Choice a, Small b)
{
	asm volatile("" ::: "memory");
	return (int)a.index() * 10 + (a.index() == 2 ? std::get<2>(a).a : 0) +
	       (b.index() ? (int)std::get<1>(b) : std::get<0>(b));
}

static std::string text(std::optional<int> v)
{
	return v ? "value(" + std::to_string(*v) + ")" : "nullopt";
}

static std::string text(const Pair &p)
{
	return "Pair { a: " + std::to_string(p.a) + ", b: " + std::to_string(p.b) + " }";
}

static std::string text(const Choice &v)
{
	if (v.index() == 2)
		return "2(" + text(std::get<2>(v)) + ")";
	return v.index() ? "1(\"" + std::string(1, std::get<1>(v)) + "\")" :
			   "0(" + std::to_string(std::get<0>(v)) + ")";
}

static std::string text(const Small &v)
{
	return v.index() ? "1(" + std::to_string(std::get<1>(v)) + ")" :
			   "0(" + std::to_string(std::get<0>(v)) + ")";
}

int main(int argc, char **)
{
	int sum = 0;

	for (int i = 0; i < argc + 2; i++) {
		std::optional<int> a = i == 1 ? std::nullopt : std::optional<int>(i * -100);
		std::optional<double> b = i ? std::optional<double>(i * 0.5) : std::nullopt;
		std::optional<Pair> c =
			i == 2 ? std::nullopt : std::optional<Pair>(Pair{i, i + 5L});
		std::optional<bool> d = i == 0 ? std::nullopt : std::optional<bool>(i == 1);
		Choice e = i == 0   ? Choice(i + 7)
			   : i == 1 ? Choice('x')
				    : Choice(Pair{i, 1L << 40});
		Small f = i == 1 ? Small(i + 9) : Small((float)i + 0.25f);

		std::printf("zoo_optionals %s %s %s %s\n", text(a).c_str(),
			    b ? ("value(" + std::to_string(*b) + ")").c_str() : "nullopt",
			    c ? ("value(" + text(*c) + ")").c_str() : "nullopt",
			    d ? *d ? "value(true)" : "value(false)" : "nullopt");
		sum += zoo_optionals(a, b, c, d);
		std::printf("zoo_variants %s %s\n", text(e).c_str(), text(f).c_str());
		sum += zoo_variants(e, f);
	}
	std::printf("%d\n", sum);
}
