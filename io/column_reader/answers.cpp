#include "io/column_reader/answers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>
#include <string>
#include <vector>

#include "io/column_reader/asker.hpp"
#include "io/column_reader/column_file.hpp"

namespace hillock::io::columns {

namespace {

/// An object's name in an answer that is too long to be given.
Told refuse_length() {
  Told told;
  told.problem = static_cast<std::uint32_t>(Problem::too_many_values);
  return told;
}

std::string receive_text(std::uint32_t bytes) {
  if (bytes > most_name_bytes) ::_exit(usage);
  std::string text(bytes, '\0');
  receive(text.data(), bytes);
  return text;
}

void answer(ColumnFile& file, const Question& question) {
  const std::string path = receive_text(question.path_bytes);
  const std::string attribute = receive_text(question.attribute_bytes);
  std::vector<char> texts;
  std::vector<double> numbers;
  Told told;
  try {
    switch (static_cast<Asked>(question.asked)) {
      case Asked::children:
        told = file.children(path, texts);
        break;
      case Asked::extent:
        told = file.extent(path);
        break;
      case Asked::numbers:
        told = file.numbers(question, path, numbers);
        break;
      case Asked::texts:
        told = file.texts(path, attribute, texts);
        break;
      case Asked::number:
        told = file.number(path, attribute, numbers);
        break;
    }
  } catch (const std::bad_alloc&) {
    told = refuse_length();
  }
  if (told.problem != 0) {
    texts.clear();
    numbers.clear();
  }
  if (texts.size() > most_told_bytes) {
    texts.clear();
    told = refuse_length();
  }
  told.bytes = texts.size() + numbers.size() * sizeof(double);
  send(&told, sizeof told);
  send(texts.data(), texts.size());
  send(numbers.data(), numbers.size() * sizeof(double));
}

}  // namespace

std::span<char> map_file(const char* path) {
  static char nothing = 0;
  const int opened = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat about {};
  if (opened < 0 || ::fstat(opened, &about) != 0 || !S_ISREG(about.st_mode)) return {};
  if (about.st_size == 0) return {&nothing, 0};
  const auto bytes = static_cast<std::size_t>(about.st_size);
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, opened, 0);
  if (mapped == MAP_FAILED) return {};
  return {static_cast<char*>(mapped), bytes};
}

void answer_questions(std::span<char> bytes) {
  ColumnFile file(bytes);
  Question question;
  while (true) {
    receive(&question, sizeof question);
    if (question.asked >= questions) ::_exit(usage);
    answer(file, question);
  }
}

}  // namespace hillock::io::columns
