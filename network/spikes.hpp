#pragma once
// Spikes of cells, and the exchange that takes them from where they are made to where they are
// needed.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.hpp"

namespace hillock::network {

struct CellSpike {
  double time_ms = 0;
  CellId cell;

  auto operator<=>(const CellSpike&) const = default;
};

/// Spikes in several pieces: of one range of cells each, in no order within.
using SpikeLists = std::vector<std::vector<CellSpike>>;

/// What every rank says with its spikes; of all ranks it is added up.
struct Said {
  std::uint64_t failures = 0;  ///< 1 of a rank that cannot go on
  std::uint64_t outputs = 0;   ///< 1 of a rank whose output is to be handed over after this epoch
  std::uint64_t saves = 0;     ///< 1 of a rank that wants the run saved after this epoch
  std::uint64_t spikes = 0;    ///< of the epoch; the exchange counts them
};

/// Carries the spikes of an epoch between the ranks that simulate one network.
class Exchange {
 public:
  struct Received {
    std::span<const std::vector<CellSpike>> spikes;  ///< those that this rank may need
    Said said;                                       ///< by all ranks
  };

  virtual ~Exchange() = default;
  /// Begins to send the spikes of this rank's cells. `own` stays until receive().
  virtual void send(const SpikeLists& own, const Said& said) = 0;
  /// What was sent last, of all ranks. It stays until the next receive(), and as long as `own`
  /// does.
  virtual Received receive() = 0;
};

/// One rank: everything is its own.
class OneRank final : public Exchange {
 public:
  void send(const SpikeLists& own, const Said& said) override {
    own_ = own;
    said_ = said;
    said_.spikes = 0;
    for (const auto& some : own) said_.spikes += some.size();
  }
  Received receive() override { return {own_, said_}; }

 private:
  std::span<const std::vector<CellSpike>> own_;
  Said said_;
};

}  // namespace hillock::network
