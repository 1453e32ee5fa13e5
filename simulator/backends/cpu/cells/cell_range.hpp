#pragma once
// The cells of one range of the plan: their groups, and the events that are on their way to them.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "network/inbox.hpp"
#include "simulator/backends/cpu/cells/cpu_cell_group.hpp"
#include "simulator/backends/cpu/events/event_buffers.hpp"
#include "simulator/backends/cpu/groups/range.hpp"
#include "simulator/backends/cpu/groups/range_groups.hpp"

namespace hillock::simulator::cpu {

class CellRange final : public Range {
 public:
  /// run and buffers must outlive this. Throws InvalidModel.
  CellRange(RangePlan plan, const RunConstants& run, const CellsAndThreads& cells,
            EventBuffers& buffers);

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override;
  void start(std::vector<network::CellSpike>& spikes,
             std::span<const SampleBuffer> samples) override;
  /// Gives the groups their events, unless these are so many that each group had better get its own
  /// when its turn comes.
  void receive(Epoch epoch, std::span<const std::vector<network::CellSpike>> arriving) override;
  void advance(std::size_t group, Epoch epoch, std::vector<network::CellSpike>& spikes,
               std::span<const SampleBuffer> samples, std::span<double> gap_values) override;
  bool is_wired() const override;
  void tell(solver::Wiring& wiring) override;
  void tell_guests(bool is_solved) const override {
    for (const auto& group : groups_) group->tell_guests(is_solved);
  }
  void hear_guests() override {
    for (const auto& group : groups_) group->hear_guests();
  }
  void end_step(const solver::Wiring* wiring, std::vector<network::CellSpike>& spikes,
                std::span<double> gap_values) override;
  Gang* gang_of(std::size_t group) override { return groups_[group]->gang(); }
  void take_gap_values(std::span<const double> gap_values) override {
    for (const auto& group : groups_) group->take_gap_values(gap_values);
  }
  void number_gap_values(std::uint32_t& next, std::span<std::uint32_t> number_of) override {
    for (const auto& group : groups_) group->number_gap_values(next, number_of);
  }
  void read_gap_values_by(std::span<const std::uint32_t> number_of) override {
    for (const auto& group : groups_) group->read_gap_values_by(number_of);
  }
  void follow_gaps(std::int64_t step, std::span<const SampleBuffer> samples) override {
    for (const auto& group : groups_) group->follow_gaps(step, samples);
  }
  void publish_gap_values(std::span<double> gap_values) const override {
    for (const auto& group : groups_) group->publish_gap_values(gap_values);
  }
  void walk(StateWalk& state) override;
  void resume_at(const network::Resumed& at) override { inbox_.resume_at(at); }
  void take_factors(const FieldFactors& factors) override {
    for (const auto& group : groups_) group->take_factors(factors);
  }
  std::size_t group_count() const override { return groups_.size(); }
  std::optional<SideBySideReport> side_by_side() const override {
    return SideBySideReport{population_, side_by_side_.most, side_by_side_.parts,
                            side_by_side_.bytes, side_by_side_.expected_us};
  }
  std::size_t state_bytes() const override;
  std::size_t connection_bytes() const override { return inbox_.bytes(); }

 private:
  /// Where the instances of one point process are: an instance's name in the inbox has its group
  /// above `bits` and its place in the block below, of which the last three bits are the lane.
  struct Names {
    std::size_t block = 0;
    int bits = 0;
    bool only_add = false;  ///< events go to `additions`
    /// [group]
    std::vector<std::vector<mechanisms::Addition>*> additions;

    std::uint32_t name(std::size_t group, std::size_t instance, std::size_t lane) const {
      return static_cast<std::uint32_t>((std::uint64_t{group} << bits) | (instance * 8 + lane));
    }
    std::size_t group(std::uint32_t name) const { return std::uint64_t{name} >> bits; }
    std::uint32_t instance(std::uint32_t name) const { return place(name) / 8; }
    std::uint16_t lane(std::uint32_t name) const { return place(name) % 8; }

   private:
    std::uint32_t place(std::uint32_t name) const {
      return static_cast<std::uint32_t>(name & ((std::uint64_t{1} << bits) - 1));
    }
  };

  void name_instances(const RangePlan& plan);
  /// Of events that arrive together; the step is counted as those who get them count.
  struct When {
    double time_ms = 0;
    std::int64_t step = 0;
  };

  bool are_many() const;
  std::uint64_t event_count() const;
  void hand_out(std::int64_t first_step);
  void hand_out_to(std::size_t group, std::int64_t first_step);
  void hand_out(const network::Arrival& arrival, const network::FanIn::Entries& some,
                std::int64_t first_step);
  network::FanIn::Entries entries_of(std::size_t group, const network::Arrival& arrival) const;
  void add(const network::FanIn& connections, const network::FanIn::Entries& some, const When& when,
           const Names& names);
  void put(const network::FanIn& connections, const network::FanIn::Entries& some, const When& when,
           const Names& names);

  const RunConstants& run_;
  EventBuffers& buffers_;
  std::string population_;
  SideBySide side_by_side_;
  std::vector<std::unique_ptr<CellGroup>> groups_;
  std::vector<Names> names_;  ///< [point process]
  network::Inbox inbox_;
  std::span<const network::Arrival> arrivals_;  ///< of the epoch
  bool in_turn_ = false;                        ///< a group gets its events when its turn comes
  std::atomic<std::uint64_t> left_ = 0;         ///< of these, those that no group has got
};

}  // namespace hillock::simulator::cpu
