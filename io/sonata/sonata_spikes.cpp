#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>

#include "core/containers/time_order.hpp"
#include "core/text/sha256.hpp"
#include "io/hdf5/hdf5_output_file.hpp"
#include "io/sonata/earlier_file.hpp"
#include "io/sonata/sonata.hpp"
#include "io/sonata/sonata_root.hpp"

namespace hillock::io {

namespace {

constexpr hsize_t chunk_spikes = 16384;             // of the partial file
constexpr hsize_t block_spikes = hsize_t{1} << 16;  // read back at a time

using models::RecordedSpike;

enum class Sorting : std::uint8_t { none = 0, by_id = 1, by_time = 2 };

/// libsonata reads the order of the spikes as an enumeration with these names.
void write_sorting(hdf5::OutputFile& file, hid_t population, Sorting sorting) {
  const hdf5::Handle type(file.check(H5Tenum_create(H5T_STD_U8LE), "sorting"), H5Tclose);
  constexpr std::array<std::pair<const char*, Sorting>, 3> names{
      {{"none", Sorting::none}, {"by_id", Sorting::by_id}, {"by_time", Sorting::by_time}}};
  for (const auto& [name, value] : names)
    file.check_status(H5Tenum_insert(type.id(), name, &value), "sorting");
  file.write_attribute(population, "sorting", type.id(), &sorting, 1, true);
}

/// /places/<population>: the page of a run shows its activity where the cells lie.
void write_places(hdf5::OutputFile& file, const std::vector<models::CellPlaces>& places) {
  if (places.empty()) return;
  const auto group = file.create_group(file.id(), "places");
  file.write_attribute(group.id(), "columns", std::vector<std::string>{"node_id", "x", "y", "z"});
  file.write_attribute(group.id(), "units", "um");
  for (const models::CellPlaces& of : places) {
    const std::array<hsize_t, 2> extent{of.rows.size() / 4, 4};
    const hdf5::Handle space(file.check(H5Screate_simple(2, extent.data(), nullptr), "places"),
                             H5Sclose);
    const auto dataset = file.create_dataset(group.id(), of.population, H5T_IEEE_F64LE, space.id(),
                                             file.dataset_properties().id());
    file.check_status(
        H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, of.rows.data()),
        "places");
  }
}

/// A dataset that spikes are appended to, chunk by chunk. It is open while it is read or written:
/// there may be thousands of them.
template <typename Value>
class GrowingColumn {
 public:
  /// population: its group's name from the root on. units: or none.
  GrowingColumn(hdf5::OutputFile& file, const std::string& population, const char* name, hid_t type,
                const char* units)
      : name_(population + "/" + name), type_(type) {
    const hsize_t none = 0;
    const hsize_t most = H5S_UNLIMITED;
    const hdf5::Handle space(file.check(H5Screate_simple(1, &none, &most), name), H5Sclose);
    const auto chunked = file.dataset_properties();
    file.check_status(H5Pset_chunk(chunked.id(), 1, &chunk_spikes), name);
    file.check_status(H5Pset_fill_time(chunked.id(), H5D_FILL_TIME_NEVER), name);
    const auto dataset = file.create_dataset(file.id(), name_, type, space.id(), chunked.id());
    if (units) file.write_attribute(dataset.id(), "units", units);
  }

  /// How many may be appended at once.
  hsize_t room() const { return chunk_spikes - rows_ % chunk_spikes; }

  void append(hdf5::OutputFile& file, std::span<const RecordedSpike> spikes,
              Value RecordedSpike::*of) {
    if (tail_.size() == chunk_spikes) tail_.clear();
    std::ranges::transform(spikes, std::back_inserter(tail_),
                           [of](const RecordedSpike& spike) { return spike.*of; });
    rows_ += spikes.size();
    if (rows_ % chunk_spikes == 0) write(file);
  }

  void write(hdf5::OutputFile& file) {
    if (rows_written_ == rows_) return;
    const hsize_t offset = (rows_ - 1) / chunk_spikes * chunk_spikes;
    const auto dataset = file.open_dataset(name_);
    file.check_status(H5Dset_extent(dataset.id(), &rows_), name_);
    std::vector<Value> padded;  // a population of few spikes keeps no more than these
    if (tail_.size() < chunk_spikes) {
      padded = tail_;
      padded.resize(chunk_spikes);
    }
    file.check_status(
        H5Dwrite_chunk(dataset.id(), file.transfer(), 0, &offset, chunk_spikes * sizeof(Value),
                       (padded.empty() ? tail_ : padded).data()),
        name_);
    rows_written_ = rows_;
  }

  void read(hdf5::OutputFile& file, hsize_t begin, std::vector<Value>& values) const {
    const hsize_t count = values.size();
    const auto dataset = file.open_dataset(name_);
    const hdf5::Handle from(file.check(H5Dget_space(dataset.id()), name_), H5Sclose);
    const hdf5::Handle memory(file.check(H5Screate_simple(1, &count, nullptr), name_), H5Sclose);
    file.check_status(
        H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, &begin, nullptr, &count, nullptr), name_);
    file.check_status(
        H5Dread(dataset.id(), type_, memory.id(), from.id(), H5P_DEFAULT, values.data()), name_);
  }

 private:
  std::string name_;
  hid_t type_;
  std::vector<Value> tail_;  ///< what there is of the last chunk
  hsize_t rows_ = 0;
  hsize_t rows_written_ = 0;
};

struct Population {
  std::string name;
  GrowingColumn<double> timestamps;
  GrowingColumn<std::uint64_t> node_ids;
  std::uint64_t rows = 0;
  RecordedSpike last{};
  bool in_order = true;             ///< no spike came after one that it is before
  std::optional<Sha256> hash = {};  ///< of all spikes, in the order in which they came

  KeptRows kept() const { return {rows, hash.value().digits()}; }

  void append(hdf5::OutputFile& file, std::span<const RecordedSpike> spikes) {
    if (spikes.empty()) return;
    in_order =
        in_order && (rows == 0 || !(spikes.front() < last)) && std::ranges::is_sorted(spikes);
    last = spikes.back();
    rows += spikes.size();
    if (hash) hash->add(std::as_bytes(spikes));
    while (!spikes.empty()) {  // a chunk of one column, then one of the other
      const auto some = spikes.first(std::min<std::size_t>(spikes.size(), timestamps.room()));
      timestamps.append(file, some, &RecordedSpike::time_ms);
      node_ids.append(file, some, &RecordedSpike::node_id);
      spikes = spikes.subspan(some.size());
    }
  }
};

/// The two datasets of a population in the final file, of known size, filled from the front.
class SortedColumns {
 public:
  SortedColumns(hdf5::OutputFile& file, hid_t population, std::uint64_t rows)
      : file_(file),
        timestamps_(file.create_array(population, "timestamps", H5T_IEEE_F64LE, nullptr, rows)),
        node_ids_(file.create_array(population, "node_ids", H5T_STD_U64LE, nullptr, rows)) {
    file.write_attribute(timestamps_.id(), "units", "ms");
  }

  void append(std::span<const double> times, std::span<const std::uint64_t> nodes) {
    if (times.empty()) return;
    write(timestamps_.id(), H5T_NATIVE_DOUBLE, times.data(), times.size());
    write(node_ids_.id(), H5T_NATIVE_UINT64, nodes.data(), nodes.size());
    row_ += times.size();
  }

 private:
  void write(hid_t dataset, hid_t type, const void* data, hsize_t count) {
    const hdf5::Handle to(file_.check(H5Dget_space(dataset), "spikes"), H5Sclose);
    const hdf5::Handle memory(file_.check(H5Screate_simple(1, &count, nullptr), "spikes"),
                              H5Sclose);
    file_.check_status(
        H5Sselect_hyperslab(to.id(), H5S_SELECT_SET, &row_, nullptr, &count, nullptr), "spikes");
    file_.check_status(H5Dwrite(dataset, type, memory.id(), to.id(), H5P_DEFAULT, data), "spikes");
  }

  hdf5::OutputFile& file_;
  hdf5::Handle timestamps_;
  hdf5::Handle node_ids_;
  hsize_t row_ = 0;
};

/// Reads a population's spikes back and writes them in order.
class SpikeSorter {
 public:
  SpikeSorter(hdf5::OutputFile& from, const Population& population, SortedColumns& to)
      : from_(from), population_(population), to_(to) {}

  /// Spikes that came out of order wait in memory (32 bytes each) until no earlier one is to come.
  void write() {
    const std::vector<double> earliest_ms =
        population_.in_order ? std::vector<double>() : earliest_from_blocks();
    TimeOrder<RecordedSpike, &RecordedSpike::time_ms, &RecordedSpike::node_id> order;
    for (hsize_t block = 0; block * block_spikes < population_.rows; ++block) {
      read(block, times_, population_.timestamps);
      read(block, nodes_, population_.node_ids);
      if (population_.in_order) {
        to_.append(times_, nodes_);
        continue;
      }
      for (std::size_t i = 0; i < times_.size(); ++i) waiting_.push_back({times_[i], nodes_[i]});
      order.sort(waiting_);
      append_before(earliest_ms[block + 1]);
    }
  }

 private:
  template <class Value>
  void read(hsize_t block, std::vector<Value>& values, const GrowingColumn<Value>& column) const {
    const hsize_t row = block * block_spikes;
    values.resize(std::min(block_spikes, population_.rows - row));
    column.read(from_, row, values);
  }

  /// [block] the earliest time in it or in a later one; beyond the last: none.
  std::vector<double> earliest_from_blocks() {
    const hsize_t blocks = (population_.rows + block_spikes - 1) / block_spikes;
    std::vector<double> earliest_ms(blocks + 1, std::numeric_limits<double>::infinity());
    for (hsize_t block = blocks; block-- > 0;) {
      read(block, times_, population_.timestamps);
      earliest_ms[block] = std::min(earliest_ms[block + 1], std::ranges::min(times_));
    }
    return earliest_ms;
  }

  void append_before(double time_ms) {
    const auto end = std::ranges::lower_bound(waiting_, time_ms, {}, &RecordedSpike::time_ms);
    times_.clear();
    nodes_.clear();
    for (auto at = waiting_.begin(); at != end; ++at) {
      times_.push_back(at->time_ms);
      nodes_.push_back(at->node_id);
    }
    to_.append(times_, nodes_);
    waiting_.erase(waiting_.begin(), end);
  }

  hdf5::OutputFile& from_;
  const Population& population_;
  SortedColumns& to_;
  std::vector<double> times_;
  std::vector<std::uint64_t> nodes_;
  std::vector<RecordedSpike> waiting_;
};

}  // namespace

struct SpikeFile::Impl {
  std::filesystem::path directory;
  Provenance provenance;
  std::vector<models::CellPlaces> places;
  hdf5::OutputFile file;
  std::vector<Population> populations;
  std::uint64_t rows = 0;
  std::uint64_t rows_flushed = 0;

  Impl(const std::filesystem::path& where, std::vector<std::string> names, const Provenance& from,
       Hashing hashing, std::span<const KeptRows> kept, std::vector<models::CellPlaces> of_cells)
      : directory(where), provenance(from), places(std::move(of_cells)), file(where, "spikes.h5") {
    write_root(file, provenance);
    write_places(file, places);
    const auto spikes = file.create_group(file.id(), "spikes");
    for (auto& name : names) {
      const auto group = file.create_group(spikes.id(), name);
      write_sorting(file, group.id(), Sorting::none);
      const std::string path = "/spikes/" + name;
      populations.push_back({std::move(name),
                             {file, path, "timestamps", H5T_IEEE_F64LE, "ms"},
                             {file, path, "node_ids", H5T_STD_U64LE, nullptr}});
      if (hashing == Hashing::yes) populations.back().hash.emplace();
    }
    if (!kept.empty()) keep(EarlierFile(where, "spikes.h5", from), kept);
    file.publish("spikes.h5.partial");
  }

  void keep(const EarlierFile& earlier, std::span<const KeptRows> kept) {
    std::vector<double> times;
    std::vector<std::uint64_t> nodes;
    std::vector<RecordedSpike> spikes;
    for (std::size_t p = 0; p < populations.size(); ++p) {
      const std::string group = "/spikes/" + populations[p].name;
      earlier.need(group + "/timestamps", kept[p].count, 0);
      earlier.need(group + "/node_ids", kept[p].count, 0);
      for (hsize_t row = 0; row < kept[p].count; row += block_spikes) {
        const hsize_t count = std::min<hsize_t>(block_spikes, kept[p].count - row);
        times.resize(count);
        nodes.resize(count);
        earlier.read(group + "/timestamps", H5T_NATIVE_DOUBLE, row, count, times.data());
        earlier.read(group + "/node_ids", H5T_NATIVE_UINT64, row, count, nodes.data());
        spikes.resize(count);
        for (hsize_t i = 0; i < count; ++i) spikes[i] = {times[i], nodes[i]};
        populations[p].append(file, spikes);
      }
      earlier.see_that_same(group, populations[p].kept(), kept[p]);
      rows += kept[p].count;
    }
    flush();
  }

  std::uint64_t flush() {
    if (rows_flushed == rows) return rows;
    for (auto& population : populations) {
      population.timestamps.write(file);
      population.node_ids.write(file);
    }
    file.flush();
    rows_flushed = rows;
    return rows;
  }

  void finish() {
    flush();
    hdf5::OutputFile target(directory, "spikes.h5");
    write_root(target, provenance);
    write_places(target, places);
    {
      const auto spikes = target.create_group(target.id(), "spikes");
      for (auto& population : populations) {
        const auto group = target.create_group(spikes.id(), population.name);
        write_sorting(target, group.id(), Sorting::by_time);
        SortedColumns columns(target, group.id(), population.rows);
        SpikeSorter(file, population, columns).write();
      }
    }
    target.close();
    target.rename("spikes.h5");
    populations.clear();
    file.close();
  }
};

SpikeFile::SpikeFile(const std::filesystem::path& directory, std::vector<std::string> populations,
                     const Provenance& provenance, Hashing hashing, std::span<const KeptRows> kept,
                     std::vector<models::CellPlaces> places) {
  for (const auto& name : populations) check_name(directory, name);
  impl_ = std::make_unique<Impl>(directory, std::move(populations), provenance, hashing, kept,
                                 std::move(places));
}
SpikeFile::~SpikeFile() = default;
SpikeFile::SpikeFile(SpikeFile&&) noexcept = default;
SpikeFile& SpikeFile::operator=(SpikeFile&&) noexcept = default;

void SpikeFile::append(std::size_t population, std::span<const RecordedSpike> spikes) {
  impl_->populations.at(population).append(impl_->file, spikes);
  impl_->rows += spikes.size();
}
std::vector<KeptRows> SpikeFile::rows() const {
  std::vector<KeptRows> all;
  for (const Population& population : impl_->populations) all.push_back(population.kept());
  return all;
}
std::uint64_t SpikeFile::flush() {
  return impl_->flush();
}
void SpikeFile::sync() {
  impl_->file.sync();
}
void SpikeFile::finish() {
  impl_->finish();
}

}  // namespace hillock::io
