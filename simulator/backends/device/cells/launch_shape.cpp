#include "simulator/backends/device/cells/launch_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <span>

#include "simulator/backends/device/cells/elements.hpp"

namespace hillock::simulator::on_device {

namespace {

constexpr int threads_of_warp = 32;
constexpr int most_threads = 512;          ///< of a cell
constexpr std::size_t words_beside = 128;  ///< that a block takes beside its own

bool are_same(std::span<const double> values) {
  return std::ranges::all_of(values, [&](const double& value) {
    return std::memcmp(&value, &values.front(), sizeof value) == 0;
  });
}

/// Whether a variable never changes during a run and nobody but the mechanism looks at it.
bool is_fixed(const BlockCells& block, const BlockSignature& signature, std::size_t c,
              bool sets_assigned) {
  const mechanisms::MechanismInfo& info = *signature.mechanism->info;
  const auto column = static_cast<int>(c);
  if (block.is_looked_into || info.changes_parameters || column >= info.first_state()) return false;
  if (column < info.first_assigned()) return true;
  return !sets_assigned && !block.keeps_assigned && !signature.is_pointed_at &&
         !info.changes_in_current && !(info.receives_events && !info.is_linear);
}

/// Rows that a density mechanism has on an image.
std::size_t count_on(const Cells& cells, std::size_t block, const ImagePart& image) {
  const auto first =
      cells.instance_of_row[block].begin() + static_cast<std::ptrdiff_t>(image.first_row);
  return static_cast<std::size_t>(image.rows - std::count(first, first + image.rows, -1));
}

bool is_point(const Signature& signature, std::size_t b) {
  return signature.blocks[b].mechanism->info->is_point_process;
}

class Shaper {
 public:
  Shaper(const Signature& signature, const Cells& cells, const DeviceLimits& limits,
         models::Precision precision, bool sets_assigned)
      : signature_(signature), cells_(cells), limits_(limits), sets_assigned_(sets_assigned) {
    // Of layers and what they surround floats leave too little: 1 % where mixed leaves 1e-5.
    const bool is_rough = precision == models::Precision::single && signature.layers > 0;
    shape_.precision = is_rough ? models::Precision::mixed : precision;
  }

  LaunchShape run() {
    shape_.one_row = signature_.one_row;
    shape_.contracts = signature_.contracts;
    shape_.is_quick = signature_.is_quick;
    shape_.layers = signature_.layers;
    find_tables();
    for (std::size_t b = 0; b < cells_.blocks.size(); ++b) add_block(b);
    number_lists(shape_, signature_, {&cells_});
    mark_leading(shape_, signature_);
    count_work();
    choose_teams();
    if (shape_.shares_block)
      place_shared();
    else if (shape_.team > 1)
      place();
    if (shape_.team > 1) deal();
    find_what_begins();
    shape_.blocks_at_once = wanted_at_once();
    return shape_;
  }
  LaunchShape run_with(const LaunchShape& own, const LaunchShape& common) {
    shape_ = common;
    shape_.most_rows = own.most_rows;
    shape_.work_words = own.work_words;
    place_shared();
    deal();
    shape_.blocks_at_once = wanted_at_once();
    return shape_;
  }

 private:
  bool is_point(std::size_t b) const { return on_device::is_point(signature_, b); }

  void count_work() {
    // An even number, so that pairs behind rows lie as they should.
    shape_.most_rows = (static_cast<std::size_t>(cells_.most_rows) + 1) / 2 * 2;
    std::size_t numbers =
        static_cast<std::size_t>(row_arrays(signature_.contracts, signature_.layers)) *
        shape_.most_rows;
    if (signature_.contracts) numbers += count_contraction();
    shape_.work_words = even_words(numbers);
  }
  /// An even number of words that hold so many numbers of the cable.
  std::size_t even_words(std::size_t numbers) const {
    return (words_of(numbers * shape_.real_bytes()) + 1) / 2 * 2;
  }

  std::size_t count_contraction() {
    using solver::contraction::early_counts;
    for (const ImagePart& image : cells_.images) {
      const solver::ContractionSchedule& schedule = image.contraction->schedule;
      const auto late =
          static_cast<std::size_t>(schedule.task_count() - early_counts(schedule).tasks);
      const auto inbox = static_cast<std::size_t>(image.contraction->packed.inbox_numbers);
      shape_.most_late = std::max(shape_.most_late, late);
      shape_.most_inbox = std::max(shape_.most_inbox, inbox);
    }
    return 2 * shape_.most_late + shape_.most_inbox;
  }

  void choose_teams() {
    if (signature_.one_row || lie_side_by_side()) {
      shape_.team = 1;
      shape_.stride = threads_of_warp;
      // Where each has much to do, threads are spread over the multiprocessors first.
      shape_.block_threads = signature_.one_row ? 4 * threads_of_warp : threads_of_warp;
      return;
    }
    if (share_block()) return;
    // Few rows a thread where cells are few; where they are many, threads that are seldom idle.
    const std::size_t most = 512 * static_cast<std::size_t>(limits_.multiprocessors);
    // So many rows a thread as were fastest on an H200: a warp alone meets nobody at barriers, and
    // of large cells one or two are on a multiprocessor.
    const auto rows_of_thread = [](int team) {
      return team == threads_of_warp ? 8 : team <= 4 * threads_of_warp ? 6 : 4;
    };
    const auto is_too_few = [&](int rows) {
      return shape_.team < most_threads && shape_.team * rows < cells_.most_rows;
    };
    shape_.team = threads_of_warp;
    while (is_too_few(rows_of_thread(shape_.team))) shape_.team *= 2;
    while (is_too_few(1) && 2 * static_cast<std::size_t>(shape_.team) * limits_.cells <= most)
      shape_.team *= 2;
    shape_.block_threads = shape_.team;
    if (signature_.contracts)
      shape_.tasks_of_thread = (cells_.most_rows + shape_.team - 1) / shape_.team;
    int widest = 1;
    for (const ImagePart& image : cells_.images)
      for (int level = 0; level < image.levels; ++level) {
        const int* const begin = &cells_.level_begin[image.first_level];
        widest = std::max(widest, begin[level + 1] - begin[level]);
      }
    // A warp needs no barrier between levels.
    shape_.solver_team = widest <= 2 * threads_of_warp ? threads_of_warp : shape_.team;
  }
  /// Words that a block takes of the chip: of a cell, and once.
  struct BlockRoom {
    std::size_t of_cell, beside;
  };

  /// Whether cells that are alike share a block, where they lie side by side: threads next to each
  /// other sweep the same branch of several. Only where every multiprocessor still has cells.
  bool share_block() {
    if (signature_.contracts || signature_.layers > 0 || !cells_.membrane_nA.empty()) return false;
    LaunchShape shared = shape_;
    shared.shares_block = true;
    count_changing(shared);
    shared.has_all_pivots = shared.most_change || !signature_.ions.empty();
    int& coupling = shared.tables[static_cast<std::size_t>(RowTable::coupling_uS)];
    if (coupling < 0) coupling = shared.table_count++;  // has factors, too
    shared.work_words = words_in_place(shared.has_all_pivots);
    shared.team = most_threads / 2;  // at most
    const BlockRoom takes{shared.work_words, most_table_words(shared) + words_beside};
    int cells = cells_of_block(takes);
    if (!can_share(static_cast<std::size_t>(cells))) cells = fewer_of_block(takes, cells);
    if (cells <= 1) return false;
    shape_ = shared;
    shape_.stride = cells;
    // A dozen rows a thread, until the blocks at once have as many threads as may be.
    const int fewest = (2 * threads_of_warp + cells - 1) / cells;
    const auto blocks =
        static_cast<int>(std::min(blocks_of(takes, cells), cells_of_multiprocessor()));
    const int most = std::max(fewest, most_threads / (cells * blocks));
    shape_.team = shape_.solver_team = std::clamp((cells_.most_rows + 11) / 12, fewest, most);
    shape_.block_threads = shape_.team * cells;
    return true;
  }
  void count_changing(LaunchShape& shape) const {
    std::size_t changing = 0, rows = 0;
    for (const ImagePart& image : cells_.images) {
      each_changing(cells_, image, [&](int) { ++changing; });
      rows += static_cast<std::size_t>(image.rows);
    }
    shape.none_constant = changing == rows;
    shape.most_change = are_most(changing, rows);
  }
  /// Of a cell: a number a row, and the pivots that it keeps.
  std::size_t words_in_place(bool has_all_pivots) const {
    std::size_t pivots = shape_.most_rows;
    if (!has_all_pivots) {
      pivots = 0;
      for (const ImagePart& image : cells_.images) {
        std::size_t changing = 1;
        each_changing(cells_, image, [&](int) { ++changing; });
        pivots = std::max(pivots, changing);
      }
    }
    return even_words(shape_.most_rows + pivots);
  }
  std::size_t most_table_words(const LaunchShape& shape) const {
    std::size_t most = 0;
    for (const ImagePart& image : cells_.images)
      most = std::max(most, words_of_image(cells_, shape, image, shape_.real_bytes()));
    return most;
  }
  /// As many as go on the chip, then as few as take no more turns of all multiprocessors.
  int cells_of_block(const BlockRoom& takes) const {
    const auto rounded_up = [](std::size_t a, std::size_t b) { return (a + b - 1) / b; };
    const auto multiprocessors = static_cast<std::size_t>(limits_.multiprocessors);
    if (room() < takes.beside) return 1;
    const std::size_t most =
        std::min<std::size_t>((room() - takes.beside) / takes.of_cell, threads_of_warp);
    if (most < 2) return 1;
    const std::size_t turns = rounded_up(limits_.cells, most * multiprocessors);
    const std::size_t fewest = rounded_up(limits_.cells, turns * multiprocessors);
    // Whole sectors of memory, where they are not more turns.
    const std::size_t whole = rounded_up(fewest, 4) * 4;
    return static_cast<int>(whole <= most ? whole : fewest <= most / 4 * 4 ? most / 4 * 4 : fewest);
  }
  /// Of blocks of so many cells as the chip has room for.
  std::size_t blocks_of(const BlockRoom& takes, int cells) const {
    const std::size_t words = static_cast<std::size_t>(cells) * takes.of_cell + takes.beside;
    return std::max<std::size_t>(1, room() / words);
  }
  /// Where so many are not alike, or leave a multiprocessor without: fewer that take the fewest
  /// turns of all blocks at once; of those a power of two, whose rows fill sectors of memory.
  int fewer_of_block(const BlockRoom& takes, int cells) const {
    const auto rank_of = [&](int some) {
      const std::size_t at_once = static_cast<std::size_t>(some) * blocks_of(takes, some) *
                                  static_cast<std::size_t>(limits_.multiprocessors);
      const std::size_t turns = (limits_.cells + at_once - 1) / at_once;
      return std::pair(turns, !std::has_single_bit(static_cast<unsigned>(some)));
    };
    int best = 1;
    for (int some = cells - 1; some > 1; --some)
      if (can_share(static_cast<std::size_t>(some)) && (best == 1 || rank_of(some) < rank_of(best)))
        best = some;
    return best;
  }
  bool can_share(std::size_t cells) const {
    if (cells > cells_.entries.size()) return false;
    if ((cells - 1) * static_cast<std::size_t>(limits_.multiprocessors) >= limits_.cells)
      return false;  // fewer would do for all multiprocessors
    return may_lie_beside(cells_, cells);
  }
  /// What cells of a block work in and, where it does not keep others away, their tables.
  void place_shared() {
    shape_.on_chip = true;
    shape_.words = shape_.work_words * static_cast<std::size_t>(shape_.stride);
    place_tables();
  }

  /// Whether each cell has one thread, and 32 lie side by side in memory, as in cuHinesBatch.
  /// Threads of a cell with layers wait for one that sweeps, so of many cells it is faster where
  /// they would not all be on the chip at once.
  bool lie_side_by_side() const {
    if (signature_.one_solves) return true;
    const std::size_t at_once =
        room() / shape_.work_words * static_cast<std::size_t>(limits_.multiprocessors);
    return signature_.layers > 0 && limits_.cells > 2 * at_once;
  }

  /// So many blocks as shared memory and the number of cells let run side by side, up to so many
  /// threads as were fastest on an H100: with more, registers are too few.
  int wanted_at_once() const {
    if (shape_.team == 1) return 1;
    const int threads_at_once = shape_.precision == models::Precision::single ? 640 : 512;
    const auto blocks = static_cast<std::size_t>(threads_at_once / shape_.block_threads);
    std::size_t by_memory = blocks;
    if (shape_.on_chip) by_memory = room() / (shape_.words + words_beside);
    return static_cast<int>(
        std::max<std::size_t>(1, std::min({blocks, cells_of_multiprocessor(), by_memory})));
  }

  void find_tables() {
    const auto tables = tables_of(cells_);
    for (std::size_t t = 0; t < tables.size(); ++t)
      shape_.tables[t] = are_same(*tables[t]) ? -1 : shape_.table_count++;
  }

  /// Elements of an array are gone through in loops, in memory.
  static bool is_indexed(const BlockSignature& signature, std::size_t c) {
    return signature.mechanism->info->variables[c].is_indexed;
  }

  void add_block(std::size_t b) {
    const BlockCells& block = cells_.blocks[b];
    const BlockSignature& signature = signature_.blocks[b];
    BlockShape& shape = shape_.blocks.emplace_back();
    shape.is_single =
        shape_.precision != models::Precision::full && !signature.mechanism->info->keeps_doubles;
    for (std::size_t c = 0; c < block.columns.size(); ++c) {
      const bool fixed = is_fixed(block, signature, c, sets_assigned_);
      shape.stored.push_back(!fixed);
      const bool is_one = fixed && !is_indexed(signature, c) && block.columns[c].is_one();
      shape.homes.push_back(is_one ? one_for_all : in_memory);
    }
    shape.most = block.counts.empty() ? 0 : std::ranges::max(block.counts);
    if (is_point(b)) {
      shape.list = shape_.points++;
      return;
    }
    shape.is_everywhere = std::ranges::all_of(cells_.images, [&](const ImagePart& image) {
      const int* const instances = &cells_.instance_of_row[b][image.first_row];
      for (int r = 0; r < image.rows; ++r)
        if (instances[r] != r) return false;
      return true;
    });
  }

  /// Whether a block's variables are seen through POINTERs, or it sees others' through them.
  bool has_pointers(std::size_t b) const {
    return signature_.blocks[b].is_pointed_at ||
           std::ranges::any_of(cells_.blocks[b].pointers,
                               [](const auto& targets) { return !targets.empty(); });
  }
  /// As the CPU's cells do (cpu_cell_group.cpp): nothing in between looks at what moves. Where
  /// cells share a block and few pivots change, it gains nothing.
  void find_what_begins() {
    const auto is_density = [&](const NumberSource& number) {
      return number.kind == step::Summand::variable && !is_point(number.block);
    };
    shape_.begins = signature_.layers == 0 && (!shape_.shares_block || shape_.most_change) &&
                    cells_.gaps_published.empty() &&
                    std::ranges::none_of(cells_.played, is_density, &Played::target);
    int states = 0;
    for (std::size_t b = 0; b < cells_.blocks.size(); ++b) {
      const BlockSignature& block = signature_.blocks[b];
      const mechanisms::MechanismInfo& info = *block.mechanism->info;
      if (!info.is_point_process) states += info.states;
      if (info.diffusion_count > 0 || info.sets_voltage || block.follows_gaps() || has_pointers(b))
        shape_.begins = false;
      shape_.keeps_assigned = shape_.keeps_assigned || cells_.blocks[b].keeps_assigned;
    }
    shape_.has_few_states = states <= 4;
    shape_.records_moved = std::ranges::any_of(cells_.terms, [&](const NumberSource& term) {
      return term.kind == step::Summand::ion ||
             (term.kind == step::Summand::variable &&
              signature_.blocks[term.block].mechanism->info->changes_in_current);
    });
  }
  /// Whether a mechanism's states may go on beside those of others on its row.
  bool is_dealt(std::size_t b) const {
    return step::turn_of_states(signature_.blocks[b].facts()) == step::Turn::density &&
           !has_pointers(b);
  }
  /// Deals mechanisms of few rows to squads of threads, a warp's worth each: one thread would
  /// advance all of a row's, one after the other, while others wait. Not where that saves less than
  /// a fifth of what all states take.
  void deal() {
    shape_.squad_ranks = std::max(1, threads_of_warp / shape_.stride);
    shape_.squads = shape_.team / shape_.squad_ranks;
    std::vector<int> loads(static_cast<std::size_t>(shape_.squads), 0);
    int all = 0;
    for (std::size_t b = 0; b < shape_.blocks.size(); ++b)
      if (is_dealt(b)) all += cost_of(b, shape_.team);
    for (std::size_t first = 0; first < shape_.blocks.size(); ++first) {
      if (!is_dealt(first) || shape_.blocks[first].squad >= 0) continue;
      std::vector<std::size_t> together;
      for (std::size_t b = first; b < shape_.blocks.size(); ++b)
        if (is_dealt(b) && shape_.blocks[b].is_everywhere == shape_.blocks[first].is_everywhere &&
            shape_.blocks[b].list == shape_.blocks[first].list)
          together.push_back(b);
      deal(std::move(together), loads, all / 5);
    }
    if (std::ranges::max(loads) == 0) shape_.squads = 1;
  }
  /// Of a block's states where so many threads share its rows, in what one state of a row costs.
  int cost_of(std::size_t b, int threads) const {
    const auto rows = static_cast<int>(shape_.blocks[b].most);
    return (rows + threads - 1) / threads * signature_.blocks[b].mechanism->info->states;
  }
  /// Those of the same rows, the costliest first, to whoever has least to do, where that saves more
  /// than is worthwhile.
  void deal(std::vector<std::size_t> blocks, std::vector<int>& loads, int worthwhile) {
    std::ranges::stable_sort(blocks, std::greater(),
                             [&](std::size_t b) { return cost_of(b, shape_.team); });
    std::vector<int> now = loads, squads;
    int alone = 0;
    for (const std::size_t b : blocks) {
      const auto least = std::ranges::min_element(now);
      *least += cost_of(b, shape_.squad_ranks);
      alone += cost_of(b, shape_.team);
      squads.push_back(static_cast<int>(least - now.begin()));
    }
    if (alone - (std::ranges::max(now) - std::ranges::max(loads)) <= worthwhile) return;
    loads = std::move(now);
    for (std::size_t k = 0; k < blocks.size(); ++k) shape_.blocks[blocks[k]].squad = squads[k];
  }

  std::size_t room() const {
    return static_cast<std::size_t>(limits_.shared_bytes) / sizeof(double);
  }
  /// Of all cells of the run, rounded up.
  std::size_t cells_of_multiprocessor() const {
    const auto multiprocessors = static_cast<std::size_t>(limits_.multiprocessors);
    const std::size_t blocks = (limits_.cells + static_cast<std::size_t>(shape_.stride) - 1) /
                               static_cast<std::size_t>(shape_.stride);
    return (blocks + multiprocessors - 1) / multiprocessors;
  }
  /// Whether so many words a cell leave enough cells side by side to keep the device busy.
  bool leaves_enough(std::size_t words) const {
    if (words > room()) return false;
    constexpr std::size_t busy_threads = 384;
    const std::size_t wanted =
        std::min(cells_of_multiprocessor(),
                 (busy_threads + static_cast<std::size_t>(shape_.block_threads) - 1) /
                     static_cast<std::size_t>(shape_.block_threads));
    return words * wanted <= room();
  }

  /// What changes comes onto the chip first, then what is only read.
  void place() {
    std::size_t points = 0;
    for (std::size_t c = 0; c < cells_.entries.size(); ++c) {
      std::size_t count = 0;
      for (std::size_t b = 0; b < cells_.blocks.size(); ++b)
        if (is_point(b)) count += cells_.blocks[b].counts[c];
      points = std::max(points, count);
    }
    shape_.words = shape_.work_words + points;
    if (shape_.words > room()) {
      shape_.words = 0;
      return;
    }
    shape_.on_chip = true;
    place_columns(true);
    place_ions();
    place_tables();
    place_columns(false);
    // Behind the rows: variables of the blocks, ions, lists of points, tables.
    std::size_t next = 0;
    for (BlockShape& shape : shape_.blocks) {
      shape.chip = next;
      next += shape.words();
    }
    shape_.first_ion = next;
    if (shape_.ions_on_chip) next += ion_words();
    shape_.first_owned = next;
    shape_.first_table = next + points;
  }

  /// changing: those that change; or those that only differ. Of a block all or none.
  void place_columns(bool changing) {
    for (std::size_t b = 0; b < cells_.blocks.size(); ++b) {
      if (signature_.blocks[b].is_pointed_at) continue;  // has to have an address
      BlockShape& shape = shape_.blocks[b];
      const auto wanted = [&](std::size_t c) {
        return shape.homes[c] == in_memory && (shape.stored[c] != 0) == changing &&
               !is_indexed(signature_.blocks[b], c);
      };
      BlockShape with = shape;
      int next = shape.chip_variables();
      for (std::size_t c = 0; c < shape.homes.size(); ++c)
        if (wanted(c)) with.homes[c] = next++;
      const std::size_t after = shape_.words - shape.words() + with.words();
      if (changing ? after > room() : !leaves_enough(after)) continue;
      shape = std::move(with);
      shape_.words = after;
    }
  }

  std::size_t ion_words() const {
    constexpr std::size_t quantities = 4;
    return words_of(quantities * signature_.ions.size() * shape_.most_rows * shape_.real_bytes());
  }
  void place_ions() {
    if (signature_.ions.empty()) return;
    for (const BlockCells& block : cells_.blocks)
      for (const auto& pointers : block.pointers)
        for (const PointerTarget& target : pointers)
          if (target.kind == PointerTarget::Kind::ion) return;  // has to have an address
    if (shape_.words + ion_words() > room()) return;
    shape_.ions_on_chip = true;
    shape_.words += ion_words();
  }

  void place_tables() {
    const std::size_t most = most_table_words(shape_);
    if (!leaves_enough(shape_.words + most)) return;
    shape_.tables_on_chip = true;
    shape_.words += most;
  }

  const Signature& signature_;
  const Cells& cells_;
  const DeviceLimits& limits_;
  bool sets_assigned_;
  LaunchShape shape_;
};

}  // namespace

std::array<const std::vector<double>*, row_tables> tables_of(const Cells& cells) {
  static const std::vector<double> none;
  std::array<const std::vector<double>*, row_tables> tables;
  tables.fill(&none);
  const auto set = [&](RowTable table, const std::vector<double>& numbers) {
    tables[static_cast<std::size_t>(table)] = &numbers;
  };
  using enum RowTable;
  set(capacity_uS, cells.capacity_uS);
  set(source_nA, cells.source_nA);
  set(constant, cells.constant);
  set(area_factor, cells.area_factors);
  set(coupling_uS, cells.coupling_uS);
  set(has_layers, cells.layers.has);
  set(inside_uS, cells.layers.inside_uS);
  constexpr RowTable of_layer[][4] = {{along_0, diagonal_0, across_0, charge_0},
                                      {along_1, diagonal_1, across_1, charge_1}};
  for (std::size_t l = 0; l < cells.layers.layers.size(); ++l) {
    const begin::BegunLayers::Layer& layer = cells.layers.layers[l];
    set(of_layer[l][0], layer.along_uS);
    set(of_layer[l][1], layer.diagonal_uS);
    set(of_layer[l][2], layer.across_uS);
    set(of_layer[l][3], layer.charge_uS);
  }
  return tables;
}

int BlockShape::chip_variables() const {
  return static_cast<int>(std::ranges::count_if(homes, [](int home) { return home >= 0; }));
}

std::size_t BlockShape::words() const {
  return words_of(most * static_cast<std::size_t>(chip_variables()) * number_bytes());
}

std::vector<std::size_t> blocks_of_lists(const Cells& cells, const LaunchShape& shape) {
  std::vector<std::size_t> blocks;
  for (std::size_t b = 0; b < shape.blocks.size(); ++b)
    if (!cells.instance_of_row[b].empty() && !shape.blocks[b].is_everywhere &&
        shape.blocks[b].list == static_cast<int>(blocks.size()))
      blocks.push_back(b);
  return blocks;
}

std::size_t words_of_image(const Cells& cells, const LaunchShape& shape, const ImagePart& image,
                           std::size_t number_bytes) {
  const bool contracts = image.contraction != nullptr;
  std::size_t integers = static_cast<std::size_t>(shape.lists * (shape.team + 2));
  if (shape.has_places()) integers += static_cast<std::size_t>(image.rows);
  for (const std::size_t b : blocks_of_lists(cells, shape))
    integers += sizeof(OwnedInstance) / sizeof(int) * count_on(cells, b, image);
  auto tables = static_cast<std::size_t>(shape.table_count);
  if (contracts) {
    if (shape.tables[static_cast<std::size_t>(RowTable::coupling_uS)] >= 0) --tables;
  } else {
    integers += static_cast<std::size_t>(image.branches) * sizeof(Branch) / sizeof(int) +
                static_cast<std::size_t>(image.levels) + 1 +
                static_cast<std::size_t>(image.children);
  }
  return words_of(tables * static_cast<std::size_t>(image.rows) * number_bytes) +
         words_of(integers * sizeof(int));
}

std::string describe_solver(const LaunchShape& shape) {
  const std::string precision = shape.precision == models::Precision::full
                                    ? ""
                                    : fmt::format(", {} precision", name_of(shape.precision));
  if (shape.one_row) return "none: one compartment" + precision;
  const std::string_view order = shape.is_quick ? "" : ", in the CPU's order";
  const std::string how =
      shape.contracts   ? "contraction"
      : shape.team == 1 ? "one thread a cell, in the CPU's order"
      : shape.shares_block
          ? fmt::format("branch by branch, {} cells side by side{}", shape.stride, order)
          : fmt::format("branch by branch{}", order);
  return fmt::format("{}, {}{}", how, shape.on_chip ? "on the chip" : "in the device's memory",
                     precision);
}

void number_lists(LaunchShape& shape, const Signature& signature,
                  const std::vector<const Cells*>& kinds) {
  std::vector<std::size_t> first_of_list;
  for (std::size_t b = 0; b < shape.blocks.size(); ++b) {
    if (is_point(signature, b) || shape.blocks[b].is_everywhere) continue;
    const auto list = std::ranges::find_if(first_of_list, [&](std::size_t other) {
      return std::ranges::all_of(kinds, [&](const Cells* cells) {
        return cells->instance_of_row[other] == cells->instance_of_row[b];
      });
    });
    shape.blocks[b].list = static_cast<int>(list - first_of_list.begin());
    if (list == first_of_list.end()) first_of_list.push_back(b);
  }
  shape.lists = static_cast<int>(first_of_list.size());
}

void mark_leading(LaunchShape& shape, const Signature& signature) {
  bool are_all_leading = true;
  shape.all_change = false;
  for (std::size_t b = 0; b < shape.blocks.size(); ++b) {
    BlockShape& block = shape.blocks[b];
    if (is_point(signature, b) || signature.blocks[b].is_constant) continue;
    block.is_leading = are_all_leading = are_all_leading && block.is_everywhere;
    shape.all_change = shape.all_change || block.is_leading;
  }
}

LaunchShape with_common_text(const LaunchShape& own, const LaunchShape& common,
                             const Signature& signature, const Cells& cells,
                             const DeviceLimits& limits) {
  return Shaper(signature, cells, limits, common.precision, false).run_with(own, common);
}

bool may_lie_beside(const Cells& cells, std::size_t count) {
  for (std::size_t c = 0; c < cells.entries.size(); ++c)
    if (cells.entries[c].image != cells.entries[c / count * count].image) return false;
  return true;
}

LaunchShape shape_of(const Signature& signature, const Cells& cells, const DeviceLimits& limits,
                     models::Precision precision, bool sets_assigned) {
  return Shaper(signature, cells, limits, precision, sets_assigned).run();
}

}  // namespace hillock::simulator::on_device
