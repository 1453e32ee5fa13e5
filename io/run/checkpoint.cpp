#include "io/run/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>

#include "core/errors/errors.hpp"
#include "core/state/packed_state.hpp"
#include "core/text/sha256.hpp"
#include "io/json/json.hpp"

// The file: the line below; the size of the header in bytes, 8 bytes, little-endian; the header,
// JSON; the state as it is packed (core/state/packed_state.hpp), all cells of the network; at last
// the SHA-256 of all before it, as 64 digits.

namespace hillock::io {

namespace {

static_assert(std::endian::native == std::endian::little);

// The number is another one where older files are not understood, or where a model means another
// network than before, as when connections draw other weights.
constexpr std::string_view first_line = "hillock checkpoint 4\n";
constexpr std::size_t digits_of_hash = 64;

using Bytes = std::span<const std::byte>;

std::string why() {
  return std::generic_category().message(errno);
}

/// A file that is written from its beginning to its end, and hashed.
class HashedFile {
 public:
  explicit HashedFile(std::filesystem::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor_ < 0)
      throw InputOutputError(path_.string(), "cannot be created (" + why() + ")");
    buffer_.reserve(buffer_bytes);
  }
  ~HashedFile() { ::close(descriptor_); }
  HashedFile(const HashedFile&) = delete;
  HashedFile& operator=(const HashedFile&) = delete;

  void put(Bytes bytes) {
    if (buffer_.size() + bytes.size() > buffer_bytes) flush();
    if (bytes.size() > buffer_bytes)
      write_hashed(bytes);
    else
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void put(std::string_view text) { put(std::as_bytes(std::span(text))); }
  void put(std::uint64_t number) { put(std::as_bytes(std::span(&number, 1))); }

  /// Puts the hash behind all and forces the file to the disk.
  std::uint64_t finish() {
    flush();
    const std::string digits = hash_.digits();
    write(std::as_bytes(std::span(digits)));
    if (::fsync(descriptor_) != 0) fail();
    return size_;
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

  void flush() {
    write_hashed(buffer_);
    buffer_.clear();
  }
  void write_hashed(Bytes bytes) {
    hash_.add(bytes);
    write(bytes);
  }
  void write(Bytes bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
  [[noreturn]] void fail() {
    const std::string reason = why();
    ::unlink(path_.c_str());
    throw InputOutputError(path_.string(), "cannot be written (" + reason + ")");
  }

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::vector<std::byte> buffer_;
  Sha256 hash_;
  std::uint64_t size_ = 0;
};

Json json_of(const std::vector<KeptRows>& tables) {
  Json all = Json::array();
  for (const KeptRows& table : tables) {
    Json one = Json::array();
    one.add(Json(table.count));
    one.add(Json(table.sha256));
    all.add(std::move(one));
  }
  return all;
}

std::vector<KeptRows> tables_of(const Json& json) {
  std::vector<KeptRows> tables;
  for (const Json& one : json.items()) tables.push_back({one[0].count(), one[1].text()});
  return tables;
}

std::string header_of(const Checkpoint& checkpoint) {
  Json json = Json::object();
  json.add("hillock", checkpoint.identity.version);
  json.add("model_sha256", checkpoint.identity.model_sha256);
  json.add("inputs", checkpoint.identity.input_sha256);
  json.add("overrides", checkpoint.identity.overrides);
  json.add("time_ms", checkpoint.time_ms);
  json.add("spikes", json_of(checkpoint.output.spikes));
  json.add("reports", json_of(checkpoint.output.reports));
  return json.lines();
}

/// The parts of a file's bytes, one after the other.
class Parts {
 public:
  Parts(const std::filesystem::path& path, Bytes bytes) : path_(path), bytes_(bytes) {}

  Bytes take(std::uint64_t size) {
    if (size > bytes_.size()) damaged();
    const Bytes part = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return part;
  }
  std::uint64_t number() {
    std::uint64_t number = 0;
    std::memcpy(&number, take(sizeof(number)).data(), sizeof(number));
    return number;
  }
  std::string text(std::uint64_t size) {
    const Bytes part = take(size);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  Bytes rest() const { return bytes_; }
  [[noreturn]] void damaged() const {
    throw InputOutputError(path_.string(),
                           "is damaged, so the run cannot be resumed from it "
                           "(--force begins anew)");
  }

 private:
  const std::filesystem::path& path_;
  Bytes bytes_;
};

std::vector<std::byte> content_of(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const auto unreadable = [&] {
    return InputOutputError(path.string(), "cannot be read (" + why() + ")");
  };
  if (descriptor < 0) throw unreadable();
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    ::close(descriptor);
    throw InputOutputError(path.string(), "is not a file");
  }
  std::vector<std::byte> bytes(std::filesystem::file_size(path, error));
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t n = ::read(descriptor, bytes.data() + filled, bytes.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const auto failure = unreadable();
      ::close(descriptor);
      throw failure;
    }
    if (n == 0) break;
    filled += static_cast<std::size_t>(n);
  }
  ::close(descriptor);
  bytes.resize(filled);
  return bytes;
}

void read_header(const std::string& text, const Parts& parts, Checkpoint& checkpoint) {
  try {
    const Json json = Json::parse(text);
    checkpoint.identity.version = json["hillock"].text();
    checkpoint.identity.model_sha256 = json["model_sha256"].text();
    for (const Json& input : json["inputs"].items())
      checkpoint.identity.input_sha256.emplace_back(input[0].text(), input[1].text());
    checkpoint.identity.overrides = json["overrides"].texts();
    checkpoint.time_ms = json["time_ms"].number();
    checkpoint.output.spikes = tables_of(json["spikes"]);
    checkpoint.output.reports = tables_of(json["reports"]);
  } catch (const JsonError&) {
    parts.damaged();
  }
}

void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // the file itself is there
  ::fsync(descriptor);
  ::close(descriptor);
}

/// In an order of their own where none is of what another sets.
std::vector<std::string> in_any_order(std::vector<std::string> overrides) {
  const auto path = [](const std::string& one) { return one.substr(0, one.find('=')) + "."; };
  std::ranges::sort(overrides, {}, path);
  for (std::size_t i = 0; i + 1 < overrides.size(); ++i)
    if (path(overrides[i + 1]).starts_with(path(overrides[i]))) return {};
  return overrides;
}

}  // namespace

std::string difference(const RunIdentity& saved, const RunIdentity& now) {
  if (saved.version != now.version)
    return fmt::format("was made by hillock {}, and this is {}", saved.version, now.version);
  if (saved.model_sha256 != now.model_sha256) return "is of another model file";
  if (saved.input_sha256.size() != now.input_sha256.size()) return "is of a model with other files";
  for (std::size_t i = 0; i < now.input_sha256.size(); ++i)
    if (saved.input_sha256[i].second != now.input_sha256[i].second)
      return fmt::format("is of a run with another {}", now.input_sha256[i].first);
  const auto ours = in_any_order(now.overrides);
  const bool are_like = !ours.empty() && ours == in_any_order(saved.overrides);
  if (saved.overrides != now.overrides && !are_like)
    return fmt::format("is of a run with {}",
                       saved.overrides.empty()
                           ? "no --set"
                           : fmt::format("--set {}", fmt::join(saved.overrides, " --set ")));
  return {};
}

std::uint64_t write_checkpoint(const std::filesystem::path& directory,
                               const Checkpoint& checkpoint) {
  const auto fresh = directory / next_checkpoint_name;
  std::uint64_t size = 0;
  {
    HashedFile file(fresh);
    file.put(first_line);
    const std::string header = header_of(checkpoint);
    file.put(header.size());
    file.put(header);
    pack(checkpoint.state, [&](Bytes bytes) { file.put(bytes); });
    size = file.finish();
  }
  const auto place = directory / checkpoint_name;
  if (::rename(fresh.c_str(), place.c_str()) != 0)
    throw InputOutputError(place.string(), "cannot be written (" + why() + ")");
  sync_directory(directory);
  return size;
}

Checkpoint read_checkpoint(const std::filesystem::path& directory) {
  const auto path = directory / checkpoint_name;
  const std::vector<std::byte> all = content_of(path);
  Parts parts(path, all);
  const std::string line = parts.text(std::min(first_line.size(), all.size()));
  if (line != first_line)
    throw InputOutputError(path.string(), line.starts_with("hillock checkpoint ")
                                              ? "is of another version of hillock, so the run "
                                                "cannot be resumed from it (--force begins anew)"
                                              : "is no checkpoint, or a damaged one (--force "
                                                "begins the run anew)");
  if (all.size() < first_line.size() + digits_of_hash) parts.damaged();
  const Bytes hashed = Bytes(all).first(all.size() - digits_of_hash);
  Sha256 hash;
  hash.add(hashed);
  if (Parts(path, Bytes(all).last(digits_of_hash)).text(digits_of_hash) != hash.digits())
    parts.damaged();

  Parts rest(path, hashed.subspan(first_line.size()));
  Checkpoint checkpoint;
  const std::uint64_t header_size = rest.number();
  read_header(rest.text(header_size), rest, checkpoint);
  try {
    checkpoint.state = unpack(rest.rest());
  } catch (const StateMismatch&) {
    parts.damaged();
  }
  return checkpoint;
}

bool has_checkpoint(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / checkpoint_name);
}

}  // namespace hillock::io
