#include "io/circuit/xml_elements.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace hillock::io::circuit {

namespace {

using Parser = std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)>;

/// Takes elements as expat finds them.
class ElementList {
 public:
  ElementList(const std::string& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), take_element, [](void*, const XML_Char*) {});
    XML_SetEntityDeclHandler(parser_.get(), refuse_entity);
  }

  std::optional<std::vector<XmlElement>> read(std::string_view text) {
    if (text.size() > most_bytes) {
      diagnostics_.error({file_, 0, 0}, "is too large for an XML file that is read here");
      return std::nullopt;
    }
    const auto status =
        XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
    if (status != XML_STATUS_OK && !has_refused_)
      diagnostics_.error(place(), fmt::format("is no XML from here on ({})",
                                              XML_ErrorString(XML_GetErrorCode(parser_.get()))));
    if (status != XML_STATUS_OK) return std::nullopt;
    return std::move(elements_);
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 30;

  static ElementList& self(void* list) { return *static_cast<ElementList*>(list); }

  static void take_element(void* list, const XML_Char* full, const XML_Char** attributes) {
    ElementList& all = self(list);
    const std::string_view name = full;
    XmlElement element{std::string(name.substr(name.rfind(':') + 1)), {}, all.place()};
    for (; *attributes; attributes += 2) element.attributes[attributes[0]] = attributes[1];
    all.elements_.push_back(std::move(element));
  }

  /// A few of them can mean any amount of text.
  static void refuse_entity(void* list, const XML_Char* name, int, const XML_Char*, int,
                            const XML_Char*, const XML_Char*, const XML_Char*, const XML_Char*) {
    ElementList& all = self(list);
    all.has_refused_ = true;
    all.diagnostics_.error(all.place(), fmt::format("declares an entity, {}", name));
    XML_StopParser(all.parser_.get(), XML_FALSE);
  }

  Place place() const {
#if XML_MAJOR_VERSION * 100 + XML_MINOR_VERSION >= 209
    return {file_, static_cast<int>(XML_GetCurrentLineNumber64(parser_.get())),
            static_cast<int>(XML_GetCurrentColumnNumber64(parser_.get())) + 1};
#else
    return {file_, static_cast<int>(XML_GetCurrentLineNumber(parser_.get())),
            static_cast<int>(XML_GetCurrentColumnNumber(parser_.get())) + 1};
#endif
  }

  const std::string& file_;
  Diagnostics& diagnostics_;
  Parser parser_{XML_ParserCreate(nullptr), XML_ParserFree};
  std::vector<XmlElement> elements_;
  bool has_refused_ = false;
};

}  // namespace

std::optional<std::vector<XmlElement>> read_xml_elements(std::string_view text,
                                                         const std::string& file,
                                                         Diagnostics& diagnostics) {
  return ElementList(file, diagnostics).read(text);
}

}  // namespace hillock::io::circuit
