#pragma once
// A network that is ready to run: its cells and connections in an engine, on all ranks.

#include <cstdint>
#include <memory>

#include "network/agreement.hpp"
#include "network/gap_exchange.hpp"
#include "network/placement.hpp"
#include "network/rank_exchange.hpp"
#include "network/ranks.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/output/potentials.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/ranks/output_gather.hpp"

namespace hillock::simulator {

struct BuiltSimulation {
  /// The network must live as long. Throws as Simulation().
  BuiltSimulation(const models::Network& model, const SimulationOptions& run_options);
  BuiltSimulation(const BuiltSimulation&) = delete;
  BuiltSimulation& operator=(const BuiltSimulation&) = delete;

  network::Ranks* ranks() const { return options.together.ranks; }
  const network::Outside* outside() const { return options.together.outside; }
  /// Of those that have the same network.
  bool is_first() const { return !ranks() || outside() || ranks()->number() == 0; }
  /// Whether this rank has a part of a network that others have the rest of.
  bool has_a_part() const { return ranks() && !outside(); }

  /// Calls body() and, of several ranks, throws RankFailed when it threw on one of them.
  template <class Body>
  void together(const Body& body) {
    if (ranks())
      network::agree_after(*ranks(), options.together.tell, body);
    else
      body();
  }

  std::uint64_t sum_of_all(std::uint64_t own) const {
    return ranks() ? network::sum_of_all(*ranks(), own) : own;
  }

  /// As they go to a sink, with this rank's columns.
  const std::vector<models::ReportLayout>& own_reports() const {
    return potentials.empty() ? plan.reports : with_potentials;
  }

  /// Wherever values of gap junctions are new (Engine::exchange_gaps()).
  void join_gaps();

  /// Whether an epoch is launched while the one before it is under way. What is sent is received
  /// meanwhile.
  bool runs_ahead() const { return (counts.overlaps || passes_all) && engine->traits().takes_two; }

  const models::Network& network;
  Activity unwatched;
  SimulationOptions options;
  std::unique_ptr<network::Placement> placement;
  std::unique_ptr<network::Exchange> exchange;
  std::unique_ptr<OutputGather> gather;  ///< of several ranks that have parts of a network
  std::unique_ptr<network::GapExchange> gap_exchange;
  NetworkPlan plan;  ///< without its ranges, of which the engine has made its own
  std::vector<PotentialSums> potentials;
  std::unique_ptr<Engine> engine;
  SimulationCounts counts;
  Timings timings;
  bool passes_all = false;  ///< the engine needs no spikes of the loop

 private:
  double most_of_all(double own) const;
  double least_of_all(double own) const { return -most_of_all(-own); }
  void build_own();
  void take_potentials();

  std::vector<models::ReportLayout> with_potentials;  ///< where there are some, all reports
  Rest own_rest() const;
  std::unique_ptr<network::Placement> place() const;
  void join_ranks();
  void join_gap_exchange();
  void agree_on_gaps();
  double room_for_samples(std::size_t report) const;
  void choose_epoch();
  void count();
};

}  // namespace hillock::simulator
