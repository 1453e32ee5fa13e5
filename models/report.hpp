#pragma once
// What a report and a file of spikes hold, as plain data: whoever samples fills a report's columns,
// whoever writes them needs nothing else of the network.

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/morphology.hpp"
#include "models/potential.hpp"

namespace hillock::models {

/// The elements of a report: for each recorded cell in rising order, its element columns.
struct ReportLayout {
  std::string name;  ///< the file is <name>.h5
  std::string population;
  std::string units;  ///< of the values
  bool float64 = false;
  int gzip_level = 0;
  double start_ms = 0;
  double every_ms = 0;
  std::uint64_t samples = 0;                  ///< rows when complete
  std::vector<std::uint64_t> node_ids;        ///< [N], rising
  std::vector<std::uint64_t> index_pointers;  ///< [N+1] first column of each node
  std::vector<std::uint32_t> element_ids;     ///< [columns] branch index in the cell
  std::vector<float> element_pos;             ///< [columns] position along the branch, 0 to 1
  /// Of the recorded cells, where they all have one and elements are locations on it.
  std::shared_ptr<const Morphology> shape = {};
  /// Of a report of potentials: where each column's contact is. Elements are then numbers of
  /// contacts, all of one node.
  std::shared_ptr<const Potential> potential = {};
};

/// A row of a report that is kept in floats. Throws NumericalFailure where a number of it is finite
/// and as a float is not.
void check_fits_float(const ReportLayout& layout, std::uint64_t row,
                      std::span<const double> values);

/// Where some of a population's cells lie.
struct CellPlaces {
  std::string population;
  std::vector<double> rows;  ///< [cells][4] the node, and its x, y and z in um
};

/// A spike of a population.
struct RecordedSpike {
  double time_ms = 0;
  std::uint64_t node_id = 0;  ///< index in the population

  auto operator<=>(const RecordedSpike&) const = default;
};

}  // namespace hillock::models
