#include "io/circuit/xml_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hillock::io::circuit {

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string with_entities(std::string_view text) {
  static const std::vector<std::pair<std::string_view, char>> known{
      {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
  std::string result;
  while (!text.empty()) {
    const auto entity = std::ranges::find_if(
        known, [&](const auto& candidate) { return text.starts_with(candidate.first); });
    result += entity == known.end() ? text.front() : entity->second;
    text.remove_prefix(entity == known.end() ? 1 : entity->first.size());
  }
  return result;
}

class XmlReader {
 public:
  XmlReader(std::string_view text, const std::string& file, Diagnostics& diagnostics)
      : text_(text), file_(file), diagnostics_(diagnostics) {}

  std::optional<std::vector<XmlElement>> read() {
    while ((at_ = text_.find('<', at_)) != std::string_view::npos) {
      if (skips("<!--", "-->") || skips("<![CDATA[", "]]>") || skips("<?", "?>") ||
          skips("<!", ">"))
        continue;
      const bool closes = text_.substr(at_).starts_with("</");
      if (ended_ || !(closes ? close_element() : read_element())) return std::nullopt;
    }
    at_ = text_.size();
    if (!ended_ && !open_.empty()) refuse(fmt::format("the file ends within <{}>", open_.back()));
    if (!ended_ && elements_.empty()) refuse("the file has no element");
    if (ended_ || !open_.empty() || elements_.empty()) return std::nullopt;
    return std::move(elements_);
  }

 private:
  Place place(std::size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const std::size_t line_begin = before.rfind('\n') + 1;
    return {file_, static_cast<int>(std::ranges::count(before, '\n')) + 1,
            static_cast<int>(at - line_begin) + 1};
  }

  bool refuse(const std::string& problem) {
    diagnostics_.error(place(std::min(at_, text_.size())), problem);
    return false;
  }

  bool skips(std::string_view begin, std::string_view end) {
    if (!text_.substr(at_).starts_with(begin)) return false;
    const std::size_t to = text_.find(end, at_ + begin.size());
    if (to == std::string_view::npos) {
      ended_ = true;
      refuse("what begins here does not end");
      at_ = text_.size();
    } else {
      at_ = to + end.size();
    }
    return true;
  }

  std::string_view name() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n=/>", at_), text_.size());
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    return name;
  }

  void pass_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  /// Of the last that is open.
  bool close_element() {
    const std::size_t begin = at_;
    at_ += 2;
    const std::string_view closed = name();
    pass_blanks();
    if (at_ >= text_.size() || text_[at_] != '>' || open_.empty() || open_.back() != closed) {
      at_ = begin;
      return refuse(fmt::format("</{}> closes no element that is open here", closed));
    }
    ++at_;
    open_.pop_back();
    return true;
  }

  bool read_element() {
    XmlElement element;
    element.place = place(at_++);
    const std::string_view full = name();
    element.name = full.substr(full.rfind(':') + 1);
    for (;;) {
      pass_blanks();
      if (at_ >= text_.size()) return refuse("an element does not end");
      if (text_[at_] == '>' || text_[at_] == '/') break;
      const std::string_view attribute = name();
      pass_blanks();
      if (attribute.empty() || at_ >= text_.size() || text_[at_] != '=')
        return refuse("an attribute has no value");
      ++at_;
      pass_blanks();
      const char quote = at_ < text_.size() ? text_[at_] : ' ';
      const std::size_t end = text_.find(quote, at_ + 1);
      if ((quote != '"' && quote != '\'') || end == std::string_view::npos)
        return refuse("an attribute's value is not quoted");
      element.attributes[std::string(attribute)] =
          with_entities(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
    }
    if (text_[at_] == '>')
      open_.push_back(full);
    else if (!text_.substr(at_).starts_with("/>"))
      return refuse("an element does not end");
    elements_.push_back(std::move(element));
    return true;
  }

  std::string_view text_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  bool ended_ = false;
  std::vector<XmlElement> elements_;
  std::vector<std::string_view> open_;  ///< names, each within the one before
};

}  // namespace

std::optional<std::vector<XmlElement>> read_xml_elements(std::string_view text,
                                                         const std::string& file,
                                                         Diagnostics& diagnostics) {
  return XmlReader(text, file, diagnostics).read();
}

}  // namespace hillock::io::circuit
