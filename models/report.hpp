#pragma once
// What a report holds, as plain data: whoever samples fills its columns, whoever writes it needs
// nothing else of the network.

#include <cstdint>
#include <string>
#include <vector>

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
};

}  // namespace hillock::models
