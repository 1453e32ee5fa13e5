#pragma once
// Files and folders that nobody else can change. They are opened first and judged then, so that
// what was judged is what is used.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace hillock::mechanisms {

/// An open file or folder, closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  /// Leaves it open for the rest of the process.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// Who but this user and root owns it or may write to it, for a message: "it belongs to user 1000";
/// empty when nobody does.
std::string others_rights(const Descriptor& opened);

/// Opens a folder, and makes it and those above it where they are missing, for this user alone
/// whatever the umask. Follows links. Throws InputOutputError, for one that others can change too.
Descriptor open_private_folder(const std::filesystem::path& folder);

/// Opens a folder that lies in an open one, if it is there; a link in its place is refused, and
/// others' right to write to what is ours is taken away. `shown`: the whole path, for messages.
std::optional<Descriptor> find_private_folder(const Descriptor& parent, const std::string& name,
                                              const std::filesystem::path& shown);

/// The same, made where it is missing.
Descriptor open_private_folder_in(const Descriptor& parent, const std::string& name,
                                  const std::filesystem::path& shown);

/// The content of a regular file that nobody else can change; else nothing, and `problem` says why
/// (empty when there is no such file). Leaves it open in `file`.
std::optional<std::string> read_private_file(const Descriptor& folder, const std::string& name,
                                             Descriptor& file, std::string& problem);

/// Writes a new file that only this user can read and write. Throws InputOutputError.
void write_private_file(const Descriptor& folder, const std::string& name, const std::string& text,
                        const std::filesystem::path& shown);

}  // namespace hillock::mechanisms
