#include "core/program/own_libraries.hpp"

#include <dlfcn.h>

#include <system_error>

namespace hillock {

std::vector<std::filesystem::path> places_of_library(const std::string& name) {
  std::error_code unreadable;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
  std::vector<std::filesystem::path> places{folder / name,
                                            folder.parent_path() / "lib/hillock" / name};
  // In a library of Python's the program is Python.
  ::Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&places_of_library), &here) != 0 && here.dli_fname) {
    const std::filesystem::path library = here.dli_fname;
    if (library.is_absolute()) places.push_back(library.parent_path() / name);
  }
  return places;
}

}  // namespace hillock
