#pragma once
// What messages call the options of whoever runs: the command's, or arguments of Python.

namespace hillock {

struct OptionWords {
  const char* set = "--set";  ///< where a value stands that replaces the model's
  const char* replaces = "--force replaces it";
  const char* elsewhere = "-o chooses another place";
  const char* goes_on = "--resume goes on from there, --force begins anew";
};

/// The command's, until others are put in their place, which happens before anything else.
OptionWords& option_words();

}  // namespace hillock
