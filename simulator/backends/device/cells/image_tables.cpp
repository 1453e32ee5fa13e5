#include "simulator/backends/device/cells/image_tables.hpp"

#include <array>
#include <cstring>
#include <stdexcept>

#include "simulator/backends/device/cells/elements.hpp"

namespace hillock::simulator::on_device {

namespace {

/// Writes the tables of one image behind those of others.
class ImageWriter {
 public:
  ImageWriter(const Cells& cells, const LaunchShape& shape, const ImagePart& part,
              std::vector<double>& words)
      : cells_(cells), shape_(shape), part_(part), words_(words), first_(words.size()) {}

  Image write() {
    image_.rows = part_.rows;
    image_.levels = part_.levels;
    image_.tables = first_;
    image_.factors = part_.first_row;
    const bool contracts = part_.contraction != nullptr;
    constexpr auto coupling = static_cast<std::size_t>(RowTable::coupling_uS);
    for (std::size_t t = 0; t < coupling; ++t) add_table(t);
    if (shape_.shares_block)
      add_couplings_or_factors();
    else if (!contracts)
      add_table(coupling);
    image_.first_integer = static_cast<int>(words_.size() - first_);
    begin_integers();
    if (!contracts) add_branches();
    add_owned();
    end_integers();
    image_.words = static_cast<int>(words_.size() - first_);
    if (words_.size() - first_ != words_of_image(cells_, shape_, part_, sizeof(double)))
      throw std::logic_error("an image's tables are not as large as was counted");
    if (contracts)
      add_contraction();
    else if (shape_.shares_block)
      add_table(coupling);
    begin_integers();
    add_links();
    end_integers();
    return image_;
  }

 private:
  void add_table(std::size_t t) {
    if (t == static_cast<std::size_t>(RowTable::coupling_uS))
      image_.coupling = static_cast<int>(words_.size() - first_);
    if (shape_.tables[t] < 0) return;
    const std::vector<double>& table = *tables_of(cells_)[t];
    const auto first = table.begin() + static_cast<std::ptrdiff_t>(part_.first_row);
    words_.insert(words_.end(), first, first + part_.rows);
  }
  /// Rows whose pivots never change need a factor in a coupling's place.
  void add_couplings_or_factors() {
    const std::size_t begin = words_.size();
    const auto rows = static_cast<std::size_t>(part_.rows);
    for (std::size_t row = part_.first_row; row < part_.first_row + rows; ++row)
      words_.push_back(cells_.factor[row]);
    each_changing(cells_, part_, [&](int row) {
      words_[begin + static_cast<std::size_t>(row)] =
          cells_.coupling_uS[part_.first_row + static_cast<std::size_t>(row)];
    });
  }
  void begin_integers() {
    integers_.clear();
    first_integer_ = 2 * (words_.size() - first_);
  }
  void end_integers() {
    const std::size_t before = words_.size();
    words_.resize(before + words_of(integers_.size() * sizeof(int)));
    std::memcpy(&words_[before], integers_.data(), integers_.size() * sizeof(int));
  }
  /// Where the next integer goes.
  int here() const { return static_cast<int>(first_integer_ + integers_.size()); }
  void add(const std::vector<int>& from, std::size_t begin, int count) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
    integers_.insert(integers_.end(), first, first + count);
  }

  void add_branches() {
    image_.branches = here();
    for (int k = 0; k < part_.branches; ++k) {
      const Branch& branch = cells_.branches[part_.first_branch + static_cast<std::size_t>(k)];
      integers_.insert(integers_.end(),
                       {branch.first, branch.last, branch.constant_from, branch.parent,
                        branch.children_begin, branch.children_end});
    }
    image_.level_begin = here();
    add(cells_.level_begin, part_.first_level, part_.levels + 1);
    image_.children = here();
    const auto first_child = static_cast<std::ptrdiff_t>(integers_.size());
    add(cells_.children, part_.first_child, part_.children);
    if (!shape_.has_places()) return;
    const std::vector<int> places = find_places();
    // As CellContext::child() has it, ~row of those whose pivots change.
    for (auto child = integers_.begin() + first_child; child != integers_.end(); ++child)
      if (places[static_cast<std::size_t>(*child)] >= 0) *child = ~*child;
    image_.places = here();
    add(places, 0, part_.rows);
  }

  /// By row, where its pivot is; -1 where it never changes.
  std::vector<int> find_places() const {
    std::vector<int> places(static_cast<std::size_t>(part_.rows), -1);
    places[0] = 0;
    int next = 1;
    each_changing(cells_, part_, [&](int row) {
      if (row > 0) places[static_cast<std::size_t>(row)] = shape_.has_all_pivots ? row : next++;
    });
    return places;
  }

  void add_links() {
    std::vector<std::vector<int>> children(static_cast<std::size_t>(part_.rows));
    const auto parent_of = [&](int row) {
      return cells_.parents[part_.first_row + static_cast<std::size_t>(row)];
    };
    for (int row = 0; row < part_.rows; ++row)
      if (const int parent = parent_of(row); parent >= 0)
        children[static_cast<std::size_t>(parent)].push_back(row);
    image_.links = here();
    std::vector<int> more;
    for (int row = 0; row < part_.rows; ++row) {
      const std::vector<int>& some = children[static_cast<std::size_t>(row)];
      const int begin = static_cast<int>(more.size());
      if (!some.empty()) more.insert(more.end(), some.begin() + 1, some.end());
      integers_.insert(integers_.end(), {parent_of(row), some.empty() ? -1 : some.front(), begin,
                                         static_cast<int>(more.size())});
    }
    image_.more_children = here();
    integers_.insert(integers_.end(), more.begin(), more.end());
  }

  /// What is read when an epoch begins.
  void add_contraction() {
    add_table(static_cast<std::size_t>(RowTable::coupling_uS));
    const solver::contraction::EarlyPivots& early = part_.contraction->early;
    image_.pivots = static_cast<int>(words_.size() - first_);
    for (const auto* numbers : {&early.factor_a, &early.factor_b})
      words_.insert(words_.end(), numbers->begin(), numbers->end());
    image_.edges = static_cast<int>(words_.size() - first_);
    words_.insert(words_.end(), early.edges.begin(), early.edges.end());
    begin_integers();
    add_tasks();
    end_integers();
  }

  void add_tasks() {
    const solver::ContractionSchedule& schedule = part_.contraction->schedule;
    image_.steps = schedule.steps();
    image_.early_steps = schedule.early_steps;
    image_.tasks = schedule.task_count();
    image_.early_tasks = solver::contraction::early_counts(schedule).tasks;
    image_.task = here();
    for (const auto& task : part_.contraction->packed.tasks) {
      std::array<int, sizeof task / sizeof(int)> integers;
      std::memcpy(integers.data(), &task, sizeof task);
      integers_.insert(integers_.end(), integers.begin(), integers.end());
    }
  }

  /// By thread, which instances of density mechanisms it has.
  void add_owned() {
    image_.owned_begin = here();
    std::vector<int> owned;
    for (const std::size_t b : blocks_of_lists(cells_, shape_)) {
      const int* const instances = &cells_.instance_of_row[b][part_.first_row];
      const auto first = static_cast<int>(owned.size() / 2);
      for (int rank = 0; rank < shape_.team; ++rank) {
        integers_.push_back(static_cast<int>(owned.size() / 2) - first);
        for (int row = rank; row < part_.rows; row += shape_.team)
          if (instances[row] >= 0) owned.insert(owned.end(), {instances[row], row});
      }
      integers_.insert(integers_.end(), {static_cast<int>(owned.size() / 2) - first, first});
    }
    image_.owned = here();
    integers_.insert(integers_.end(), owned.begin(), owned.end());
  }

  const Cells& cells_;
  const LaunchShape& shape_;
  const ImagePart& part_;
  std::vector<double>& words_;
  std::size_t first_, first_integer_ = 0;
  std::vector<int> integers_;
  Image image_{};
};

}  // namespace

Image write_image(const Cells& cells, const LaunchShape& shape, const ImagePart& part,
                  std::vector<double>& words) {
  return ImageWriter(cells, shape, part, words).write();
}

}  // namespace hillock::simulator::on_device
