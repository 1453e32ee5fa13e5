// Derivatives of runs along directions, beside those that cells of the reference have in numbers
// with a slope (docs/gradients.md).
//
//     tangents FOLDER < CASES
//
// FOLDER keeps what is compiled of models' own mechanisms. A case is
//
//     case SEED MODEL         the weights of samples are drawn; MODEL is a file of one cell
//     value PATH NUMBER D...  what it has, and its share of each direction
//     end
//
// For each direction comes a line "SEED DIRECTION" and the derivative by the reference, by
// DerivedRun, by the numbers that the cell begins with, by the reference rounded to doubles (to the
// nearest or upwards, whichever is farther off), by differences of fourth order of the reference,
// and the sizes of the third and second: the length of the vectors of products that they are sums
// of. What is refused is told in place of it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "network/events.hpp"
#include "simulator/session/derived_run.hpp"
#include "tests/simulator/networks.hpp"
#include "tests/simulator/tangents/tangent.hpp"

namespace {

using namespace hillock;
using namespace hillock::simulator::reference;
using simulator::taped::TapedEngine;

struct Case {
  std::uint64_t seed = 0;
  std::string model;
  session::ModelValues values;
  std::vector<std::vector<double>> directions;  ///< [value][direction]
};

simulator::Activity activity;
const session::Listener listener{activity, [](const std::string&) {}};

session::ModelSource source_of(const Case& one, std::size_t direction, double steps) {
  session::ModelSource source;
  source.file = one.model;
  for (std::size_t k = 0; k < one.values.size(); ++k)
    source.overrides.push_back(
        {one.values[k].first,
         fmt::format("{}", one.values[k].second + steps * one.directions[k][direction]), true});
  return source;
}

/// A run that is taped, or only begun.
struct Taped {
  Taped(const session::ModelSource& source, bool is_only_begun)
      : model(load_model(source, session::OwnMechanisms::loaded, session::Use::run, listener)),
        taping{.is_only_begun = is_only_begun} {
    simulator::SimulationOptions options;
    options.mechanisms = model.mechanisms;
    options.taping = &taping;
    simulation = std::make_unique<simulator::Simulation>(model.network, options);
    if (begun().cells.size() != 1) throw std::runtime_error("a case is one cell");
  }
  const TapedEngine::Begun& begun() const { return taping.engine->begun().at(0); }

  session::LoadedModel model;
  simulator::Taping taping;
  std::unique_ptr<simulator::Simulation> simulation;
};

/// What a run begins with: its cell's numbers, then weights of connections.
std::vector<double> numbers_of(const TapedEngine::Begun& begun) {
  std::vector<double> all;
  const auto add = [&](const std::vector<double>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  for_beginning(begun.cells.front(), add);
  for (const auto& table : begun.tables) add(table.weights);
  return all;
}

/// The same of derivatives; 0 of what none is told of.
std::vector<double> numbers_of(const TapedEngine::RangeDerivatives& by,
                               const simulator::begin::BegunCell& cell) {
  std::vector<double> all;
  const auto add = [&](const std::vector<double>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  const simulator::taped::CellDerivatives& its = by.cells.front();
  add(its.v_mV);
  add(its.coupling_uS);
  add(its.capacity_uS);
  for (const auto& ion : its.ions)
    for (const auto* list : {&ion.reversal_mV, &ion.inside_mM, &ion.outside_mM}) add(*list);
  for (std::size_t b = 0; b < cell.blocks.size(); ++b)
    for (const std::vector<double>& column : its.columns[b])
      add(column.empty() ? std::vector<double>(cell.blocks[b].rows.size()) : column);
  for (const std::vector<double>& weights : by.weights) add(weights);
  return all;
}

/// As long as it lives, long doubles are rounded to a double's digits, where a processor can.
class InDoubles {
 public:
  enum class Rounding { nearest = 0, upwards = 0x800 };
  explicit InDoubles(Rounding rounding) {
    set((was_ & ~0xf00) | 0x200 | static_cast<int>(rounding));
  }
  ~InDoubles() { set(was_); }

 private:
#if defined(__x86_64__)
  static unsigned short get() {
    unsigned short word;
    asm volatile("fnstcw %0" : "=m"(word));
    return word;
  }
  static void set(int to) {
    const auto word = static_cast<unsigned short>(to);
    asm volatile("fldcw %0" : : "m"(word));
  }
#else
  static unsigned short get() {
    return 0;
  }
  static void set(int) {}
#endif
  const unsigned short was_ = get();
};

constexpr double step = 3e-4;  ///< of a difference; a direction is about as long as the values

/// How the beginning changes along a direction, by differences of fourth order.
std::vector<double> slopes_along(const Case& one, std::size_t direction) {
  const auto at = [&](double steps) {
    return numbers_of(Taped(source_of(one, direction, steps * step), true).begun());
  };
  const std::vector<double> far = at(2), near = at(1), behind = at(-1), far_behind = at(-2);
  std::vector<double> slopes;
  for (std::size_t n = 0; n < near.size(); ++n)
    slopes.push_back((8 * (near[n] - behind[n]) - (far[n] - far_behind[n])) / (12 * step));
  return slopes;
}

/// What arrives at the cell, of which one mechanism alone has events; slopes: at those of weights.
std::vector<Event<Dual>> events_of(const TapedEngine::Begun& begun, double dt_ms,
                                   const double* slopes, long double ahead, long double slope) {
  const simulator::begin::BegunCell& cell = begun.cells.front();
  std::vector<Event<Dual>> events;
  for (network::DrivenCell driven : begun.trains) {
    std::size_t block = cell.blocks.size();
    for (std::size_t b = 0; b < cell.blocks.size(); ++b)
      if (cell.blocks[b].mechanism->info->receives_events) {
        if (block < cell.blocks.size()) throw std::runtime_error("two mechanisms have events");
        block = b;
      }
    const TapedEngine::Connections& table = begun.tables.at(driven.table);
    for (; std::isfinite(driven.train.next_ms()); driven.train.advance())
      for (std::size_t e = 0; e < table.weights.size(); ++e) {
        const double time_ms = driven.train.next_ms() + driven.delay_ms;
        events.push_back({network::arrival_step(time_ms, dt_ms), time_ms,
                          Dual(table.weights[e] + ahead * slopes[e], slope * slopes[e]), block,
                          table.instances[e]});
      }
  }
  return events;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  long double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n)
    if (a[n] != 0) sum += static_cast<long double>(a[n]) * b[n];
  return static_cast<double>(sum);
}
double length(const std::vector<double>& a, const std::vector<double>& b) {
  long double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n)
    if (a[n] != 0) sum += std::pow(static_cast<long double>(a[n]) * b[n], 2);
  return static_cast<double>(std::sqrt(sum));
}

void check(const Case& one) {
  // With no step of a direction: the values as they are.
  Taped taped(source_of(one, 0, 0), false);
  simulator::MemorySink sink;
  taped.simulation->run(sink, [](const simulator::Progress&) {});
  std::mt19937_64 random(one.seed);
  session::DerivedRun::ByOutput by;
  std::vector<simulator::taped::SampleDerivatives> samples;
  for (std::size_t r = 0; r < sink.reports.size(); ++r) {
    const auto& report = sink.reports[r];
    double largest = 0;
    for (const double number : report) largest = std::max(largest, std::abs(number));
    auto& its = by.samples.emplace_back();
    for (std::size_t i = 0; i < report.size(); ++i)
      its.push_back(std::normal_distribution()(random) / (largest > 0 ? largest : 1));
    samples.push_back({its.data(), taped.simulation->reports()[r].index_pointers.back()});
  }
  const session::DerivedRun derived(source_of(one, 0, 0), one.values, simulator::Backend::cpu,
                                    ~std::size_t{0}, 1, listener, [] {});
  const std::vector<double> gradient = derived.by_beginning(by, listener).values;
  const TapedEngine::Begun& begun = taped.begun();
  const simulator::begin::BegunCell& cell = begun.cells.front();
  const std::vector<double> by_beginning =
      numbers_of(taped.taping.engine->undo(samples, {}).front(), cell);
  const simulator::RunConstants& run = taped.taping.engine->run();
  for (std::size_t d = 0; d < one.directions.front().size(); ++d) {
    std::vector<double> direction;
    for (const auto& shares : one.directions) direction.push_back(shares[d]);
    const std::vector<double> slopes = slopes_along(one, d);
    std::size_t weights = 0;
    for (const auto& table : begun.tables) weights += table.weights.size();
    const auto at = [&](long double ahead, long double slope) {
      Tangent tangent(cell, run, slopes, ahead, slope, samples);
      return tangent.run(
          events_of(begun, run.dt_ms, slopes.data() + (slopes.size() - weights), ahead, slope));
    };
    const auto tangent = static_cast<double>(at(0, 1).slope);
    double differences = INFINITY;
    for (const long double h : {3e-4L, 3e-5L}) {  // a large step misses, a small one rounds
      const auto found = static_cast<double>(
          (8 * (at(h, 0).value - at(-h, 0).value) - (at(2 * h, 0).value - at(-2 * h, 0).value)) /
          (12 * h));
      if (std::abs(found - tangent) < std::abs(differences - tangent)) differences = found;
    }
    double rounded = tangent;
    for (const auto rounding : {InDoubles::Rounding::nearest, InDoubles::Rounding::upwards}) {
      const InDoubles precision(rounding);
      const auto found = static_cast<double>(at(0, 1).slope);
      if (std::abs(found - tangent) > std::abs(rounded - tangent)) rounded = found;
    }
    fmt::print("{} {} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.3g} {:.3g}\n", one.seed, d,
               tangent, product(gradient, direction), product(by_beginning, slopes), rounded,
               differences, length(by_beginning, slopes), length(gradient, direction));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("tangents FOLDER < CASES\n", stderr);
    return 2;
  }
  keep_own_laws(arguments[1]);
  Case one;
  for (std::string line, word; std::getline(std::cin, line);) {
    std::istringstream words(line);
    words >> word;
    if (word == "case") {
      one = {};
      words >> one.seed >> one.model;
    } else if (word == "value") {
      auto& [path, number] = one.values.emplace_back();
      words >> path >> number;
      auto& shares = one.directions.emplace_back();
      for (double share = 0; words >> share;) shares.push_back(share);
    } else if (word == "end") {
      try {
        check(one);
      } catch (const std::exception& problem) {
        const std::string why = problem.what();
        fmt::print("{} refused: {}\n", one.seed, why.substr(0, why.find('\n')));
      }
      std::fflush(stdout);
    }
  }
  return 0;
}
