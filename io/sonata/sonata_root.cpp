#include "io/sonata/sonata_root.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace hillock::io {

// Chunks are handed to HDF5 as raw bytes of the file's little-endian types.
static_assert(std::endian::native == std::endian::little);

void write_root(hdf5::OutputFile& file, const Provenance& provenance) {
  constexpr std::uint32_t magic = 0x0A7A;
  constexpr std::array<std::uint32_t, 2> version{0, 1};
  const hid_t root = file.id();
  file.write_attribute(root, "magic", H5T_STD_U32LE, &magic, 1, true);
  file.write_attribute(root, "version", H5T_STD_U32LE, version.data(), version.size(), false);
  file.write_attribute(root, "hillock_version", provenance.version);
  file.write_attribute(root, "seed", H5T_STD_U64LE, &provenance.seed, 1, true);
  file.write_attribute(root, "model_sha256", provenance.model_sha256);
  if (!provenance.model_text.empty())
    file.write_attribute(root, "model_text", provenance.model_text);
  if (provenance.input_sha256.empty()) return;
  std::vector<std::string> names;
  std::vector<std::string> hashes;
  for (const auto& [name, hash] : provenance.input_sha256) {
    names.push_back(name);
    hashes.push_back(hash);
  }
  file.write_attribute(root, "input_names", names);
  file.write_attribute(root, "input_sha256", hashes);
}

void check_name(const std::filesystem::path& directory, const std::string& name) {
  if (name.empty() || name.front() == '.' ||
      name.find_first_of(std::string_view("/\0", 2)) != std::string::npos)
    throw InputOutputError((directory / name).string(),
                           fmt::format("'{}' cannot name a file or a population (it is empty, "
                                       "starts with a dot or holds a slash)",
                                       name));
}

std::string hdf5_version() {
  hdf5::begin_library();
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace hillock::io
