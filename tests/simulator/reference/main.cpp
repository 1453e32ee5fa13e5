// Runs a model on the CPU's engine and on the reference, the plainest executor of the page that
// says what a step is (simulator/step): spikes and samples must be the same bytes. Tells how far
// the doubles of a step lie from long doubles that begin it with equal numbers.
//
//     reference_form MODEL DURATION [SETTING...]

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/simulator/cuda/host_form/runs.hpp"
#include "tests/simulator/reference/roundoff.hpp"

namespace {

using namespace hillock;
using simulator::reference::Difference;

simulator::MemorySink run(const command::LoadedModel& model, simulator::Backend backend) {
  simulator::MemorySink sink =
      simulator::simulate(model.network, host_form::options_for(model, backend));
  host_form::sort_by_cell(sink);
  return sink;
}

/// Tells how far some numbers are off, which must be within their bounds, and mostly by little.
void check_difference(const char* what, const Difference& is) {
  if (is.numbers == 0) return;
  fmt::print(", {} by up to {:.3g} epsilons {} (of the bound {:.2g}; {} of {} by more than {})",
             what, is.epsilons, is.of, is.of_bound, is.far, is.numbers, Difference::few_epsilons);
  if (is.of_bound > 1 || is.far * 1000 > is.numbers)
    throw std::runtime_error(fmt::format("{} are too far off", what));
}

void check(const std::string& file, const std::vector<std::string>& settings) {
  const command::LoadedModel model = host_form::load(file, settings);
  const simulator::MemorySink wanted = run(model, simulator::Backend::cpu);
  const simulator::MemorySink is = run(model, simulator::Backend::cuda);
  if (host_form::difference(is, wanted, 0) != 0) throw std::runtime_error("other numbers");
  std::size_t samples = 0;
  for (const auto& report : wanted.reports) samples += report.size();
  const auto& roundoff = simulator::reference::roundoff();
  fmt::print("{}: {} spikes, {} samples; in {} steps of a cell", file, wanted.all_spikes.size(),
             samples, roundoff.steps());
  check_difference("voltages", roundoff.voltages());
  check_difference("variables", roundoff.variables());
  fmt::print("\n");
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("reference_form MODEL DURATION [SETTING...]\n", stderr);
    return 2;
  }
  std::vector<std::string> settings(arguments + 3, arguments + count);
  settings.push_back(fmt::format("run.duration={}", arguments[2]));
  try {
    check(arguments[1], settings);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}: {}\n", arguments[1], failure.what());
    return 1;
  }
  return 0;
}
