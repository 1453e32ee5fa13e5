#include "network/agreement.hpp"

#include <cstring>
#include <numeric>

#include "core/errors/errors.hpp"

namespace hillock::network {

std::vector<std::uint64_t> numbers_of_all(Ranks& ranks, std::uint64_t own) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks.count()));
  ranks.begin_all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  ranks.finish_all_gather();
  return all;
}

Bytes bytes_of_all(Ranks& ranks, BytesView own, std::vector<std::size_t>& sizes) {
  const std::vector<std::uint64_t> counts = numbers_of_all(ranks, own.size());
  sizes.assign(counts.begin(), counts.end());
  Bytes all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  ranks.all_gather(own, sizes, all);
  return all;
}

std::uint64_t sum_of_all(Ranks& ranks, std::uint64_t own) {
  std::uint64_t sum = 0;
  ranks.sum({&own, 1}, {&sum, 1});
  return sum;
}

void agree(Ranks& ranks, const std::exception_ptr& failure, const TellFailure& tell) {
  if (sum_of_all(ranks, failure ? 1 : 0) == 0) return;
  const ToldFailure told = failure ? tell(failure) : ToldFailure{};
  Bytes message;
  if (failure) {
    message.resize(sizeof(int) + told.text.size());
    std::memcpy(message.data(), &told.exit_code, sizeof(int));
    std::memcpy(message.data() + sizeof(int), told.text.data(), told.text.size());
  }
  std::vector<std::size_t> sizes;
  const Bytes all = bytes_of_all(ranks, message, sizes);
  int rank = 0;
  while (sizes[static_cast<std::size_t>(rank)] == 0) ++rank;
  // Nothing is there of ranks before it.
  int exit_code = 1;
  std::memcpy(&exit_code, all.data(), sizeof(int));
  throw RankFailed(rank, exit_code,
                   std::string(reinterpret_cast<const char*>(all.data()) + sizeof(int),
                               sizes[static_cast<std::size_t>(rank)] - sizeof(int)));
}

}  // namespace hillock::network
