#include "core/program/own_libraries.hpp"

#include <dlfcn.h>

#include <system_error>

namespace hillock {

namespace {

std::filesystem::path folder_of_program() {
  std::error_code unreadable;
  return std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
}

/// Where the library lies that this is part of: in one of Python's the program is Python.
std::optional<std::filesystem::path> folder_of_module() {
  ::Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&places_of_library), &here) == 0 || !here.dli_fname)
    return std::nullopt;
  const std::filesystem::path library = here.dli_fname;
  if (!library.is_absolute()) return std::nullopt;
  return library.parent_path();
}

}  // namespace

std::vector<std::filesystem::path> places_of_library(const std::string& name) {
  const auto folder = folder_of_program();
  std::vector<std::filesystem::path> places{folder / name,
                                            folder.parent_path() / "lib/hillock" / name};
  if (const auto module = folder_of_module()) places.push_back(*module / name);
  return places;
}

std::optional<std::filesystem::path> python_packages() {
  std::error_code unreadable;
  for (const auto& folder : {std::optional(folder_of_program()), folder_of_module()})
    if (folder && std::filesystem::exists(*folder / "__init__.py", unreadable))
      return folder->parent_path();
  return std::nullopt;
}

}  // namespace hillock
