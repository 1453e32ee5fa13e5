#pragma once
// Features of voltage traces by the names and rules of eFEL 5 with its settings as they come
// (efel.readthedocs.io), so that thousands of traces become a table.

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hillock::simulator {

/// When the stimulus is there.
struct FeatureWindow {
  double start_ms = 0, stop_ms = 0;
};

/// Those that are known.
std::vector<std::string> voltage_feature_names();

/// Finds some features of one trace after the other. Each thread has its own.
class VoltageFeatures {
 public:
  /// times_ms: of every trace's samples, rising, three at least. Throws UsageError for other times
  /// and for a name that is not known, of which it gives those that are.
  VoltageFeatures(std::vector<double> times_ms, const std::vector<std::string>& names,
                  FeatureWindow window);
  ~VoltageFeatures();

  /// mV: by time. values: by name; where each spike has one their mean, and NaN where there is
  /// none.
  void find(std::span<const double> mV, std::span<double> values);

 private:
  class Trace;
  struct Known;
  static const Known known[10];
  friend std::vector<std::string> voltage_feature_names();

  std::unique_ptr<Trace> trace_;
  std::vector<double (*)(const Trace&)> wanted_;
};

}  // namespace hillock::simulator
