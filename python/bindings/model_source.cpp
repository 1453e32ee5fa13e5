#include "python/bindings/model_source.hpp"

#include <memory>
#include <utility>

#include "core/errors/errors.hpp"

namespace hillock::python {

namespace nb = nanobind;

namespace {

/// Its numbers are Python's.
io::HeldArray held(const std::variant<Dataset, std::vector<std::string>>& dataset) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&dataset)) return {{}, {}, *texts};
  const Dataset& numbers = std::get<Dataset>(dataset);
  if (numbers.ndim() != 1 && numbers.ndim() != 2)
    throw UsageError("a dataset has one or two dimensions");
  return {{numbers.data(), numbers.size()},
          {numbers.shape(0), numbers.ndim() == 2 ? numbers.shape(1) : 1},
          {}};
}

}  // namespace

session::ModelSource source_of(const std::string& file, std::optional<std::string> text,
                               const Files& files, const Arrays& arrays, const Overrides& overrides,
                               const std::string& library) {
  session::ModelSource source;
  source.file = file;
  source.text = std::move(text);
  for (const auto& [name, content] : files)
    source.files.emplace(name, std::string(content.c_str(), content.size()));
  for (const auto& [name, datasets] : arrays)
    for (const auto& [path, dataset] : datasets) source.arrays[name][path] = held(dataset);
  for (const auto& [path, value, has_base_units] : overrides)
    source.overrides.push_back({path, value, has_base_units});
  source.library = library;
  return source;
}

std::function<void(const std::string& line)> listener_of(const nb::callable& announce) {
  // Mechanisms keep it, and may be gone on a thread that does not have the interpreter.
  const std::shared_ptr<nb::callable> heard(new nb::callable(announce), [](nb::callable* last) {
    const nb::gil_scoped_acquire python;
    delete last;
  });
  return [heard](const std::string& line) {
    const nb::gil_scoped_acquire python;
    (*heard)(line);
  };
}

}  // namespace hillock::python
