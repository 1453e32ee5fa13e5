#pragma once
// A range of cells while point processes are put on it, cell by cell.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "simulator/plan/cells/draw_name.hpp"
#include "simulator/plan/range/plan.hpp"

namespace hillock::simulator {

/// Which instances at one node with equal values are one.
enum class MergedInstances {
  none,
  linear,  ///< those of a linear mechanism, whose sum is that of one
  all,
};

class RangeDraft {
 public:
  /// Everything given must outlive the draft. plan: has its cells; its points are filled here.
  RangeDraft(const models::Network& network, const mechanisms::Registry& mechanisms,
             RangePlan& plan);

  /// The place of a mechanism's instances among the plan's points; new ones come last. Their order
  /// is that of the currents' sum, so it must not depend on the range.
  std::uint32_t set_of(const mechanisms::Mechanism& mechanism);

  /// Goes on to a cell: the next one, from 0 on.
  void begin_cell(std::size_t cell);
  std::size_t cell() const { return cell_; }
  const CellIdentity& identity() const { return identity_; }
  const CellKind& kind() const { return *plan_.kinds[cell_]; }
  /// The variables of the cell as a whole: index, size, r, and x y z, where it lies.
  const Bindings& bindings();
  /// After the last cell. Sets without instances go, and what names sets follows.
  void finish();

  /// Puts one instance on the cell; `values` are its variables in the signature's order.
  std::uint32_t add_point(std::uint32_t set, NodeId node, const std::vector<double>& values,
                          MergedInstances merged);
  /// More synapses that an instance of a linear mechanism stands for.
  void merge_into(std::uint32_t set, std::uint32_t instance, std::uint32_t number = 1);
  /// Connects to an instance. The slot of the connection's arguments, where the mechanism's
  /// connections keep them; they begin with the weight, the others as given, or with 0.
  std::uint32_t add_connection(std::uint32_t set, std::uint32_t instance, double weight,
                               const std::vector<double>& arguments);

  /// A synapse's variables at a node of the cell. key: tells apart the draws of synapses at one
  /// node. Throws InvalidModel.
  std::vector<double> values_of(const models::MechanismUse& use,
                                const mechanisms::Mechanism& mechanism, NodeId node,
                                const SynapseKey& key);

  const models::Network& network() const { return network_; }
  const mechanisms::Registry& mechanisms() const { return mechanisms_; }
  RangePlan& plan() { return plan_; }

 private:
  /// The instances of a set on the current cell, by node and values, where they may be one.
  class Known {
   public:
    void clear() {
      few_.clear();
      if (!many_.empty()) many_.clear();
    }
    /// The first instance of that hash for which is_it(instance), if there is one.
    template <class IsIt>
    std::optional<std::uint32_t> find(std::uint64_t hash, const IsIt& is_it) const {
      for (const auto& [known, instance] : few_)
        if (known == hash && is_it(instance)) return instance;
      const auto [begin, end] = many_.equal_range(hash);
      for (auto at = begin; at != end; ++at)
        if (is_it(at->second)) return at->second;
      return std::nullopt;
    }
    void add(std::uint64_t hash, std::uint32_t instance) {
      constexpr std::size_t few = 24;
      if (few_.size() < few)
        few_.emplace_back(hash, instance);
      else
        many_.emplace(hash, instance);
    }

   private:
    std::vector<std::pair<std::uint64_t, std::uint32_t>> few_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> many_;
  };

  void close_cell();

  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  RangePlan& plan_;
  std::vector<Known> known_;  ///< [set]
  std::size_t cell_ = 0;
  std::size_t closed_ = 0;  ///< cells whose instances are all there
  CellIdentity identity_;
  std::optional<Bindings> bindings_;
};

/// Whether instances of a linear mechanism with equal values at one node may be one: not where
/// connections remember, or instances send events.
bool can_merge(const mechanisms::Mechanism& mechanism);

/// A synapse's conductance cannot be negative, whatever drew its weight. Throws InvalidModel.
void check_weight(const mechanisms::Mechanism& mechanism, double weight, const Place& place);

/// Every variable's default, in the signature's order.
std::vector<double> defaults_of(const mechanisms::Mechanism& mechanism);

}  // namespace hillock::simulator
