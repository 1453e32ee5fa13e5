// Question: how much does a loop that touches no memory gain from a second core of this machine?
// Axes: 1 and 2 threads, the same work for each. Floor: multiply-adds in registers, nothing else.
// Prints the gain, 2 on an idle machine with two whole cores: what two threads of the engine can
// be measured against.

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

double spin(long rounds) {
  double a = 1, b = 2, c = 3, d = 4;
  for (long i = 0; i < rounds; ++i) {
    a = a * 0.999999 + 1e-6;
    b = b * 0.999998 + 1e-6;
    c = c * 0.999997 + 1e-6;
    d = d * 0.999996 + 1e-6;
  }
  return a + b + c + d;
}

double seconds(int threads, long rounds) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> sums(static_cast<std::size_t>(threads) * 64);  // a cache line or more apart
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < static_cast<std::size_t>(threads); ++t)
    running.emplace_back([&sums, t, rounds] { sums[t * 64] = spin(rounds); });
  for (auto& thread : running) thread.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  constexpr long rounds = 100'000'000;
  seconds(1, rounds / 10);
  const double one = seconds(1, rounds), two = seconds(2, rounds);
  std::printf("%.4f\n", 2 * one / two);
}
