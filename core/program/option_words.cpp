#include "core/program/option_words.hpp"

namespace hillock {

OptionWords& option_words() {
  static OptionWords words;
  return words;
}

}  // namespace hillock
