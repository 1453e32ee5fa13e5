#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "core/containers/memory_size.hpp"
#include "core/errors/errors.hpp"
#include "core/program/asker.hpp"
#include "core/text/sha256.hpp"
#include "io/hdf5/hdf5_output_file.hpp"
#include "io/sonata/earlier_file.hpp"
#include "io/sonata/sonata.hpp"
#include "io/sonata/sonata_root.hpp"
#include "io/sonata/sonata_shape.hpp"

namespace hillock::io {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr std::size_t band_bytes = std::size_t{64} << 20;

/// How [rows × columns] is cut into chunks: bands of `rows`, each cut into `per_band` chunks.
struct Chunks {
  std::size_t rows = 1;
  std::size_t columns = 1;
  std::size_t per_band = 0;
  std::size_t bytes = 0;  ///< of one chunk
};

/// Chunks of at most 1 MiB (a wide row may make them longer than one row only up to that), whole
/// rows where a row is short, else at least 64 rows high so that one cell's trace is not scattered,
/// as long as a band stays below 64 MiB.
Chunks cut(const models::ReportLayout& layout, std::size_t value_bytes) {
  const std::size_t columns = layout.element_ids.size();
  Chunks chunks;
  const std::size_t row_bytes = std::max<std::size_t>(1, columns) * value_bytes;
  const std::size_t tall = std::clamp<std::size_t>(band_bytes / row_bytes, 1, 64);
  chunks.rows = std::max(chunk_bytes / row_bytes, tall);
  chunks.rows = std::min<std::size_t>(chunks.rows, std::max<std::uint64_t>(1, layout.samples));
  const std::size_t widest = std::max<std::size_t>(1, chunk_bytes / (chunks.rows * value_bytes));
  chunks.per_band = (columns + widest - 1) / widest;
  if (chunks.per_band != 0) chunks.columns = (columns + chunks.per_band - 1) / chunks.per_band;
  chunks.bytes = chunks.rows * chunks.columns * value_bytes;
  return chunks;
}

/// The end of n samples, the least double not below start + n·every whose distance to start,
/// divided by every, truncates to n: bmtk counts samples that way.
double stop_of(double start_ms, double every_ms, std::uint64_t n) {
  const auto count = static_cast<double>(n);
  double stop = start_ms + count * every_ms;
  if (!(every_ms > 0)) return stop;
  for (int i = 0; i < 8 && std::trunc((stop - start_ms) / every_ms) < count; ++i)
    stop = std::nextafter(stop, std::numeric_limits<double>::infinity());
  return stop;
}

void check_layout(const std::filesystem::path& directory, const models::ReportLayout& layout) {
  check_name(directory, layout.name);
  if (!layout.potential) check_name(directory, layout.population);
  if (layout.name == "spikes")
    throw InputOutputError((directory / "spikes.h5").string(),
                           "a report cannot be called spikes (the spike file has that name)");
  const auto& pointers = layout.index_pointers;
  const bool agree = pointers.size() == layout.node_ids.size() + 1 && pointers.front() == 0 &&
                     pointers.back() == layout.element_ids.size() &&
                     std::is_sorted(pointers.begin(), pointers.end()) &&
                     std::is_sorted(layout.node_ids.begin(), layout.node_ids.end()) &&
                     layout.element_pos.size() == layout.element_ids.size();
  if (!agree) throw std::logic_error("report " + layout.name + ": its layout is inconsistent");
}

struct Datasets {
  hdf5::Handle time;
  hdf5::Handle data;
};

/// The group of all of a report. Potentials are where bmtk has them.
const char* root_of(const models::ReportLayout& layout) {
  if (!layout.potential) return "report";
  return layout.potential->is_dipole() ? "dipole" : "ecp";
}

/// Where a report's values are, and when they were sampled.
std::string data_of(const models::ReportLayout& layout) {
  const std::string root = std::string("/") + root_of(layout);
  return (layout.potential ? root : root + "/" + layout.population) + "/data";
}
std::string time_of(const models::ReportLayout& layout) {
  const std::string root = std::string("/") + root_of(layout);
  return layout.potential ? root + "/time" : root + "/" + layout.population + "/mapping/time";
}

/// What tells columns apart.
void write_elements(hdf5::OutputFile& file, hid_t mapping, const models::ReportLayout& layout) {
  const auto node_ids = file.create_array(mapping, "node_ids", H5T_STD_U64LE,
                                          layout.node_ids.data(), layout.node_ids.size());
  constexpr std::uint8_t sorted = 1;
  file.write_attribute(node_ids.id(), "sorted", H5T_STD_U8LE, &sorted, 1, true);
  file.create_array(mapping, "index_pointers", H5T_STD_U64LE, layout.index_pointers.data(),
                    layout.index_pointers.size());
  file.check_status(
      H5Lcreate_hard(mapping, "index_pointers", mapping, "index_pointer", H5P_DEFAULT, H5P_DEFAULT),
      "index_pointer");
  file.create_array(mapping, "element_ids", H5T_STD_U32LE, layout.element_ids.data(),
                    layout.element_ids.size());
  file.create_array(mapping, "element_pos", H5T_IEEE_F32LE, layout.element_pos.data(),
                    layout.element_pos.size());
  write_shape(file, layout);
}

/// The same of potentials: numbers of contacts, and their places in um. A moment's columns are x, y
/// and z.
void write_contacts(hdf5::OutputFile& file, hid_t group, const models::ReportLayout& layout) {
  if (layout.potential->is_dipole()) return;
  file.create_array(group, "channel_id", H5T_STD_U32LE, layout.element_ids.data(),
                    layout.element_ids.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> places;
    for (const models::Contact& contact : layout.potential->contacts)
      places.push_back(contact.at_um[axis]);
    file.create_array(group, fmt::format("channel_{}_um", "xyz"[axis]), H5T_IEEE_F64LE,
                      places.data(), places.size());
  }
}

/// Everything but the values. `time` comes before `data` so that it is committed after it: a
/// reader never finds more samples announced than there are rows. Both come before the arrays,
/// whose sizes are odd, so that what changes in their headers lies aligned within a page.
Datasets create(hdf5::OutputFile& file, const models::ReportLayout& layout,
                const Provenance& provenance, const Chunks& chunks, int gzip_level) {
  write_root(file, provenance);
  const auto root = file.create_group(file.id(), root_of(layout));
  hdf5::Handle population, mapping;
  if (!layout.potential) {
    population = file.create_group(root.id(), layout.population);
    mapping = file.create_group(population.id(), "mapping");
  }
  const hid_t of_data = layout.potential ? root.id() : population.id();
  const hid_t of_columns = layout.potential ? root.id() : mapping.id();

  Datasets datasets;
  {
    const hsize_t three = 3;
    const hdf5::Handle space(file.check(H5Screate_simple(1, &three, nullptr), "time"), H5Sclose);
    const auto compact = file.dataset_properties();
    file.check_status(H5Pset_layout(compact.id(), H5D_COMPACT), "time");
    datasets.time =
        file.create_dataset(of_columns, "time", H5T_IEEE_F64LE, space.id(), compact.id());
    file.write_attribute(datasets.time.id(), "units", "ms");
  }
  const hsize_t columns = layout.element_ids.size();
  const std::array<hsize_t, 2> extent{0, columns};
  const std::array<hsize_t, 2> most{H5S_UNLIMITED, columns == 0 ? H5S_UNLIMITED : columns};
  const std::array<hsize_t, 2> chunk{chunks.rows, chunks.columns};
  const hdf5::Handle space(file.check(H5Screate_simple(2, extent.data(), most.data()), "data"),
                           H5Sclose);
  const auto chunked = file.dataset_properties();
  file.check_status(H5Pset_chunk(chunked.id(), 2, chunk.data()), "data");
  if (gzip_level > 0) {
    file.check_status(H5Pset_deflate(chunked.id(), static_cast<unsigned>(gzip_level)), "data");
  } else {
    file.check_status(H5Pset_fill_time(chunked.id(), H5D_FILL_TIME_NEVER), "data");
  }
  datasets.data = file.create_dataset(
      of_data, "data", layout.float64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE, space.id(), chunked.id());
  file.write_attribute(datasets.data.id(), "units", layout.units);

  if (layout.potential)
    write_contacts(file, of_columns, layout);
  else
    write_elements(file, of_columns, layout);
  return datasets;
}

void write_time(hdf5::OutputFile& file, const Datasets& datasets,
                const models::ReportLayout& layout, std::uint64_t rows) {
  const std::array<double, 3> time{layout.start_ms, stop_of(layout.start_ms, layout.every_ms, rows),
                                   layout.every_ms};
  file.check_status(
      H5Dwrite(datasets.time.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time.data()),
      "mapping/time");
}

}  // namespace

std::size_t open_file_bytes(std::size_t reports) {
  return bytes_of_open_file * (1 + (reports > most_open_reports ? 1 : reports));
}

std::size_t writing_bytes(const models::ReportLayout& layout) {
  const Chunks chunks = cut(layout, layout.float64 ? sizeof(double) : sizeof(float));
  return bytes_of(layout.node_ids) + bytes_of(layout.index_pointers) +
         bytes_of(layout.element_ids) + bytes_of(layout.element_pos) +
         chunks.bytes * chunks.per_band;
}

struct ReportFile::Impl {
  std::filesystem::path directory;
  models::ReportLayout layout;
  SharedProvenance provenance;
  std::size_t value_bytes;
  Chunks chunks;
  BetweenWrites between = BetweenWrites::open;
  std::optional<hdf5::OutputFile> file;  ///< none: nothing has been written
  Datasets datasets;
  /// The band that is being filled, chunk after chunk as in the file; rows to come are zero.
  std::vector<std::byte> band;
  std::size_t band_rows = 0;
  std::optional<Sha256> bands_hash;  ///< of all bands before it
  std::uint64_t rows = 0;            ///< appended
  std::uint64_t rows_written = 0;    ///< handed to HDF5
  std::uint64_t rows_flushed = 0;

  Impl(const std::filesystem::path& where, models::ReportLayout what, SharedProvenance from,
       Hashing hashing, const KeptRows& kept, BetweenWrites writes)
      : directory(where),
        layout(std::move(what)),
        provenance(std::move(from)),
        value_bytes(layout.float64 ? sizeof(double) : sizeof(float)),
        chunks(cut(layout, value_bytes)) {
    const Asker asker(Asked::record, "report", layout.name);
    band.resize(chunks.bytes * chunks.per_band);
    if (hashing == Hashing::yes) bands_hash.emplace();
    if (writes == BetweenWrites::open || kept.count > 0) wake();
    if (kept.count > 0) keep(EarlierFile(where, layout.name + ".h5", *provenance), kept);
    if (file) publish();
    between = writes;
    rest();
  }

  /// Before the file is touched; rest() after it.
  void wake() {
    if (file && !file->is_set_aside()) return;
    if (!file) {
      file.emplace(directory, layout.name + ".h5");
      datasets = create(*file, layout, *provenance, chunks, 0);
      write_time(*file, datasets, layout, 0);
    } else {
      file->take_up();
      datasets.time = file->open_dataset(time_of(layout));
      datasets.data = file->open_dataset(data_of(layout));
    }
  }

  void rest() {
    if (between == BetweenWrites::open || !file || file->is_set_aside()) return;
    datasets = {};
    if (!file->is_published()) publish();
    file->set_aside();
  }

  void publish() { file->publish(layout.name + ".h5.partial"); }

  void keep(const EarlierFile& earlier, const KeptRows& kept) {
    const std::string data = data_of(layout);
    const std::size_t columns = layout.element_ids.size();
    if (columns == 0) return;
    earlier.need(data, kept.count, columns);
    std::vector<double> values;
    for (hsize_t row = 0; row < kept.count; row += chunks.rows) {
      const hsize_t count = std::min<hsize_t>(chunks.rows, kept.count - row);
      values.resize(count * columns);
      earlier.read(data, H5T_NATIVE_DOUBLE, row, count, values.data());
      append(values);
    }
    earlier.see_that_same(data, kept_rows(), kept);
    flush();
  }

  KeptRows kept_rows() const {
    Sha256 all = bands_hash.value();
    for (std::size_t chunk = 0; chunk < chunks.per_band; ++chunk)
      all.add(
          std::span(band).subspan(chunk * chunks.bytes, band_rows * chunks.columns * value_bytes));
    return {rows, all.digits()};
  }

  template <typename Value>
  void put_row(const double* values) {
    const std::size_t columns = layout.element_ids.size();
    std::uint32_t beyond = 0;  // its highest bit: a float whose exponent is that of infinity
    for (std::size_t chunk = 0; chunk < chunks.per_band; ++chunk) {
      const std::size_t first = chunk * chunks.columns;
      const std::size_t n = std::min(chunks.columns, columns - first);
      std::byte* place =
          band.data() + chunk * chunks.bytes + band_rows * chunks.columns * sizeof(Value);
      for (std::size_t i = 0; i < n; ++i) {
        const auto value = static_cast<Value>(values[first + i]);
        if constexpr (std::is_same_v<Value, float>)
          beyond |= (std::bit_cast<std::uint32_t>(value) & 0x7fffffffU) + 0x00800000U;
        std::memcpy(place + i * sizeof(Value), &value, sizeof(Value));
      }
    }
    // What was infinite or no number before is written as it is.
    if (beyond >> 31) models::check_fits_float(layout, rows, {values, columns});
    ++band_rows;
    ++rows;
  }

  void write_band() {
    wake();
    const std::size_t columns = layout.element_ids.size();
    const std::array<hsize_t, 2> extent{rows, columns};
    file->check_status(H5Dset_extent(datasets.data.id(), extent.data()), "data");
    for (std::size_t chunk = 0; chunk < chunks.per_band; ++chunk) {
      const std::array<hsize_t, 2> offset{rows - band_rows, chunk * chunks.columns};
      file->check_status(H5Dwrite_chunk(datasets.data.id(), file->transfer(), 0, offset.data(),
                                        chunks.bytes, band.data() + chunk * chunks.bytes),
                         "data");
    }
    rows_written = rows;
  }

  void append(std::span<const double> values) {
    const std::size_t columns = layout.element_ids.size();
    if (columns == 0 ? !values.empty() : values.size() % columns != 0)
      throw std::logic_error("report " + layout.name + ": a row is not complete");
    if (columns == 0) return;
    for (std::size_t at = 0; at < values.size(); at += columns) {
      if (band_rows == chunks.rows) begin_band();
      layout.float64 ? put_row<double>(values.data() + at) : put_row<float>(values.data() + at);
      // A file that is opened for its last rows is opened when it is finished, and not before.
      const bool can_wait = between == BetweenWrites::closed && rows == layout.samples;
      if (band_rows == chunks.rows && !can_wait) begin_band();
    }
    rest();
  }

  /// After a full one.
  void begin_band() {
    if (rows_written != rows) write_band();
    if (bands_hash) bands_hash->add(band);
    std::fill(band.begin(), band.end(), std::byte{0});
    band_rows = 0;
  }

  std::uint64_t flush() {
    write_all();
    rest();
    return rows;
  }

  void sync() {
    if (!file) return;
    wake();
    file->sync();
    rest();
  }

  void write_all() {
    if (rows_written != rows) write_band();
    if (rows_flushed != rows) {
      wake();
      write_time(*file, datasets, layout, rows);
      file->flush();
      rows_flushed = rows;
    }
  }

  void close() {
    datasets = {};
    file->close();
  }

  /// The complete report once more, compressed. Chunks are compressed only when complete, for a
  /// compressed chunk that grows would have to move, and its old place would be written over.
  void compress() {
    hdf5::OutputFile target(directory, layout.name + ".h5");
    Datasets compressed = create(target, layout, *provenance, chunks, layout.gzip_level);
    write_time(target, compressed, layout, rows);
    const hid_t type = layout.float64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    const std::array<hsize_t, 2> extent{rows, layout.element_ids.size()};
    target.check_status(H5Dset_extent(compressed.data.id(), extent.data()), "data");
    const hdf5::Handle from(file->check(H5Dget_space(datasets.data.id()), "data"), H5Sclose);
    for (hsize_t row = 0; row < rows && extent[1] != 0; row += chunks.rows) {
      const std::array<hsize_t, 2> offset{row, 0};
      const std::array<hsize_t, 2> count{std::min<hsize_t>(chunks.rows, rows - row), extent[1]};
      const hdf5::Handle memory(file->check(H5Screate_simple(2, count.data(), nullptr), "data"),
                                H5Sclose);
      file->check_status(H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, offset.data(), nullptr,
                                             count.data(), nullptr),
                         "data");
      file->check_status(
          H5Dread(datasets.data.id(), type, memory.id(), from.id(), H5P_DEFAULT, band.data()),
          "reading it back");
      target.check_status(
          H5Dwrite(compressed.data.id(), type, memory.id(), from.id(), H5P_DEFAULT, band.data()),
          "data");
    }
    compressed = {};
    target.close();
    target.rename(layout.name + ".h5");
  }

  void finish() {
    if (layout.element_ids.empty()) {  // rows without columns cannot be appended
      rows = layout.samples;
      write_band();
    }
    write_all();
    wake();
    if (layout.gzip_level > 0) {
      compress();
      close();
      std::filesystem::remove(file->path());
    } else {
      close();
      file->rename(layout.name + ".h5");
    }
    file.reset();  // it keeps what it knows of the file
  }
};

ReportFile::ReportFile(const std::filesystem::path& directory, models::ReportLayout layout,
                       SharedProvenance provenance, Hashing hashing, const KeptRows& kept,
                       BetweenWrites between) {
  check_layout(directory, layout);
  impl_ = std::make_unique<Impl>(directory, std::move(layout), std::move(provenance), hashing, kept,
                                 between);
}
ReportFile::~ReportFile() = default;
ReportFile::ReportFile(ReportFile&&) noexcept = default;
ReportFile& ReportFile::operator=(ReportFile&&) noexcept = default;

void ReportFile::append(std::span<const double> rows) {
  impl_->append(rows);
}
KeptRows ReportFile::rows() const {
  return impl_->kept_rows();
}
std::uint64_t ReportFile::flush() {
  return impl_->flush();
}
void ReportFile::sync() {
  impl_->sync();
}
void ReportFile::finish() {
  impl_->finish();
}

}  // namespace hillock::io
