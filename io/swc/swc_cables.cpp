#include "io/swc/swc_cables.hpp"

#include <fmt/format.h>

namespace hillock::io::swc {

namespace {

/// Grows cables sample by sample; a parent's sample comes before its children's.
class Tracer {
 public:
  explicit Tracer(const std::vector<Sample>& samples)
      : samples_(samples), children_(samples.size(), 0), cable_of_(samples.size(), -1) {
    for (const Sample& sample : samples)
      if (sample.parent >= 0) ++children_[sample.parent];
  }

  int children(int sample) const { return children_[sample]; }
  int cable_of(int sample) const { return cable_of_[sample]; }
  void assign(int sample, int cable) { cable_of_[sample] = cable; }

  /// Starts a cable with these points, of which sample i is the last.
  int start(int i, int parent_cable, double at, std::vector<models::Point> points) {
    cable_of_[i] = static_cast<int>(cables.size());
    cables.push_back({samples_[i].type, parent_cable, at, std::move(points), samples_[i].line});
    return cable_of_[i];
  }

  /// Starts a cable with sample i's parent and sample i.
  int start(int i, int parent_cable, double at) {
    return start(i, parent_cable, at, {samples_[samples_[i].parent].point, samples_[i].point});
  }

  /// Sample i continues its parent's cable, or starts one at that cable's end.
  void follow(int i) {
    const int p = samples_[i].parent;
    const int cable = cable_of_[p];
    if (children_[p] == 1 && samples_[p].type == samples_[i].type) {
      cables[cable].points.push_back(samples_[i].point);
      cable_of_[i] = cable;
    } else {
      start(i, cable, 1);
    }
  }

  std::vector<Cable> cables;

 private:
  const std::vector<Sample>& samples_;
  std::vector<int> children_;
  std::vector<int> cable_of_;
};

/// Leaves out cables of no length, which would have no axial resistance.
std::vector<Cable> without_empty(std::vector<Cable> cables, const std::string& file,
                                 Diagnostics& diagnostics) {
  std::vector<bool> empty(cables.size(), false);
  Sightings sightings;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    empty[i] = length_um(cables[i].points) == 0;
    if (empty[i]) sightings.add(cables[i].line);
  }
  if (sightings.count == 0) return cables;
  if (sightings.count == static_cast<int>(cables.size())) {
    diagnostics.error({file, sightings.first_line, 0},
                      "the neuron has no length (all its samples coincide)");
    return {};
  }
  diagnostics.warning({file, sightings.first_line, 0},
                      fmt::format("a branch whose points all coincide is left out ({} in the file)",
                                  sightings.count));
  return without(std::move(cables), empty);
}

/// The samples of type 1 that hang together with the root.
std::vector<bool> find_soma(const std::vector<Sample>& samples) {
  std::vector<bool> soma(samples.size(), false);
  for (std::size_t i = 0; i < samples.size(); ++i)
    soma[i] = samples[i].type == soma_type && (i == 0 || soma[samples[i].parent]);
  return soma;
}

/// The soma's cables under the NeuroMorpho.org convention; assigns all soma samples.
void trace_soma(const std::vector<Sample>& samples, const std::vector<bool>& soma, Tracer& tracer) {
  std::vector<int> members;
  std::vector<int> soma_children(samples.size(), 0);
  for (int i = 0; i < static_cast<int>(samples.size()); ++i) {
    if (!soma[i]) continue;
    members.push_back(i);
    if (i > 0) ++soma_children[samples[i].parent];
  }
  const models::Point& centre = samples[0].point;
  if (members.size() == 1) {
    models::Point low = centre;
    models::Point high = centre;
    low.y_um -= centre.diameter_um / 2;
    high.y_um += centre.diameter_um / 2;
    tracer.start(0, -1, 1, {low, centre, high});
    return;
  }
  if (members.size() == 3 && soma_children[0] == 2) {
    const int low = members[1];
    const int high = members[2];
    const int cable = tracer.start(high, -1, 1, {samples[low].point, centre, samples[high].point});
    tracer.cables[cable].line = samples[0].line;
    tracer.assign(0, cable);
    tracer.assign(low, cable);
    return;
  }
  // A stack: each run of samples is a cable, whatever neurites leave from it.
  for (const int i : members) {
    if (i == 0) continue;
    const int p = samples[i].parent;
    const int cable = tracer.cable_of(p);
    if (p == 0) {
      const int first = tracer.cables.empty() ? tracer.start(i, -1, 1) : tracer.start(i, 0, 0);
      if (first == 0) tracer.assign(0, 0);
    } else if (soma_children[p] == 1) {
      tracer.cables[cable].points.push_back(samples[i].point);
      tracer.assign(i, cable);
    } else {
      tracer.start(i, cable, 1);
    }
  }
}

}  // namespace

std::vector<Cable> cables_as_they_stand(const std::vector<Sample>& samples, const std::string& file,
                                        Diagnostics& diagnostics) {
  const int n = static_cast<int>(samples.size());
  if (n == 1) {
    diagnostics.error({file, samples[0].line, 0},
                      "one sample has no length under soma: literal. Use soma: neuromorpho?");
    return {};
  }
  Tracer tracer(samples);
  bool soma_extends = false;
  for (int i = 1; i < n; ++i) {
    if (samples[i].parent > 0) {
      tracer.follow(i);
      continue;
    }
    soma_extends = soma_extends || samples[i].type == soma_type;
    // Branches that leave the root sample join the first one's 0 end, which lies there.
    if (tracer.cables.empty())
      tracer.start(i, -1, 1);
    else
      tracer.start(i, 0, 0);
  }
  if (samples[0].type == soma_type && !soma_extends)
    diagnostics.warning(
        {file, samples[0].line, 0},
        "the soma's one sample makes no branch under soma: literal, so the cell has "
        "no soma. Use soma: neuromorpho?");
  return without_empty(std::move(tracer.cables), file, diagnostics);
}

std::vector<Cable> cables_as_neuromorpho(const std::vector<Sample>& samples,
                                         const std::string& file, Diagnostics& diagnostics) {
  if (samples[0].type != soma_type) return cables_as_they_stand(samples, file, diagnostics);
  Tracer tracer(samples);
  const std::vector<bool> soma = find_soma(samples);
  trace_soma(samples, soma, tracer);
  const int n = static_cast<int>(samples.size());

  // A neurite's first own sample starts a cable only with the next one; until then it is pending.
  // When it branches at once, each branch starts there; when it ends at once, the cable runs from
  // the soma's sample with the neurite's own diameter.
  for (int i = 1; i < n; ++i) {
    if (soma[i]) continue;
    const int p = samples[i].parent;
    if (soma[p]) {
      if (tracer.children(i) > 0) continue;
      models::Point from = samples[p].point;
      from.diameter_um = samples[i].point.diameter_um;
      tracer.start(i, tracer.cable_of(p), 0.5, {from, samples[i].point});
    } else if (tracer.cable_of(p) < 0) {
      tracer.start(i, tracer.cable_of(samples[p].parent), 0.5);
    } else {
      tracer.follow(i);
    }
  }
  return without_empty(std::move(tracer.cables), file, diagnostics);
}

}  // namespace hillock::io::swc
