#pragma once
// Where in a circuit's files the parts of its model come from: what is wrong with these is told
// there.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors/diagnostics.hpp"

namespace hillock::io::circuit {

/// A place in a circuit and, of a single value, what it is called in the model and there.
struct Origin {
  Place place;
  std::string in_model, in_circuit;
};

/// A section of the model's text.
class SectionText {
 public:
  /// What is added from here on comes from this place.
  void from(const Place& place, std::string in_model = {}, std::string in_circuit = {}) {
    origins_.push_back({lines_, {place, std::move(in_model), std::move(in_circuit)}});
  }
  SectionText& operator+=(std::string_view entry);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  /// Lines, from 0, with the origin of them and the ones behind them.
  const std::vector<std::pair<int, Origin>>& origins() const { return origins_; }

 private:
  std::string text_;
  int lines_ = 0;
  std::vector<std::pair<int, Origin>> origins_;
};

/// What the rows of a table are.
struct TableOrigin {
  std::string file;
  std::string what;                 ///< "edge"
  std::vector<std::uint32_t> rows;  ///< [row] its number in the file
};

class Origins {
 public:
  /// A section whose first entry is at this line of the model, from 1.
  void add(int line, const SectionText& section);
  void add_table(const std::string& name, TableOrigin origin);

  /// A finding in the model, or in one of its tables, as one in the circuit; itself where no part
  /// of the circuit is known to be its origin. model: the file of the model's places.
  Diagnostic in_circuit(const Diagnostic& found, const std::string& model) const;

 private:
  std::map<int, Origin> lines_;
  std::map<std::string, TableOrigin> tables_;
};

}  // namespace hillock::io::circuit
