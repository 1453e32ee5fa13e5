#pragma once
// A run, and derivatives of a number that comes of what it records, by values of its model. For
// Python.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/report.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/session/loaded_model.hpp"
#include "simulator/session/slopes.hpp"

namespace hillock::session {

class DerivedRun {
 public:
  /// Runs the model with these values. most_bytes: in which its steps are kept; those that do not
  /// fit are made again. heard: after each epoch; may throw to stop. Throws what reading and
  /// running throw; UsageError where the model has what is not derived, by name, or too few bytes
  /// are given.
  /// backend: that has the steps.
  DerivedRun(const ModelSource& source, ModelValues values, simulator::Backend backend,
             std::size_t most_bytes, int threads, const Listener& listener,
             const std::function<void()>& heard);
  ~DerivedRun();
  DerivedRun(const DerivedRun&) = delete;
  DerivedRun& operator=(const DerivedRun&) = delete;

  const models::Network& network() const;
  const std::vector<models::ReportLayout>& reports() const;
  /// [sample · columns + column]
  const std::vector<double>& samples(std::size_t report) const;
  std::size_t tape_bytes() const;

  /// Those that are recorded of a population, by time and then by cell.
  struct RecordedSpikes {
    std::string population;
    std::vector<double> times_ms;
    std::vector<std::uint64_t> nodes;
    std::vector<std::size_t> numbers;  ///< among all of the run
  };
  const std::vector<RecordedSpikes>& spikes() const;

  /// A number's derivatives by what the run gives; of what is empty they are 0.
  struct ByOutput {
    std::vector<std::vector<double>> samples;  ///< [report], laid out as samples()
    std::vector<std::vector<double>> spikes;   ///< [population of spikes()][spike]
  };
  /// Its derivatives by a connection, whose ends are cells of the network.
  struct ByConnection {
    std::uint64_t source, target;
    double by_weight, by_delay_ms;
  };
  struct ByBeginning {
    std::vector<double> values;
    /// [projection], by target and then by source; of two cells in the order of the model.
    std::vector<std::vector<ByConnection>> connections;
  };
  /// Throws UsageError where a value changes the cells' form.
  ByBeginning by_beginning(const ByOutput& output, const Listener& listener) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// What a derivative of a model's run keeps of its steps: where all are kept, and where as many are
/// made again as can be. On so many threads.
struct GradientMemory {
  std::size_t most_bytes, least_bytes;
};
/// Throws what building throws; UsageError where the model has what is not derived, by name.
GradientMemory gradient_memory(const LoadedModel& model, int threads, const Listener& listener);

}  // namespace hillock::session
