#include "simulator/command/run/same_run.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "network/message.hpp"
#include "simulator/command/process/rank.hpp"

namespace hillock::command {

namespace {

std::vector<std::string> words_of(const io::RunIdentity& identity) {
  std::vector<std::string> words{identity.version, identity.model_sha256,
                                 std::to_string(identity.input_sha256.size())};
  for (const auto& [name, hash] : identity.input_sha256) words.insert(words.end(), {name, hash});
  words.insert(words.end(), identity.overrides.begin(), identity.overrides.end());
  return words;
}

io::RunIdentity identity_of_words(const std::vector<std::string>& words) {
  io::RunIdentity identity{words[0], words[1], {}, {}};
  const std::size_t inputs = std::stoul(words[2]);
  for (std::size_t i = 0; i < inputs; ++i)
    identity.input_sha256.emplace_back(words[3 + 2 * i], words[4 + 2 * i]);
  identity.overrides.assign(words.begin() + static_cast<std::ptrdiff_t>(3 + 2 * inputs),
                            words.end());
  return identity;
}

}  // namespace

void check_same_run(const io::RunIdentity& identity) {
  if (!ranks()) return;
  network::Bytes own;
  network::MessageWriter to(own);
  for (const std::string& word : words_of(identity)) to.put(std::span<const char>(word));
  std::vector<std::size_t> sizes;
  const network::Bytes all = network::bytes_of_all(*ranks(), own, sizes);
  std::vector<std::string> words;
  network::MessageReader from(network::BytesView(all).first(sizes.front()));
  while (!from.is_at_end()) {
    const std::vector<char> word = from.take<char>();
    words.emplace_back(word.begin(), word.end());
  }
  const std::string difference = io::difference(identity_of_words(words), identity);
  together([&] {
    if (!difference.empty())
      throw UsageError("this rank has another run than the first one, which " + difference);
  });
}

}  // namespace hillock::command
