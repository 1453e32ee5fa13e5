#include "io/circuit/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "core/random/normal_pair.hpp"
#include "io/circuit/number_table.hpp"

namespace hillock::io::circuit {

namespace {

using Places = std::vector<std::array<double, 3>>;

/// Turned counterclockwise about z, then y, then x.
std::array<double, 3> turned(std::array<double, 3> place, const std::array<double, 3>& rad) {
  for (std::size_t axis = 3; axis-- > 0;) {
    const auto [sine, cosine] = sine_and_cosine(rad[axis] / (std::numbers::pi / 2));
    double &next = place[(axis + 1) % 3], &last = place[(axis + 2) % 3];
    const double before = next;
    next = cosine * before - sine * last;
    last = sine * before + cosine * last;
  }
  return place;
}

class XStim {
 public:
  XStim(const Wiring& wiring, const Item& input, const std::string& name, ModelParts& model)
      : wiring_(wiring), input_(input), name_(name), model_(model) {}

  void add_to(const NodeChoice& chosen) {
    const std::vector<std::string> slices = slices_with_shapes(wiring_, chosen);
    if (slices.empty())
      return input_.warning("no node of its node set has a shape; this input is left out");
    const auto ohm_cm = number_or(input_, "resistance", 300);
    const std::string points = points_file(), waveform = waveform_text();
    if (!ohm_cm || points.empty() || waveform.empty()) return;
    if (!(*ohm_cm > 0)) return find(input_, "resistance")->error("must be positive");
    for (const std::string& to : slices)
      model_.stimuli += fmt::format(
          "  - {{name: {}, to: {}, field: {{points: {}, conductivity: {} S/m, waveform: {}}}}}\n",
          quoted_text(name_), to, quoted_text(points), number_text(100 / *ohm_cm), waveform);
  }

 private:
  /// A table of all electrodes' points, each with its part of 1 mA an electrode. "" after an error.
  std::string points_file() {
    const auto named = require(input_, "positions_file");
    if (!named) return "";
    const auto electrodes = read_number_table(
        *named, {"pos_x", "pos_y", "pos_z", "rotation_x", "rotation_y", "rotation_z"}, ' ',
        "electrode_mesh_file");
    if (!electrodes) return "";
    const auto folder = find(input_, "mesh_files_dir");
    const std::filesystem::path meshes = folder ? path_of(*folder) : path_of(*named).parent_path();
    std::string table = "x,y,z,current\n";
    for (std::size_t e = 0; e < electrodes->lines.size(); ++e) {
      const auto of = [&](std::size_t first) {
        return std::array{electrodes->columns[first][e], electrodes->columns[first + 1][e],
                          electrodes->columns[first + 2][e]};
      };
      Places mesh{{0, 0, 0}};
      if (!electrodes->words.empty() && !read_mesh(*named, meshes / electrodes->words[e], mesh))
        return "";
      put(mesh, of(0), of(3));
      for (const auto& [x, y, z] : mesh)
        fmt::format_to(std::back_inserter(table), "{},{},{},{}\n", x, y, z,
                       1e6 / static_cast<double>(mesh.size()));
    }
    const std::string file = input_file(model_, wiring_, name_);
    model_.files[file] = std::move(table);
    return file;
  }

  static bool read_mesh(const Item& named, const std::filesystem::path& path, Places& to) {
    const auto table = read_number_table(named, path, {"x_pos", "y_pos", "z_pos"});
    if (!table) return false;
    if (table->lines.empty()) return named.error(path.string() + ": has no points"), false;
    to.clear();
    for (std::size_t row = 0; row < table->lines.size(); ++row)
      to.push_back({table->columns[0][row], table->columns[1][row], table->columns[2][row]});
    return true;
  }

  /// Turns a mesh and puts its mean at a place.
  static void put(Places& mesh, const std::array<double, 3>& at_um,
                  const std::array<double, 3>& rad) {
    std::array<double, 3> mean{};
    for (auto& place : mesh) {
      place = turned(place, rad);
      for (std::size_t axis = 0; axis < 3; ++axis)
        mean[axis] += place[axis] / static_cast<double>(mesh.size());
    }
    for (auto& place : mesh)
      for (std::size_t axis = 0; axis < 3; ++axis) place[axis] += at_um[axis] - mean[axis];
  }

  // BioNet tells NEURON before step n, from the second one on, what the waveform is at n dt; here
  // that is asked in the middle of the step.

  std::string waveform_text() {
    const auto waveform = require(input_, "waveform");
    if (!waveform) return "";
    if (waveform->is_scalar()) return table_text(*waveform);
    const auto shape = require(*waveform, "shape");
    const auto amplitude = require_number(*waveform, "amp");
    const auto delay_ms = require_number(*waveform, "del");
    const auto duration_ms = require_number(*waveform, "dur");
    if (!shape || !amplitude || !delay_ms || !duration_ms) return "";
    const double dt_ms = wiring_.config.step_ms();
    const std::int64_t first =
        first_step(*delay_ms, [&](double time_ms) { return time_ms > *delay_ms; });
    const double over_ms = *delay_ms + *duration_ms;
    const std::int64_t end =
        first_step(over_ms, [&](double time_ms) { return time_ms >= over_ms; });
    if (end <= first) {
      waveform->error("is over before it has begun");
      return "";
    }
    const std::string times = fmt::format("start: {} ms, duration: {} ms",
                                          number_text(static_cast<double>(first) * dt_ms),
                                          number_text(static_cast<double>(end - first) * dt_ms));
    std::string kind = shape->node().scalar;
    std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::tolower(c); });
    if (kind == "dc") return fmt::format("{{amplitude: {}, {}}}", number_text(*amplitude), times);
    if (kind != "sin") {
      shape->error(fmt::format("the shape '{}' is not known (DC and sin are)", kind));
      return "";
    }
    const auto frequency = require_number(*waveform, "freq");
    const auto phase = number_or(*waveform, "phase", std::numbers::pi);
    const auto offset = number_or(*waveform, "offset", 0);
    if (!frequency || !phase || !offset) return "";
    const double before_start_ms = (static_cast<double>(first) - 0.5) * dt_ms;
    double turns = *phase / (2 * std::numbers::pi) + *frequency / 1000 * before_start_ms;
    turns -= std::floor(turns);
    return fmt::format("{{sine: {{frequency: {} Hz, amplitude: {}, phase: {}, offset: {}, {}}}}}",
                       number_text(*frequency), number_text(*amplitude), number_text(turns),
                       number_text(*offset), times);
  }

  /// Of a file with times and amplitudes, of which the first and the last go on.
  std::string table_text(const Item& named) {
    const auto table = read_amplitude_table(named);
    const auto tstop = wiring_.config.find("run", "tstop");
    const auto longest_ms = tstop ? number_of(*tstop) : std::nullopt;
    if (!table || !longest_ms) return "";
    const double dt_ms = wiring_.config.step_ms();
    std::string text = fmt::format("time,value\n{},{}\n", dt_ms, table->at(dt_ms / 2));
    for (std::size_t k = 0; k < table->times_ms.size(); ++k)
      if (const double time_ms = table->times_ms[k]; time_ms > dt_ms / 2 && time_ms < *longest_ms)
        fmt::format_to(std::back_inserter(text), "{},{}\n", time_ms + dt_ms / 2,
                       table->amplitudes[k]);
    fmt::format_to(std::back_inserter(text), "{},{}\n", *longest_ms + dt_ms,
                   table->at(*longest_ms));
    const std::string file = input_file(model_, wiring_, name_ + "_waveform");
    model_.files[file] = std::move(text);
    return fmt::format("{{csv: {}}}", quoted_text(file));
  }

  /// From step 1 on, near a time, of which BioNet's time is such a one.
  template <class IsSuch>
  std::int64_t first_step(double near_ms, const IsSuch& is_such) const {
    const double dt_ms = wiring_.config.step_ms();
    auto step = std::max<std::int64_t>(1, static_cast<std::int64_t>(near_ms / dt_ms) - 1);
    while (!is_such(dt_ms * static_cast<double>(step))) ++step;
    return step;
  }

  const Wiring& wiring_;
  const Item& input_;
  const std::string& name_;
  ModelParts& model_;
};

}  // namespace

void read_xstim(const Wiring& wiring, const Item& input, const std::string& name,
                const NodeChoice& chosen, ModelParts& model) {
  XStim(wiring, input, name, model).add_to(chosen);
}

}  // namespace hillock::io::circuit
