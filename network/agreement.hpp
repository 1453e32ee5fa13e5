#pragma once
// Ranks tell one another whether they can go on, so that they end together.

#include <exception>
#include <functional>
#include <string>

#include "network/ranks.hpp"

namespace hillock::network {

/// A failure as a program tells of it.
struct ToldFailure {
  int exit_code = 1;
  std::string text;
};

/// Turns what was caught into words.
using TellFailure = std::function<ToldFailure(const std::exception_ptr&)>;

/// All ranks call it together, each with what it caught or with null. Throws RankFailed on all of
/// them when one has caught something: the first rank's.
void agree(Ranks& ranks, const std::exception_ptr& failure, const TellFailure& tell);

/// Calls body(), then agrees.
template <class Body>
void agree_after(Ranks& ranks, const TellFailure& tell, const Body& body) {
  std::exception_ptr failure;
  try {
    body();
  } catch (...) {
    failure = std::current_exception();
  }
  agree(ranks, failure, tell);
}

/// One number of every rank, [rank].
std::vector<std::uint64_t> numbers_of_all(Ranks& ranks, std::uint64_t own);
/// Bytes of every rank, one after the other. sizes: [rank] of all.
Bytes bytes_of_all(Ranks& ranks, BytesView own, std::vector<std::size_t>& sizes);
/// The sum of all ranks' numbers.
std::uint64_t sum_of_all(Ranks& ranks, std::uint64_t own);

}  // namespace hillock::network
