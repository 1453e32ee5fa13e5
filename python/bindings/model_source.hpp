#pragma once
// A model as Python gives it.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "simulator/session/loaded_model.hpp"

namespace hillock::python {

/// (path, text, whether its numbers are in base units)
using Overrides = std::vector<std::tuple<std::string, std::string, bool>>;
using Files = std::map<std::string, nanobind::bytes>;
using Dataset = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
/// {name: {path: dataset}}
using Arrays =
    std::map<std::string, std::map<std::string, std::variant<Dataset, std::vector<std::string>>>>;

/// A file, or a text and files in memory, with other values. Its numbers stay Python's.
session::ModelSource source_of(const std::string& file, std::optional<std::string> text,
                               const Files& files, const Arrays& arrays, const Overrides& overrides,
                               const std::string& library);

/// Calls a function of Python, on any thread.
std::function<void(const std::string& line)> listener_of(const nanobind::callable& announce);

}  // namespace hillock::python
