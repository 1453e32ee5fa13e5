#include "io/circuit/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/circuit/json_files.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uint64_t most_elements = 50'000'000;
constexpr std::uint32_t most_groups = 65'536;

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

std::unique_ptr<Elements> Elements::read(ConfinedFile& file, const std::string& path,
                                         const std::string& kind,
                                         std::shared_ptr<const TypesTable> types,
                                         Diagnostics& diagnostics) {
  auto all = std::make_unique<Elements>();
  all->file_ = file.path().string();
  all->kind_ = kind;
  all->path_ = path;
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
    all->groups_.assign(groups->begin(), groups->end());
    all->indices_.assign(indices->begin(), indices->end());
  }
  for (const std::uint64_t number : numbers)
    if (!all->read_group(file, path, static_cast<std::uint32_t>(number), diagnostics))
      return nullptr;
  if (!all->check_indices(diagnostics)) return nullptr;
  for (std::size_t i = 0; all->table_ && i < all->size(); ++i)
    if (!all->table_->has(all->types_[i]))
      return refuse(fmt::format("has the type {}, which {} does not have", all->types_[i],
                                all->table_->file()));
  return all;
}

bool Elements::read_group(ConfinedFile& file, const std::string& path, std::uint32_t number,
                          Diagnostics& diagnostics) {
  const std::string group = fmt::format("{}/{}", path, number);
  auto& columns = columns_[number];
  const auto names = file.children(path);
  if (std::ranges::find(names, std::to_string(number)) == names.end()) return true;
  std::vector<std::string> library;
  for (const std::string& name : file.children(group)) {
    if (name == "@library") {
      library = file.children(group + "/@library");
    } else if (name == "dynamics_params") {
      unread_.push_back(group + "/" + name);
    } else {
      GroupColumn column;
      const std::string dataset = group + "/" + name;
      column.texts = file.texts(dataset);
      if (column.texts.empty()) {
        const auto extent = file.extent(dataset);
        if (!extent || (*extent)[0] > most_elements || (*extent)[1] > 64) continue;
        column.width = std::max<std::size_t>(1, (*extent)[1]);
        if ((*extent)[0] > 0) column.numbers = file.numbers(dataset, {0, 0}, *extent);
      }
      columns.emplace(name, std::move(column));
    }
  }
  // Numbers of a column that a library of texts goes with are places in it.
  for (const std::string& name : library) {
    const auto column = columns.find(name);
    if (column == columns.end()) continue;
    const std::vector<std::string> words = file.texts(group + "/@library/" + name);
    for (const double at : column->second.numbers) {
      if (!(at >= 0 && at < static_cast<double>(words.size()))) {
        diagnostics.error(
            place(), fmt::format("{}/{} has {:.12g}, which its @library lacks", group, name, at));
        return false;
      }
      column->second.texts.push_back(words[static_cast<std::size_t>(at)]);
    }
  }
  return true;
}

/// Every element has its row in all columns of its group.
bool Elements::check_indices(Diagnostics& diagnostics) const {
  std::map<std::uint32_t, std::size_t> needed;
  for (std::size_t i = 0; i < size(); ++i) {
    std::size_t& rows = needed[group(i)];
    rows = std::max<std::size_t>(rows, (indices_.empty() ? i : indices_[i]) + 1);
  }
  for (const auto& [number, rows] : needed)
    for (const auto& [name, column] : columns_.at(number))
      if (column.rows() < rows) {
        diagnostics.error(place(), fmt::format("{}/{}/{} has {} rows, and {}_group_index asks for "
                                               "{}",
                                               path_, number, name, column.rows(), kind_, rows));
        return false;
      }
  return true;
}

Place Elements::type_place(std::size_t element) const {
  return table_ ? table_->place(types_[element]) : place();
}

bool Elements::has_column(std::uint32_t group, const std::string& name) const {
  const auto columns = columns_.find(group);
  return (columns != columns_.end() && columns->second.contains(name)) ||
         (table_ && table_->has_column(name));
}

Attribute Elements::attribute(const std::string& name) const {
  Attribute attribute;
  attribute.elements_ = this;
  attribute.name_ = name;
  for (const auto& [number, columns] : columns_) {
    const auto column = columns.find(name);
    if (column == columns.end()) continue;
    attribute.columns_.resize(std::max<std::size_t>(attribute.columns_.size(), number + 1));
    attribute.columns_[number] = &column->second;
  }
  if (!table_) return attribute;
  for (const std::uint64_t type : types_)
    if (!attribute.of_types_.contains(type)) {
      const TypesTable::Value* value = table_->find(type, name);
      if (value)
        attribute.of_types_[type] = {{value->text, value->place}, number_in(value->text)};
      else
        attribute.of_types_[type] = {};
    }
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
    return Text{fmt::format("{}", column->numbers[row * column->width]), elements_->place()};
  }
  const auto found = of_types_.find(elements_->types_[element]);
  if (found == of_types_.end() || found->second.first.place.line == 0) return std::nullopt;
  return found->second.first;
}

}  // namespace hillock::io::circuit
