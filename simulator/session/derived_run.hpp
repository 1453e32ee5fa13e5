#pragma once
// A run, and derivatives of a number that comes of what it records, by values of its model. For
// Python.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/report.hpp"
#include "simulator/session/loaded_model.hpp"

namespace hillock::session {

/// Values of a model by their paths, in base units.
using ModelValues = std::vector<std::pair<std::string, double>>;

class DerivedRun {
 public:
  /// Runs the model with these values. most_bytes: in which its steps are kept; those that do not
  /// fit are made again. heard: after each epoch; may throw to stop. Throws what reading and
  /// running throw; UsageError where the model has what is not derived, by name, or too few bytes
  /// are given.
  DerivedRun(const ModelSource& source, ModelValues values, std::size_t most_bytes, int threads,
             const Listener& listener, const std::function<void()>& heard);
  ~DerivedRun();
  DerivedRun(const DerivedRun&) = delete;
  DerivedRun& operator=(const DerivedRun&) = delete;

  const models::Network& network() const;
  const std::vector<models::ReportLayout>& reports() const;
  /// [sample · columns + column]
  const std::vector<double>& samples(std::size_t report) const;
  std::size_t tape_bytes() const;

  /// [value] the number's derivatives, of those by samples: [report], laid out as samples(), or
  /// empty where it does not depend on a report. Throws UsageError where a value changes the
  /// cells' form.
  std::vector<double> by_values(const std::vector<std::vector<double>>& by_samples,
                                const Listener& listener) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace hillock::session
