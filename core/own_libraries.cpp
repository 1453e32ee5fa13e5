#include "core/own_libraries.hpp"

#include <system_error>

namespace hillock {

std::vector<std::filesystem::path> places_of_library(const std::string& name) {
  std::error_code unreadable;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
  return {folder / name, folder.parent_path() / "lib/hillock" / name};
}

}  // namespace hillock
