#include "python/bindings/errors.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <new>
#include <string>

#include "core/errors/errors.hpp"
#include "core/state/state.hpp"
#include "mechanisms/load/loader.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::python {

namespace nb = nanobind;

namespace {

/// name: of a class, or of a function that makes an exception.
template <class... Arguments>
void raise_as(const char* name, Arguments&&... arguments) {
  const nb::object make = nb::module_::import_("hillock._errors").attr(name);
  const nb::object error = make(std::forward<Arguments>(arguments)...);
  PyErr_SetObject(error.type().ptr(), error.ptr());
}

void raise_model_error(const InvalidModel& error) {
  nb::list problems;
  for (const Diagnostic& one : error.diagnostics()) problems.append(problem_of(one));
  raise_as("ModelError", error.what(), problems);
}

}  // namespace

nb::tuple problem_of(const Diagnostic& found) {
  return nb::make_tuple(std::string(name_of(found.severity)), found.place.file, found.place.line,
                        found.place.column, found.message);
}

void raise(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const InvalidModel& error) {
    raise_model_error(error);
  } catch (const NumericalFailure& error) {
    raise_as("NumericalError", error.what(), error.where().time_ms, error.where().population,
             error.where().cell, error.where().compartment);
  } catch (const InputOutputError& error) {
    raise_as("file_error", error.what(), error.file(), error.number());
  } catch (const std::filesystem::filesystem_error& error) {  // of a path that no file can have
    raise_as("file_error", error.path1().string() + ": " + error.code().message(),
             error.path1().string(), error.code().value());
  } catch (const solver::DeviceError& error) {
    raise_as("DeviceError", error.what());
  } catch (const StateMismatch& error) {
    raise_as("UsageError", std::string("what was saved is not of this network: ") + error.what());
  } catch (const RankFailed& error) {
    raise_as("RankError", error.what(), error.rank());
  } catch (const Error& error) {
    raise_as("UsageError", error.what());
  }
}

}  // namespace hillock::python
