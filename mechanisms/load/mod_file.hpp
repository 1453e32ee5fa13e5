#pragma once
// A .mod file read for loading: checked, its outside known, its evaluator written, not compiled.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/mechanism/mechanism_options.hpp"
#include "core/mechanism/signature.hpp"
#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/emit/description.hpp"

namespace hillock::mechanisms {

/// A FUNCTION_TABLE that is called and not given: it is 0 in `header`.
struct MissingTable {
  std::string name;
  Place place;  ///< of its declaration
};

struct ModFile {
  std::string path;  ///< as messages name it
  Place name_place;  ///< where the file gives the mechanism its name
  Place named_at;    ///< where a model names the file; else the file's own beginning
  std::shared_ptr<const nmodl::Description> description;
  MechanismSignature signature;
  std::string struct_name;                        ///< of the evaluator in `header`
  std::string header;                             ///< C++, as mechanisms/evaluator.hpp describes it
  std::vector<MissingTable> missing_tables;       ///< without them it is not to be run
  bool sets_parameters = false;                   ///< of its own
  std::vector<std::string> begun, of_last_place;  ///< EvaluatorIr has them
  std::function<nmodl::EvaluatorIr()> adjoint;    ///< nmodl::lower_adjoint()
};

struct ModReading {
  std::string name;             ///< the mechanism's, as far as it could be read
  std::optional<ModFile> file;  ///< nothing when it has mistakes or cannot be compiled
};

/// Reads a mechanism; what is wrong becomes errors with places in the file. `include` reads the
/// files that INCLUDE names.
ModReading read_mod(const std::string& path, const std::string& text,
                    const nmodl::ReadInclude& include, const MechanismOptions& options,
                    Diagnostics& diagnostics);

/// The same for a file on disk, without tables. Throws InputOutputError when it cannot be read.
ModReading read_mod_file(const std::string& path, Diagnostics& diagnostics);

}  // namespace hillock::mechanisms
