#include "io/circuit/electrodes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "io/circuit/current_steps.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::array tables{"csv", "file"}, sweeps{"nwb", "allen"};

template <class Names>
bool is_one_of(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// A number, or the numbers of a list.
std::optional<std::vector<double>> numbers(const Item& input, const char* key) {
  const auto item = require(input, key);
  if (!item) return std::nullopt;
  std::vector<double> all;
  bool is_good = true;
  for (const Item& one : each_of(*item)) {
    const auto number = number_of(one);
    is_good = is_good && number;
    all.push_back(number.value_or(0));
  }
  return is_good ? std::optional(all) : std::nullopt;
}

/// "soma[0](0.5)", or the place that the input names.
std::optional<std::string> place_of(const Item& input) {
  const auto name = find(input, "section_name");
  const auto section = name ? name->text("a kind of section") : std::optional<std::string>("soma");
  const auto number = number_or(input, "section_index", 0);
  const auto at = number_or(input, "section_dist", 0.5);
  if (!section || !number || !at) return std::nullopt;
  return fmt::format("{}[{:.0f}]({})", *section, *number, *at);
}

struct Pulse {
  double amplitude, start_ms, duration_ms;
};

/// A table of a waveform: two rows a step, of equal neighbours the first alone.
std::string waveform_of(const CurrentSteps& steps, double later_ms, double longest_ms) {
  std::string table = "time_ms,current\n";
  const auto row = [&](double time, double amplitude) {
    fmt::format_to(std::back_inserter(table), "{},{}\n", time + later_ms, amplitude);
  };
  row(steps.times_ms.front(), steps.amplitudes.front());
  for (std::size_t i = 1; i < steps.times_ms.size(); ++i) {
    if (steps.amplitudes[i] == steps.amplitudes[i - 1]) continue;
    row(steps.times_ms[i], steps.amplitudes[i - 1]);
    row(steps.times_ms[i], steps.amplitudes[i]);
  }
  row(std::min(steps.end_ms, std::max(longest_ms, steps.times_ms.back())), steps.amplitudes.back());
  return table;
}

class Electrodes {
 public:
  Electrodes(const Wiring& wiring, const Item& input, const std::string& name, ModelParts& model)
      : wiring_(wiring), input_(input), name_(name), model_(model) {}

  void add_pulses(const NodeChoice& chosen, const std::string& place) {
    const auto amplitudes = numbers(input_, "amp");
    const auto starts = numbers(input_, "delay");
    const auto durations = numbers(input_, "duration");
    if (!amplitudes || !starts || !durations) return;
    if (amplitudes->size() != starts->size() || amplitudes->size() != durations->size())
      return input_.error("has other numbers of amp, delay and duration");
    std::vector<Pulse> pulses;
    for (std::size_t i = 0; i < amplitudes->size(); ++i)
      pulses.push_back({(*amplitudes)[i], (*starts)[i], (*durations)[i]});
    for_each_slice(chosen, [&](const CellGroup& group, const std::string& to) {
      const bool is_point = group.cell.kind == CellKind::point;
      for (const Pulse& pulse : is_point ? one_by_one(pulses) : pulses)
        add(to, is_point ? "" : place,
            fmt::format("amplitude: {} {}, start: {} ms, duration: {} ms",
                        number_text(pulse.amplitude), is_point ? "pA" : "nA",
                        number_text(pulse.start_ms), number_text(pulse.duration_ms)));
    });
  }

  void add_steps(const NodeChoice& chosen, const std::string& place, bool is_sweep) {
    auto steps =
        is_sweep ? read_sweep(input_, wiring_.column_reader) : read_table_of_currents(input_);
    const auto tstop = wiring_.config.find("run", "tstop");
    const auto longest_ms = tstop ? number_of(*tstop) : std::nullopt;
    if (!steps || !longest_ms) return;
    for_each_slice(chosen, [&](const CellGroup& group, const std::string& to) {
      const bool is_point = group.cell.kind == CellKind::point;
      if (is_point && is_sweep)
        return input_.error(
            fmt::format("puts a sweep, which is in nA, into neurons of {}, which "
                        "take pA",
                        group.name));
      std::string& file = waveforms_[is_point];
      if (file.empty()) {
        file = input_file(model_, wiring_, name_ + (is_point ? "_point" : ""));
        CurrentSteps own = *steps;
        if (is_point)  // PointNet does not end it
          own.end_ms = std::numeric_limits<double>::infinity();
        model_.files[file] = waveform_of(own, is_point ? wiring_.config.step_ms() : 0, *longest_ms);
      }
      add(to, is_point ? "" : place, fmt::format("waveform: {{csv: {}}}", quoted_text(file)));
    });
  }

  /// amp, delay, duration and resistance: a level from a time on, as bmtk has it from 1.2 on.
  void add_clamp(const NodeChoice& chosen, const std::string& place) {
    const auto level = require_number(input_, "amp"), start = require_number(input_, "delay");
    const auto duration = require_number(input_, "duration");
    const auto rs = number_or(input_, "resistance", 1);
    if (!level || !start || !duration || !rs) return;
    add_voltage(chosen, fmt::format("point: {{seclamp: {{level: {} mV, rs: {} MOhm, start: {} ms, "
                                    "stop: {} ms}}, at: {}}}",
                                    *level, *rs, *start, *start + *duration, quoted_text(place)));
  }

  /// amps, durations and rs: three levels from 0 ms on, for all nodes or for each, as bmtk had them
  /// before.
  void add_levels() {
    const auto levels = triples("amps");
    const auto durations = triples("durations");
    const auto rs = find(input_, "rs") ? numbers(input_, "rs")
                                       : std::optional(std::vector<double>{1});  // NEURON's
    const auto nodes = nodes_in_order();
    if (!levels || !durations || !rs || !nodes) return;
    for (const auto& [key, count] :
         {std::pair{"amps", levels->size()}, {"durations", durations->size()}, {"rs", rs->size()}})
      if (count != 1 && count != nodes->size())
        return input_.error(
            fmt::format("has {} entries of {} for {} nodes (one for all, or one "
                        "for each)",
                        count, key, nodes->size()));
    const auto of = [](const auto& all, std::size_t i) { return all[all.size() == 1 ? 0 : i]; };
    const auto text = [&](std::size_t i) {
      const auto level = of(*levels, i), duration = of(*durations, i);
      return fmt::format(
          "at: \"soma[0](0.5)\", seclamp: {{levels: [{} mV, {} mV, {} mV], durations: [{} ms, {} "
          "ms, "
          "{} ms], rs: {} MOhm}}",
          level[0], level[1], level[2], duration[0], duration[1], duration[2], of(*rs, i));
    };
    const bool are_alike = levels->size() == 1 && durations->size() == 1 && rs->size() == 1;
    NodeChoice all;
    for (std::size_t i = 0; i < nodes->size(); ++i) {
      const NodeOf node = (*nodes)[i];
      if (are_alike)
        all[node.population].push_back(node.node);
      else
        add_voltage({{node.population, {node.node}}}, text(i));
    }
    if (are_alike) add_voltage(all, text(0));
  }

 private:
  /// add_to(group, "exc[0:10]"): cells that may have an electrode.
  template <class AddTo>
  void for_each_slice(const NodeChoice& chosen, const AddTo& add_to) {
    for (const auto& [number, cells] : cells_of(wiring_, chosen)) {
      const CellGroup& group = wiring_.groups[number];
      if (group.cell.kind == CellKind::node) continue;
      if (group.cell.kind == CellKind::point && group.cell.nest_weight_unit.empty()) {
        input_.error(
            fmt::format("puts a current into cells of {}, which have no membrane", group.name));
        continue;
      }
      for (const auto& run : runs_of(cells)) add_to(group, slice_text(group, run));
    }
  }

  /// As NEST's generator has them: the next pulse ends the one before, and its connection takes a
  /// step.
  std::vector<Pulse> one_by_one(std::vector<Pulse> pulses) {
    const double dt_ms = wiring_.config.step_ms();
    for (std::size_t i = 0; i + 1 < pulses.size(); ++i) {
      const double next_ms = pulses[i + 1].start_ms;
      if (!(next_ms > pulses[i].start_ms)) {
        input_.error("has delays that do not rise, which NEST's current generator wants");
        return {};
      }
      pulses[i].duration_ms = std::min(pulses[i].duration_ms, next_ms - pulses[i].start_ms);
    }
    for (Pulse& pulse : pulses) pulse.start_ms += dt_ms;
    return pulses;
  }

  void add(const std::string& to, const std::string& place, const std::string& current) {
    const std::string at = place.empty() ? "" : fmt::format("at: {}, ", quoted_text(place));
    model_.stimuli += fmt::format("  - {{name: {}, to: {}, {}iclamp: {{{}}}}}\n",
                                  quoted_text(name_), to, at, current);
  }

  void add_voltage(const NodeChoice& chosen, const std::string& clamp) {
    for_each_slice(chosen, [&](const CellGroup& group, const std::string& to) {
      if (group.cell.kind == CellKind::point)
        return input_.error(fmt::format("clamps cells of {}, which have no membrane", group.name));
      model_.stimuli +=
          fmt::format("  - {{name: {}, to: {}, {}}}\n", quoted_text(name_), to, clamp);
    });
  }

  /// Three numbers for all cells or for each: one number stands for three.
  std::optional<std::vector<std::array<double, 3>>> triples(const char* key) {
    const auto item = require(input_, key);
    if (!item) return std::nullopt;
    std::vector<std::array<double, 3>> all;
    bool is_good = true;
    for (const Item& one : each_of(*item)) {
      const auto parts = each_of(one);
      if (parts.size() != 1 && parts.size() != 3) {
        one.error("must be a number or a list of three");
        is_good = false;
        continue;
      }
      auto& triple = all.emplace_back();
      for (std::size_t i = 0; i < 3; ++i) {
        const auto number = number_of(parts[parts.size() == 1 ? 0 : i]);
        is_good = is_good && number;
        triple[i] = number.value_or(0);
      }
    }
    return is_good ? std::optional(all) : std::nullopt;
  }

  std::optional<std::vector<NodeOf>> nodes_in_order() {
    if (const auto gids = find(input_, "gids"); gids && gids->is_list())
      return wiring_.sets.in_order(*gids);
    const auto named = find(input_, "node_set");
    if (named) return wiring_.sets.in_order(*named);
    std::vector<NodeOf> all;
    for (const auto& [population, nodes] : wiring_.sets.all())
      for (const std::uint32_t node : nodes) all.push_back({population, node});
    return all;
  }

  const Wiring& wiring_;
  const Item& input_;
  const std::string& name_;
  ModelParts& model_;
  std::map<bool, std::string> waveforms_;  ///< files of this input, and whether of point neurons
};

}  // namespace

bool is_current(const std::string& input_type) {
  return input_type == "current_clamp" || is_one_of(tables, input_type) ||
         is_one_of(sweeps, input_type);
}

void read_current_clamp(const Wiring& wiring, const Item& input, const std::string& name,
                        const NodeChoice& chosen, ModelParts& model) {
  const auto type = find(input, "input_type");
  const std::string place = place_of(input).value_or("");  // of no use after an error
  if (!type) return;
  const std::string& kind = type->node().scalar;
  Electrodes electrodes(wiring, input, name, model);
  if (kind == "current_clamp")
    electrodes.add_pulses(chosen, place);
  else
    electrodes.add_steps(chosen, place, is_one_of(sweeps, kind));
}

void read_voltage_clamp(const Wiring& wiring, const Item& input, const std::string& name,
                        const NodeChoice& chosen, ModelParts& model) {
  Electrodes electrodes(wiring, input, name, model);
  if (find(input, "amps")) return electrodes.add_levels();
  electrodes.add_clamp(chosen, place_of(input).value_or(""));
}

}  // namespace hillock::io::circuit
