#include "io/swc/swc.hpp"

#include <fmt/format.h>

#include "io/swc/swc_cables.hpp"

namespace hillock::io {

namespace {

/// Warns of soma samples that a neurite carries: somata are roots.
void warn_of_stray_soma(const std::vector<swc::Sample>& samples, const std::string& file,
                        Diagnostics& diagnostics) {
  for (const swc::Sample& sample : samples) {
    if (sample.type != soma_type || sample.parent < 0) continue;
    const swc::Sample& parent = samples[sample.parent];
    if (parent.type == soma_type) continue;
    diagnostics.warning(
        {file, sample.line, 0},
        fmt::format("a soma sample hangs on a sample of type {} (line {}). Is its type right?",
                    parent.type, parent.line));
    return;
  }
}

}  // namespace

models::Morphology read_swc(std::string_view text, const std::string& file, SomaRule rule,
                            const Measures& measures, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  const std::vector<swc::Sample> samples = swc::read_samples(text, file, measures, diagnostics);
  if (samples.empty()) return {};
  warn_of_stray_soma(samples, file, diagnostics);
  std::vector<Cable> cables;
  switch (rule) {
    case SomaRule::neuron8:
      cables = swc::cables_as_neuron8(samples, file, diagnostics);
      break;
    case SomaRule::neuromorpho:
      cables = swc::cables_as_neuromorpho(samples, file, diagnostics);
      break;
    case SomaRule::literal:
      cables = swc::cables_as_they_stand(samples, file, diagnostics);
      break;
  }
  if (diagnostics.error_count() > errors_before) return {};
  return name_branches(std::move(cables));
}

}  // namespace hillock::io
