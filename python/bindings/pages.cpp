#include "python/bindings/pages.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "io/recorded/report_page.hpp"
#include "python/bindings/model_holder.hpp"
#include "python/bindings/worker.hpp"
#include "simulator/session/view_page.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::string view_page(const ModelHolder& holder, const std::string& title) {
  std::string text;
  do_job([&] { text = session::view_page(*holder.model, title); });
  return text;
}

/// The page, and which files could not be read.
std::pair<std::string, std::vector<std::string>> report_page(const std::string& directory) {
  io::ReportPage page;
  do_job([&] {
    io::ReportRequest request;
    request.directory = directory;
    page = io::report_page(request);
  });
  return {std::move(page.text), std::move(page.problems)};
}

}  // namespace

void bind_pages(nb::module_& module) {
  module.def("view_page", &view_page, "model"_a, "title"_a);
  module.def("report_page", &report_page, "directory"_a);
}

}  // namespace hillock::python
