#include "mechanisms/load/private_cache.hpp"

#include <fmt/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "core/errors/errors.hpp"
#include "core/text/sha256.hpp"

namespace hillock::mechanisms {

namespace fs = std::filesystem;

namespace {

/// Whether a folder is there, or may be made by this user.
bool is_to_be_had(const fs::path& folder) {
  std::error_code unreadable;
  if (fs::exists(folder, unreadable)) return true;
  fs::path above = folder.parent_path();
  while (!fs::exists(above, unreadable) && above.has_relative_path()) above = above.parent_path();
  return ::access(above.c_str(), W_OK | X_OK) == 0;
}

fs::path chosen_folder() {
  const auto value = [](const char* name) -> std::string {
    const char* text = std::getenv(name);
    return text ? text : "";
  };
  if (const auto folder = value("HILLOCK_CACHE"); !folder.empty()) return fs::absolute(folder);
  if (const auto folder = value("XDG_CACHE_HOME"); !folder.empty())
    return fs::absolute(folder) / "hillock";
  if (const auto home = value("HOME"); !home.empty())
    if (const fs::path folder = fs::path(home) / ".cache/hillock"; is_to_be_had(folder))
      return folder;
  const auto temporary = value("TMPDIR");
  return fs::path(temporary.empty() ? "/tmp" : temporary) / fmt::format("hillock-{}", ::getuid());
}

fs::path new_building_folder(const fs::path& cache) {
  std::string pattern = (cache / "building-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    throw InputOutputError(
        cache.string(),
        fmt::format("cannot be written to ({}). HILLOCK_CACHE names another folder for compiled "
                    "mechanisms",
                    std::strerror(errno)));
  return pattern;
}

/// What stands behind a file's content, where the system's loader never looks. The place is part
/// of it: a file that was moved is not the one it stands for.
std::string sum_of(std::string_view content, const std::string& folder, const std::string& file) {
  return fmt::format("\nhillock {}\n",
                     sha256(fmt::format("{}/{}\n{}", folder, file, sha256(content))));
}

/// Takes the sum away; false where it is not right.
bool take_sum(std::string& content, const std::string& folder, const std::string& file) {
  static const std::size_t length = sum_of("", "", "").size();
  if (content.size() < length) return false;
  const std::size_t end = content.size() - length;
  const std::string_view all = content;
  if (all.substr(end) != sum_of(all.substr(0, end), folder, file)) return false;
  content.resize(end);
  return true;
}

}  // namespace

PrivateCache::PrivateCache() : folder_(chosen_folder()), opened_(open_private_folder(folder_)) {}

std::optional<KeptFile> PrivateCache::open(const Descriptor& opened, const std::string& folder,
                                           const std::string& file, std::string& problem) const {
  KeptFile kept{folder_ / folder / file, {}, {}};
  auto content = read_private_file(opened, file, kept.file, problem);
  if (!content) return std::nullopt;
  if (!take_sum(*content, folder, file)) {
    problem = "it is damaged, or of an earlier version of Hillock";
    return std::nullopt;
  }
  kept.content = std::move(*content);
  return kept;
}

std::optional<KeptFile> PrivateCache::find(const std::string& folder,
                                           const std::optional<std::string>& file,
                                           const Announce& announce) const {
  const auto opened = find_private_folder(opened_, folder, folder_ / folder);
  if (!opened) return std::nullopt;
  std::set<std::string> files;
  if (file) {
    files.insert(*file);
  } else {
    std::error_code error;
    for (fs::directory_iterator entry(folder_ / folder, error), end; !error && entry != end;
         entry.increment(error))
      files.insert(entry->path().filename().string());
  }
  for (const std::string& name : files) {
    std::string problem;
    if (auto kept = open(*opened, folder, name, problem)) return kept;
    if (!problem.empty())
      announce(fmt::format("{}: not used: {}", (folder_ / folder / name).string(), problem));
  }
  return std::nullopt;
}

KeptFile PrivateCache::keep(const BuildingFolder& building, const std::string& folder,
                            const std::string& file, const std::string& content) const {
  write_private_file(building.opened(), file, content + sum_of(content, folder, file),
                     building.path() / file);
  const Descriptor target = open_private_folder_in(opened_, folder, folder_ / folder);
  const fs::path path = folder_ / folder / file;
  if (::renameat(building.opened().number(), file.c_str(), target.number(), file.c_str()) != 0)
    throw InputOutputError(path.string(),
                           fmt::format("cannot be written ({})", std::strerror(errno)));
  std::string problem;
  if (auto kept = open(target, folder, file, problem)) return std::move(*kept);
  throw InputOutputError(path.string(), "cannot be used: " + problem);
}

BuildingFolder::BuildingFolder(const PrivateCache& cache)
    : path_(new_building_folder(cache.folder())),
      opened_(open_private_folder_in(cache.opened(), path_.filename().string(), path_)) {}

BuildingFolder::~BuildingFolder() {
  std::error_code ignored;
  if (!is_left_) fs::remove_all(path_, ignored);
}

void BuildingFolder::write(const fs::path& file, std::string_view text) const {
  const fs::path path = path_ / file;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream stream(path, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) throw InputOutputError(path.string(), "cannot be written");
}

}  // namespace hillock::mechanisms
