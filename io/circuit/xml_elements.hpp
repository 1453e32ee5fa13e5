#pragma once
// The elements of an XML file, one after the other, with their attributes; texts between them are
// passed over.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors/diagnostics.hpp"

namespace hillock::io::circuit {

struct XmlElement {
  std::string name;  ///< without what stands before a colon
  std::map<std::string, std::string> attributes;
  Place place;
};

/// Every element, whatever it lies in. Nothing after an error; a file without any is one, and one
/// that ends within an element.
std::optional<std::vector<XmlElement>> read_xml_elements(std::string_view text,
                                                         const std::string& file,
                                                         Diagnostics& diagnostics);

}  // namespace hillock::io::circuit
