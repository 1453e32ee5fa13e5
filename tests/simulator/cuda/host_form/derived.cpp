#include "tests/simulator/cuda/host_form/derived.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "simulator/session/derived_run.hpp"
#include "simulator/threads/activity.hpp"

namespace host_form {

namespace {

using namespace hillock;

struct Derived {
  std::vector<std::vector<double>> traces;  ///< [report]
  std::vector<double> spikes_ms;
  std::vector<double> by;  ///< [value]
  std::size_t bytes;
};

Derived derive(const session::ModelSource& source, const session::ModelValues& values,
               simulator::Backend backend, std::size_t most_bytes = ~std::size_t{0}) {
  simulator::Activity activity;
  const session::Listener listener{activity,
                                   [](const std::string& line) { fmt::print("{}\n", line); }};
  const session::DerivedRun run(source, values, backend, most_bytes, 2, listener, [] {});
  Derived derived{{}, {}, {}, run.tape_bytes()};
  session::DerivedRun::ByOutput output;
  for (std::size_t r = 0; r < run.reports().size(); ++r) {
    derived.traces.push_back(run.samples(r));
    std::vector<double>& by = output.samples.emplace_back();
    for (std::size_t k = 0; k < derived.traces.back().size(); ++k)
      by.push_back(std::sin(static_cast<double>(k + r)));
  }
  for (const auto& population : run.spikes())
    derived.spikes_ms.insert(derived.spikes_ms.end(), population.times_ms.begin(),
                             population.times_ms.end());
  derived.by = run.by_beginning(output, listener).values;
  const std::vector<double> again = run.by_beginning(output, listener).values;
  if (again != derived.by) throw std::runtime_error("derived again: other numbers");
  return derived;
}

/// Whether so many bytes are told to be too few.
bool refuses(const session::ModelSource& source, const session::ModelValues& values,
             std::size_t most_bytes) {
  try {
    derive(source, values, simulator::Backend::cuda, most_bytes);
  } catch (const UsageError& error) {
    return std::string(error.what()).find("to be gone back over") != std::string::npos;
  }
  return false;
}

/// The largest difference, relative to the largest number.
double away(const std::vector<double>& is, const std::vector<double>& wanted) {
  if (is.size() != wanted.size()) throw std::runtime_error("another number of numbers");
  double most = 0, largest = 1e-300;
  for (std::size_t i = 0; i < is.size(); ++i) {
    const double off = std::abs(is[i] - wanted[i]);
    if (!(off <= most)) most = off;
    largest = std::max(largest, std::abs(wanted[i]));
  }
  return most / largest;
}

}  // namespace

void check_derived(const std::string& file, const std::string& duration,
                   std::span<const std::string> values) {
  session::ModelValues moved;
  std::vector<io::Override> settings{{"run.duration", duration}};
  for (const std::string& value : values) {
    const std::size_t at = value.find('=');
    const std::string path = value.substr(0, at), text = value.substr(at + 1);
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc() && end == text.data() + text.size())
      moved.emplace_back(path, number);
    else
      settings.push_back({path, text});
  }
  for (const auto& [solver, most_off] : {std::pair{"exact", 1e-13}, std::pair{"auto", 1e-8}}) {
    session::ModelSource source{.file = file};
    source.overrides = settings;
    source.overrides.push_back({"run.solver", solver});
    const Derived cuda = derive(source, moved, simulator::Backend::cuda);
    if (!refuses(source, moved, cuda.bytes - 1))
      throw std::runtime_error("steps fit into fewer bytes than they take");
    const Derived cpu = derive(source, moved, simulator::Backend::cpu);
    double off = away(cuda.spikes_ms, cpu.spikes_ms);
    for (std::size_t r = 0; r < cpu.traces.size(); ++r)
      off = std::max(off, away(cuda.traces[r], cpu.traces[r]));
    double by_off = 0;
    for (std::size_t k = 0; k < cpu.by.size(); ++k)
      by_off = std::max(by_off, std::abs(cuda.by[k] - cpu.by[k]) / (std::abs(cpu.by[k]) + 1e-300));
    fmt::print(
        "{} solver {}: {} spikes, traces are off by {:.2g}, {} derivatives by {:.2g}; {} and {} "
        "bytes\n",
        file, solver, cpu.spikes_ms.size(), off, cpu.by.size(), by_off, cuda.bytes, cpu.bytes);
    if (!(off <= most_off) || !(by_off <= most_off)) throw std::runtime_error("other numbers");
  }
}

}  // namespace host_form
