// libFuzzer target: whatever the text, the NMODL front end ends, and either hands over a module or
// names an error with a place inside the text.
//   cmake --preset release -DCMAKE_CXX_COMPILER=clang++ -DHILLOCK_FUZZ=ON && ninja -C build/release
//   build/release/tests/nmodl_fuzz -dict=tests/fuzz/nmodl.dict -max_total_time=600 CORPUS

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mechanisms/nmodl/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hillock;
  const std::string text(reinterpret_cast<const char*>(data), size);
  // An included file is the text's own second half: nesting and errors inside includes are tried.
  const nmodl::ReadInclude include = [&](const std::filesystem::path&) {
    return std::optional<std::string>(text.substr(text.size() / 2));
  };
  const nmodl::Checked checked = nmodl::check_text("fuzz.mod", text, include);
  bool has_error = false;
  for (const auto& diagnostic : checked.diagnostics) {
    has_error |= diagnostic.severity == Severity::error;
    if (diagnostic.place.line < 1 || diagnostic.place.column < 1) std::abort();
  }
  if (has_error == checked.module.has_value()) std::abort();
  if (!checked.module) return 0;
  // The contract: as many facts as blocks, and indices inside their lists.
  const nmodl::Module& module = *checked.module;
  if (module.blocks.size() != module.syntax.blocks.size()) std::abort();
  const int symbols = static_cast<int>(module.symbols.size());
  for (const auto& facts : module.blocks)
    for (const auto* list : {&facts.reads, &facts.writes, &facts.needs, &facts.sets})
      for (const int symbol : *list)
        if (symbol < 0 || symbol >= symbols) std::abort();
  return 0;
}
