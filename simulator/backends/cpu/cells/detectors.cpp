#include "simulator/backends/cpu/cells/detectors.hpp"

#include <algorithm>

#include "core/containers/memory_size.hpp"

namespace hillock::simulator::cpu {

Detectors::Detectors(const GroupLayout& group, const solver::SweepKernels& sweep)
    : sweep_(&sweep),
      lanes_(group.width()),
      cells_(group.indices.size()),
      above_((cells_ + lanes_ - 1) / lanes_),
      now_(above_.size()),
      used_(above_.size()) {
  bool share_rows = true;
  for (std::size_t cell = 0; cell < group.detector_rows.size(); ++cell) {
    const auto row = static_cast<std::uint32_t>(group.detector_rows[cell]);
    const auto lane = static_cast<std::uint32_t>(cell % lanes_);
    at_.push_back(row * static_cast<std::uint32_t>(lanes_) + lane);
    used_[cell / lanes_] |= static_cast<std::uint8_t>(1u << lane);
    if (lane == 0) rows_.push_back(row);
    share_rows = share_rows && row == rows_.back();
  }
  if (!share_rows) rows_.clear();
}

void Detectors::find_above(const double* v, double threshold_mV) {
  if (!rows_.empty()) return sweep_->find_above(v, rows_, threshold_mV, now_.data());
  std::fill(now_.begin(), now_.end(), 0);
  for (std::size_t cell = 0; cell < at_.size(); ++cell)
    now_[cell / lanes_] |=
        static_cast<std::uint8_t>((v[at_[cell]] > threshold_mV ? 1u : 0u) << cell % lanes_);
}

void Detectors::walk(StateWalk& state) {
  state.column("above", [&](std::size_t cell) {
    std::uint8_t& bits = above_[cell / lanes_];
    const auto bit = static_cast<std::uint8_t>(1u << cell % lanes_);
    std::uint8_t above = (bits & bit) != 0;
    state.count(above);
    bits = static_cast<std::uint8_t>(above ? bits | bit : bits & ~bit);
  });
}

std::size_t Detectors::bytes() const {
  return bytes_of(at_) + bytes_of(rows_) + bytes_of(above_) + bytes_of(now_) + bytes_of(used_);
}

}  // namespace hillock::simulator::cpu
