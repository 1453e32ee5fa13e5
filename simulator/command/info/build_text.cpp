#include "simulator/command/info/build_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "core/simd/isa.hpp"
#include "io/sonata/sonata.hpp"
#include "mechanisms/load/compiler.hpp"
#include "mechanisms/load/private_cache.hpp"
#include "simulator/command/process/loaded_model.hpp"
#include "simulator/command/process/rank.hpp"
#include "simulator/loop/backend_choice.hpp"
#include "simulator/ranks/joining.hpp"

namespace hillock::command {

namespace {

/// What say() says, or why it cannot.
template <class Say>
std::string or_why_not(const Say& say) {
  try {
    return say();
  } catch (const Error& error) {
    return fmt::format("none, {}", error.what());
  }
}

std::string instruction_sets() {
  std::vector<std::string_view> all;
  for (int isa = 0; isa < isa_count; ++isa)
    if (is_available(static_cast<Isa>(isa))) all.push_back(name_of(static_cast<Isa>(isa)));
  return fmt::format("{} (of {} here)", name_of(active_isa()), fmt::join(all, ", "));
}

std::string gpu() {
  const simulator::BackendChoice choice =
      simulator::choose_backend(simulator::BackendWish::automatic);
  return choice.device.empty() ? choice.why : choice.device;
}

std::string compiler() {
  const auto found = mechanisms::find_compiler();
  if (!found) return "none";
  return fmt::format("{}: {}", fmt::join(found->command, " "),
                     found->version.substr(0, found->version.find('\n')));
}

}  // namespace

std::string describe_build() {
  const std::vector<std::string> mpi = simulator::mpi_libraries();
  std::string text = fmt::format("hillock {}\n", HILLOCK_VERSION);
  const auto add = [&text](const char* what, const std::string& is) {
    text += fmt::format("{:<13} {}\n", what, is);
  };
  add("built with", HILLOCK_BUILT_WITH);
  add("processor", or_why_not(instruction_sets));
  add("threads", std::to_string(available_threads()));
  add("GPU", or_why_not(gpu));
  add("kernels", or_why_not(simulator::describe_kernel_compiler));
  add("MPI", mpi.empty() ? "none in this build" : fmt::format("{}", fmt::join(mpi, ", ")));
  add("HDF5", io::hdf5_version());
  add("C++ compiler", or_why_not(compiler));
  add("cache", or_why_not([] { return mechanisms::PrivateCache().folder().string(); }));
  add("models", or_why_not([] { return library_folder().string(); }));
  text.pop_back();
  return text;
}

}  // namespace hillock::command
