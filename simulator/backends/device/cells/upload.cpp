// A program's cells on their way into device memory.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include "simulator/backends/device/cells/device_program.hpp"
#include "simulator/backends/device/cells/image_tables.hpp"

namespace hillock::simulator::on_device {

using mechanisms::SharedQuantity;

/// Puts cells into device memory and keeps the addresses.
class DeviceProgram::Uploader {
 public:
  Uploader(DeviceProgram& program, const Signature& signature)
      : program_(program),
        cells_(program.cells_),
        signature_(signature),
        shape_(program.shape_),
        stride_(static_cast<std::size_t>(program.shape_.stride)),
        row_counts_(program.row_counts_),
        row_elements_(program.row_elements_),
        ions_(program.ions_) {
    for (const CellEntry& entry : cells_.entries)
      row_counts_.push_back(static_cast<std::uint32_t>(cells_.images[entry.image].rows));
    row_elements_ = Elements(row_counts_, stride_);
  }

  void run(const RunConstants& run, const Outlets& outlets) {
    put_cells(outlets);
    for (std::size_t b = 0; b < cells_.blocks.size(); ++b) put_block(b);
    for (std::size_t b = 0; b < cells_.blocks.size(); ++b) put_pointers(b);
    put_numbers();
    write_words(run);
  }

 private:
  /// Of BlockArrays, as the device has it.
  struct BlockWords {
    std::vector<std::uint64_t> words;
    std::size_t pointed = 0;  ///< where BlockArrays::pointed begins
  };

  template <class T>
  T* put(const std::vector<T>& values) {
    return program_.memory_.put(std::span<const T>(values), DeviceUse::cells).data();
  }
  template <class T>
  static std::uint64_t word(T* address) {
    return reinterpret_cast<std::uint64_t>(address);
  }

  template <class T>
  T* put_arranged(const std::vector<T>& values, std::span<const std::uint32_t> counts,
                  const Elements& elements, T filler) {
    if (stride_ == 1) return put(values);
    return put(arranged(std::span(values), counts, elements, stride_, filler));
  }
  double* put_arranged(const OneOrMany& values, std::span<const std::uint32_t> counts,
                       const Elements& elements, double filler) {
    const auto there = program_.memory_.take<double>(elements.size, DeviceUse::cells);
    upload(there, values, counts, elements, filler);
    return there.data();
  }
  /// first: where the elements begin.
  void upload(const DeviceView<double>& there, const OneOrMany& values,
              std::span<const std::uint32_t> counts, const Elements& elements, double filler,
              std::size_t first = 0) {
    if (values.is_one()) {
      there.fill(values.one(), first, elements.size);
    } else if (stride_ == 1) {
      there.upload(values.many(), first);
    } else {
      there.upload(arranged(values.many(), counts, elements, stride_, filler), first);
    }
  }

  double* put_rows(const OneOrMany& values) {
    if (values.empty()) return nullptr;
    return put_arranged(values, row_counts_, row_elements_, 0.0);
  }

  void put_cells(const Outlets& outlets) {
    CellArrays& a = program_.arrays_of_cells_;
    std::vector<CellEntry> entries(cells_.entries);
    for (std::size_t c = 0; c < entries.size(); ++c) entries[c].first_row = row_elements_.first[c];
    a.cells = static_cast<unsigned>(cells_.entries.size());
    a.entries = put(entries);
    put_images();
    a.factor = put(cells_.factor);
    a.first_ion = static_cast<int>(shape_.first_ion);
    a.first_owned = static_cast<int>(shape_.first_owned);
    a.first_table = static_cast<int>(shape_.first_table);
    if (!cells_.membrane_nA.empty())
      cells_.membrane_nA.append(cells_.v_mV.size() - cells_.membrane_nA.size(), 0);
    a.membrane_nA = put_rows(cells_.membrane_nA);
    a.v_mV = put_rows(cells_.v_mV);
    for (std::size_t l = 0; l < cells_.layers_mV.size(); ++l)
      a.layers_mV[l] = put_rows(cells_.layers_mV[l]);
    a.most_rows = static_cast<int>(shape_.most_rows);
    a.most_late = static_cast<int>(shape_.most_late);
    a.most_inbox = static_cast<int>(shape_.most_inbox);
    a.work_words = static_cast<int>(shape_.work_words);
    if (!signature_.one_row && !shape_.on_chip) {
      const std::size_t cells = (cells_.entries.size() + stride_ - 1) / stride_ * stride_;
      const auto scratch =
          program_.memory_.take<double>(cells * shape_.work_words, DeviceUse::cells);
      scratch.clear();
      a.scratch = scratch.data();
    }
    a.above = put(cells_.above);
    a.spikes = const_cast<Spike*>(outlets.spikes.data());
    a.most_spikes = static_cast<unsigned>(outlets.spikes.size());
    a.spike_count = const_cast<unsigned*>(outlets.spike_count.data());
    a.failure = const_cast<Failure*>(outlets.failure.data());
    a.recordings = outlets.recordings.data();
    a.recording_count = static_cast<unsigned>(outlets.recordings.size());
    for (const IonCells& ion : cells_.ions) {
      const bool follows =
          !ion.nernst_mV.is_one() || (!ion.nernst_mV.empty() && ion.nernst_mV.one() != 0);
      ions_.push_back({put_rows(ion.current), put_rows(ion.reversal), put_rows(ion.inside),
                       put_rows(ion.outside), follows ? put_rows(ion.nernst_mV) : nullptr});
    }
  }

  double* ion_array(std::size_t ion, SharedQuantity quantity) const {
    const IonArrays& arrays = ions_[ion];
    return std::array{arrays.current, arrays.reversal, arrays.inside,
                      arrays.outside}[number_of(quantity)];
  }

  /// The tables of every image, as Image says.
  void put_images() {
    CellArrays& a = program_.arrays_of_cells_;
    const auto tables = tables_of(cells_);
    for (std::size_t t = 0; t < tables.size(); ++t)
      a.ones[t] = tables[t]->empty() ? 0 : tables[t]->front();
    std::vector<Image> images;
    std::vector<double> words;
    for (const ImagePart& part : cells_.images)
      images.push_back(write_image(cells_, shape_, part, words));
    a.images = put(images);
    a.tables = put(words);
  }

  void put_block(std::size_t b) {
    BlockCells& block = cells_.blocks[b];
    const BlockSignature& signature = signature_.blocks[b];
    const mechanisms::MechanismInfo& info = *signature.mechanism->info;
    BlockHome& home = program_.blocks_.emplace_back();
    home.elements = Elements(block.counts, stride_);
    const BlockShape& shape = shape_.blocks[b];
    BlockWords& to = blocks_.emplace_back();
    for (std::size_t c = 0; c < block.columns.size(); ++c) {
      const OneOrMany& values = block.columns[c];
      const bool is_one = shape.homes[c] == one_for_all;
      home.is_one.push_back(is_one);
      home.ones.push_back(values.empty() ? 0 : values[0]);
      home.columns.push_back(
          is_one ? nullptr
                 : put_arranged(values, block.counts, home.elements,
                                signature.mechanism->signature.variables[c].default_value));
      to.words.push_back(is_one ? column_of_one(home.ones.back(), shape.is_single)
                                : word(home.columns.back()));
    }
    if (block.columns.empty()) to.words.push_back(0);
    to.words.push_back(shape.chip | shape.most << 32);  // BlockArrays::chip and most
    std::vector<unsigned long long> first(home.elements.first);
    to.words.push_back(word(put(first)));
    put_owned(b, to.words);
    to.words.push_back(word(put_arranged(block.rows, block.counts, home.elements, 0)));
    to.words.push_back(
        block.area_factors.empty()
            ? 0
            : word(put_arranged(block.area_factors, block.counts, home.elements, 1.0)));
    for (int k = 0; k < std::max(1, info.coupling_count); ++k)
      to.words.push_back(k < info.coupling_count ? shared_array(info.couplings[k]) : 0);
    to.pointed = to.words.size();
    to.words.resize(to.words.size() + static_cast<std::size_t>(std::max(1, info.coupling_count)));
    put_connections(b, to.words);
    put_awaited(b, to.words);
    put_links(block, to.words);
  }

  void put_links(const BlockCells& block, std::vector<std::uint64_t>& words) {
    std::vector<unsigned> begin;
    if (!block.links.empty()) begin.push_back(0);
    for (std::size_t c = 0; !block.links.empty() && c < block.link_counts.size(); ++c)
      begin.push_back(begin.back() + block.link_counts[c]);
    words.push_back(block.links.empty() ? 0 : word(put(begin)));
    words.push_back(block.links.empty() ? 0 : word(put(block.links)));
  }

  /// A Column that is one number for all.
  static std::uint64_t column_of_one(double one, bool is_single) {
    if (!is_single) return std::bit_cast<std::uint64_t>(one);
    return std::bit_cast<std::uint32_t>(static_cast<float>(one));
  }

  void put_awaited(std::size_t b, std::vector<std::uint64_t>& words) {
    BlockHome& home = program_.blocks_[b];
    const BlockCells& block = cells_.blocks[b];
    home.awaited = put_wide(block.awaited, room_for_awaited, block, home.elements);
    words.push_back(word(home.awaited));
    home.awaited_counts = put_wide(block.awaited_counts, 1, block, home.elements);
    words.push_back(word(home.awaited_counts));
    const mechanisms::MechanismInfo& info = *signature_.blocks[b].mechanism->info;
    home.watch_bits = put_wide(block.watch_bits, 1, block, home.elements);
    words.push_back(word(home.watch_bits));
    home.watches =
        put_wide(block.watches, static_cast<std::size_t>(info.watches), block, home.elements);
    words.push_back(word(home.watches));
  }

  /// Several values an instance, which stay side by side.
  template <class T>
  T* put_wide(const std::vector<T>& values, std::size_t width, const BlockCells& block,
              const Elements& elements) {
    if (values.empty()) return nullptr;
    return put(spread(values, block.counts, elements, stride_, width));
  }

  /// As BlockArrays::shared has it.
  std::uint64_t shared_array(const mechanisms::Coupling& coupling) const {
    for (std::size_t k = 0; k < signature_.ions.size(); ++k)
      if (signature_.ions[k] == coupling.ion) {
        double* const array = ion_array(k, coupling.quantity);
        if (!array || !shape_.ions_on_chip) return word(array);
        return ion_on_chip(k, coupling.quantity, 0) + 1;
      }
    return 0;
  }
  /// So many numbers lie before it.
  std::size_t ion_on_chip(std::size_t ion, SharedQuantity quantity, std::size_t row) const {
    return shape_.first_ion * sizeof(double) / shape_.real_bytes() +
           (4 * ion + number_of(quantity)) * shape_.most_rows + row;
  }

  /// Calls body(cell, which of the cell's, which of all) for the instances of a block.
  template <class Body>
  static void each_instance(const BlockCells& block, const Body& body) {
    std::size_t instance = 0;
    for (std::size_t c = 0; c < block.counts.size(); ++c)
      for (std::size_t i = 0; i < block.counts[c]; ++i) body(c, i, instance++);
  }

  /// Which thread of a team has which instances of a point process.
  void put_owned(std::size_t b, std::vector<std::uint64_t>& words) {
    const BlockCells& block = cells_.blocks[b];
    const bool is_point = signature_.blocks[b].mechanism->info->is_point_process;
    std::vector<unsigned> begin;
    std::vector<OwnedInstance> owned;
    if (is_point) {
      const auto team = static_cast<std::size_t>(shape_.team);
      begin.assign(block.counts.size() * team + 1, 0);
      // Of each thread how many, where its own begin, and then which.
      const auto thread_of = [&](std::size_t cell, std::size_t instance) {
        return cell * team + static_cast<std::size_t>(block.rows[instance]) % team;
      };
      each_instance(block, [&](std::size_t cell, std::size_t, std::size_t instance) {
        ++begin[thread_of(cell, instance) + 1];
      });
      std::partial_sum(begin.begin(), begin.end(), begin.begin());
      if (team > 1) {
        owned.resize(block.rows.size());
        std::vector<unsigned> next(begin);
        each_instance(block, [&](std::size_t cell, std::size_t i, std::size_t instance) {
          owned[next[thread_of(cell, instance)]++] = {static_cast<int>(i), block.rows[instance]};
        });
      }
    }
    words.push_back(is_point ? word(put(begin)) : 0);
    words.push_back(word(put(owned)));
  }

  void put_connections(std::size_t b, std::vector<std::uint64_t>& words) {
    BlockHome& home = program_.blocks_[b];
    BlockCells& block = cells_.blocks[b];
    const mechanisms::MechanismInfo& info = *signature_.blocks[b].mechanism->info;
    if (!info.keeps_arguments) {
      words.insert(words.end(), {0, 0, 0});
      return;
    }
    // Elements lie in another order than instances where cells lie side by side.
    std::vector<unsigned> begin(home.elements.size + 1, 0), slots;
    std::vector<std::size_t> from(home.elements.size, ~std::size_t{0});
    std::vector<std::size_t> first_slot{0};
    for (const std::uint32_t count : block.connection_counts)
      first_slot.push_back(first_slot.back() + count);
    std::size_t instance = 0;
    for (std::size_t c = 0; c < block.counts.size(); ++c)
      for (std::size_t i = 0; i < block.counts[c]; ++i)
        from[home.elements.first[c] + i * stride_] = instance++;
    for (std::size_t element = 0; element < from.size(); ++element) {
      if (from[element] != ~std::size_t{0})
        slots.insert(
            slots.end(),
            block.connections.begin() + static_cast<std::ptrdiff_t>(first_slot[from[element]]),
            block.connections.begin() + static_cast<std::ptrdiff_t>(first_slot[from[element] + 1]));
      begin[element + 1] = static_cast<unsigned>(slots.size());
    }
    home.arguments = put(block.arguments);
    words.push_back(word(home.arguments));
    words.push_back(word(put(slots)));
    words.push_back(word(put(begin)));
  }

  std::uint64_t row_element(std::uint32_t cell, std::size_t row) const {
    return row_elements_.first[cell] + row * stride_;
  }
  double* column_element(std::size_t block, std::size_t variable, std::uint32_t cell,
                         std::size_t instance) const {
    const BlockHome& home = program_.blocks_[block];
    return home.columns[variable] + home.elements.first[cell] + instance * stride_;
  }

  void put_pointers(std::size_t b) {
    const BlockCells& block = cells_.blocks[b];
    const Elements& elements = program_.blocks_[b].elements;
    for (std::size_t k = 0; k < block.pointers.size(); ++k) {
      if (block.pointers[k].empty()) continue;
      std::vector<std::uint64_t> addresses(elements.size, 0);
      std::size_t instance = 0;
      for (std::uint32_t c = 0; c < block.counts.size(); ++c)
        for (std::size_t i = 0; i < block.counts[c]; ++i)
          addresses[elements.first[c] + i * stride_] = address_of(block.pointers[k][instance++], c);
      blocks_[b].words[blocks_[b].pointed + k] = word(put(addresses));
    }
  }
  std::uint64_t address_of(const PointerTarget& target, std::uint32_t cell) const {
    using Kind = PointerTarget::Kind;
    if (target.kind == Kind::itself) return 0;
    return target.kind == Kind::voltage ? voltage_address : word(element_of(target, cell));
  }
  /// Where a number lies between epochs.
  double* element_of(const PointerTarget& target, std::uint32_t cell) const {
    using Kind = PointerTarget::Kind;
    if (target.kind == Kind::variable)
      return column_element(target.block, target.variable, cell, target.index);
    double* const rows = target.kind == Kind::ion ? ion_array(target.block, target.quantity)
                                                  : program_.arrays_of_cells_.v_mV;
    return rows + row_element(cell, target.index);
  }

  /// Where a number is during an epoch.
  NumberAddress number_address(const NumberSource& source) const {
    if (source.kind == step::Summand::ion) {
      if (shape_.ions_on_chip)
        return on_chip(ion_on_chip(source.block, source.quantity, source.index),
                       shape_.real_bytes());
      return {ion_array(source.block, source.quantity) + row_element(source.cell, source.index), 0,
              false};
    }
    const BlockShape& shape = shape_.blocks[source.block];
    const int home = shape.homes[source.variable];
    if (home >= 0)
      return on_chip(shape.chip * sizeof(double) / shape.number_bytes() +
                         static_cast<std::size_t>(home) * shape.most + source.index,
                     shape.number_bytes());
    return {column_element(source.block, source.variable, source.cell, source.index), 0, false};
  }

  /// Among the arrays that a cell works in.
  std::size_t row_of_term(const NumberSource& source) const {
    if (source.layer == 0) return source.index;
    const int array = array_of_layer(static_cast<int>(source.layer) - 1);
    return static_cast<std::size_t>(array) * shape_.most_rows + source.index;
  }

  static NumberAddress on_chip(std::size_t before, std::size_t bytes) {
    return {nullptr, static_cast<unsigned>(before), bytes == sizeof(float)};
  }

  void put_numbers() {
    CellArrays& a = program_.arrays_of_cells_;
    program_.at_once_ = order_samples(cells_);
    std::vector<SampledTerm> terms;
    for (const NumberSource& source : cells_.terms) {
      SampledTerm& term = terms.emplace_back();
      term.factor = source.factor;
      term.kind = source.kind;
      if (source.kind == step::Summand::variable || source.kind == step::Summand::ion)
        term.at = number_address(source);
      else
        term.row = static_cast<int>(row_of_term(source));
    }
    a.terms = put(terms);
    for (const Sampled& column : cells_.samples) {
      const SampledTerm* const only = column.terms == 1 ? &terms[column.first_term] : nullptr;
      const bool is_of_row = only && (only->kind == step::Summand::voltage ||
                                      only->kind == step::Summand::membrane_current);
      program_.sampled_columns_.push_back(
          {column.recording, is_of_row ? only->kind : step::Summand::constant,
           is_of_row ? static_cast<unsigned>(only->row) : static_cast<unsigned>(column.first_term),
           static_cast<unsigned>(column.terms), 0});
    }
    program_.sampled_ = put(program_.sampled_columns_);
    a.sampled = program_.sampled_;
    a.sampled_begin =
        cells_.samples.empty()
            ? nullptr
            : put_begin(cells_.samples, [](const Sampled& column) { return column.cell; });
    a.sampled_later = cells_.samples.empty() ? nullptr : put(program_.at_once_.begin);
    if (program_.at_once_.recording) {
      a.membrane_recording = *program_.at_once_.recording;
      program_.membrane_columns_ = put(std::vector<unsigned>(row_elements_.size, no_column));
      a.membrane_columns = program_.membrane_columns_;
    }
    put_played();
    put_fields();
    find_gaps();
  }

  void find_gaps() {
    for (const GapPublished& gap : cells_.gaps_published)
      program_.gaps_published_.push_back({element_of(gap.source, gap.cell), gap.value});
    for (const GapRead& gap : cells_.gaps_read)
      program_.gaps_read_.push_back(
          {column_element(gap.target.block, gap.target.variable, gap.target.cell, gap.target.index),
           gap.value});
  }

  /// Of what lies by cell, where each cell's begins. cell_of: of one.
  template <class One, class CellOf>
  const unsigned* put_begin(const std::vector<One>& all, const CellOf& cell_of) {
    std::vector<unsigned> begin(cells_.entries.size() + 1, 0);
    for (const One& one : all) ++begin[cell_of(one) + 1];
    for (std::size_t c = 0; c < cells_.entries.size(); ++c) begin[c + 1] += begin[c];
    return put(begin);
  }

  PlayedNumber put_table(const models::Waveform& table) {
    std::vector<double> times, values;
    for (const auto& [time, value] : table) {
      times.push_back(time);
      values.push_back(value);
    }
    return {{}, put(times), put(values), static_cast<int>(times.size())};
  }

  void put_played() {
    if (cells_.played.empty()) return;
    std::vector<PlayedNumber> all;
    for (const Played& one : cells_.played) {
      all.push_back(put_table(*one.table));
      all.back().target = number_address(one.target);
    }
    program_.arrays_of_cells_.played = put(all);
    program_.arrays_of_cells_.played_begin =
        put_begin(cells_.played, [](const Played& one) { return one.target.cell; });
  }

  void put_fields() {
    if (cells_.fields.empty()) return;
    CellArrays& a = program_.arrays_of_cells_;
    std::map<const models::Waveform*, PlayedNumber> tables;
    std::vector<FieldInTime>& all = program_.fields_;
    for (const FieldCells& field : cells_.fields) {
      all.push_back({field.in_time.wave, {}, field.in_time.factor});
      if (const models::Waveform* const table = field.in_time.table) {
        const auto [known, is_new] = tables.try_emplace(table);
        if (is_new) known->second = put_table(*table);
        all.back().table = known->second;
      }
    }
    a.fields = put(all);
    a.fields_begin = put_begin(cells_.fields, [](const FieldCells& field) { return field.cell; });
    a.field_numbers = row_elements_.size;
    a.field_nA = put_fields_by_row(cells_.fields_nA);
    a.field_ground_nA = put_fields_by_row(cells_.fields_ground_nA);
  }
  const double* put_fields_by_row(std::vector<OneOrMany>& fields) {
    if (fields.empty()) return nullptr;
    const auto numbers =
        program_.memory_.take<double>(fields.size() * row_elements_.size, DeviceUse::cells);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      fields[f].append(cells_.v_mV.size() - fields[f].size(), 0);
      upload(numbers, fields[f], row_counts_, row_elements_, 0.0, f * row_elements_.size);
    }
    return numbers.data();
  }

  void write_words(const RunConstants& run) {
    RunNumbers numbers{};
    static_cast<network::Boundaries&>(numbers) = run.boundaries();
    numbers.implicit_dt_ms = run.implicit_dt_ms();
    numbers.celsius = run.celsius;
    numbers.clock_ms = put(run.clock_ms);
    numbers.threshold_mV = cells_.population->threshold_mV;
    numbers.detects = cells_.population->detects;
    numbers.interpolates = run.spike_time == models::SpikeTime::interpolated;
    std::vector<std::uint64_t>& words = program_.words_;
    const auto add = [&](const void* bytes, std::size_t size) {
      const std::size_t first = words.size();
      words.resize(first + words_of(size));
      std::memcpy(&words[first], bytes, size);
    };
    add(&numbers, sizeof numbers);
    add(&program_.arrays_of_cells_, sizeof program_.arrays_of_cells_);
    const std::vector<IonArrays> none(1);
    const std::vector<IonArrays>& ions = ions_.empty() ? none : ions_;
    add(ions.data(), ions.size() * sizeof(IonArrays));
    for (const BlockWords& block : blocks_)
      words.insert(words.end(), block.words.begin(), block.words.end());
    words.push_back(0);  // the end of a BlockList, an empty struct
  }

  DeviceProgram& program_;
  Cells& cells_;
  const Signature& signature_;
  const LaunchShape& shape_;
  std::size_t stride_;
  std::vector<std::uint32_t>& row_counts_;
  Elements& row_elements_;
  std::vector<IonArrays>& ions_;
  std::vector<BlockWords> blocks_;
};

void DeviceProgram::upload(const Signature& signature, const RunConstants& run,
                           const Outlets& outlets) {
  Uploader(*this, signature).run(run, outlets);
}

}  // namespace hillock::simulator::on_device
