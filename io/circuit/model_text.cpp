#include "io/circuit/model_text.hpp"

namespace hillock::io::circuit {

std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + '"';
}

std::string name_text(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = (c >= '0' && c <= '9') || c == '-';
    if (result.empty() && !letter) result += '_';
    result += letter || digit ? c : '_';
  }
  constexpr std::size_t longest = 60;  // several are put together, and name a file
  return result.empty() ? "_" : result.substr(0, longest);
}

std::string Names::unused(const std::string& wanted) {
  const auto [found, is_new] = used_.try_emplace(wanted, 1);
  if (is_new) return wanted;
  int& number = found->second;
  std::string name;
  do name = fmt::format("{}_{}", wanted, ++number);
  while (!used_.try_emplace(name, 1).second);
  return name;
}

std::string FileNames::operator()(const std::filesystem::path& file) const {
  if (file.is_absolute() && (from_.empty() || from_.is_relative()))
    return file.lexically_normal().string();
  std::error_code error;
  const auto base = std::filesystem::absolute(from_.empty() ? "." : from_, error);
  const auto relative = std::filesystem::absolute(file, error)
                            .lexically_normal()
                            .lexically_relative(base.lexically_normal());
  return relative.empty() ? file.string() : relative.string();
}

}  // namespace hillock::io::circuit
