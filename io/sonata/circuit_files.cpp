#include "io/sonata/circuit_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/errors/errors.hpp"
#include "io/hdf5/hdf5_output_file.hpp"
#include "io/sonata/sonata_root.hpp"

namespace hillock::io {

namespace {

namespace fs = std::filesystem;

template <class T>
hid_t type_of();
template <>
hid_t type_of<double>() {
  return H5T_IEEE_F64LE;
}
template <>
hid_t type_of<std::uint32_t>() {
  return H5T_STD_U32LE;
}
template <>
hid_t type_of<std::uint64_t>() {
  return H5T_STD_U64LE;
}
template <>
hid_t type_of<std::int64_t>() {
  return H5T_STD_I64LE;
}

template <class T>
hdf5::Handle write_column(hdf5::OutputFile& file, const hdf5::Handle& group,
                          const std::string& name, const std::vector<T>& values) {
  return file.create_array(group.id(), name, type_of<T>(), values.data(), values.size());
}

/// Pairs as an array of two columns.
void write_ranges(hdf5::OutputFile& file, const hdf5::Handle& group, const std::string& name,
                  const std::vector<std::array<std::uint64_t, 2>>& ranges) {
  const std::array<hsize_t, 2> extent{ranges.size(), 2};
  const hdf5::Handle space(file.check(H5Screate_simple(2, extent.data(), nullptr), name), H5Sclose);
  const hdf5::Handle plain = file.dataset_properties();
  const hdf5::Handle dataset =
      file.create_dataset(group.id(), name, H5T_STD_U64LE, space.id(), plain.id());
  if (!ranges.empty())
    file.check_status(
        H5Dwrite(dataset.id(), H5T_STD_U64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, ranges.data()), name);
}

/// The group and the place in it of each row: all are of one.
void write_groups(hdf5::OutputFile& file, const hdf5::Handle& population, const std::string& prefix,
                  std::size_t rows) {
  write_column(file, population, prefix + "_group_id", std::vector<std::uint32_t>(rows));
  std::vector<std::uint64_t> index(rows);
  std::iota(index.begin(), index.end(), 0);
  write_column(file, population, prefix + "_group_index", index);
}

/// For every node the edges that it has, as ranges of edges that stand side by side.
void write_index(hdf5::OutputFile& file, const hdf5::Handle& indices, const std::string& name,
                 const std::vector<std::uint64_t>& ids, std::uint64_t end) {
  std::vector<std::array<std::uint64_t, 2>> of_node(end), of_range;
  for (std::size_t e = 0; e < ids.size(); ++e)
    if (e == 0 || ids[e] != ids[e - 1]) ++of_node[ids[e]][1];
  std::uint64_t sum = 0;
  for (auto& [first, last] : of_node) {
    first = sum;
    sum += std::exchange(last, sum);
  }
  of_range.resize(sum);
  for (std::size_t e = 0; e < ids.size(); ++e) {
    auto& next = of_node[ids[e]][1];
    if (e == 0 || ids[e] != ids[e - 1]) of_range[next++][0] = e;
    of_range[next - 1][1] = e + 1;
  }
  const hdf5::Handle group = file.create_group(indices.id(), name);
  // libsonata's name for it, and bmtk's.
  write_ranges(file, group, "node_id_to_ranges", of_node);
  file.check_status(H5Lcreate_hard(group.id(), "node_id_to_ranges", group.id(), "node_id_to_range",
                                   H5P_DEFAULT, H5P_DEFAULT),
                    name);
  write_ranges(file, group, "range_to_edge_id", of_range);
}

}  // namespace

std::string csv_of(const TypesTable& table) {
  std::string text;
  const auto add_row = [&text](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) text += ' ';
      const bool is_plain =
          !cells[c].empty() && cells[c].find_first_of(" \"'\n") == std::string::npos;
      text += cells[c].empty() ? "NULL" : is_plain ? cells[c] : '"' + cells[c] + '"';
    }
    text += '\n';
  };
  add_row(table.columns);
  for (const auto& row : table.rows) add_row(row);
  return text;
}

struct CircuitFiles::Files {
  Files(const fs::path& folder, const Provenance& provenance)
      : nodes(folder, nodes_name), edges(folder, edges_name) {
    write_root(nodes, provenance);
    write_root(edges, provenance);
    all_nodes = nodes.create_group(nodes.id(), "nodes");
    all_edges = edges.create_group(edges.id(), "edges");
  }

  hdf5::OutputFile nodes, edges;
  hdf5::Handle all_nodes, all_edges;
};

CircuitFiles::CircuitFiles(const fs::path& folder, const Provenance& provenance)
    : files_(std::make_unique<Files>(folder, provenance)) {}

CircuitFiles::~CircuitFiles() = default;

void CircuitFiles::add(const CircuitNodes& nodes) {
  check_name(files_->nodes.path(), nodes.population);
  hdf5::OutputFile& file = files_->nodes;
  const hdf5::Handle population = file.create_group(files_->all_nodes.id(), nodes.population);
  write_column(file, population, "node_id", nodes.ids);
  write_column(file, population, "node_type_id", nodes.types);
  write_groups(file, population, "node", nodes.ids.size());
  const hdf5::Handle group = file.create_group(population.id(), "0");
  write_column(file, group, "x", nodes.x_um);
  write_column(file, group, "y", nodes.y_um);
  write_column(file, group, "z", nodes.z_um);
}

void CircuitFiles::add(const CircuitEdges& edges) {
  check_name(files_->edges.path(), edges.population);
  hdf5::OutputFile& file = files_->edges;
  const std::size_t rows = edges.sources.size();
  const hdf5::Handle population = file.create_group(files_->all_edges.id(), edges.population);
  const hdf5::Handle sources = write_column(file, population, "source_node_id", edges.sources);
  file.write_attribute(sources.id(), "node_population", edges.source_nodes);
  const hdf5::Handle targets = write_column(file, population, "target_node_id", edges.targets);
  file.write_attribute(targets.id(), "node_population", edges.target_nodes);
  write_column(file, population, "edge_type_id", std::vector<std::int64_t>(rows, edges.type_id));
  write_groups(file, population, "edge", rows);
  const hdf5::Handle group = file.create_group(population.id(), "0");
  for (const auto& [name, values] : edges.numbers) write_column(file, group, name, values);
  for (const auto& [name, values] : edges.counts) write_column(file, group, name, values);
  const hdf5::Handle indices = file.create_group(population.id(), "indices");
  write_index(file, indices, "source_to_target", edges.sources, edges.source_end);
  write_index(file, indices, "target_to_source", edges.targets, edges.target_end);
}

void CircuitFiles::finish() {
  files_->all_nodes.reset();
  files_->all_edges.reset();
  files_->nodes.flush();  // neither takes its name where the other does not fit
  files_->edges.flush();
  files_->nodes.publish(nodes_name);
  files_->nodes.close();
  files_->edges.publish(edges_name);
  files_->edges.close();
}

}  // namespace hillock::io
