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
  if (::dladdr(reinterpret_cast<const void*>(&find_own_file), &here) == 0 || !here.dli_fname)
    return std::nullopt;
  const std::filesystem::path library = here.dli_fname;
  if (!library.is_absolute()) return std::nullopt;
  return library.parent_path();
}

}  // namespace

std::optional<std::filesystem::path> find_own_file(const std::string& name) {
  const auto folder = folder_of_program();
  std::error_code unreadable;
  for (const auto& place :
       {std::optional(folder), std::optional(folder.parent_path() / "lib/hillock"),
        folder_of_module()})
    if (place && std::filesystem::exists(*place / name, unreadable)) return *place / name;
  return std::nullopt;
}

std::optional<std::filesystem::path> python_packages() {
  std::error_code unreadable;
  for (const auto& folder : {std::optional(folder_of_program()), folder_of_module()})
    if (folder && std::filesystem::exists(*folder / "__init__.py", unreadable))
      return folder->parent_path();
  return std::nullopt;
}

}  // namespace hillock
