#include "io/circuit/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors/errors.hpp"
#include "core/text/counted.hpp"
#include "io/circuit/json_files.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uint64_t most_elements = 50'000'000;
constexpr std::uint32_t most_groups = 65'536;
constexpr std::uint64_t most_in_a_row = 64;

GroupColumn unreadable(std::string problem) {
  GroupColumn column;
  column.problem = std::move(problem);
  return column;
}

/// The place of the message says which file it is.
GroupColumn unreadable(const InputOutputError& error) {
  const std::string_view text = error.what();
  const std::string file = error.file() + ": ";
  return unreadable(std::string(text.substr(text.starts_with(file) ? file.size() : 0)));
}

/// The first rows of a dataset. Nothing where there is none. Throws InputOutputError.
std::optional<GroupColumn> read_rows(ConfinedFile& file, const std::string& dataset,
                                     std::uint64_t rows) {
  GroupColumn column;
  column.texts = file.texts(dataset);
  if (!column.texts.empty()) return column;
  auto extent = file.extent(dataset);
  if (!extent) return std::nullopt;
  if ((*extent)[1] > most_in_a_row)
    return unreadable(fmt::format("has {} rows of {} numbers; {} are possible", (*extent)[0],
                                  (*extent)[1], most_in_a_row));
  column.width = std::max<std::size_t>(1, (*extent)[1]);
  (*extent)[0] = std::min((*extent)[0], rows);
  if ((*extent)[0] > 0) column.numbers = file.numbers(dataset, {0, 0}, *extent);
  return column;
}

/// Numbers of a column that a library of texts goes with are places in it.
void take_from_library(const std::vector<std::string>& words, GroupColumn& column) {
  if (!column.problem.empty()) return;
  if (column.width != 1) {
    column = unreadable("has several numbers in a row beside a @library");
    return;
  }
  std::vector<std::string> texts;
  for (const double at : column.numbers) {
    if (!(at >= 0 && at < static_cast<double>(words.size()))) {
      column = unreadable(fmt::format("has {:.12g}, which its @library lacks", at));
      return;
    }
    texts.push_back(words[static_cast<std::size_t>(at)]);
  }
  column.texts = std::move(texts);
}

}  // namespace

std::optional<std::vector<std::uint64_t>> Elements::whole_numbers(ConfinedFile& file,
                                                                  const std::string& dataset,
                                                                  Diagnostics& diagnostics) {
  const auto numbers = file.column(dataset, most_elements);
  if (!numbers) return std::nullopt;
  std::vector<std::uint64_t> whole;
  whole.reserve(numbers->size());
  for (const double number : *numbers) {
    if (!(number >= 0 && number < 1e15) || number != std::floor(number)) {
      diagnostics.error(
          {file.path().string(), 0, 0},
          fmt::format("{} has {:.12g}, which is no whole number from 0", dataset, number));
      return std::nullopt;
    }
    whole.push_back(static_cast<std::uint64_t>(number));
  }
  return whole;
}

std::unique_ptr<Elements> Elements::read(std::shared_ptr<ConfinedFile> source,
                                         const std::string& path, const std::string& kind,
                                         std::shared_ptr<const TypesTable> types,
                                         Diagnostics& diagnostics) {
  auto all = std::make_unique<Elements>();
  ConfinedFile& file = *source;
  all->source_ = std::move(source);
  all->file_ = file.path().string();
  all->kind_ = kind;
  all->path_ = path;
  all->diagnostics_ = &diagnostics;
  all->table_ = std::move(types);
  const std::size_t errors = diagnostics.error_count();
  const auto of_types = whole_numbers(file, path + "/" + kind + "_type_id", diagnostics);
  const auto groups = whole_numbers(file, path + "/" + kind + "_group_id", diagnostics);
  const auto indices = whole_numbers(file, path + "/" + kind + "_group_index", diagnostics);
  if (diagnostics.error_count() > errors) return nullptr;
  const auto refuse = [&](const std::string& problem) {
    diagnostics.error(all->place(), path + " " + problem);
    return nullptr;
  };
  if (!of_types) return refuse("has no " + kind + "_type_id");
  all->types_ = *of_types;
  if (groups.has_value() != indices.has_value() ||
      (groups && (groups->size() != all->size() || indices->size() != all->size())))
    return refuse(fmt::format("needs {0}_group_id and {0}_group_index for each {0}", kind));
  std::vector<std::uint64_t> numbers{0};
  if (groups) {
    numbers = *groups;
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (!numbers.empty() && numbers.back() >= most_groups)
      return refuse(fmt::format("has the group {}; {} are possible", numbers.back(), most_groups));
    if (!indices->empty() && *std::ranges::max_element(*indices) >= most_elements)
      return refuse(fmt::format("has the {}_group_index {}; a group has at most {} rows", kind,
                                *std::ranges::max_element(*indices), most_elements));
    all->groups_.assign(groups->begin(), groups->end());
    all->indices_.assign(indices->begin(), indices->end());
  }
  const auto there = file.children(path);
  for (const std::uint64_t number : numbers) {
    all->of_groups_[static_cast<std::uint32_t>(number)];
    if (std::ranges::find(there, std::to_string(number)) != there.end())
      all->find_columns(static_cast<std::uint32_t>(number));
  }
  all->count_rows();
  for (std::size_t i = 0; all->table_ && i < all->size(); ++i)
    if (!all->table_->has(all->types_[i]))
      return refuse(fmt::format("has the type {}, which {} does not have", all->types_[i],
                                all->table_->file()));
  return all;
}

std::string Elements::column_name(std::uint32_t group, const std::string& name) const {
  return fmt::format("{}/{}/{}", path_, group, name);
}

void Elements::find_columns(std::uint32_t number) {
  const std::string path = fmt::format("{}/{}", path_, number);
  Group& group = of_groups_[number];
  for (const std::string& name : source_->children(path)) {
    if (name == "@library")
      group.library = source_->children(path + "/@library");
    else if (name == "dynamics_params" && is_group(path + "/" + name))
      unread_.push_back(path + "/" + name);
    else
      group.columns[name];
  }
  std::erase_if(unread_, [&](const std::string& name) { return source_->children(name).empty(); });
}

bool Elements::is_group(const std::string& object) const {
  try {
    return !source_->extent(object) && source_->texts(object).empty();
  } catch (const InputOutputError&) {
    return false;  // told when it is asked for
  }
}

void Elements::count_rows() {
  for (std::size_t i = 0; i < size(); ++i) {
    std::uint64_t& rows = of_groups_[group(i)].rows;
    rows = std::max<std::uint64_t>(rows, (indices_.empty() ? i : indices_[i]) + 1);
  }
}

const GroupColumn& Elements::column(std::uint32_t group, const std::string& name) const {
  std::optional<GroupColumn>& column = of_groups_.at(group).columns.at(name);
  if (!column) column = read_column(group, name);
  return *column;
}

GroupColumn Elements::read_column(std::uint32_t number, const std::string& name) const {
  const Group& group = of_groups_.at(number);
  const std::string path = fmt::format("{}/{}", path_, number);
  try {
    std::optional<GroupColumn> column = read_rows(*source_, path + "/" + name, group.rows);
    if (!column) return unreadable("is no dataset");
    if (std::ranges::find(group.library, name) != group.library.end())
      take_from_library(source_->texts(path + "/@library/" + name), *column);
    if (column->problem.empty() && column->rows() < group.rows)
      return unreadable(fmt::format("has {}, and {}_group_index asks for {}",
                                    counted(column->rows(), "row"), kind_, group.rows));
    return std::move(*column);
  } catch (const InputOutputError& problem) {
    return unreadable(problem);
  }
}

Place Elements::type_place(std::size_t element) const {
  return table_ ? table_->place(types_[element]) : place();
}

bool Elements::has_column(std::uint32_t group, const std::string& name) const {
  const auto found = of_groups_.find(group);
  return (found != of_groups_.end() && found->second.columns.contains(name)) ||
         (table_ && table_->has_column(name));
}

Attribute Elements::attribute(const std::string& name) const {
  Attribute attribute;
  attribute.elements_ = this;
  attribute.name_ = name;
  for (const auto& [number, group] : of_groups_) {
    if (!group.columns.contains(name)) continue;
    const GroupColumn& column = this->column(number, name);
    if (!column.problem.empty())
      diagnostics_->error(place(), column_name(number, name) + ": " + column.problem);
    attribute.columns_.resize(std::max<std::size_t>(attribute.columns_.size(), number + 1));
    attribute.columns_[number] = &column;
  }
  if (table_) look_up_types(attribute);
  return attribute;
}

/// Of the elements that have no column of their own.
void Elements::look_up_types(Attribute& attribute) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (attribute.column_of(i) || attribute.of_types_.contains(types_[i])) continue;
    const TypesTable::Value* value = table_->find(types_[i], attribute.name_);
    auto& known = attribute.of_types_[types_[i]];
    if (value) known = {{value->text, value->place}, number_in(value->text)};
  }
}

Attribute Elements::numbers(const std::string& name, std::size_t width) const {
  Attribute attribute = this->attribute(name);
  for (std::uint32_t group = 0; group < attribute.columns_.size(); ++group) {
    const GroupColumn* column = attribute.columns_[group];
    if (!column || !column->problem.empty()) continue;
    if (!column->texts.empty())
      diagnostics_->error(place(), column_name(group, name) + " has texts and no numbers");
    else if (column->width != width)
      diagnostics_->error(
          place(), fmt::format("{} has {} numbers in a row; {} wanted", column_name(group, name),
                               column->width, width == 1 ? "1 is" : fmt::format("{} are", width)));
  }
  for (const auto& [type, value] : attribute.of_types_)
    if (value.first.place.line > 0 && (!value.second || width != 1))
      diagnostics_->error(
          value.first.place,
          width == 1
              ? fmt::format("{} must be a number, not '{}'", name, value.first.text)
              : fmt::format("{} is {} numbers, which only the HDF5 file can have", name, width));
  return attribute;
}

const GroupColumn* Attribute::column_of(std::size_t element) const {
  const std::uint32_t group = elements_->group(element);
  return group < columns_.size() ? columns_[group] : nullptr;
}

bool Attribute::has(std::size_t element) const {
  if (column_of(element)) return true;
  const auto found = of_types_.find(elements_->types_[element]);
  return found != of_types_.end() && found->second.first.place.line > 0;
}

std::optional<double> Attribute::number(std::size_t element, std::size_t which) const {
  if (const GroupColumn* column = column_of(element)) {
    const std::size_t row = elements_->indices_.empty() ? element : elements_->indices_[element];
    if (column->numbers.empty() || which >= column->width) return std::nullopt;
    return column->numbers[row * column->width + which];
  }
  const auto found = of_types_.find(elements_->types_[element]);
  return found == of_types_.end() || which > 0 ? std::nullopt : found->second.second;
}

std::optional<Attribute::Text> Attribute::text(std::size_t element) const {
  if (const GroupColumn* column = column_of(element)) {
    const std::size_t row = elements_->indices_.empty() ? element : elements_->indices_[element];
    if (!column->texts.empty()) return Text{column->texts[row], elements_->place()};
    if (column->numbers.empty()) return std::nullopt;
    return Text{fmt::format("{}", column->numbers[row * column->width]), elements_->place()};
  }
  const auto found = of_types_.find(elements_->types_[element]);
  if (found == of_types_.end() || found->second.first.place.line == 0) return std::nullopt;
  return found->second.first;
}

}  // namespace hillock::io::circuit
