#include "simulator/session/view_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/random/random.hpp"
#include "core/text/utf8.hpp"
#include "io/page/tree_panel.hpp"
#include "simulator/session/first_cell.hpp"
#include "solver/cable/compartments.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::session {

namespace {

constexpr std::size_t most_pieces = 60'000;

/// One kind of cell: its compartments, and lists of those where something is.
class CellView {
 public:
  CellView(const models::Network& network, std::size_t number)
      : network_(network),
        number_(number),
        cable_(std::get<models::CableCell>(network.cells[number].kind)),
        shape_(session::shape_of_first(network, cable_)),
        cell_(solver::discretise(shape_, cable_, session::cut_for_first(network_, number_))) {
    for (std::size_t node = 0; node < cell_.node_count(); ++node) {
      const solver::NodeLocation& at = cell_.location(node);
      element_of_.push_back(at.is_compartment ? static_cast<std::int32_t>(elements_.size()) : -1);
      if (at.is_compartment)
        elements_.push_back(
            {static_cast<std::uint32_t>(cell_.branch_of(NodeId(static_cast<int>(node)))),
             at.position});
    }
  }

  io::Json to_json(io::page::Blobs& blobs) {
    add_mechanisms();
    add_connections();
    add_stimuli();
    add_recordings();
    const io::page::Pieces pieces = io::page::cut(shape_, elements_, most_pieces);
    std::vector<std::string> regions, names;
    std::vector<std::uint16_t> region_of;
    for (const models::Branch& branch : shape_.branches) {
      const std::string region = printable(branch.region.empty() ? "no region" : branch.region);
      auto known = std::ranges::find(regions, region);
      if (known == regions.end()) known = regions.insert(regions.end(), region);
      region_of.push_back(static_cast<std::uint16_t>(known - regions.begin()));
      names.push_back(printable(branch.name));
    }
    std::vector<float> positions;
    for (const io::page::Element& element : elements_)
      positions.push_back(static_cast<float>(element.position));
    io::Json layers = io::Json::array();
    for (auto& [name, elements] : layers_) {
      std::ranges::sort(elements);
      elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
      layers.add(io::Json::object({{"name", printable(name)},
                                   {"count", elements.size()},
                                   {"elements", blobs.add(elements)}}));
    }
    return io::Json::object(
        {{"name", printable(network_.cells[number_].name)},
         {"is_drawn", std::holds_alternative<models::RandomTree>(cable_.morphology)},
         {"drawn_up", pieces.is_drawn_up},
         {"branches", shape_.branches.size()},
         {"compartments", elements_.size()},
         {"ends", blobs.add(pieces.ends)},
         {"piece_elements", blobs.add(pieces.elements)},
         {"piece_branches", blobs.add(pieces.branches)},
         {"branch_names", names},
         {"branch_regions", blobs.add(region_of)},
         {"positions", blobs.add(positions)},
         {"regions", regions},
         {"layers", layers}});
  }

 private:
  bool is_this(const models::PopulationSlice& slice) const {
    return network_.populations[slice.population.value].cell == number_;
  }

  void add_where(const std::string& name, const models::Region& region) {
    auto& elements = layers_[name];
    for (std::size_t node = 0; node < cell_.node_count(); ++node)
      if (element_of_[node] >= 0 &&
          solver::selects_branch(region,
                                 cell_.name_of(cell_.branch_of(NodeId(static_cast<int>(node))))) &&
          solver::in_range(region, cell_.location(node).distance_um))
        elements.push_back(element_of_[node]);
  }

  /// What is drawn by length may be anywhere in its region.
  void add_at(const std::string& name, const models::Locations& at) {
    if (at.kind == models::Locations::Kind::uniform) return add_where(name, at.region);
    RandomStream draws(network_.run.seed, Purpose::location, {});
    auto& elements = layers_[name];
    for (NodeId node : solver::resolve(cell_, at, draws)) {
      // A branch's end is shown on its neighbour.
      while (element_of_[static_cast<std::size_t>(node.value)] < 0 &&
             cell_.parent[static_cast<std::size_t>(node.value)] >= 0)
        node = NodeId(cell_.parent[static_cast<std::size_t>(node.value)]);
      const std::int32_t element = element_of_[static_cast<std::size_t>(node.value)];
      elements.push_back(std::max(0, element));
    }
  }

  void add_mechanisms() {
    for (const models::RegionSettings& settings : cable_.regions)
      for (const models::MechanismUse& mechanism : settings.mechanisms)
        add_where("mechanism " + mechanism.name, settings.region);
    if (cable_.detector) add_at("detector of spikes", cable_.detector->at);
  }

  void add_connections() {
    for (const models::Projection& projection : network_.projections) {
      if (const auto* synapse = std::get_if<models::Synapse>(&projection.link))
        if (is_this(projection.to) && synapse->at.kind != models::Locations::Kind::listed)
          add_at("synapse " + synapse->mechanism.name + " of " + projection.name, synapse->at);
      if (const auto* gap = std::get_if<models::GapJunction>(&projection.link)) {
        if (is_this(projection.to)) add_at("gap junction of " + projection.name, gap->at);
        if (is_this(projection.from)) add_at("gap junction of " + projection.name, gap->peer_at);
      }
    }
  }

  void add_stimuli() {
    for (const models::Stimulus& stimulus : network_.stimuli) {
      if (!is_this(stimulus.to)) continue;
      const std::string name = "stimulus " + stimulus.name;
      if (const auto* clamp = std::get_if<models::CurrentClamp>(&stimulus.kind))
        add_at(name, clamp->at);
      if (const auto* clamp = std::get_if<models::VoltageClamp>(&stimulus.kind))
        add_at(name, clamp->at);
      if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind))
        add_at(name, events->synapse.at);
      if (const auto* placed = std::get_if<models::PlacedPoint>(&stimulus.kind))
        add_at(name, placed->point.at);
    }
  }

  void add_recordings() {
    for (const models::Recording& recording : network_.recordings)
      if (recording.variable && !recording.points && is_this(recording.of) &&
          recording.variable->kind != models::RecordedVariable::Kind::weight)
        add_at("recording " + recording.name, recording.at);
  }

  const models::Network& network_;
  std::size_t number_;
  const models::CableCell& cable_;
  models::Morphology shape_;
  solver::Template cell_;
  std::vector<std::int32_t> element_of_;  ///< [node], -1 where there is no compartment
  std::vector<io::page::Element> elements_;
  std::map<std::string, std::vector<std::int32_t>> layers_;
};

}  // namespace

io::Json cells_in(const models::Network& network, io::page::Blobs& blobs) {
  io::Json cells = io::Json::array();
  for (std::size_t c = 0; c < network.cells.size(); ++c)
    if (std::holds_alternative<models::CableCell>(network.cells[c].kind))
      cells.add(CellView(network, c).to_json(blobs));
  return cells;
}

}  // namespace hillock::session
