#pragma once
// Rows of columns as lines that fit: each column is as wide as what stands in it.

#include <string>
#include <vector>

namespace hillock::command {

enum class Align { left, right };

/// The lines of a table with `columns` at most (0: any number). The first row is its heading. The
/// last column is folded where that leaves it enough; where the others take all, a row goes on in
/// further lines, a whole cell at a time.
/// alignment: of each column. Cells are printable.
std::string table_text(const std::vector<std::vector<std::string>>& rows,
                       const std::vector<Align>& alignment, std::size_t columns);

}  // namespace hillock::command
