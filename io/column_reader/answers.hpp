#pragma once
// The program's second way of working: it is started with the name of a file, maps it, gives up all
// else, and answers questions of what is in it (io/columns/file_questions.hpp).

#include <span>

namespace hillock::io::columns {

/// Maps a regular file, so that it is read where it lies, however large. Empty span: it cannot be.
std::span<char> map_file(const char* path);

/// Answers on standard output what standard input asks until that ends. Runs confined.
void answer_questions(std::span<char> file);

}  // namespace hillock::io::columns
