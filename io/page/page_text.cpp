#include "io/page/page_text.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/text/sha256.hpp"
#include "core/text/utf8.hpp"

namespace hillock::io::page {

namespace {

std::string_view asset(std::string_view name) {
  for (const PageAsset& one : page_assets())
    if (one.name == name) return one.text;
  throw std::logic_error(fmt::format("no asset {}", name));
}

std::string escaped(std::string_view text) {
  std::string shown;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        shown += "&lt;";
        break;
      case '>':
        shown += "&gt;";
        break;
      case '&':
        shown += "&amp;";
        break;
      case '"':
        shown += "&quot;";
        break;
      default:
        shown += c;
    }
  }
  return shown;
}

/// JSON that cannot end the element that it stands in, nor begin another.
std::string data_text(const Json& data) {
  std::string text;
  for (const char c : data.line()) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

/// As a Content-Security-Policy names a text that may run.
std::string policy_hash(std::string_view text) {
  const std::string digits = sha256(text);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return "'sha256-" + base64(std::as_bytes(std::span(bytes))) + "'";
}

}  // namespace

std::string shown_lines(std::string_view text) {
  constexpr std::size_t most = 300'000;
  if (text.size() <= most) return printable_lines(text);
  const std::size_t end = text.rfind('\n', most);
  const std::string_view shown = text.substr(0, end == std::string_view::npos ? most : end + 1);
  return printable_lines(shown) +
         fmt::format("... and {} bytes more\n", text.size() - shown.size());
}

std::string page_text(std::string_view title, std::span<const char* const> scripts,
                      const Json& data, const Blobs& blobs) {
  std::string script = "\"use strict\";\n(() => {\n";
  for (const char* name : scripts) script += asset(name);
  script += "})();\n";
  const std::string style(asset("style.css"));
  const auto value_of = [&](std::string_view name) -> std::string {
    if (name == "title") return escaped(title);
    if (name == "policy")
      return fmt::format(
          "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; "
          "form-action 'none'",
          policy_hash(script), policy_hash(style));
    if (name == "style") return style;
    if (name == "data") return data_text(data);
    if (name == "script") return script;
    std::string all;
    for (std::size_t i = 0; i < blobs.texts().size(); ++i)
      all += fmt::format("<script type=\"text/plain\" id=\"blob-{}\">{}</script>\n", i,
                         blobs.texts()[i]);
    return all;
  };
  std::string page;
  std::string_view rest = asset("page.html");
  while (true) {
    const std::size_t open = rest.find("{{");
    if (open == std::string_view::npos) return page.append(rest);
    const std::size_t close = rest.find("}}", open);
    page.append(rest.substr(0, open));
    page.append(value_of(rest.substr(open + 2, close - open - 2)));
    rest.remove_prefix(close + 2);
  }
}

}  // namespace hillock::io::page
