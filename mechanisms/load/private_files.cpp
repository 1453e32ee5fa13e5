#include "mechanisms/load/private_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/errors/errors.hpp"
#include "core/program/whole_file.hpp"

namespace hillock::mechanisms {

namespace fs = std::filesystem;

namespace {

constexpr int for_folders = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t others_write = S_IWGRP | S_IWOTH;

struct stat status_of(const Descriptor& opened) {
  struct stat status {};
  if (::fstat(opened.number(), &status) != 0) status.st_uid = static_cast<uid_t>(-1);
  return status;
}

/// Whether a folder is there afterwards; errno says why not. A new one is for this user alone.
bool make_folder(int parent, const char* name) {
  if (::mkdirat(parent, name, S_IRWXU) == 0) return ::fchmodat(parent, name, S_IRWXU, 0) == 0;
  return errno == EEXIST;
}

void make_folders(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) || folder == folder.root_path()) return;
  make_folders(folder.parent_path());
  if (make_folder(AT_FDCWD, folder.c_str())) return;
  throw InputOutputError(folder.string(),
                         fmt::format("cannot be made ({}). HILLOCK_CACHE names another folder for "
                                     "compiled mechanisms",
                                     std::strerror(errno)));
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

std::string others_rights(const Descriptor& opened) {
  const struct stat status = status_of(opened);
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    return fmt::format("it belongs to user {}", status.st_uid);
  if (status.st_mode & others_write)
    return fmt::format("others may write to it (mode {:04o})", status.st_mode & 07777);
  return {};
}

Descriptor open_private_folder(const fs::path& folder) {
  make_folders(folder);
  Descriptor opened(::open(folder.c_str(), for_folders));
  if (opened.number() < 0)
    throw InputOutputError(folder.string(),
                           fmt::format("cannot be opened ({})", std::strerror(errno)));
  if (const std::string why = others_rights(opened); !why.empty())
    throw InputOutputError(
        folder.string(),
        fmt::format("is not safe for compiled mechanisms, which are run: {}. Set HILLOCK_CACHE to "
                    "a folder of your own, or see that only you can write to this one",
                    why));
  return opened;
}

std::optional<Descriptor> find_private_folder(const Descriptor& parent, const std::string& name,
                                              const fs::path& shown) {
  Descriptor opened(::openat(parent.number(), name.c_str(), for_folders | O_NOFOLLOW));
  if (opened.number() < 0 && errno == ENOENT) return std::nullopt;
  if (opened.number() < 0)
    throw InputOutputError(shown.string(),
                           fmt::format("cannot be opened ({})", std::strerror(errno)));
  const struct stat status = status_of(opened);
  if (status.st_uid == ::geteuid() && (status.st_mode & others_write))
    ::fchmod(opened.number(), S_IRWXU);
  if (const std::string why = others_rights(opened); !why.empty())
    throw InputOutputError(
        shown.string(),
        fmt::format("is not safe for compiled mechanisms, which are run: {}. Remove it", why));
  return opened;
}

Descriptor open_private_folder_in(const Descriptor& parent, const std::string& name,
                                  const fs::path& shown) {
  if (!make_folder(parent.number(), name.c_str()))
    throw InputOutputError(shown.string(),
                           fmt::format("cannot be made ({})", std::strerror(errno)));
  if (auto opened = find_private_folder(parent, name, shown)) return std::move(*opened);
  throw InputOutputError(shown.string(), "has been removed by another program");
}

std::optional<std::string> read_private_file(const Descriptor& folder, const std::string& name,
                                             Descriptor& file, std::string& problem) {
  problem.clear();
  // Nothing waits: a named pipe may lie there.
  file = Descriptor(
      ::openat(folder.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0) {
    if (errno == ELOOP)
      problem = "it is a link";
    else if (errno != ENOENT)
      problem = fmt::format("it cannot be opened: {}", std::strerror(errno));
    return std::nullopt;
  }
  if (!S_ISREG(status_of(file).st_mode))
    problem = "it is no file";
  else
    problem = others_rights(file);
  if (!problem.empty()) return std::nullopt;
  std::string text;
  std::array<char, 65536> block;
  while (true) {
    const ssize_t count = ::read(file.number(), block.data(), block.size());
    if (count > 0) {
      text.append(block.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      return text;
    } else if (errno != EINTR) {
      problem = fmt::format("it cannot be read: {}", std::strerror(errno));
      return std::nullopt;
    }
  }
}

void write_private_file(const Descriptor& folder, const std::string& name, const std::string& text,
                        const fs::path& shown) {
  const Descriptor file(::openat(folder.number(), name.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 S_IRUSR | S_IWUSR));
  if (file.number() < 0 || ::fchmod(file.number(), S_IRUSR | S_IWUSR) != 0 ||
      !write_all(file.number(), text))
    throw InputOutputError(shown.string(),
                           fmt::format("cannot be written ({})", std::strerror(errno)));
}

}  // namespace hillock::mechanisms
