#pragma once
// The file that a run can be resumed from.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/state/state.hpp"
#include "io/run/output_writer.hpp"

namespace hillock::io {

/// What a run is of: one that differs in any of it cannot go on from another's checkpoint.
struct RunIdentity {
  std::string version;
  std::string model_sha256;
  std::vector<std::pair<std::string, std::string>> input_sha256;  ///< (name, hash)
  std::vector<std::string> overrides;                             ///< KEY=VALUE, in their order
};

/// Why a run is not that of a checkpoint, or an empty text. The texts continue "the checkpoint
/// ...".
std::string difference(const RunIdentity& saved, const RunIdentity& now);

struct Checkpoint {
  RunIdentity identity;
  double time_ms = 0;  ///< biological
  KeptOutput output;   ///< of the files, until then
  State state;
};

/// Name of the file in a run's directory.
inline constexpr const char* checkpoint_name = "run.checkpoint";
inline constexpr const char* next_checkpoint_name = "run.checkpoint.new";

/// Writes the file beside the one that is there, with a hash of all of it, forces it to the disk,
/// and only then puts it in that one's place. Returns its size in bytes. Throws InputOutputError;
/// the old file then stays.
std::uint64_t write_checkpoint(const std::filesystem::path& directory,
                               const Checkpoint& checkpoint);

/// Throws InputOutputError when it cannot be read, or is damaged.
Checkpoint read_checkpoint(const std::filesystem::path& directory);

bool has_checkpoint(const std::filesystem::path& directory);

}  // namespace hillock::io
