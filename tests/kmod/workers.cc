// SPDX-License-Identifier: MIT
// Threads that share work, throw and catch.
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::map<std::string, int> counts;

static int divide(int a, int b)
{
	if (!b)
		throw std::runtime_error("division by " + std::to_string(b));
	return a / b;
}

static void work(int n)
{
	for (int i = 0; i < 20; i++) {
		std::string word;
		try {
			word = "result " + std::to_string(divide(n * i, i % 3));
		} catch (const std::exception &e) {
			word = e.what();
		}
		std::lock_guard<std::mutex> guard(mutex);
		counts[word]++;
	}
}

int main()
{
	std::vector<std::thread> threads;

	for (int n = 0; n < 4; n++)
		threads.emplace_back(work, n);
	for (auto &t : threads)
		t.join();
	for (const auto &c : counts)
		std::cout << c.first << ": " << c.second << "\n";
	return 0;
}
