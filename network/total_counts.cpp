#include "network/total_counts.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/errors/errors.hpp"
#include "network/part_draws.hpp"

namespace hillock::network {

namespace {

/// Targets begin … begin + width - 1 of the slice, and how many connections they have together.
struct Share {
  std::uint64_t node = 1;  ///< halves of node n are nodes 2n and 2n + 1
  std::uint64_t begin = 0;
  std::uint64_t width = 0;
  std::uint64_t number = 0;
};

class TotalDivision {
 public:
  TotalDivision(const models::Projection& projection, const ConnectionDraws& draws,
                const CellSet& targets, std::vector<std::uint32_t>& counts)
      : projection_(projection),
        draws_(draws),
        targets_(targets),
        counts_(counts),
        forbids_itself_(draws.recurrent() &&
                        projection.connect.autapses == models::Autapses::forbidden) {}

  Share all() const {
    return {1, 0, std::bit_ceil(projection_.to.size()), projection_.connect.number};
  }
  /// Divides a share until it is as narrow; of those that have connections onto own targets calls
  /// body(share).
  template <class Body>
  void divide(const Share& share, std::uint64_t width, const Body& body) const {
    if (share.number == 0 || !has_own(share)) return;
    if (share.width <= width) return body(share);
    const auto [left, right] = halves(share);
    divide(left, width, body);
    divide(right, width, body);
  }
  void count(const Share& share) const {
    divide(share, 1, [&](const Share& one) {
      if (one.number > std::numeric_limits<std::uint32_t>::max())
        reject(projection_.connect.place, "a cell has more than 2^32 connections");
      counts_[targets_.before(projection_.to.begin + one.begin)] =
          static_cast<std::uint32_t>(one.number);
    });
  }

 private:
  bool has_own(const Share& share) const {
    const std::uint64_t begin = projection_.to.begin + share.begin;
    return targets_.before(begin) < targets_.before(begin + share.width);
  }

  std::pair<Share, Share> halves(const Share& share) const {
    const std::uint64_t width = share.width / 2;
    Share left{2 * share.node, share.begin, width, 0};
    Share right{2 * share.node + 1, share.begin + width, width, 0};
    const std::uint64_t here = pairs(left), all = here + pairs(right);
    RandomStream stream(draws_.seed(), Purpose::connect, {draws_.number(), share.node, 1});
    const bool repeats = projection_.connect.multapses == models::Multapses::allowed;
    left.number = repeats ? draw_binomial(stream, share.number, here, all)
                          : draw_hypergeometric(stream, share.number, here, all);
    right.number = share.number - left.number;
    return {left, right};
  }

  /// How many there are onto the targets of a share.
  std::uint64_t pairs(const Share& share) const {
    const models::PopulationSlice &from = projection_.from, &to = projection_.to;
    const std::uint64_t begin = std::min(to.end, to.begin + share.begin);
    const std::uint64_t end = std::min(to.end, begin + share.width);
    const std::uint64_t first = std::max(begin, from.begin), last = std::min(end, from.end);
    const std::uint64_t themselves = forbids_itself_ && first < last ? last - first : 0;
    return from.size() * (end - begin) - themselves;
  }

  const models::Projection& projection_;
  const ConnectionDraws& draws_;
  const CellSet& targets_;
  std::vector<std::uint32_t>& counts_;
  bool forbids_itself_;
};

}  // namespace

std::vector<std::uint32_t> counts_of_total(const models::Projection& projection,
                                           const ConnectionDraws& draws, const CellSet& targets,
                                           const Runner& run) {
  constexpr std::uint64_t at_once = 1024;
  std::vector<std::uint32_t> counts(targets.size(), 0);
  const TotalDivision division(projection, draws, targets, counts);
  std::vector<Share> shares;
  division.divide(division.all(), at_once, [&](const Share& share) { shares.push_back(share); });
  run(shares.size(), [&](std::size_t i) { division.count(shares[i]); });
  return counts;
}

}  // namespace hillock::network
