#include "io/model/protocol/read_waveform.hpp"

#include <fmt/format.h>

#include "io/model/values/read_column.hpp"
#include "io/model/values/read_warnings.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

namespace {

using models::CurrentClamp;

/// Reads the columns of a file with times and currents.
class WaveformFile {
 public:
  WaveformFile(ReadContext& context, MapReader& map, const std::string& unit, const char* what)
      : context_(context),
        unit_(unit),
        what_(what),
        item_(map.item()),
        file_(*map.find("csv")),
        column_(map.find("column")),
        number_(map.find("number")) {}

  std::optional<CurrentClamp> read() {
    const auto file = read_named_file(context_, file_);
    if (!file) return std::nullopt;
    table_ = read_csv_table(context_, *file);
    if (!table_ || !times_rise() || !choose()) return std::nullopt;
    warn_of_late_start(context_, file_, table_->columns[0].front());
    return std::move(clamp_);
  }

 private:
  bool times_rise() const {
    const std::vector<double>& times = table_->columns[0];
    for (std::size_t row = 1; row < times.size(); ++row) {
      if (times[row] >= times[row - 1]) continue;
      file_.error_at(table_->place(row, 0),
                     fmt::format("the time {} comes after {} (times must not fall)",
                                 show(times[row], "ms"), show(times[row - 1], "ms")));
      return false;
    }
    return true;
  }

  /// Which columns are taken, and which of them is a cell's.
  bool choose() {
    const std::size_t columns = table_->columns.size();
    clamp_.kind = CurrentClamp::Kind::waveform;
    if (columns < 2) {
      file_.error(fmt::format("{} has one column (time in ms and {}{} are needed)", table_->file,
                              what_, unit_.empty() ? "" : " in " + unit_));
      return false;
    }
    if (column_) return take_named();
    for (std::size_t c = 1; c < columns; ++c) take(c);
    std::optional<Expression> which;
    if (!read_row(number_, which)) return false;
    if (columns == 2 && !number_) return true;
    context_.network.goes_by_number = true;
    if (which)
      clamp_.which = models::Value(*which, number_->place());
    else
      clamp_.which =
          models::Value(std::get<Expression>(Expression::parse("index", Unit{}, {Variable::index})),
                        item_.place());
    clamp_.which.keep_within({Limits{}, item_.path()});
    context_.columns.push_back(
        {item_.place(), item_.path(), table_->file, what_, columns - 1, std::move(which)});
    return true;
  }

  bool take_named() {
    if (number_) {
      number_->error("column and number say the same; write one of them");
      return false;
    }
    const auto name = column_->text("the name of a column");
    if (!name) return false;
    const auto found = table_->find(*name);
    if (!found || *found == 0) {
      column_->error(fmt::format("{} has no column of {}s '{}'.{}", table_->file, what_, *name,
                                 did_you_mean(*name, table_->header)));
      return false;
    }
    take(*found);
    return true;
  }

  void take(std::size_t column) {
    auto& waveform = clamp_.waveforms.emplace_back();
    waveform.reserve(table_->rows());
    for (std::size_t row = 0; row < table_->rows(); ++row)
      waveform.emplace_back(table_->columns[0][row], table_->columns[column][row]);
  }

  ReadContext& context_;
  const std::string& unit_;
  const char* what_;
  Item item_, file_;
  std::optional<Item> column_, number_;
  std::shared_ptr<const CsvTable> table_;
  CurrentClamp clamp_;
};

}  // namespace

std::optional<CurrentClamp> read_waveform(ReadContext& context, const Item& item,
                                          const std::string& unit, const char* what) {
  MapReader map(item, "a waveform");
  if (map.has("csv")) {
    WaveformFile file(context, map, unit, what);
    if (!map.finish()) return std::nullopt;
    return file.read();
  }
  const auto times_item = map.require("times");
  const auto numbers_item = map.require(fmt::format("{}s", what));
  map.allow("csv");
  if (!map.finish()) return std::nullopt;
  const auto times = read_constants(*times_item, Slot::of("ms"));
  const auto numbers = read_constants(*numbers_item, Slot::of(unit));
  if (!times || !numbers) return std::nullopt;
  if (times->size() != numbers->size() || times->empty()) {
    numbers_item->error(
        fmt::format("must have as many values as times, {}, and at least one", times->size()));
    return std::nullopt;
  }
  CurrentClamp clamp;
  clamp.kind = CurrentClamp::Kind::waveform;
  auto& waveform = clamp.waveforms.emplace_back();
  for (std::size_t i = 0; i < times->size(); ++i) {
    if (i > 0 && (*times)[i] < (*times)[i - 1]) {
      times_item->error("times must not fall");
      return std::nullopt;
    }
    waveform.emplace_back((*times)[i], (*numbers)[i]);
  }
  warn_of_late_start(context, *times_item, waveform.front().first);
  return clamp;
}

}  // namespace hillock::io
